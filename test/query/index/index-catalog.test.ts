import { describe, expect, test } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import { IndexCatalog } from '../../../src/query/index/index-catalog.ts';
import { parseIndex } from '../../../src/query/index/index-definition.ts';
import { pod } from '../../support/query.ts';

describe('a declared index', () => {
  test('replaces the built-in one with the same name', async () => {
    const node = await parseIndex('node=.metadata.name');
    expect(new IndexCatalog([node]).get('node')).toBe(node);
  });

  test('must not be declared twice', async () => {
    const node = await parseIndex('node=.metadata.name');
    expect(() => new IndexCatalog([node, node])).toThrow('the index "node" is declared twice');
  });
});

test('an unknown index is refused with a similar name and the list of names', () => {
  expect(() => new IndexCatalog().get('nodes')).toThrow('there is no index named "nodes"; did you mean "node"?');
  const names = new IndexCatalog().names().join(', ');
  const hint = `the indexes are ${names}; declare another with --index zzz=JSONPATH or =CEL`;
  expect(() => new IndexCatalog().get('zzz')).toThrow(expect.objectContaining({ hint }));
});

describe('a built-in index has the values of a pod', () => {
  const object = pod('a-1', 'n1', 'Running', 0, ['app:1', 'side:2', 'app:1']);

  test.each([
    ['namespace', ['shop']],
    ['node', ['n1']],
    ['image', ['app:1', 'side:2']],
    ['phase', ['Running']],
    ['label:app', ['a']],
    ['label:x.y/z', ['w']],
    ['label:none', []],
    ['label:constructor', []],
  ])('%s', (name, values) => {
    const index = new IndexCatalog().get(name);
    expect(index.valuesOf(object)).toEqual(values);
    expect(index.stable).toBe(true);
  });

  test('or none, for an object without the field', () => {
    const catalog = new IndexCatalog();
    const bare = { metadata: { name: 'x' } } as UnknownObject;
    const names = catalog.names().filter((name) => name !== 'label:KEY');
    expect(names.flatMap((name) => catalog.get(name).valuesOf(bare))).toEqual([]);
  });
});
