import { describe, expect, it } from 'vitest';
import { createLister, type Lister } from '../../../src/informer/store/lister.ts';
import { indexByNamespace, NAMESPACE_INDEX } from '../../../src/informer/store/object-index.ts';
import { lightsOf } from '../../../src/kit/lazy-list.ts';
import { keyOf } from '../../../src/model/key.ts';
import { LabelSelector } from '../../../src/model/label-selector.ts';
import { isNotFound, type StatusError } from '../../../src/model/status.ts';
import { type Pod, pod } from '../../support/objects.ts';
import { Indexer } from '../../support/store-under-test.ts';

const deployments = { group: 'apps', version: 'v1', resource: 'deployments' };

function lister(hasIndex = true): Lister<Pod> {
  const indexer = new Indexer<Pod>({ indexers: hasIndex ? { [NAMESPACE_INDEX]: indexByNamespace } : {} });
  indexer.add(pod('ns-foo/a', 1, { labels: { a: 'b' } }));
  indexer.add(pod('ns-foo/c', 2));
  indexer.add(pod('ns-bar/a', 3, { labels: { a: 'b' } }));
  return createLister(indexer, deployments);
}

const names = (objects: readonly { metadata: { readonly namespace?: string; readonly name?: string } }[]) =>
  objects.map((o) => `${o.metadata.namespace}/${o.metadata.name}`).sort();

it('throws the API server’s NotFound for a missing object [LST-01]', () => {
  let thrown: unknown;
  try {
    lister().byNamespace('ns-foo').require('missing');
  } catch (error) {
    thrown = error;
  }
  expect(isNotFound(thrown)).toBe(true);
  expect((thrown as StatusError).status).toMatchObject({
    code: 404,
    reason: 'NotFound',
    message: 'deployments.apps "missing" not found',
    details: { group: 'apps', kind: 'deployments', name: 'missing' },
  });
  expect(lister().byNamespace('ns-foo').get('missing')).toBeUndefined();
  expect(() => lister().require('ns-foo/missing')).toThrow('deployments.apps "missing" not found');
});

describe.each([
  ['with a namespace index', true],
  ['without one', false],
])('%s', (_, hasIndex) => {
  it('lists one namespace, all of them, or the objects that match a selector [LST-02]', () => {
    const all = lister(hasIndex);
    expect(names(all.byNamespace('ns-foo').list())).toEqual(['ns-foo/a', 'ns-foo/c']);
    expect(names(all.list())).toEqual(['ns-bar/a', 'ns-foo/a', 'ns-foo/c']);
    expect(names(all.byNamespace('').list())).toHaveLength(3);
    expect(names(all.list({ selector: 'a=b' }))).toEqual(['ns-bar/a', 'ns-foo/a']);
    expect(names(all.list({ namespace: 'ns-foo', selector: LabelSelector.parse('a=b') }))).toEqual(['ns-foo/a']);
    expect(all.list({ selector: LabelSelector.nothing })).toEqual([]);
    expect(all.list({ namespace: 'elsewhere' })).toEqual([]);
  });
});

it('returns the cached object itself', () => {
  const all = lister();
  expect(all.get('ns-foo/a')).toBe(all.byNamespace('ns-foo').get('a'));
  expect([...all.values()]).toHaveLength(all.size);
});

it('has the size, the keys and the version of the store', () => {
  const all = lister();
  expect([all.size, [...all.keys()].sort(), all.resourceVersion]).toEqual([
    3,
    ['ns-bar/a', 'ns-foo/a', 'ns-foo/c'],
    '3',
  ]);
  expect([all.has('ns-foo/a'), all.has('ns-foo/b')]).toEqual([true, false]);
  expect([...all.values()].map(keyOf).sort()).toEqual([...all.keys()].sort());
});

it('requires an object that is there, and names one without a namespace by its whole key', () => {
  const all = lister();
  expect(all.require('ns-foo/c')).toEqual(pod('ns-foo/c', 2));
  expect(all.byNamespace('ns-foo').require('c')).toEqual(pod('ns-foo/c', 2));
  expect(() => all.require('node-1')).toThrow('deployments.apps "node-1" not found');
  expect(() => createLister(new Indexer<Pod>()).require('a/b')).toThrow('objects "b" not found');
});

it('views what list gives, of all, of a namespace, by a selector, by keys and by an index', () => {
  const all = lister();
  expect(names(all.view())).toEqual(names(all.list()));
  expect(names(all.view({ namespace: 'ns-foo', selector: 'a=b' }))).toEqual(['ns-foo/a']);
  expect(names(all.viewByKeys?.(['ns-bar/a', 'gone', 'ns-foo/c']) ?? [])).toEqual(['ns-bar/a', 'ns-foo/c']);
  expect(names(all.viewByIndex(NAMESPACE_INDEX, 'ns-foo'))).toEqual(['ns-foo/a', 'ns-foo/c']);
  expect(names([...all.scan()] as Pod[])).toEqual(names(all.list()));
  expect(names(all.byNamespace('ns-foo').list({ selector: 'a=b' }))).toEqual(['ns-foo/a']);
});

it('refuses an unknown part of a filter, which would match all', () => {
  const all = lister();
  const typo = { labels: 'a=b' } as never;
  for (const list of [() => all.list(typo), () => all.view(typo), () => all.byNamespace('ns-foo').list(typo)])
    expect(list).toThrow('"labels"');
  expect(() => all.byNamespace('ns-foo').list('a=b' as never)).toThrow('list takes an object of options, not string');
});

it('reads the indexes of the store', () => {
  const all = lister();
  expect([all.hasIndex(NAMESPACE_INDEX), all.hasIndex('other')]).toEqual([true, false]);
  expect(names(all.byIndex(NAMESPACE_INDEX, 'ns-foo'))).toEqual(['ns-foo/a', 'ns-foo/c']);
  expect(all.indexKeys(NAMESPACE_INDEX, 'ns-foo')).toEqual(['ns-foo/a', 'ns-foo/c']);
  expect([all.indexCount(NAMESPACE_INDEX, 'ns-foo'), all.indexCount(NAMESPACE_INDEX, 'none')]).toEqual([2, 0]);
  expect(all.indexValues(NAMESPACE_INDEX).sort()).toEqual(['ns-bar', 'ns-foo']);
  expect(all.indexValues(NAMESPACE_INDEX, { from: 'ns-c' })).toEqual(['ns-foo']);
  expect(names(all.byIndexRange(NAMESPACE_INDEX, { prefix: 'ns-b' }))).toEqual(['ns-bar/a']);
  expect(all.valuesUnder?.(NAMESPACE_INDEX, 'ns-bar/a')).toEqual(['ns-bar']);
  expect(all.valuesUnder?.('other', 'ns-bar/a')).toEqual([]);
});

it('glances at an object by its key or by an entry of a view, and reads parts of entries', () => {
  const all = lister();
  expect([all.glance('ns-foo/c'), all.glance('gone')]).toEqual([pod('ns-foo/c', 2), undefined]);
  const entries = lightsOf(all.view({ namespace: 'ns-bar' }));
  expect(entries.map((entry) => all.glanceOf?.(entry))).toEqual([pod('ns-bar/a', 3, { labels: { a: 'b' } })]);
  const read = all.readerOf?.({ fields: [['metadata', 'name']] }, ({ metadata }) => metadata.name);
  expect(entries.map((entry) => read?.(entry))).toEqual(['a']);
});

it('an object without metadata is in no namespace, and matches no selector', () => {
  const indexer = new Indexer<{ id: string }>({ keyOf: (object) => (object as { id: string }).id });
  indexer.add({ id: 'one' });
  const all = createLister(indexer);
  expect([all.list(), all.list({ namespace: 'shop' }), all.list({ selector: '!a' })]).toEqual([
    [{ id: 'one' }],
    [],
    [],
  ]);
});

it('shows all objects by ascending key, and the keys that are written from now on', () => {
  const indexer = new Indexer<Pod>();
  for (const key of ['b/x', 'a/z', 'a/y']) indexer.add(pod(key, 1));
  const all = createLister(indexer);
  expect(all.viewByKey?.().map((object) => keyOf(object))).toEqual(['a/y', 'a/z', 'b/x']);
  const written = all.follow?.(10);
  indexer.add(pod('c/x', 1));
  expect([...(written?.take() ?? [])]).toEqual(['c/x']);
});
