import { Environment } from '@marcbachmann/cel-js';
import { describe, expect, it } from 'vitest';
import { CEL_FUNCTIONS } from '../../../src/expr/cel/functions.ts';
import { valueFrom } from '../../support/cel.ts';

describe('conversions and optionals', () => {
  it.each([
    ['int(3.9)', 3],
    ['int("12") + 1', 13],
    ['double("2.5")', 2.5],
    ['string(object.spec.replicas) + "x"', '3x'],
    ['size("héé")', 3],
    ['optional.of(3).orValue(4)', 3],
    ['optional.none().orValue(4)', 4],
    ['object.?spec.?x.or(object.?spec.?replicas).value()', 3],
    ['object.?spec.?replicas.hasValue()', true],
    ['object.status.conditions[?0].type.orValue("none")', 'Available'],
    ['type(1.5) == double && type([]) == list && type(null) == null_type', true],
  ])('%s is %j', (source, expected) => {
    expect(valueFrom(source)).toEqual(expected);
  });
});

it('every function that the checker accepts can be run', () => {
  const names = new Set(CEL_FUNCTIONS.map(({ name }) => name));
  const macros = [
    'has',
    '.all',
    '.exists',
    '.exists_one',
    '.map',
    '.filter',
    '.bind',
    '.of',
    '.none',
    '.or',
    '.orValue',
  ];
  const known = new Environment({ enableOptionalTypes: true }).getDefinitions().functions;
  const missing = known
    .map(({ name, receiverType }) => (receiverType ? `.${name}` : name))
    .filter((name) => !names.has(name));
  expect(new Set(missing)).toEqual(new Set(macros));
});

it.each([
  ['bool("True") && !bool("0")', true],
  ['int(timestamp("1970-01-01T00:01:00Z")) + int(duration("60ns"))', 120],
  ['uint("18446744073709551615") > uint("18446744073709551614")', true],
  ['double("-inf") < 0.0', true],
  ['string(now)', '2026-03-01T12:00:00Z'],
  ['string(b"abc")', 'abc'],
  ['string(dyn(type(1)))', 'int'],
  ['size({"a": 1}) + size(b"abc") + "😀".size()', 5],
])('%s is %j', (source, expected) => {
  expect(valueFrom(source)).toEqual(expected);
});

it.each([
  ['bool(object.metadata.name)', 'bool() cannot read this text'],
  ['int(object.metadata.name)', 'int() cannot read this text'],
  ['int(1.0 / 0.0)', 'int() takes finite numbers only'],
  ['int(9223372036854775807.0)', 'integer overflow'],
  ['uint("18446744073709551616")', 'integer overflow'],
  ['uint(-1)', 'uint() cannot take a negative number'],
  ['double(object.metadata.name)', 'double() cannot read this text'],
  ['string(object.spec)', 'string() does not take map'],
  ['size(dyn(1))', 'size() does not take int'],
])('%s fails: %s', (source, message) => {
  expect(() => valueFrom(source)).toThrow(message);
});
