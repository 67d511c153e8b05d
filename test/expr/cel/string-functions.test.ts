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
