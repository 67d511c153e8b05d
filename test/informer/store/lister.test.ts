import { describe, expect, it } from 'vitest';
import { createLister, type Lister } from '../../../src/informer/store/lister.ts';
import { indexByNamespace, NAMESPACE_INDEX } from '../../../src/informer/store/object-index.ts';
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
