import { expect, it } from 'vitest';
import { columnDefinitions, hasPrinter, row, rowConditions, tableColumns } from '../../../src/sandbox/table/table.ts';
import type { ApiType, CustomTraits } from '../../../src/sandbox/types/api-type.ts';
import { builtinTypes } from '../../../src/sandbox/types/builtin-types.ts';
import { EVERY_TYPE } from '../../support/gated-types.ts';

const NOW = Date.parse('2026-01-01T01:00:00Z');
const types = builtinTypes(EVERY_TYPE);

it('gives every built-in type as many cells as columns, also for an object without fields', () => {
  for (const type of types.filter((t) => t.verbs.includes('list'))) {
    const count = tableColumns(type).length;
    expect(row(type, { metadata: {} }, NOW).length, type.storage).toBe(count);
  }
});

const builtin = (storage: string) => types.find((type) => type.storage === storage) as ApiType;

it('shows name and creation time of a type without a printer', () => {
  const roles = builtin('roles.rbac.authorization.k8s.io');
  const creationTimestamp = '2026-01-01T00:50:00Z';
  expect([hasPrinter(roles), hasPrinter(builtin('pods'))]).toEqual([false, true]);
  expect(tableColumns(roles).map(({ name }) => name)).toEqual(['Name', 'Created At']);
  expect(row(roles, { metadata: { name: 'x', creationTimestamp } }, NOW)).toEqual(['x', creationTimestamp]);
});

it('has row conditions for finished pods only', () => {
  const finished = { metadata: {}, status: { phase: 'Succeeded' } };
  expect(rowConditions(builtin('pods'), finished)).toHaveLength(1);
  expect(rowConditions(builtin('jobs.batch'), finished)).toBeUndefined();
});

const CREATED = new Date(NOW - 600_000).toISOString();

it.each<[columnType: string, value: unknown, cell: unknown]>([
  ['string', 'red', 'red'],
  ['string', 5, '5'],
  ['string', { a: [1] }, '{"a":[1]}'],
  ['integer', 5, 5],
  ['integer', 5.9, 5],
  ['integer', 12345678901234567890n, 12345678901234567890n],
  ['integer', '5', null],
  ['number', 5.5, 5.5],
  ['number', '5.5', null],
  ['boolean', true, true],
  ['boolean', 'true', null],
  ['date', CREATED, '10m'],
  ['date', 'yesterday', '<invalid>'],
  ['string', undefined, null],
  ['date', null, null],
])('shows in a custom column of type %s the value %o as %o', (type, value, cell) => {
  const column = { name: 'Value', type, format: '', description: '', priority: 0 };
  const traits = {
    columns: [{ column, jsonPath: '.spec.value' }],
    selectableFields: [],
    schema: undefined,
  } satisfies CustomTraits;
  const custom: ApiType = { ...builtin('pods'), custom: traits };
  expect(row(custom, { metadata: { name: 'x' }, spec: { value } }, NOW)).toEqual(['x', cell]);
  expect(JSON.parse(columnDefinitions(custom)).map((c: { name: string }) => c.name)).toEqual(['Name', 'Value']);
  expect(hasPrinter(custom)).toBe(true);
});
