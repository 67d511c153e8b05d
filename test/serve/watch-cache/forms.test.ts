import { expect, it } from 'vitest';
import { withCells } from '../../../src/model/cells.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { itemText } from '../../../src/serve/watch-cache/forms.ts';

it('an object without cells is a row without cells', () => {
  const object = { metadata: { name: 'a' }, spec: {} } as UnknownObject;
  const row = (include: 'None' | 'Metadata' | 'Object') =>
    JSON.parse(itemText({ kind: 'table', include }, object, 0)) as unknown;
  expect(row('None')).toEqual({ cells: [], object: null });
  expect(row('Metadata')).toEqual({
    cells: [],
    object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } },
  });
  expect(row('Object')).toEqual({ cells: [], object });
});

it('a row has its cells as they are at the time of the answer', () => {
  const columns = ['Name', 'Restarts'].map((name) => ({ name, type: 'string', format: '', priority: 0 }));
  const object = withCells({ metadata: { name: 'a' } } as UnknownObject, {
    columns,
    cells: ['a', '3 (1s ago)'],
    at: 0,
  });
  const row = JSON.parse(itemText({ kind: 'table', include: 'None' }, object, 3_600_000)) as unknown;
  expect(row).toEqual({ cells: ['a', '3 (60m ago)'], object: null });
});
