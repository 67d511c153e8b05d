import { describe, expect, it } from 'vitest';
import {
  BLANK,
  Duration,
  isInt,
  isMap,
  MISSING,
  Optional,
  parseAge,
  TypeName,
  typeNameOf,
  whole,
} from '../../../src/expr/cel/cel-values.ts';
import { IpAddress, IpBlock } from '../../../src/expr/cel/ip-address.ts';
import { toPlain } from '../../../src/expr/cel/plain-value.ts';
import { parseJson } from '../../../src/kit/exact-json.ts';
import { Quantity } from '../../../src/model/quantity.ts';

const ip = new IpAddress(4, 0x0a000001n);
const huge = parseJson('1E400');

describe('each value has the type of CEL and the JSON of its kind', () => {
  it.each<[string, unknown, string, unknown]>([
    ['a string', 'x', 'string', 'x'],
    ['a whole number', 3, 'int', 3],
    ['a fraction', 0.5, 'double', 0.5],
    ['a whole number of 64 bits', 2n ** 63n - 1n, 'int', 2n ** 63n - 1n],
    ['a whole number of more than 64 bits', 2n ** 63n, 'double', 2n ** 63n],
    ['a number beyond the range of doubles', huge, 'double', huge],
    ['a boolean', true, 'bool', true],
    ['null', null, 'null_type', null],
    ['a list', [new Duration(1000), MISSING], 'list', ['1s', undefined]],
    ['a map', { a: { b: new Date(0) } }, 'map', { a: { b: '1970-01-01T00:00:00Z' } }],
    ['a time', new Date(0), 'google.protobuf.Timestamp', '1970-01-01T00:00:00Z'],
    ['a duration', new Duration(90_500), 'google.protobuf.Duration', '90.5s'],
    ['a quantity', new Quantity(1_500_000_000n, 'DecimalSI'), 'quantity', '1500m'],
    ['an optional', new Optional(3), 'optional', 3],
    ['an empty optional', new Optional(MISSING), 'optional', undefined],
    ['a type', new TypeName('int'), 'type', 'int'],
    ['an IP address', ip, 'net.IP', '10.0.0.1'],
    ['a CIDR', new IpBlock(ip, 24), 'net.CIDR', '10.0.0.1/24'],
    ['bytes', Buffer.from('abc'), 'bytes', 'YWJj'],
    ['a missing value', MISSING, 'missing', undefined],
    ['a blank cell', BLANK, 'missing', ''],
  ])('%s', (_, value, type, json) => {
    expect(typeNameOf(value)).toBe(type);
    expect(toPlain(value)).toEqual(json);
  });
});

it('only whole numbers of 64 bits are ints', () => {
  const numbers = [0, -1, 0.5, 2 ** 53, Number.NaN, 2n ** 63n - 1n, 2n ** 63n, -(2n ** 63n), -(2n ** 63n) - 1n];
  expect(numbers.map(isInt)).toEqual([true, true, false, false, false, true, false, true, false]);
});

it('an int is a number up to 2^53 and a bigint beyond, and fails beyond 64 bits', () => {
  expect([whole(5n), whole(2n ** 53n - 1n), whole(2n ** 53n)]).toEqual([5, 2 ** 53 - 1, 2n ** 53n]);
  expect(() => whole(2n ** 63n)).toThrow('integer overflow');
});

it('only a plain object is a map', () => {
  const values = [{}, Object.create(null), [], null, 'x', new Date(), new Duration(1), Buffer.from('a')];
  expect(values.map(isMap)).toEqual([true, true, false, false, false, false, false, false]);
});

it.each([
  ['5m', 300_000],
  ['1h30m', 5_400_000],
  ['3d4h', 273_600_000],
  ['1500ms', 1500],
  ['5x', undefined],
  ['', undefined],
])('the age %j is %s ms', (text, ms) => {
  expect(parseAge(text)).toBe(ms);
});
