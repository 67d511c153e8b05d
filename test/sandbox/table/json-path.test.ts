import { expect, it } from 'vitest';
import { findPath } from '../../../src/sandbox/table/json-path.ts';

const OBJECT = {
  spec: { color: 'red', none: null, list: [{ n: 1 }, { n: 2 }], 'a.b': 'dot' },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Other', status: 'False' },
    ],
  },
};

it.each([
  ['.spec.color', ['red']],
  ['{.spec.color}', ['red']],
  ['spec.color', ['red']],
  ['.spec.list[1].n', [2]],
  ['.spec.list[-1].n', [2]],
  ['.spec.list[*].n', [1, 2]],
  [".spec['a.b']", ['dot']],
  ['.spec.a\\.b', ['dot']],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  [".status.conditions[?(@.type!='Ready')].status", ['False']],
  ['.spec.missing.deep', []],
  ['.spec.list[?(@.n > 1)]', []],
  ['.spec.none', []],
  ['.spec.constructor.name', []],
  ['.spec.toString', []],
  ['.status.conditions.*.type', ['Ready', 'Other']],
])('finds by the path %s of a printer column: %j', (path, expected) => {
  expect(findPath(OBJECT, path)).toEqual(expected);
});
