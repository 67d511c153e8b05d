import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createController } from '../../src/controller/controller.ts';
import { createFinalizerReconciler } from '../../src/controller/finalizer-reconciler.ts';
import type { ReconcileContext, ReconcileRequest, Result } from '../../src/controller/reconciler.ts';
import { createInformerSource } from '../../src/controller/sources/informer-source.ts';
import { generationChanged } from '../../src/controller/sources/predicate.ts';
import { dynamicInformerFactory } from '../../src/informer/informer-factory.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { settled } from '../../src/testing/fake-clock.ts';
import { definition, thing, version } from '../support/custom-things.ts';
import { type InProcess, inProcess } from '../support/in-process.ts';

const THINGS = { group: 'example.com', version: 'v1', resource: 'things' };
const [BUCKET, RECORD, OTHER] = ['example.com/bucket', 'example.com/record', 'other.example.com/keep'];
let world: InProcess;

beforeEach(async () => {
  world = await inProcess({
    objects: [definition([version({ spec: { properties: { size: { type: 'integer' } } } })])],
  });
});
afterEach(() => world.sandbox.stop());

interface Script {
  readonly finalizers?: readonly string[];
  /** Called in place of a cleanup, by the name of its finalizer. */
  readonly cleanup?: (name: string) => Result | undefined;
  /** What the cache shows, by default the state of the server. */
  readonly cached?: () => KubeObject | undefined;
}

/** A reconciler of things, which records its calls, and functions for the thing `a` of the server. */
function setup({ finalizers = [BUCKET], cleanup, cached }: Script = {}) {
  const { sandbox, client, sent } = world;
  const calls: string[] = [];
  const stored = () => sandbox.get(THINGS, 'default/a') as KubeObject | undefined;
  const state = (object: KubeObject) => (object.metadata.finalizers ?? []).join(',') || 'bare';
  const reconcile = createFinalizerReconciler<KubeObject>({
    client,
    gvr: THINGS,
    objects: { get: cached ?? stored },
    finalizers: Object.fromEntries(
      finalizers.map((name) => [
        name,
        (object) => {
          calls.push(`clean up ${name} of ${state(object)}`);
          return cleanup?.(name);
        },
      ]),
    ),
    reconcile: (object) => {
      calls.push(`reconcile ${state(object)}`);
      return { requeueAfterMs: 7 };
    },
  });
  const request = { key: 'default/a', namespace: 'default', name: 'a' } as ReconcileRequest;
  const context: ReconcileContext = { signal: new AbortController().signal, logger: silentLogger };
  const put = (metadata: object = {}) => {
    const given = thing({ size: 1 });
    return sandbox.apply({
      ...given,
      metadata: { ...given.metadata, namespace: 'default', ...metadata },
    })[0] as KubeObject;
  };
  const remove = () => void sandbox.delete(THINGS, 'default/a');
  return {
    calls,
    stored,
    put,
    remove,
    run: async () => reconcile(request, context),
    finalizersLeft: () => stored()?.metadata.finalizers ?? [],
    requests: () => sent.splice(0).map(({ method }) => method),
  };
}

describe('an object without its finalizers', () => {
  it('gets them first, all in one patch, and is reconciled in the same run with its new state', async () => {
    const { put, run, calls, finalizersLeft, requests } = setup({ finalizers: [BUCKET, RECORD] });
    put();
    expect(await run()).toEqual({ requeueAfterMs: 7 });
    expect(calls).toEqual([`reconcile ${BUCKET},${RECORD}`]);
    expect(finalizersLeft()).toEqual([BUCKET, RECORD]);
    await run();
    expect(calls).toHaveLength(2);
    expect(requests()).toEqual(['PATCH']);
  });

  it('keeps the finalizers of other controllers', async () => {
    const { put, run, calls, finalizersLeft } = setup();
    put({ finalizers: [OTHER] });
    await run();
    expect(finalizersLeft()).toEqual([OTHER, BUCKET]);
    expect(calls).toEqual([`reconcile ${OTHER},${BUCKET}`]);
  });

  it.each<[string, string[], string[]]>([
    ['the finalizer is there already', [BUCKET], [BUCKET]],
    ['another controller added one', [OTHER], [OTHER, BUCKET]],
    ['both are there', [BUCKET, OTHER], [BUCKET, OTHER]],
  ])('is read if the cache is behind: %s', async (_, finalizers, left) => {
    let old: KubeObject | undefined;
    const { put, run, calls, finalizersLeft, requests } = setup({ cached: () => old });
    old = put();
    put({ finalizers });
    await run();
    expect(finalizersLeft()).toEqual(left);
    expect(calls).toEqual([`reconcile ${left.join(',')}`]);
    expect(requests().slice(0, 2)).toEqual(['PATCH', 'GET']);
  });

  it('is not reconciled, and not cleaned up, if it is already being deleted or gone', async () => {
    let old: KubeObject | undefined;
    const { put, remove, run, calls, finalizersLeft } = setup({ cached: () => old });
    old = put();
    put({ finalizers: [OTHER] });
    remove();
    expect(await run()).toEqual({}); // the cache does not know of the deletion
    put({ finalizers: [] });
    expect(await run()).toEqual({}); // gone
    old = undefined;
    expect(await run()).toEqual({});
    expect([calls, finalizersLeft()]).toEqual([[], []]);
  });

  it('gets none if the server refuses, and is not reconciled then', async () => {
    const { put, run, calls, finalizersLeft } = setup();
    put();
    world.sandbox.faults.add({ fault: { kind: 'status', code: 403 }, match: { method: 'PATCH' } });
    await expect(run()).rejects.toMatchObject({ statusCode: 403 });
    expect([calls, finalizersLeft()]).toEqual([[], []]);
  });
});

describe('an object that is being deleted', () => {
  const deleted = (script: Script, finalizers: string[] = [BUCKET]) => {
    const all = setup(script);
    all.put({ finalizers });
    all.remove();
    return all;
  };

  it('is cleaned up, loses the finalizer then, and is not reconciled', async () => {
    const { run, calls, stored } = deleted({});
    expect(await run()).toEqual({});
    expect(calls).toEqual([`clean up ${BUCKET} of ${BUCKET}`]);
    expect(stored()).toBeUndefined();
  });

  it('keeps the finalizers of others', async () => {
    const { run, finalizersLeft } = deleted({}, [OTHER, BUCKET]);
    await run();
    expect(finalizersLeft()).toEqual([OTHER]);
    expect(await run()).toEqual({});
  });

  it('keeps the finalizer if the cleanup throws, and the run fails with its error', async () => {
    let fails = true;
    const { run, finalizersLeft, calls, stored } = deleted({
      cleanup: () => {
        if (fails) throw new Error('bucket is busy');
        return undefined;
      },
    });
    await expect(run()).rejects.toThrow('bucket is busy');
    expect(finalizersLeft()).toEqual([BUCKET]);
    fails = false;
    await run();
    expect([calls.length, stored()]).toEqual([2, undefined]);
  });

  it('keeps the finalizer if the cleanup asks to run again later', async () => {
    const { run, finalizersLeft } = deleted({ cleanup: () => ({ requeueAfterMs: 5_000 }) });
    expect(await run()).toEqual({ requeueAfterMs: 5_000 });
    expect(finalizersLeft()).toEqual([BUCKET]);
  });

  it('asks for the earliest of the later runs, and a cleanup without one is done', async () => {
    const later: Record<string, number> = { [BUCKET]: 9_000, [RECORD]: 4_000, 'example.com/third': 0 };
    const finalizers = Object.keys(later);
    const { run, finalizersLeft } = deleted(
      { finalizers, cleanup: (name) => ({ requeueAfterMs: later[name] as number }) },
      finalizers,
    );
    expect(await run()).toEqual({ requeueAfterMs: 4_000 });
    expect(finalizersLeft()).toEqual([BUCKET, RECORD]);
  });

  it('is read three times at most in a run while its finalizers change, and then the run fails', async () => {
    const { run, requests, finalizersLeft } = deleted({});
    world.sandbox.faults.add({ fault: { kind: 'status', code: 409 }, match: { method: 'PATCH' }, times: 99 });
    await expect(run()).rejects.toMatchObject({ statusCode: 409 });
    expect(requests()).toEqual(['PATCH', 'GET', 'PATCH', 'GET', 'PATCH', 'GET', 'PATCH']);
    expect(finalizersLeft()).toEqual([BUCKET]);
  });

  it('runs all cleanups, removes the finalizers of those that succeeded, and fails with all errors', async () => {
    const third = 'example.com/third';
    const script: Script = {
      finalizers: [BUCKET, RECORD, third],
      cleanup: (name) => {
        if (name !== RECORD) throw new Error(`no ${name}`);
        return undefined;
      },
    };
    const { run, calls, finalizersLeft } = deleted(script, [third, BUCKET, RECORD]);
    const error = await run().then(
      () => expect.unreachable('it did not fail'),
      (thrown) => thrown,
    );
    expect(error).toBeInstanceOf(AggregateError);
    expect(error.errors.map(({ message }: Error) => message)).toEqual([`no ${BUCKET}`, `no ${third}`]);
    expect(calls.map((call) => call.split(' ')[2])).toEqual([BUCKET, RECORD, third]);
    expect(finalizersLeft()).toEqual([third, BUCKET]);
  });

  it('loses only its own finalizer, once, if the list changed during the cleanup', async () => {
    const { put, run, finalizersLeft, calls } = deleted(
      { cleanup: () => void put({ finalizers: [OTHER, 'other.example.com/two', BUCKET] }) },
      [BUCKET, OTHER, 'other.example.com/two'],
    );
    await run();
    expect(finalizersLeft()).toEqual([OTHER, 'other.example.com/two']);
    expect(calls).toHaveLength(1);
  });

  it('is not confused with a new object of its name', async () => {
    const { put, remove, run, finalizersLeft } = setup({
      cleanup: () => {
        put({ finalizers: [] }); // it vanishes
        put({ finalizers: [BUCKET, OTHER] });
        return undefined;
      },
    });
    put({ finalizers: [OTHER, BUCKET] });
    remove();
    await run();
    expect(finalizersLeft()).toEqual([BUCKET, OTHER]);
  });
});

it('with the predicate generationChanged an object is reconciled when it is created, and cleaned up when it is deleted', async () => {
  const { client, clock } = world;
  const { put, remove, stored, calls } = setup();
  const factory = dynamicInformerFactory(client, { clock });
  const { informer, lister } = factory.forResource<KubeObject>(THINGS);
  const controller = createController({
    name: 'things',
    clock,
    sources: [createInformerSource(informer, { name: 'thing', isPrimary: true, predicate: generationChanged })],
    reconcile: createFinalizerReconciler({
      client,
      gvr: THINGS,
      objects: lister,
      finalizers: { [BUCKET]: () => void calls.push('clean up') },
      reconcile: ({ metadata }) => void calls.push(`reconcile ${metadata.finalizers?.join(',')}`),
    }),
  });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  factory.start(stop.signal);
  await controller.whenSynced();
  put();
  await clock.advance(1_000);
  await settled();
  expect(calls).toEqual([`reconcile ${BUCKET}`]);
  remove();
  await clock.advance(1_000);
  await settled();
  expect([calls.slice(1), stored()]).toEqual([['clean up'], undefined]);
  stop.abort();
  await running;
  await factory.shutdown();
});

it.each([
  ['no finalizer', {}, 'createFinalizerReconciler needs a finalizer'],
  ['a name without a domain', { bucket: () => {} }, '"bucket" cannot be the name of a finalizer'],
  ['no function', { [BUCKET]: true as never }, `the cleanup of the finalizer ${BUCKET} must be a function`],
])('options with %s are refused', (_, finalizers, message) => {
  const { client } = world;
  const options = { client, gvr: THINGS, objects: new Map<string, object>(), reconcile: () => {}, finalizers };
  expect(() => createFinalizerReconciler(options)).toThrow(expect.objectContaining({ code: 'argument', message }));
});
