import { createShopCluster } from './shop-cluster.ts';
import { CrashLoop, type Failure } from './workloads/crash-loop.ts';
import type { World } from './world.ts';

/** By app: the process of one exits with an error, the other exceeds its memory limit. */
const FAILURES: ReadonlyMap<string, Failure> = new Map([
  ['api', { exitCode: 1, reason: 'Error' }],
  ['worker', { exitCode: 137, reason: 'OOMKilled' }],
]);

/**
 * The shop after a bad release: the pods of two apps crash repeatedly, with a growing back-off; the other apps are
 * healthy.
 */
export function crashloop(world: World): Disposable {
  const { actor, events } = createShopCluster(world);
  new CrashLoop(actor, events, FAILURES);
  return actor;
}
