import { describe, expect, it } from 'vitest';
import { createController } from '../../src/controller/controller.ts';
import type { ControllerOptions } from '../../src/controller/controller-options.ts';
import { enqueueOwner } from '../../src/controller/sources/enqueue.ts';
import { createInformerSource } from '../../src/controller/sources/informer-source.ts';
import { setControllerReference } from '../../src/controller/writes/owner-references.ts';
import { dynamicInformerFactory } from '../../src/informer/informer-factory.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import { keyOf } from '../../src/model/key.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { CONFIG_MAPS, inProcess } from '../support/in-process.ts';

const SERVICE_ACCOUNTS = { group: '', version: 'v1', resource: 'serviceaccounts' };
const WANTED = 10;

const parentOf = (data: string) => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'parent', namespace: 'shop', labels: { data } },
});

interface Made {
  readonly children: number;
  /** The explanations of the key, each once, without its numbers. */
  readonly explanations: readonly string[];
}

/** Runs a controller that wants ten children, over caches that are `lagMs` behind. */
async function childrenMade(lagMs: number, options: Partial<ControllerOptions> = {}): Promise<Made> {
  await using place = await inProcess({ objects: [parentOf('0')] });
  const { sandbox, clock, client } = place;
  sandbox.faults.add({ fault: { kind: 'lag', ms: lagMs }, match: { watch: true }, times: Number.POSITIVE_INFINITY });
  const factory = dynamicInformerFactory(client, { logger: silentLogger });
  const parents = factory.forResource(SERVICE_ACCOUNTS);
  const children = factory.forResource<KubeObject>(CONFIG_MAPS);
  const controller = createController({
    name: 'ten',
    logger: silentLogger,
    hotLoopRuns: 0,
    ...options,
    sources: [
      createInformerSource(parents.informer, { name: 'parent', isPrimary: true }),
      createInformerSource(children.informer, {
        name: 'child',
        enqueue: enqueueOwner({ group: '', kind: 'ServiceAccount' }),
      }),
    ],
    reconcile: async ({ key, namespace }) => {
      const parent = parents.lister.get(key);
      if (!parent) return {};
      const have = children.lister
        .list({ namespace })
        .filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === parent.metadata.uid));
      if (have.length >= WANTED) return {};
      const child: KubeObject = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { generateName: 'child-', namespace },
      };
      setControllerReference({ ...parent, apiVersion: 'v1', kind: 'ServiceAccount' } as KubeObject, child);
      await client.resource(CONFIG_MAPS, { namespace }).create(child as never);
      return { requeueAfterMs: 4 };
    },
  });
  const explanations = new Set<string>();
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  factory.start(stop.signal);
  await clock.advance(lagMs);
  for (let change = 1; change <= 40; change++) {
    sandbox.apply(parentOf(String(change)));
    await clock.advance(100);
    explanations.add(controller.explain('shop/parent').summary.replace(/[\d.]+m?s/g, 'N'));
  }
  await clock.advance(20 * lagMs);
  stop.abort();
  await clock.advance(0);
  await running;
  await factory.shutdown();
  const made = sandbox.list(CONFIG_MAPS, { namespace: 'shop' }).filter((each) => keyOf(each).startsWith('shop/child-'));
  return { children: made.length, explanations: [...explanations] };
}

describe('a controller over caches that are behind', () => {
  it.each([0, 50, 200, 500, 1_000])('makes ten children where ten are wanted, at %i ms', async (lagMs) => {
    expect((await childrenMade(lagMs)).children).toBe(WANTED);
  });

  it('says what a key waits for', async () => {
    expect((await childrenMade(500)).explanations).toContain('waits N for its own write of v1/configmaps');
  });

  it('makes too many with `consistency: "none"`', async () => {
    const { children, explanations } = await childrenMade(500, { consistency: 'none' });
    expect(children).toBeGreaterThan(50);
    expect(explanations.filter((text) => text.includes('own write'))).toEqual([]);
  });
});

it('a key whose own writes run it again and again is parked, without any wiring', async () => {
  const { sandbox, clock, client } = await inProcess({ objects: [parentOf('0')] });
  const factory = dynamicInformerFactory(client, { logger: silentLogger });
  const { informer } = factory.forResource(SERVICE_ACCOUNTS);
  let runs = 0;
  const controller = createController({
    name: 'loop',
    logger: silentLogger,
    sources: [createInformerSource(informer, { name: 'parent', isPrimary: true })],
    reconcile: async ({ namespace, name }) => {
      const patch = { metadata: { annotations: { runs: String(++runs) } } };
      await client.resource(SERVICE_ACCOUNTS, { namespace }).patch(name, patch, { type: 'merge' });
    },
  });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  factory.start(stop.signal);
  await clock.advance(1_000);
  expect(controller.parked).toMatchObject([{ key: 'shop/parent', reason: 'hot-loop' }]);
  expect(controller.parked[0]?.error).toContain('each caused only by own writes');
  expect(runs).toBe(10);
  stop.abort();
  await clock.advance(0);
  await running;
  await factory.shutdown();
  await sandbox.stop();
});
