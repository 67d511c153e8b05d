import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { fencedTransport } from '../../src/client/http/fenced-transport.ts';
import { createController } from '../../src/controller/controller.ts';
import { createManager } from '../../src/controller/manager/manager.ts';
import { enqueueOwner } from '../../src/controller/sources/enqueue.ts';
import { createInformerSource } from '../../src/controller/sources/informer-source.ts';
import { setControllerReference } from '../../src/controller/writes/owner-references.ts';
import { dynamicInformerFactory } from '../../src/informer/informer-factory.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { CONFIG_MAPS, type InProcess, inProcess, through } from '../support/in-process.ts';
import { unordered } from '../support/unordered.ts';

const SERVICE_ACCOUNTS = { group: '', version: 'v1', resource: 'serviceaccounts' };
const WANTED = 10;
const PARENT = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'parent', namespace: 'shop' } };
const ELECTION = {
  name: 'ten',
  namespace: 'shop',
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
};

interface Scene {
  /** How far the caches are behind, ms. */
  readonly lagMs: number;
  readonly isUnordered?: boolean;
  readonly consistency?: 'none';
}

/** A process that wants ten children, one in each run, while it leads. */
function process(place: InProcess, identity: string, { isUnordered, consistency }: Scene) {
  const { clock } = place;
  const frozen = { is: false };
  // a process that is frozen sends nothing, and gets nothing
  const freezing = through(place.transport, (request, send) => (frozen.is ? new Promise(() => {}) : send(request)));
  const client = createClient(isUnordered ? unordered(freezing) : freezing, { clock, logger: silentLogger });
  const manager = createManager({
    leaderElection: { client, identity, ...ELECTION },
    clock,
    logger: silentLogger,
  });
  const fenced = createClient(
    fencedTransport(client.transport, () => manager.elector?.assertLeading()),
    { clock },
  );
  const factory = dynamicInformerFactory(client, { logger: silentLogger });
  const parents = factory.forResource<KubeObject>(SERVICE_ACCOUNTS);
  const children = factory.forResource<KubeObject>(CONFIG_MAPS);
  const controller = createController({
    name: identity,
    clock,
    logger: silentLogger,
    consistency,
    sources: [
      createInformerSource(parents.informer, { name: 'parent', isPrimary: true }),
      createInformerSource(children.informer, {
        name: 'child',
        enqueue: enqueueOwner({ group: '', kind: 'ServiceAccount' }),
      }),
    ],
    reconcile: async ({ key, namespace }) => {
      const parent = parents.lister.get(key);
      const isChild = (each: KubeObject) =>
        each.metadata.ownerReferences?.some(({ uid }) => uid === parent?.metadata.uid);
      const have = children.lister.list({ namespace }).filter((each) => isChild(each as KubeObject));
      if (!parent || have.length >= WANTED) return {};
      const child: KubeObject = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { generateName: 'child-', namespace },
      };
      setControllerReference({ ...parent, apiVersion: 'v1', kind: 'ServiceAccount' } as KubeObject, child);
      await fenced.resource(CONFIG_MAPS, { namespace }).create(child as never);
      return { requeueAfterMs: 4 };
    },
  });
  manager.add(factory);
  manager.add(controller);
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  running.catch(() => {});
  const end = async () => {
    stop.abort();
    for (let turn = 0; turn < 20; turn++) await clock.advance(2_000);
    await running.catch(() => {});
  };
  return { manager, controller, frozen, end };
}

/** The children of both leaders, when the first was ended or frozen after a few of them. */
async function childrenOfTwo(how: 'ends' | 'is frozen', scene: Scene) {
  await using place = await inProcess({ objects: [PARENT] });
  const { sandbox, clock } = place;
  const lag = { kind: 'lag', ms: scene.lagMs } as const;
  sandbox.faults.add({ fault: lag, match: { watch: true }, times: Number.POSITIVE_INFINITY });
  const children = () => sandbox.list(CONFIG_MAPS).filter(({ metadata }) => metadata.name?.startsWith('child-'));
  const first = process(place, 'first', scene);
  for (let turn = 0; !first.controller.hasSynced && turn < 1_000; turn++) await clock.advance(100);
  const second = process(place, 'second', scene);
  for (let turn = 0; children().length < 4 && turn < 5_000; turn++) await clock.advance(50);
  const made = children().length;
  if (how === 'ends') void first.end();
  else first.frozen.is = true;
  for (let turn = 0; !second.manager.isLeading && turn < 1_000; turn++) await clock.advance(100);
  const phases = new Set<string>();
  for (let turn = 0; turn < 400; turn++) {
    phases.add(second.controller.snapshot().controller.phase);
    await clock.advance(100);
  }
  for (let turn = 0; turn < 200; turn++) await clock.advance(scene.lagMs);
  const all = children().length;
  first.frozen.is = false;
  await Promise.all([first.end(), second.end()]);
  return { made, all, phases };
}

describe('a leader that comes new, over caches that are behind', () => {
  it.each<['ends' | 'is frozen', Scene]>([
    ['ends', { lagMs: 6_000 }],
    ['is frozen', { lagMs: 30_000 }],
    ['ends', { lagMs: 6_000, isUnordered: true }],
  ])('makes no child twice after the one before %s (%o)', async (how, scene) => {
    const { made, all, phases } = await childrenOfTwo(how, scene);
    expect(made).toBeLessThan(WANTED);
    expect(all).toBe(WANTED);
    expect([...phases]).toContain('catching up');
  });

  it('makes some twice with `consistency: "none"`', async () => {
    const { all, phases } = await childrenOfTwo('ends', { lagMs: 6_000, consistency: 'none' });
    expect(all).toBeGreaterThan(WANTED);
    expect([...phases]).not.toContain('catching up');
  });
});
