import { describe, expect, it } from 'vitest';
import { encodeObject, type ListMeta, listEncoder } from '../../../src/sandbox/read/encode.ts';
import { StoredObject } from '../../../src/sandbox/store/stored-object.ts';
import type { ApiType } from '../../../src/sandbox/types/api-type.ts';
import { builtinType, customType } from '../../support/api-types.ts';

const CONFIG_MAPS = builtinType('configmaps');
const LARGE = 9_007_199_254_740_993n;
const NOW = Date.parse('2026-01-02T00:00:00Z');

function stored(type: ApiType, fields: object): StoredObject {
  const apiVersion = type.gvr.group === '' ? type.gvr.version : `${type.gvr.group}/${type.gvr.version}`;
  const metadata = { name: 'a', namespace: 'b', resourceVersion: '5', creationTimestamp: '2026-01-01T00:00:00Z' };
  return new StoredObject('b/a', { kind: type.kind, apiVersion, metadata, ...fields }, 5);
}

const shape = (form: 'object' | 'table' | 'metadata', includeObject: 'None' | 'Metadata' | 'Object' = 'Metadata') => ({
  form,
  includeObject,
});
const OBJECT = stored(CONFIG_MAPS, { data: { n: LARGE } });

describe('one object', () => {
  it('has kind and apiVersion first, and exact numbers', () => {
    const text = encodeObject(CONFIG_MAPS, OBJECT, shape('object'), NOW);
    expect(text).toMatch(/^\{"kind":"ConfigMap","apiVersion":"v1","metadata":/);
    expect(text).toContain(`{"n":${LARGE}}`);
  });

  it('of a custom type has apiVersion first', () => {
    expect(encodeObject(customType(), stored(customType(), {}), shape('object'), NOW)).toMatch(
      /^\{"apiVersion":"example.com\/v1","kind":"Box",/,
    );
  });

  it('as metadata has nothing else', () => {
    const { kind, apiVersion, ...rest } = JSON.parse(encodeObject(CONFIG_MAPS, OBJECT, shape('metadata'), NOW));
    expect([kind, apiVersion, Object.keys(rest)]).toEqual(['PartialObjectMetadata', 'meta.k8s.io/v1', ['metadata']]);
  });

  it.each([
    ['None', null],
    ['Metadata', { kind: 'PartialObjectMetadata', metadata: { name: 'a' } }],
    ['Object', { kind: 'ConfigMap', data: {} }],
  ] as const)('as a table contains of the object: %s', (include, object) => {
    const small = stored(CONFIG_MAPS, { data: {} });
    const table = JSON.parse(encodeObject(CONFIG_MAPS, small, shape('table', include), NOW));
    expect(table).toMatchObject({ kind: 'Table', metadata: { resourceVersion: '5' } });
    expect(table.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual(['Name', 'Data', 'Age']);
    expect(table.rows).toHaveLength(1);
    expect(table.rows[0].cells).toEqual(['a', 0, '24h']);
    if (object === null) expect(table.rows[0].object).toBeNull();
    else expect(table.rows[0].object).toMatchObject(object);
  });

  it('as a later table of a watch has no column definitions', () => {
    expect(JSON.parse(encodeObject(CONFIG_MAPS, OBJECT, shape('table'), NOW, false)).columnDefinitions).toBeNull();
  });
});

describe('a list', () => {
  const META: ListMeta = { resourceVersion: '9', continue: '', remaining: undefined, part: undefined };
  const MORE: ListMeta = { resourceVersion: '9', continue: 'token', remaining: 3, part: undefined };

  function encode(type: ApiType, form: 'object' | 'table' | 'metadata', objects: StoredObject[], meta = META): string {
    const encoder = listEncoder(type, shape(form), NOW);
    const empty = objects.length === 0;
    return (
      encoder.open(meta, empty) + objects.map((object) => encoder.item(object)).join(',') + encoder.close(meta, empty)
    );
  }

  it.each(['object', 'table', 'metadata'] as const)(
    'as %s is one JSON document with a line feed, empty or not, with its metadata',
    (form) => {
      for (const objects of [[], [OBJECT], [OBJECT, OBJECT]]) {
        const text = encode(CONFIG_MAPS, form, objects, MORE);
        const list = JSON.parse(text);
        expect(text.endsWith('}\n')).toBe(true);
        expect(list.metadata).toEqual({ resourceVersion: '9', continue: 'token', remainingItemCount: 3 });
        expect((form === 'table' ? list.rows : list.items).length).toBe(objects.length);
      }
    },
  );

  it('of a built-in type has items without a kind, and no `continue` on the last page', () => {
    const list = JSON.parse(encode(CONFIG_MAPS, 'object', [OBJECT]));
    expect([list.kind, list.apiVersion, list.metadata]).toEqual(['ConfigMapList', 'v1', { resourceVersion: '9' }]);
    expect(list.items[0]).not.toHaveProperty('kind');
  });

  it('of a custom type has sorted keys, items with a kind, and always `continue`, as on a real server', () => {
    const type = customType();
    const list = JSON.parse(encode(type, 'object', [stored(type, {})]));
    expect(Object.keys(list)).toEqual(['apiVersion', 'items', 'kind', 'metadata']);
    expect([list.items[0].kind, list.metadata.continue]).toEqual(['Box', '']);
  });

  it('as a table has an empty array of rows, or null for a type without columns of its own', () => {
    expect(JSON.parse(encode(CONFIG_MAPS, 'table', [])).rows).toEqual([]);
    expect(JSON.parse(encode(builtinType('runtimeclasses', 'node.k8s.io'), 'table', [])).rows).toBeNull();
  });
});
