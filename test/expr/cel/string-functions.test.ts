import { expect, it } from 'vitest';
import { valueFrom } from '../../support/cel.ts';

it.each([
  ['"hello".charAt(1)', 'e'],
  ['"hello".indexOf("l")', 2],
  ['"hello".lastIndexOf("l")', 3],
  ['"Hello".lowerAscii() + "x".upperAscii()', 'helloX'],
  ['"a-b-c".replace("-", ".", 1)', 'a.b-c'],
  ['"a,b,c".split(",", 2)', ['a', 'b,c']],
  ['["a", "b"].join("-")', 'a-b'],
  ['" x ".trim()', 'x'],
  ['"hello".substring(1, 3)', 'el'],
  ['"abc".reverse()', 'cba'],
  ['"%s has %d of %.1f%%".format(["web", 3, 99.55])', 'web has 3 of 99.5%'],
  ['"a1b22".find("[0-9]+")', '1'],
  ['"a1b22c".findAll("[0-9]+")', ['1', '22']],
  ['"a1b22c333".findAll("[0-9]+", 2)', ['1', '22']],
  ['"none".find("[0-9]+")', ''],
  ['b"abc".base64()', 'YWJj'],
])('%s is %j', (source, expected) => {
  expect(valueFrom(source)).toEqual(expected);
});

it.each([
  ['"web-1".startsWith("web") && "web-1".endsWith("-1") && "web-1".contains("b-")', true],
  ['"".charAt(0)', ''],
  ['"hello".indexOf("l", 3)', 3],
  ['"hello".indexOf("x")', -1],
  ['"hello".lastIndexOf("l", 2)', 2],
  ['"hello".substring(5)', ''],
  ['"a-b".replace("-", "$&")', 'a$&b'],
  ['"a,b".split(",", 0)', []],
  ['"a,b".split(",", -1)', ['a', 'b']],
  ['"é😀".reverse()', '😀é'],
  ['b"abc".hex()', '616263'],
  ['b"abc".at(1)', 98],
  ['bytes("{\\"a\\": 1}").json()', { a: 1 }],
])('%s is %j', (source, expected) => {
  expect(valueFrom(source)).toEqual(expected);
});

it.each([
  ['dyn(1).startsWith("a")', 'expected a string, got int'],
  ['"a".charAt(2)', 'the index is out of range'],
  ['"a".indexOf("a", -1)', 'the index is out of range'],
  ['"abc".substring(2, 1)', 'substring() ends before it starts'],
  ['[dyn(1)].join(",")', 'expected a string, got int'],
  ['bytes("{").json()', 'json() cannot read these bytes'],
  ['"a".charAt(9007199254740993)', 'the number is too large'],
  ['b"a".at(1)', 'the index is out of range'],
])('%s fails: %s', (source, message) => {
  expect(() => valueFrom(source)).toThrow(message);
});
