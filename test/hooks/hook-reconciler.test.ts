import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ReconcileRequest } from '../../src/controller/reconciler.ts';
import type { CachedObject } from '../../src/controller/resource-event.ts';
import type { ActionOutcome } from '../../src/hooks/action-runner.ts';
import { ActionRunner, describeAction } from '../../src/hooks/action-runner.ts';
import type { ActionMode } from '../../src/hooks/actions/action-client.ts';
import type { Hook, HookRequest, HookRun } from '../../src/hooks/hook.ts';
import type { HookReconcilerOptions } from '../../src/hooks/hook-reconciler.ts';
import { createHookReconciler } from '../../src/hooks/hook-reconciler.ts';
import { createLogger, type Logger, silentLogger } from '../../src/kit/logger.ts';
import { parseGvr } from '../../src/model/gvr.ts';
import type { ObjectMeta } from '../../src/model/object.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import { type InProcess, inProcess } from '../support/in-process.ts';

const FINALIZER = 'example.com/guard';
const primary = { gvr: parseGvr('apps/v1/deployments'), kind: 'Deployment', namespaced: true };

let place: InProcess;
beforeEach(async () => {
  place = await inProcess();
});
afterEach(() => place.sandbox.stop());

function web(metadata: ObjectMeta = {}, replicas = 1): CachedObject {
  return {
    metadata: { name: 'web', namespace: 'shop', uid: 'u1', resourceVersion: '7', ...metadata },
    spec: { replicas },
  };
}

/** The same object on the server, as a cache would show it. */
function served(metadata: ObjectMeta = {}): CachedObject {
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } };
  const spec = { replicas: 1, selector: { matchLabels: { app: 'web' } }, template };
  place.sandbox.apply({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', ...metadata },
    spec,
  });
  return stored() as CachedObject;
}

/** The object on the server, which is being deleted and still has its finalizers. */
function dying(...finalizers: string[]): CachedObject {
  served({ finalizers });
  place.sandbox.delete(primary.gvr, 'shop/web');
  return stored() as CachedObject;
}

const stored = () => place.sandbox.get(primary.gvr, 'shop/web');

function setup(
  options: Partial<Omit<HookReconcilerOptions, 'hook'>> & {
    object?: CachedObject;
    hook?: Hook['run'];
    mode?: ActionMode;
    logger?: Logger;
  } = {},
) {
  const { object, mode = 'write', hook = async () => undefined, logger = silentLogger, ...rest } = options;
  const clock = new FakeClock();
  const asked: HookRequest[] = [];
  const outcomes: ActionOutcome[] = [];
  const actions = new ActionRunner({
    client: place.client,
    mode,
    primary,
    types: async () => (await place.client.discovery.snapshot()).types,
    report: (found) => outcomes.push(...found),
  });
  const reconcile = createHookReconciler({
    hook: {
      name: 'guard.ts',
      run: async (request: HookRequest, run: HookRun) => {
        asked.push(request);
        return hook(request, run);
      },
    },
    primary,
    lister: { get: () => object },
    actions,
    clock,
    ...rest,
  });
  const run = (request: Partial<ReconcileRequest> = {}) =>
    Promise.resolve(
      reconcile(
        {
          key: 'shop/web',
          namespace: 'shop',
          name: 'web',
          causes: [],
          droppedCauses: 0,
          attempt: 1,
          before: undefined,
          gone: undefined,
          ...request,
        },
        { signal: new AbortController().signal, logger },
      ),
    );
  return { run, asked, outcomes, clock, done: () => outcomes.map(describeAction) };
}

it('does not run the hook where it is refused, with the request and the present state', async () => {
  const judged: unknown[] = [];
  const refusal = (request: ReconcileRequest, object: CachedObject | null) => {
    judged.push([request.key, object?.metadata.name]);
    return judged.length === 1 ? 'it does not match' : undefined;
  };
  const { run, asked, outcomes } = setup({ object: web(), refusal, finalizer: FINALIZER, mode: 'describe' });
  expect(await run()).toEqual({ skipped: 'it does not match' });
  expect([judged, asked, outcomes]).toEqual([[['shop/web', 'web']], [], []]);
  await run();
  expect(asked).toHaveLength(1);
});

describe('the request to the hook', () => {
  it('has the present object with its type, the changed paths and the causes', async () => {
    const causes = [{ reason: 'updated', count: 2 } as const];
    const { run, asked } = setup({
      object: web({}, 3),
      changedPaths: () => ['.spec.replicas'],
      snapshots: (key) => ({ snapshots: { pods: [] }, snapshotsCut: { [key]: 501 } }),
    });
    await run({ before: web({}, 1), causes, attempt: 2 });
    expect(asked).toEqual([
      {
        version: 1,
        key: 'shop/web',
        gvr: 'apps/v1/deployments',
        object: { ...web({}, 3), apiVersion: 'apps/v1', kind: 'Deployment' },
        oldObject: { ...web({}, 1), apiVersion: 'apps/v1', kind: 'Deployment' },
        changed: ['.spec.replicas'],
        causes,
        attempt: 2,
        snapshots: { pods: [] },
        snapshotsCut: { 'shop/web': 501 },
      },
    ]);
  });

  it('has null and the last known state for a deleted object', async () => {
    const { run, asked } = setup({ changedPaths: () => ['.x'] });
    await run({ before: web({}, 1), gone: web({}, 2) });
    expect(asked[0]).toMatchObject({ object: null, oldObject: { spec: { replicas: 2 } }, changed: [] });
  });

  it('is redacted, and the changed paths are found on the real values', async () => {
    const compared: unknown[] = [];
    const { run, asked } = setup({
      object: web({}, 3),
      redact: (object) => ({ ...object, spec: 'hidden' }),
      changedPaths: (before, after) => {
        compared.push((before as CachedObject).spec, (after as CachedObject).spec);
        return [];
      },
    });
    await run({ before: web({}, 1) });
    expect(asked[0]).toMatchObject({ object: { spec: 'hidden' }, oldObject: { spec: 'hidden' } });
    expect(compared).toEqual([{ replicas: 1 }, { replicas: 3 }]);
  });
});

describe('the reply of the hook', () => {
  it('is carried out, and decides when to run again', async () => {
    const { run, done } = setup({
      object: served(),
      hook: async () => ({ requeueAfter: '30s', actions: [{ patch: { spec: { replicas: 3 } } }] }),
    });
    expect(await run()).toEqual({ requeueAfterMs: 30_000 });
    expect(done()).toEqual(['patch apps/v1/deployments shop/web {"spec":{"replicas":3}}']);
    expect(stored()).toMatchObject({ spec: { replicas: 3 } });
  });

  it('may be an error: then nothing is carried out', async () => {
    const { run, done } = setup({
      object: served(),
      hook: async () => ({ error: 'no quota', actions: [{ delete: true }] }),
    });
    await expect(run()).rejects.toThrow('hook guard.ts replied with an error: no quota');
    expect(done()).toEqual([]);
  });

  it('is checked', async () => {
    await expect(setup({ object: web(), hook: async () => ({ action: [] }) }).run()).rejects.toThrow(
      'unknown key "action"',
    );
  });
});

it('after the timeout the signal of a hook aborts, and the run waits for its end, which is said less and less often', async () => {
  let signal: AbortSignal | undefined;
  let end = () => {};
  const hook: Hook['run'] = (_, run) => {
    signal = run.signal;
    return new Promise((resolve) => {
      end = () => resolve(undefined);
    });
  };
  const said: unknown[] = [];
  const logger = createLogger((level, message, { overSeconds }) => said.push([level, message, overSeconds]));
  const { run, clock } = setup({ object: web(), hook, timeoutMs: 5000, logger });
  let ended = false;
  const running = run().then(() => {
    ended = true;
  });
  await clock.advance(5000);
  expect(signal?.reason).toMatchObject({
    message: 'hook guard.ts took longer than 5s',
    hint: 'allow more time with --hook-timeout',
  });
  expect(ended).toBe(false);
  await clock.advance(31_000);
  const late = 'the run has not ended after its time; its key waits until it has';
  expect(said).toEqual([1, 11, 31].map((seconds) => ['warn', late, seconds]));
  await clock.advance(86_400_000);
  expect(said.length).toBeLessThan(160);
  end();
  await running;
  await settled();
  expect(clock.pending).toBe(0);
});

describe('with a finalizer', () => {
  const finalizer = FINALIZER;
  const add = (version = '') =>
    `patch apps/v1/deployments shop/web [{"op":"test","path":"/metadata/resourceVersion","value":"${version}"},{"op":"add","path":"/metadata/finalizers","value":["${FINALIZER}"]}]`;
  const remove = `patch apps/v1/deployments shop/web [{"op":"test","path":"/metadata/finalizers/0","value":"${FINALIZER}"},{"op":"remove","path":"/metadata/finalizers/0"}]`;

  it('it is added first, and the hook runs when the object has it, with the earlier causes [KR-10]', async () => {
    const object = served();
    const { run, asked, done } = setup({ object, finalizer });
    expect(await run()).toEqual({ requeueAfterMs: 1000, keepCauses: true });
    expect(asked).toEqual([]);
    expect(done()).toEqual([add(object.metadata.resourceVersion)]);
    expect(stored()?.metadata.finalizers).toEqual([FINALIZER]);
  });

  it('the hook runs for an object that already has it, without a patch [KR-10]', async () => {
    const { run, asked, done } = setup({ object: served({ finalizers: [FINALIZER] }), finalizer });
    await run();
    expect(asked).toHaveLength(1);
    expect(done()).toEqual([]);
  });

  it('the hook runs before a deletion, with the object, and then it is removed [KR-10]', async () => {
    const { run, asked, done } = setup({
      object: dying(FINALIZER),
      finalizer,
      hook: async () => ({ actions: [{ log: 'bye' }] }),
    });
    await run();
    expect(asked[0]?.object?.metadata.deletionTimestamp).toBeDefined();
    expect(done()).toEqual([remove]);
    expect(stored()).toBeUndefined();
  });

  it.each<[string, Hook['run']]>([
    ['the hook fails', () => Promise.reject(new Error('cannot clean up'))],
    ['the hook replies with an error', async () => ({ error: 'cannot clean up' })],
    ['its answer is not valid', async () => ({ actions: ['cannot clean up'] })],
    ['an action fails', async () => ({ actions: [{ patch: {}, on: { gvr: 'v1/absent', name: 'x' } }] })],
  ])('it stays if %s [KR-10]', async (_, hook) => {
    const { run, done } = setup({ object: dying(FINALIZER), finalizer, hook });
    await expect(run()).rejects.toThrow();
    expect(done()).toEqual([]);
    expect(stored()?.metadata.finalizers).toEqual([FINALIZER]);
  });

  it('the deletion of an object without it is ignored, and so is its end [KR-10]', async () => {
    const others = dying('example.com/other');
    for (const { object, gone } of [
      { object: others, gone: undefined },
      { object: undefined, gone: others },
    ]) {
      const { run, asked, done } = setup({ ...(object ? { object } : {}), finalizer });
      expect(await run({ gone })).toEqual({});
      expect([asked, done()]).toEqual([[], []]);
    }
  });

  it('the end of an object is ignored after its removal, although the event still shows it', async () => {
    const last = dying(FINALIZER);
    const { run, asked } = setup({ finalizer, lister: { get: stored as () => CachedObject | undefined } });
    await run();
    expect(stored()).toBeUndefined();
    await run({ gone: last });
    expect(asked).toHaveLength(1);
    await run({ gone: web({ uid: 'u2', finalizers: [FINALIZER] }) });
    expect(asked, 'another object of that name, force-deleted').toHaveLength(2);
  });

  it('the hook runs for an object that was deleted before it could run, as for one that is gone', async () => {
    const { run, asked } = setup({ finalizer });
    await run({ gone: web({ finalizers: [FINALIZER], deletionTimestamp: '2026-01-01T00:00:00Z' }) });
    expect(asked[0]).toMatchObject({ object: null, oldObject: { metadata: { name: 'web' } } });
  });

  it('with describe the hook runs without it', async () => {
    const object = served();
    const { run, asked, done } = setup({ object, finalizer, mode: 'describe' });
    await run();
    expect(asked).toHaveLength(1);
    expect(done()).toEqual([add(object.metadata.resourceVersion)]);
    expect(stored()).toEqual(object);
  });
});
