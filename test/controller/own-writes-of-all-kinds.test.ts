import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { createController } from '../../src/controller/controller.ts';
import { setControllerReference } from '../../src/controller/writes/owner-references.ts';
import { dynamicInformerFactory } from '../../src/informer/informer-factory.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import { noMetrics } from '../../src/kit/metrics.ts';
import type { KubeObject, ReadonlyKubeObject } from '../../src/model/object.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { definition, inProcess } from '../support/in-process.ts';
import { unordered } from '../support/unordered.ts';
import { childrenOf, childSource, lagging, PARENTS, parentOf, parentSource } from '../support/wanted-children.ts';

const WANTED = 10;
const LAG_MS = 300;
const NAMESPACES = ['shop', 'bank'];
const THINGS = { group: 'example.com', version: 'v1', resource: 'things' };

interface Scene {
  /** What a run does, once, where the cache has another number of children than ten. Default: it creates one. */
  readonly repairs?: 'deletes one' | 'takes one out of the selection' | 'creates one outside of the selection';
  readonly store?: 'compact';
  readonly namespaces?: readonly string[];
  readonly isUnordered?: boolean;
  /** The version of the type that is written; v1 is read. */
  readonly version?: string;
  /** Called between two changes of the parents. */
  readonly disturb?: (sandbox: Sandbox, turn: number) => void;
  readonly consistency?: 'none' | undefined;
}

function thingOf(parent: ReadonlyKubeObject, name: string | undefined, labels: Record<string, string>): KubeObject {
  const { namespace = '' } = parent.metadata;
  const named = name === undefined ? { generateName: 'child-' } : { name };
  const child: KubeObject = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { ...named, namespace, labels } };
  setControllerReference(parentOf(parent.metadata.name, parent.metadata, namespace) as KubeObject, child);
  return child;
}

/** The children of each parent in the end, and how many runs waited. */
async function inTheEnd(scene: Scene) {
  const { repairs, store, namespaces, isUnordered, version = 'v1', disturb, consistency } = scene;
  const parents = NAMESPACES.map((namespace) => parentOf('parent', {}, namespace));
  await using place = await inProcess({ objects: [definition('things.example.com', ['v1', 'v2']), ...parents] });
  const { sandbox, clock, transport } = place;
  const isSelected = repairs !== undefined;
  if (isSelected && repairs !== 'creates one outside of the selection')
    for (const parent of sandbox.list(PARENTS).filter(({ metadata }) => metadata.name === 'parent'))
      for (let i = 0; i < 2 * WANTED; i++) sandbox.apply(thingOf(parent, `child-${i}`, { selected: 'yes' }));
  lagging(sandbox, LAG_MS);
  let waits = 0;
  const client = createClient(isUnordered ? unordered(transport) : transport, { clock, logger: silentLogger });
  const shared = { ...(store && { store }), ...(namespaces && { namespaces }), logger: silentLogger };
  const factory = dynamicInformerFactory(client, shared);
  const listOptions = isSelected ? { labelSelector: 'selected=yes' } : {};
  const selecting = dynamicInformerFactory(client, { ...shared, listOptions });
  const { informer: owners } = factory.forResource<KubeObject>(PARENTS);
  const { informer: things } = selecting.forResource<KubeObject>(THINGS);
  let turn = 0;
  const controller = createController({
    name: 'ten',
    logger: silentLogger,
    hotLoopRuns: 0,
    metrics: {
      ...noMetrics,
      histogram: (name) => ({
        observe() {
          if (name.includes('consistency')) waits++;
        },
      }),
    },
    consistency,
    sources: [parentSource(owners), childSource(things)],
    reconcile: async ({ key, namespace }) => {
      const parent = owners.lister.get(key);
      if (parent?.metadata.name !== 'parent') return {};
      const have = childrenOf({ children: things }, parent);
      const written = client.resource<KubeObject>({ ...THINGS, version }, { namespace });
      const any = have[(7 * ++turn) % have.length]?.metadata.name ?? '';
      if (repairs === 'creates one outside of the selection') await written.create(thingOf(parent, undefined, {}));
      else if (!repairs && have.length < WANTED)
        await written.create({ ...thingOf(parent, undefined, {}), apiVersion: `example.com/${version}` });
      else if (repairs === 'deletes one' && have.length > WANTED) await written.delete(any);
      else if (repairs && repairs !== 'deletes one' && have.length > WANTED)
        await written.patch(any, { metadata: { labels: { selected: null } } }, { type: 'merge' });
      else return {};
      return repairs === 'creates one outside of the selection' ? {} : { requeueAfterMs: 4 };
    },
  });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  for (const each of [factory, selecting]) each.start(stop.signal);
  await clock.advance(LAG_MS);
  for (let change = 1; change <= 20; change++) {
    const labels = { change: String(change) };
    for (const namespace of NAMESPACES) sandbox.apply(parentOf('parent', { labels }, namespace));
    await clock.advance(100);
    disturb?.(sandbox, change);
  }
  await clock.advance(40_000);
  stop.abort();
  await clock.advance(0);
  await running;
  for (const each of [factory, selecting]) await each.shutdown();
  const left = sandbox.list(THINGS).filter(({ metadata }) => !isSelected || metadata.labels?.selected === 'yes');
  const of = (namespace: string) => left.filter(({ metadata }) => metadata.namespace === namespace).length;
  return { children: NAMESPACES.map(of), all: sandbox.list(THINGS).length, waits };
}

describe('no run acts on a state before its own writes', () => {
  it.each<[string, Scene]>([
    ['in a compact store', { store: 'compact' }],
    ['in caches of several namespaces', { namespaces: NAMESPACES }],
    ['in compact stores of several namespaces', { store: 'compact', namespaces: NAMESPACES }],
    ['of an aggregated API, whose versions cannot be compared', { isUnordered: true }],
    ['of an aggregated API, in a compact store', { isUnordered: true, store: 'compact' }],
    ['of another version of the type', { version: 'v2' }],
    ['that are deletions', { repairs: 'deletes one' }],
    ['that are deletions, without comparable versions', { repairs: 'deletes one', isUnordered: true }],
    ['that take an object out of the selection', { repairs: 'takes one out of the selection' }],
    ['where the history is gone again and again', { disturb: (sandbox) => sandbox.compact() }],
    [
      'where watches are cut and refused with 410, and lists come again',
      {
        disturb: (sandbox, turn) => {
          sandbox.compact();
          const kind = turn % 2 === 0 ? 'cut' : 'gone';
          sandbox.faults.add({ fault: { kind, after: 1 }, match: { watch: true } });
        },
      },
    ],
  ])('%s', async (_, scene) => {
    expect((await inTheEnd(scene)).children).toEqual([WANTED, WANTED]);
    const { children } = await inTheEnd({ ...scene, consistency: 'none' });
    for (const count of children) expect(count).not.toBe(WANTED);
  });
});

it('a write of an object that never enters the selection is not waited for', async () => {
  const scene = { repairs: 'creates one outside of the selection' } as const;
  const [waiting, none] = [await inTheEnd(scene), await inTheEnd({ ...scene, consistency: 'none' })];
  expect(waiting).toEqual({ ...none, waits: 0 });
  expect(waiting.all).toBeGreaterThan(NAMESPACES.length);
  expect(waiting.children).toEqual([0, 0]);
});
