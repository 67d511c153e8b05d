import { afterEach, beforeEach } from 'vitest';
import { seededRandom } from '../../src/kit/random.ts';
import { timestamp } from '../../src/sandbox/cluster.ts';
import { PodReaper } from '../../src/sandbox/controllers/pod-reaper.ts';
import { featuresOf } from '../../src/sandbox/feature-gates.ts';
import { Actor } from '../../src/sandbox/scenarios/workloads/actor.ts';
import type { Pod } from '../../src/sandbox/scenarios/workloads/workload-types.ts';
import { bootstrap } from '../../src/sandbox/seed/bootstrap.ts';
import { ObjectStore } from '../../src/sandbox/store/object-store.ts';
import { builtinTypes } from '../../src/sandbox/types/builtin-types.ts';
import { TypeRegistry } from '../../src/sandbox/types/type-registry.ts';
import type { Backend } from '../../src/sandbox/write/backend.ts';
import { Deleter } from '../../src/sandbox/write/deleter.ts';
import { Writer } from '../../src/sandbox/write/writer.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';

/** A cluster for each test, as scenarios see it. */
export interface TestWorld {
  readonly clock: FakeClock;
  readonly backend: Backend;
  readonly actor: Actor;
}

/**
 * Creates a cluster with its default namespaces before each test, and disposes its actor afterwards. Deleted pods are
 * removed.
 */
export function useWorld(): TestWorld {
  let world: TestWorld;
  let reaper: Disposable;
  beforeEach(() => {
    const clock = new FakeClock();
    const store = new ObjectStore({ historySize: 10_000 });
    const cluster = {
      store,
      types: new TypeRegistry(builtinTypes()),
      clock,
      random: seededRandom(1),
      features: featuresOf(),
    };
    const backend = { cluster, writer: new Writer(cluster), deleter: new Deleter(cluster) };
    bootstrap(backend, timestamp(clock.now()));
    reaper = new PodReaper(backend);
    world = { clock, backend, actor: new Actor(backend) };
  });
  afterEach(() => {
    world.actor[Symbol.dispose]();
    reaper[Symbol.dispose]();
  });
  return {
    get clock() {
      return world.clock;
    },
    get backend() {
      return world.backend;
    },
    get actor() {
      return world.actor;
    },
  };
}

/** A pod of the default namespace with one container named c. */
export const podView = (name: string, more: Partial<Pod['metadata']> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', ...more },
  spec: { containers: [{ name: 'c', image: 'nginx:1.27.0' }] },
  status: {},
});
