import { describe, expect, it } from 'vitest';
import type { ResourceApi } from '../../src/client/resource-api.ts';
import { createController } from '../../src/controller/controller.ts';
import { createOrPatch, createOrUpdate } from '../../src/controller/writes/create-or-update.ts';
import { addFinalizerPatch } from '../../src/controller/writes/finalizer.ts';
import { serverSideApply } from '../../src/controller/writes/server-side-apply.ts';
import { updateStatus } from '../../src/controller/writes/update-status.ts';
import { dynamicInformerFactory } from '../../src/informer/informer-factory.ts';
import type { Lister } from '../../src/informer/store/lister.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { pod } from '../support/fixture.ts';
import { type InProcess, inProcess } from '../support/in-process.ts';
import { lagging, PARENTS, parentOf, parentSource } from '../support/wanted-children.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };

interface Pod extends KubeObject {
  status?: { message?: string };
}

const numbered = (n: number) => ({ metadata: { annotations: { n: String(n) } } });
const copyOf = (object: unknown) => structuredClone(object) as Pod;
const mutate = (n: number) => (draft: Pod) => {
  draft.metadata.annotations = { n: String(n) };
};

/** Writes a number into a pod; `cached` is the pod in the cache. */
type Write = (pods: ResourceApi, cached: unknown, n: number) => Promise<unknown>;

const WAYS: [string, Write][] = [
  ['update', (pods, cached, n) => pods.update({ ...copyOf(cached), ...merged(cached, n) } as never)],
  ['patch', (pods, _, n) => pods.patch('child', numbered(n), { type: 'merge' })],
  [
    'createOrUpdate',
    (pods, cached, n) => createOrUpdate(pods as never, copyOf(cached), mutate(n), { current: cached } as never),
  ],
  [
    'createOrPatch',
    (pods, cached, n) => createOrPatch(pods as never, copyOf(cached), mutate(n), { current: cached } as never),
  ],
  [
    'serverSideApply',
    (pods, cached, n) => {
      const body = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'child', namespace: 'shop', ...numbered(n).metadata },
      };
      return serverSideApply(pods as never, body, { fieldManager: 'test', force: true, current: cached } as never);
    },
  ],
  [
    'updateStatus',
    (pods, cached, n) =>
      updateStatus<Pod>(pods as never, cached as never, (draft) => {
        draft.status = { ...draft.status, message: String(n) };
      }),
  ],
  [
    'addFinalizerPatch',
    (pods, cached, n) => pods.patch('child', addFinalizerPatch(cached as never, `example.com/n${n}`), { type: 'json' }),
  ],
];

it('a run evicts no pod that an earlier one has evicted', async () => {
  const pods = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => pod(name));
  await using place = await inProcess({ objects: [parentOf(), ...pods] });
  const evicted: string[] = [];
  await running(place, (lister, api) => async (key) => {
    const [first] = lister.list({ namespace: 'shop' }).filter(({ metadata }) => !metadata.deletionTimestamp);
    if (key !== 'parent' || !first || evicted.length === 4) return;
    const name = first.metadata.name ?? '';
    evicted.push(name);
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'shop' } };
    await api.create(body, { name, subresource: 'eviction' });
  });
  expect(evicted.length).toBeGreaterThan(2);
  expect(new Set(evicted).size).toBe(evicted.length);
});

function merged(cached: unknown, n: number) {
  const { metadata } = copyOf(cached);
  return { metadata: { ...metadata, ...numbered(n).metadata } };
}

/** The number in a pod. */
function numberIn({ metadata, status }: Pod): number {
  return Number(metadata.annotations?.n ?? status?.message ?? metadata.finalizers?.length ?? 0);
}

describe('a run sees what the run before it wrote, in a cache that is no source, and other keys go on', () => {
  it.each(WAYS)('%s', async (_, write) => {
    await using place = await inProcess({ objects: [parentOf(), parentOf('other'), pod('child')] });
    const seen: number[] = [];
    let others = 0;
    await running(place, (lister, api) => async (name) => {
      if (name === 'other') others++;
      const cached = lister.get('shop/child');
      if (name !== 'parent' || !cached) return;
      seen.push(numberIn(cached as Pod));
      await write(api, cached, seen.length);
    });
    expect(seen.length).toBeGreaterThan(3);
    expect(seen).toEqual(Array.from(seen, (_each, i) => i));
    expect(others).toBeGreaterThan(2 * seen.length);
  });
});

/** Runs a controller over caches that are behind, whose pods are no source, while the parents change. */
async function running(
  { sandbox, clock, client }: InProcess,
  reconcilerOf: (lister: Lister<Pod>, api: ResourceApi) => (name: string) => Promise<void>,
): Promise<void> {
  lagging(sandbox, 500);
  const factory = dynamicInformerFactory(client, { logger: silentLogger });
  const { informer: parents } = factory.forResource<KubeObject>(PARENTS);
  const { lister } = factory.forResource<Pod>(PODS);
  const reconcile = reconcilerOf(lister, client.resource(PODS, { namespace: 'shop' }));
  const controller = createController({
    name: 'writes',
    logger: silentLogger,
    sources: [parentSource(parents)],
    reconcile: ({ name }) => reconcile(name),
  });
  const stop = new AbortController();
  const run = controller.run(stop.signal);
  factory.start(stop.signal);
  await clock.advance(2_000);
  for (let change = 1; change <= 20; change++) {
    const labels = { change: String(change) };
    sandbox.apply([parentOf('parent', { labels }), parentOf('other', { labels })]);
    await clock.advance(100);
  }
  await clock.advance(2_000);
  stop.abort();
  await clock.advance(0);
  await run;
  await factory.shutdown();
}
