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
  const macros = ['has', '.all', '.exists', '.exists_one', '.map', '.filter', '.bind', '.of', '.none', '.or', '.orValue'];
  const known = new Environment({ enableOptionalTypes: true }).getDefinitions().functions;
  const missing = known.map(({ name, receiverType }) => (receiverType ? `.${name}` : name)).filter((name) => !names.has(name));
  expect(new Set(missing)).toEqual(new Set(macros));
});
