import { describe, expect, it } from 'vitest';
import { dynamicInformerFactory } from '../../../src/informer/informer-factory.ts';
import { SharedInformer } from '../../../src/informer/shared-informer.ts';
import { silentLogger } from '../../../src/kit/logger.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { isForbidden, isNotFound, isUnauthorized } from '../../../src/model/status.ts';
import {
  exists,
  hasCondition,
  isCurrent,
  isDeleted,
  ObjectCondition,
  rolledOut,
} from '../../../src/stream/until/object-condition.ts';
import { untilCondition } from '../../../src/stream/until/until-condition.ts';
import { calm } from '../../support/election.ts';
import { CONFIG_MAPS, type ConfigMap, ConfigMaps, inProcess } from '../../support/in-process.ts';

const NODES = { group: '', version: 'v1', resource: 'nodes' };
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };

async function setup(options: Parameters<typeof inProcess>[0] = {}) {
  const place = await inProcess(options);
  const given = { clock: place.clock, logger: silentLogger };
  return { ...place, given, maps: new ConfigMaps(place.sandbox) };
}

/** A promise, and what became of it so far. */
function watched<T>(promise: Promise<T>) {
  const state: { outcome: 'pending' | 'met' | 'failed' } = { outcome: 'pending' };
  promise.then(
    () => (state.outcome = 'met'),
    () => (state.outcome = 'failed'),
  );
  return state;
}

const node = (value: string) => (map: { data?: Readonly<Record<string, string>> } | undefined) =>
  map?.data?.node === value;

describe('a wait for a condition', () => {
  it('is over at once if the condition is met, and leaves nothing behind', async () => {
    const { client, given, maps, clock } = await setup();
    maps.put('shop/a', 'n1');
    const found = await untilCondition<ConfigMap>(client, CONFIG_MAPS, 'shop/a', node('n1'), given);
    expect(found?.data).toEqual({ node: 'n1' });
    await calm();
    expect(clock.pending).toBe(0);
  });

  it('is over with the change that meets it, also if that state does not last', async () => {
    const { client, given, maps } = await setup();
    maps.put('shop/a', 'n1');
    const wait = untilCondition<ConfigMap>(client, CONFIG_MAPS, 'shop/a', node('n2'), given);
    const state = watched(wait);
    await calm();
    maps.put('shop/b', 'n2');
    await calm();
    expect(state.outcome).toBe('pending');
    maps.put('shop/a', 'n2');
    maps.put('shop/a', 'n3');
    expect((await wait)?.data).toEqual({ node: 'n2' });
  });

  it('asks for this name only', async () => {
    const { client, given, maps, sent } = await setup();
    maps.put('shop/a');
    await untilCondition(client, CONFIG_MAPS, 'shop/a', exists(), given);
    const paths = sent.map(({ path }) => path).filter((path) => path.includes('/configmaps'));
    expect(paths.length).toBeGreaterThan(0);
    for (const path of paths) {
      expect(path).toContain('/namespaces/shop/configmaps');
      expect(decodeURIComponent(path)).toContain('fieldSelector=metadata.name=a');
    }
  });

  it('about several objects is over when all meet it at the same time', async () => {
    const { client, given, maps } = await setup();
    maps.put('shop/a', 'n2');
    maps.put('lab/b', 'n1');
    const wait = untilCondition<ConfigMap>(client, CONFIG_MAPS, ['shop/a', 'lab/b'], node('n2'), given);
    const state = watched(wait);
    await calm();
    maps.put('shop/a', 'n1');
    await calm();
    maps.put('lab/b', 'n2');
    await calm();
    expect(state.outcome).toBe('pending');
    maps.put('shop/a', 'n2');
    expect((await wait).map((map) => map?.metadata.name)).toEqual(['a', 'b']);
  });

  it('reads an informer of the caller, and sends nothing itself', async () => {
    const { client, given, maps, sent } = await setup();
    const factory = dynamicInformerFactory(client, given);
    const { informer } = factory.forResource<ConfigMap>(CONFIG_MAPS);
    const end = new AbortController();
    factory.start(end.signal);
    await informer.whenSynced();
    await calm();
    const before = sent.length;
    const wait = untilCondition(informer, CONFIG_MAPS, 'shop/a', node('n1'), given);
    await calm();
    maps.put('shop/a', 'n1');
    expect((await wait)?.metadata.name).toBe('a');
    expect([sent.length, informer.handlerCount]).toEqual([before, 0]);
    const other = untilCondition(informer, CONFIG_MAPS, 'shop/b', exists(), given).catch((error: unknown) => error);
    await calm();
    end.abort();
    expect(await other).toMatchObject({ code: 'closed' });
  });

  it('rejects with the reason of its signal', async () => {
    const { client, given, clock } = await setup();
    const abort = new AbortController();
    const wait = untilCondition(client, CONFIG_MAPS, 'shop/a', exists(), { ...given, signal: abort.signal });
    const reason = new Error('enough');
    const ended = expect(wait).rejects.toBe(reason);
    await calm();
    abort.abort(reason);
    await ended;
    await calm();
    expect(clock.pending).toBe(0);
    await expect(
      untilCondition(client, CONFIG_MAPS, 'shop/a', exists(), { ...given, signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
  });

  it('rejects with what its function throws', async () => {
    const { client, given } = await setup();
    const fail = () => {
      throw new Error('no such field');
    };
    await expect(untilCondition(client, CONFIG_MAPS, 'shop/a', fail, given)).rejects.toThrow('no such field');
    const late = (async () => true) as never;
    await expect(untilCondition(client, CONFIG_MAPS, 'shop/a', late, given)).rejects.toThrow('must answer at once');
  });

  it('goes on when its connection breaks', async () => {
    const { client, given, maps, sandbox, clock } = await setup();
    const wait = untilCondition<ConfigMap>(client, CONFIG_MAPS, 'shop/a', node('n1'), given);
    await calm();
    sandbox.faults.add({ fault: { kind: 'status', code: 500 }, match: { path: '/configmaps' }, times: 2 });
    await sandbox.restart({ keepHistory: true });
    maps.put('shop/a', 'n1');
    const state = watched(wait);
    for (let i = 0; i < 100 && state.outcome === 'pending'; i++) {
      await clock.advance(500);
      await calm();
    }
    expect((await wait)?.metadata.name).toBe('a');
  });

  it.each([
    ['a type that may not be read', 403 as const, isForbidden],
    ['a server that refuses the credentials', 401 as const, isUnauthorized],
  ])('rejects at once for %s', async (_, code, isIt) => {
    const { client, given, sandbox } = await setup();
    sandbox.faults.add({
      fault: { kind: 'status', code },
      match: { path: '/configmaps' },
      times: Number.POSITIVE_INFINITY,
    });
    const error = await untilCondition(client, CONFIG_MAPS, 'shop/a', exists(), given).catch(
      (thrown: unknown) => thrown,
    );
    expect(isIt(error)).toBe(true);
  });

  it('rejects at once for a type that is not served', async () => {
    const { client, given } = await setup();
    const gvr = { group: 'example.com', version: 'v1', resource: 'nothings' };
    const error = await untilCondition(client, gvr, 'shop/a', exists(), given).catch((thrown: unknown) => thrown);
    expect(isNotFound(error)).toBe(true);
  });

  it.each([
    ['no key', [] as string[], CONFIG_MAPS, 'at least one key'],
    ['an empty key', '', CONFIG_MAPS, 'name'],
    ['a key whose namespace is no part of a path', '../a', CONFIG_MAPS, 'namespace'],
    ['a key whose name is no part of a path', 'shop/..', CONFIG_MAPS, 'name'],
    ['a key with two slashes', 'shop/a/b', CONFIG_MAPS, 'unexpected key format'],
    ['a key without a namespace', 'a', CONFIG_MAPS, 'have namespaces'],
    ['a key with a namespace it cannot have', 'shop/a', NODES, 'have no namespaces'],
  ])('refuses %s', async (_, keys, gvr, message) => {
    const { client, given } = await setup();
    await expect(untilCondition(client, gvr, keys as string, exists(), given)).rejects.toMatchObject({
      code: 'argument',
      message: expect.stringContaining(message),
    });
  });

  it('refuses a condition that is none', async () => {
    const { client, given } = await setup();
    await expect(untilCondition(client, CONFIG_MAPS, 'shop/a', 'Ready' as never, given)).rejects.toMatchObject({
      code: 'argument',
    });
    expect(() => hasCondition('Ready=True')).toThrow(expect.objectContaining({ code: 'argument' }));
  });
});

describe('a wait that takes too long', () => {
  const ready = (status: string, more: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n1' },
    status: { conditions: [{ type: 'Ready', status, ...more }] },
  });

  async function timeoutOf(objects: object[], condition: Parameters<typeof untilCondition>[3], key = 'n1') {
    const { client, given, clock } = await setup({ objects });
    const wait = untilCondition(client, NODES, key, condition, { ...given, timeoutMs: 5_000 }).catch(
      (error: unknown) => error,
    );
    await calm();
    await clock.advance(5_000);
    return (await wait) as Error;
  }

  it.each([
    ['an object that is not there', [], hasCondition('Ready'), 'nodes n1: it does not exist'],
    [
      'a condition that is not there',
      [ready('True')],
      hasCondition('Drained'),
      'nodes n1: it has no condition Drained',
    ],
    [
      'a condition with another status',
      [ready('False', { reason: 'KubeletNotReady', message: 'no network' })],
      hasCondition('Ready'),
      'nodes n1: its condition Ready is False (KubeletNotReady: no network)',
    ],
    ['an object that is still there', [ready('True')], isDeleted(), 'nodes n1: it still exists'],
    [
      'only what is missing of two',
      [ready('False')],
      exists().and(hasCondition('Ready')),
      'nodes n1: its condition Ready is False',
    ],
    [
      'both of two alternatives',
      [ready('False')],
      isDeleted().or(hasCondition('Ready')),
      'its deletion has not begun, and its condition Ready is False',
    ],
    ['a condition that should not be', [ready('True')], hasCondition('Ready').not(), 'still condition Ready=True'],
    [
      'a function',
      [ready('True')],
      function isDrained() {
        return false;
      },
      'not met: isDrained',
    ],
  ])('names %s', async (_, objects, condition, message) => {
    const error = await timeoutOf(objects, condition);
    expect(error).toMatchObject({ code: 'sync', message: expect.stringContaining(message) });
    expect(error.message).toContain('within 5s');
  });

  it('is measured by the clock of the system where none is given, nor known of the source', async () => {
    const informer = new SharedInformer<UnknownObject>({ list: () => new Promise(() => {}) } as never); // is never run
    const wait = untilCondition(informer, NODES, 'n1', exists(), { timeoutMs: 1 });
    await expect(wait).rejects.toMatchObject({ code: 'sync' });
  });

  it('of no time at all rejects when the time has come, and less than none is refused', async () => {
    const { client, given, clock } = await setup();
    const waitOf = (timeoutMs: number) =>
      untilCondition(client, NODES, 'n1', exists(), { ...given, timeoutMs }).catch((error: unknown) => error);
    const wait = waitOf(0);
    await clock.advance(0);
    expect(await wait).toMatchObject({ code: 'sync' });
    expect(await waitOf(-1)).toMatchObject({ code: 'argument' });
  });

  it('rejects with what a part of the condition throws that is asked only then, and with what its own text throws', async () => {
    const { client, given, maps, clock } = await setup();
    maps.put('shop/a', 'n1');
    const late = (condition: ObjectCondition) =>
      untilCondition(client, CONFIG_MAPS, 'shop/a', condition, { ...given, timeoutMs: 1000 });
    const isNever = new ObjectCondition({ text: 'never', met: () => false });
    const textless = new ObjectCondition({
      text: 'textless',
      met: () => false,
      missing: () => {
        throw new TypeError('no text');
      },
    });
    const waits = [late(isNever.and(rolledOut())), late(textless)];
    for (const wait of waits) wait.catch(() => {});
    await calm();
    await clock.advance(1000);
    await expect(waits[0]).rejects.toMatchObject({ code: 'terminal' });
    await expect(waits[1]).rejects.toThrow('no text');
  });

  it('says so if the state is not known, with the reason', async () => {
    const { client, given, sandbox, clock } = await setup();
    sandbox.faults.add({ fault: { kind: 'refuse' }, match: { path: '/configmaps' }, times: Number.POSITIVE_INFINITY });
    const wait = untilCondition(client, CONFIG_MAPS, 'shop/a', isDeleted(), { ...given, timeoutMs: 5_000 }).catch(
      (error: unknown) => error,
    );
    await calm();
    await clock.advance(5_000);
    expect(await wait).toMatchObject({
      code: 'sync',
      message: expect.stringMatching(/the state of configmaps shop\/a is not known within 5s: .*ECONNREFUSED/),
    });
  });
});

describe('conditions', () => {
  const gvr = CONFIG_MAPS;
  const map = (uid: string) => ({ metadata: { name: 'a', uid } });

  it('are met by the deletion of one object, also if another one has its name', () => {
    expect([isDeleted().met(undefined, gvr), isDeleted().met(map('1'), gvr)]).toEqual([true, false]);
    expect(isDeleted('1').met(undefined, gvr)).toBe(true);
    expect([isDeleted('1').met(map('1'), gvr), isDeleted('1').met(map('2'), gvr)]).toEqual([false, true]);
    const held = { metadata: { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x/y'] } };
    expect(isDeleted().missing(held, gvr)).toContain('x/y');
  });

  it('leave out a condition that is older than the object', () => {
    const status = { conditions: [{ type: 'Ready', status: 'True', observedGeneration: 1 }] };
    const object = { metadata: { name: 'a', generation: 2 }, status };
    expect(hasCondition('ready', 'true').met(object, gvr)).toBe(false);
    expect(hasCondition('Ready').missing(object, gvr)).toContain('of generation 1; the object has 2');
    const current = { ...object, metadata: { name: 'a', generation: 1 } };
    expect(hasCondition('Ready', 'False').missing(current, gvr)).not.toContain('generation');
    expect(hasCondition('Ready').met({ ...object, metadata: { name: 'a', generation: 1 } }, gvr)).toBe(true);
    const unknown = {
      metadata: { name: 'a' },
      status: { conditions: [{ ...status.conditions[0], observedGeneration: 0 }] },
    };
    expect(hasCondition('Ready').met(unknown, gvr)).toBe(true);
    expect(hasCondition('Ready', 'False').missing(unknown, gvr)).toBe('its condition Ready is True');
  });

  it('combine as logic does', () => {
    const [yes, no] = [exists(), exists().not()];
    const met = (condition: typeof yes) => condition.met(map('1'), gvr);
    expect([met(yes.and(no)), met(yes.and(yes)), met(no.or(yes)), met(no.or(no)), met(no.not())]).toEqual([
      false,
      true,
      true,
      false,
      true,
    ]);
    expect(met(yes.and((object) => object?.metadata.name === 'a'))).toBe(true);
    expect(yes.and(no).or(no).text).toBe('(exists and not exists or not exists)');
  });

  it('know when a rollout is over, and end the wait when it has failed', () => {
    const deployment = (status: object) => ({
      metadata: { name: 'web', generation: 2 },
      spec: { replicas: 2 },
      status: { observedGeneration: 2, ...status },
    });
    const done = deployment({ replicas: 2, updatedReplicas: 2, availableReplicas: 2 });
    const half = deployment({ replicas: 2, updatedReplicas: 1, availableReplicas: 2 });
    const failed = deployment({
      conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }],
    });
    expect([rolledOut().met(done, DEPLOYMENTS), rolledOut().met(half, DEPLOYMENTS)]).toEqual([true, false]);
    expect(rolledOut().missing(half, DEPLOYMENTS)).toContain('1 out of 2 new replicas');
    expect([rolledOut().met(undefined, DEPLOYMENTS), rolledOut().missing(undefined, DEPLOYMENTS)]).toEqual([
      false,
      'it does not exist',
    ]);
    const terminal = expect.objectContaining({ code: 'terminal' });
    expect(() => rolledOut().met(failed, DEPLOYMENTS)).toThrow(terminal);
    expect(() => rolledOut().met(map('1'), gvr)).toThrow(terminal);
    expect(isDeleted().or(rolledOut()).met(undefined, DEPLOYMENTS)).toBe(true);
    expect(rolledOut().or(exists()).met(failed, DEPLOYMENTS)).toBe(true);
  });

  it('know when an object of any type is current, and end the wait when it cannot become so by itself', () => {
    const pod = (status: object) => ({ metadata: { name: 'web' }, status });
    const PODS = { group: '', version: 'v1', resource: 'pods' };
    expect([
      isCurrent().met(pod({ phase: 'Succeeded' }), PODS),
      isCurrent().met(pod({ phase: 'Pending' }), PODS),
      isCurrent().met(undefined, PODS),
    ]).toEqual([true, false, false]);
    expect([
      isCurrent().missing(pod({ phase: 'Pending' }), PODS),
      isCurrent().missing(undefined, PODS),
      isCurrent().text,
    ]).toEqual(['Pod is in the Pending phase', 'it does not exist', 'current']);
    const stalled = { conditions: [{ type: 'Stalled', status: 'True', message: 'no quota' }] };
    expect(() => isCurrent().met(pod(stalled), gvr)).toThrow(
      expect.objectContaining({ code: 'terminal', message: 'web has failed: no quota' }),
    );
    expect(isCurrent().met(map('1'), gvr)).toBe(true);
  });
});
