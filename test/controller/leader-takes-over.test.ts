import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { fencedTransport } from '../../src/client/http/fenced-transport.ts';
import { createController } from '../../src/controller/controller.ts';
import { createManager } from '../../src/controller/manager/manager.ts';
import { dynamicInformerFactory } from '../../src/informer/informer-factory.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { CONFIG_MAPS, type InProcess, inProcess, through } from '../support/in-process.ts';
import { unordered } from '../support/unordered.ts';
import {
  childrenOn,
  childSource,
  lagging,
  PARENTS,
  parentOf,
  parentSource,
  wanting,
} from '../support/wanted-children.ts';

const WANTED = 10;
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
  const { informer: parents } = factory.forResource<KubeObject>(PARENTS);
  const { informer: children } = factory.forResource<KubeObject>(CONFIG_MAPS);
  const controller = createController({
    name: identity,
    clock,
    logger: silentLogger,
    consistency,
    sources: [parentSource(parents), childSource(children)],
    reconcile: wanting(WANTED, { parents, children }, fenced, 200),
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
  await using place = await inProcess({ objects: [parentOf()] });
  const { sandbox, clock } = place;
  lagging(sandbox, scene.lagMs);
  const first = process(place, 'first', scene);
  for (let turn = 0; !first.controller.hasSynced && turn < 1_000; turn++) await clock.advance(100);
  const second = process(place, 'second', scene);
  for (let turn = 0; childrenOn(sandbox).length < 4 && turn < 5_000; turn++) await clock.advance(50);
  const made = childrenOn(sandbox).length;
  if (how === 'ends') void first.end();
  else first.frozen.is = true;
  for (let turn = 0; !second.manager.isLeading && turn < 1_000; turn++) await clock.advance(100);
  const phases = new Set<string>();
  for (let turn = 0; turn < 400; turn++) {
    phases.add(second.controller.snapshot().controller.phase);
    await clock.advance(100);
  }
  for (let turn = 0; turn < 200; turn++) await clock.advance(scene.lagMs);
  const all = childrenOn(sandbox).length;
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
