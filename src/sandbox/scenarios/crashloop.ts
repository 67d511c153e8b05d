import { createShopCluster } from './shop-cluster.ts';
import { CrashLoop, type Failure } from './workloads/crash-loop.ts';
import type { World } from './world.ts';

/** By app: one whose process gives up, one that wants more memory than it gets. */
const FAILURES: ReadonlyMap<string, Failure> = new Map([
  ['api', { exitCode: 1, reason: 'Error' }],
  ['worker', { exitCode: 137, reason: 'OOMKilled' }],
]);

/** The shop after a bad release: the pods of two apps crash again and again, with a growing back-off between; the others are well. */
export function crashloop(world: World): Disposable {
  const { actor, events } = createShopCluster(world);
  new CrashLoop(actor, events, FAILURES);
  return actor;
}
