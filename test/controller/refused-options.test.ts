import { describe, expect, it } from 'vitest';
import { createController } from '../../src/controller/controller.ts';
import { LeaderElector } from '../../src/controller/election/leader-elector.ts';
import { EventRecorder } from '../../src/controller/events/event-recorder.ts';
import { createFinalizerReconciler } from '../../src/controller/finalizer-reconciler.ts';
import { createManager } from '../../src/controller/manager/manager.ts';
import { createObjectReconciler } from '../../src/controller/reconciler.ts';
import { ShardElector } from '../../src/controller/sharding/shard-elector.ts';
import { enqueueMapped, enqueueOwner } from '../../src/controller/sources/enqueue.ts';
import { createInformerSource } from '../../src/controller/sources/informer-source.ts';
import {
  andPredicate,
  labelledPredicate,
  notPredicate,
  orPredicate,
  predicateOf,
  updatePredicate,
} from '../../src/controller/sources/predicate.ts';
import { createTimerSource } from '../../src/controller/sources/source.ts';
import { setCondition } from '../../src/controller/writes/conditions.ts';
import { ownerReference } from '../../src/controller/writes/owner-references.ts';
import { retryOnError } from '../../src/controller/writes/retry.ts';
import { serverSideApply } from '../../src/controller/writes/server-side-apply.ts';
import { updateStatus } from '../../src/controller/writes/update-status.ts';

type Call = (...values: never[]) => unknown;
const on = (call: Call, ...values: unknown[]) => call(...(values as never[]));
const nope = { nope: 1 };
const informer = { addHandler() {} };
const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', uid: 'u' } };
const ready = { type: 'Ready', status: 'True', reason: 'Up' };

/** The error that `run` throws or rejects with. */
const errorOf = (run: () => unknown) =>
  Promise.resolve()
    .then(run)
    .then(
      () => undefined,
      (error: unknown) => error,
    );

describe('an option that is not known is refused, because it would be ignored, by', () => {
  it.each<[string, () => unknown]>([
    ['createController', () => on(createController, nope)],
    ['createManager', () => on(createManager, nope)],
    ['manager.add', () => on(createManager({}).add.bind(createManager({})), { run() {} }, nope)],
    ['LeaderElector', () => new LeaderElector(nope as never)],
    ['ShardElector', () => new ShardElector(nope as never)],
    ['EventRecorder', () => new EventRecorder({} as never, { component: 'a', ...nope } as never)],
    ['createFinalizerReconciler', () => on(createFinalizerReconciler, nope)],
    ['setCondition', () => on(setCondition, [], ready, nope)],
    ['ownerReference', () => on(ownerReference, object, nope)],
    ['updateStatus', () => on(updateStatus, {}, object, () => {}, nope)],
    ['serverSideApply', () => on(serverSideApply, {}, object, { fieldManager: 'a', ...nope })],
    [
      'retryOnError',
      () =>
        on(
          retryOnError,
          async () => {},
          () => false,
          nope,
        ),
    ],
    ['enqueueOwner', () => on(enqueueOwner, { group: '', kind: 'Pod', ...nope })],
    ['createInformerSource', () => on(createInformerSource, informer, { name: 'a', ...nope })],
    ['createTimerSource', () => on(createTimerSource, { everyMs: 1, keys: () => [], ...nope })],
    ['predicateOf', () => on(predicateOf, { nope: () => true })],
  ])('%s', async (_, run) => {
    expect(await errorOf(run)).toMatchObject({ code: 'argument', message: expect.stringContaining('nope') });
  });
});

describe('a value of another type is refused, where it is given, by', () => {
  it.each<[string, () => unknown]>([
    ['retryOnError', () => on(retryOnError, 1, () => false)],
    ['retryOnError', () => on(retryOnError, async () => {}, 1)],
    ['createObjectReconciler', () => on(createObjectReconciler, {}, () => {})],
    ['createObjectReconciler', () => on(createObjectReconciler, { get() {} }, 1)],
    ['enqueueMapped', () => on(enqueueMapped, 1)],
    ['enqueueOwner', () => on(enqueueOwner, { group: 7, kind: 'Pod' })],
    ['enqueueOwner', () => on(enqueueOwner, { group: '', kind: 7 })],
    ['createInformerSource', () => on(createInformerSource, {}, { name: 'a' })],
    ['createInformerSource', () => on(createInformerSource, informer, { name: 7 })],
    ['createTimerSource', () => on(createTimerSource, { everyMs: 1, keys: 7 })],
    ['labelledPredicate', () => on(labelledPredicate, 'a', 1)],
    ['andPredicate', () => on(andPredicate, () => true, 1)],
    ['orPredicate', () => on(orPredicate, () => true, 1)],
    ['notPredicate', () => on(notPredicate, 1)],
    ['updatePredicate', () => on(updatePredicate, 1)],
    [
      'run',
      () => {
        const controller = createController({ name: 'a', reconcile: () => {} });
        return on(controller.run.bind(controller), undefined);
      },
    ],
  ])('%s', async (name, run) => {
    expect(await errorOf(run)).toMatchObject({ code: 'argument', message: expect.stringContaining(name) });
  });
});
