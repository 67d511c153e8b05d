import { expect, it } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import { itemText } from '../../../src/serve/watch-cache/forms.ts';

it('an object without cells is a row without cells', () => {
  const object = { metadata: { name: 'a' }, spec: {} } as UnknownObject;
  const row = (include: 'None' | 'Metadata' | 'Object') =>
    JSON.parse(itemText({ kind: 'table', include }, object)) as unknown;
  expect(row('None')).toEqual({ cells: [], object: null });
  expect(row('Metadata')).toEqual({
    cells: [],
    object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } },
  });
  expect(row('Object')).toEqual({ cells: [], object });
});
