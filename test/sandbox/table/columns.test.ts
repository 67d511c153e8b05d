import { expect, it } from 'vitest';
import { builtinColumns, NAME_COLUMN } from '../../../src/sandbox/table/columns.ts';

it('has the columns of a built-in type, wide ones with priority 1', () => {
  expect(builtinColumns('deployments.apps').map(({ name, priority }) => `${name} ${priority}`)).toEqual([
    'Name 0',
    'Ready 0',
    'Up-to-date 0',
    'Available 0',
    'Age 0',
    'Containers 1',
    'Images 1',
    'Selector 1',
  ]);
});

it('has name and creation time for a type without a printer', () => {
  expect(builtinColumns('roles.rbac.authorization.k8s.io').map(({ name, type }) => `${name} ${type}`)).toEqual([
    'Name string',
    'Created At date',
  ]);
});

it('starts every table with the name, except that of events', () => {
  expect(builtinColumns('pods')[0]).toEqual(NAME_COLUMN);
  expect(NAME_COLUMN.format).toBe('name');
  expect(builtinColumns('events')[0]?.name).toBe('Last Seen');
});
