import { describe, expect, it, test } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import type { CompiledCondition, EventVariables } from '../../../src/stream/conditions/condition.ts';
import { parseForCondition } from '../../../src/stream/conditions/for-condition.ts';
import { progressText } from '../../../src/stream/conditions/progress-text.ts';
import type { WaitRules, WaitTarget } from '../../../src/stream/conditions/wait-rules.ts';
import { Waiter } from '../../../src/stream/conditions/waiter.ts';
import type { ObjectChange } from '../../../src/stream/envelope.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const PODS: WaitTarget = {
  type: { gvr: { group: '', version: 'v1', resource: 'pods' }, namespaced: true },
  namespaces: ['shop'],
};
const JOBS: WaitTarget = {
  type: { gvr: { group: 'batch', version: 'v1', resource: 'jobs' }, namespaced: true },
  namespaces: ['shop'],
};
const named = (...names: string[]): WaitTarget => ({ ...PODS, names: new Set(names) });

let uids = 0;
const pod = (name: string, phase: string, uid = `u${++uids}`): UnknownObject => ({
  metadata: { name, namespace: 'shop', uid },
  status: { phase },
});
const phaseOf = (object: unknown) => (object as { status?: { phase?: string } } | null)?.status?.phase;

const about = (test: (variables: EventVariables) => boolean | Error, readsEvent = false): CompiledCondition => ({
  source: 'source',
  readsEvent,
  test: (variables) => test(variables as EventVariables),
});
const phase = (wanted: string) => about(({ object }) => phaseOf(object) === wanted);
const running = { until: [phase('Running')] };
const forAll = (...texts: string[]): WaitRules => ({ for: texts.map(parseForCondition) });

/** A waiter, and a function that sends it changes of pods by name and phase: `gone` deletes, `replaced` replaces. */
function waiting(rules: WaitRules, ...targets: WaitTarget[]) {
  const clock = new FakeClock();
  const all = targets.length > 0 ? targets : [PODS];
  const errors: string[] = [];
  const waiter = new Waiter(rules, { clock, targets: all, onError: (error) => errors.push(error.message) });
  const [first] = all as [WaitTarget];
  const cache = new Map<string, UnknownObject>();
  const send = (name: string, to: string, target = first) => {
    const old = cache.get(name);
    const object =
      to === 'gone'
        ? (old as UnknownObject)
        : pod(name, to.replace(/ replaced$/, ''), to.endsWith('replaced') ? undefined : (old?.metadata.uid as string));
    const type = to === 'gone' ? 'deleted' : old ? 'updated' : 'added';
    const change: ObjectChange = {
      type,
      object,
      oldObject: type === 'updated' ? old : undefined,
      cause: 'watch',
      uidChanged: to.endsWith('replaced'),
    };
    if (to === 'gone') cache.delete(name);
    else cache.set(name, object);
    waiter.handle(change, target);
    return waiter.settled?.kind;
  };
  const synced = (target = first) => {
    waiter.synced(target);
    return waiter.settled?.kind;
  };
  return { waiter, clock, send, synced, errors };
}

describe('until', () => {
  it('is met when every object meets it', () => {
    const { send, synced } = waiting(running);
    send('a', 'Running');
    send('b', 'Pending');
    expect([synced(), send('b', 'Running')]).toEqual([undefined, 'until']);
  });

  it('is met by the initial list, when that is complete', () => {
    const { send, synced } = waiting(running);
    expect([send('a', 'Running'), synced()]).toEqual([undefined, 'until']);
  });

  it('is not met by nothing', () => {
    const { send, synced } = waiting(running);
    expect([synced(), send('a', 'Pending'), send('a', 'gone'), send('b', 'Running')]).toEqual([
      undefined,
      undefined,
      undefined,
      'until',
    ]);
  });

  it('sees a state that lasts from one change to the next', () => {
    const { send, synced, waiter } = waiting(running);
    send('a', 'Pending');
    synced();
    send('a', 'Running');
    send('a', 'Succeeded');
    expect(waiter.settled).toMatchObject({
      kind: 'until',
      by: { target: PODS, object: { status: { phase: 'Running' } } },
    });
  });

  it('waits for a named object of the cluster by its name, whatever namespaces others are in', () => {
    for (const namespaces of [['shop'], [], undefined]) {
      const nodes: WaitTarget = {
        type: { gvr: { group: '', version: 'v1', resource: 'nodes' }, namespaced: false },
        names: new Set(['n1']),
        ...(namespaces ? { namespaces } : {}),
      };
      const { waiter, synced } = waiting(running, nodes);
      synced();
      waiter.handle(
        {
          type: 'added',
          object: { metadata: { name: 'n1' }, status: { phase: 'Running' } } as UnknownObject,
          cause: 'watch',
        },
        nodes,
      );
      expect(waiter.settled?.kind).toBe('until');
    }
  });

  it('with a name in all namespaces waits for it again when the last of that name has gone, whatever else is there', () => {
    const everywhere: WaitTarget = { ...named('a', 'b'), namespaces: [] };
    const { waiter, synced } = waiting(running, everywhere);
    const send = (type: 'added' | 'deleted', key: string, to = 'Running') => {
      const [namespace, name] = key.split('/') as [string, string];
      waiter.handle(
        { type, object: { ...pod(name, to), metadata: { name, namespace, uid: key } }, cause: 'watch' },
        everywhere,
      );
      return waiter.settled?.kind;
    };
    send('added', 'shop/a');
    send('added', 'bank/a');
    send('added', 'shop/b', 'Pending');
    expect([synced(), send('deleted', 'bank/a'), send('deleted', 'shop/a')]).toEqual([undefined, undefined, undefined]);
    expect([send('added', 'shop/b'), send('added', 'other/a')]).toEqual([undefined, 'until']);
  });

  it('without names in all namespaces waits for no object that has gone', () => {
    const { send, synced } = waiting(running, { ...PODS, namespaces: [''] });
    send('a', 'Pending');
    send('b', 'Running');
    expect([synced(), send('a', 'gone')]).toEqual([undefined, 'until']);
  });

  it('asks several conditions of each object', () => {
    const { send, synced } = waiting({
      until: [phase('Running'), about(({ object }) => object.metadata.name === 'a')],
    });
    send('a', 'Running');
    send('b', 'Running');
    expect([synced(), send('b', 'gone')]).toEqual([undefined, 'until']);
  });

  it('waits for a given name without an object, and again after its object is deleted', () => {
    const { send, synced } = waiting(running, named('a', 'b'));
    send('a', 'Running');
    expect([synced(), send('other', 'Pending'), send('a', 'gone'), send('b', 'Running'), send('a', 'Running')]).toEqual(
      [undefined, undefined, undefined, undefined, 'until'],
    );
  });

  it('waits for the initial list of every type', () => {
    const { send, synced } = waiting(running, PODS, JOBS);
    send('a', 'Running', PODS);
    expect([synced(PODS), synced(JOBS)]).toEqual([undefined, 'until']);
  });

  it('finds a name in any namespace when it looks everywhere', () => {
    const { send, synced, waiter } = waiting(running, { ...named('a'), namespaces: [''] });
    expect([synced(), waiter.timeoutText(), send('a', 'Pending'), send('a', 'gone')]).toEqual([
      undefined,
      'timed out waiting for the condition on pods/a',
      undefined,
      undefined,
    ]);
    expect(waiter.progress()).toMatchObject({ met: 0, total: 1 });
    expect(send('a', 'Running')).toBe('until');
  });
});

describe('an object that was deleted', () => {
  const gone = (rules: WaitRules, target: WaitTarget) => {
    const lost: string[] = [];
    const onGone = ({ key }: { key: string }) => void lost.push(key);
    const waiter = new Waiter(rules, { clock: new FakeClock(), targets: [target], onGone });
    const send = (type: 'added' | 'deleted', object: UnknownObject) =>
      waiter.handle({ type, object, cause: 'watch' }, target);
    return { waiter, lost, send };
  };

  it.each([
    ['until', running],
    ['for', forAll('jsonpath={.status.phase}=Running')],
  ])('and that %s waits for by name is reported each time', (_, rules) => {
    const target = named('a');
    const { waiter, lost, send } = gone(rules, target);
    send('added', pod('a', 'Pending'));
    waiter.synced(target);
    for (let i = 0; i < 2; i++) {
      send('deleted', pod('a', 'Pending'));
      send('added', pod('a', 'Pending'));
    }
    expect(lost).toEqual(['shop/a', 'shop/a']);
  });

  it('is reported too where its name was given without a namespace', () => {
    const target = { ...named('a'), namespaces: [''] };
    const { waiter, lost, send } = gone(running, target);
    send('added', pod('a', 'Pending'));
    waiter.synced(target);
    send('deleted', pod('a', 'Pending'));
    expect(lost).toEqual(['shop/a']);
  });

  it.each<[string, WaitRules, WaitTarget]>([
    ['no name was given', running, PODS],
    ['its deletion is waited for', forAll('delete', 'create'), named('a', 'b')],
    ['it has met the condition before', forAll('jsonpath={.status.phase}=Pending'), named('a', 'b')],
  ])('is not reported where %s', (_, rules, target) => {
    const { waiter, lost, send } = gone(rules, target);
    send('added', pod('a', 'Pending'));
    waiter.synced(target);
    send('deleted', pod('a', 'Pending'));
    expect([lost, waiter.settled?.kind]).toEqual([[], undefined]);
  });
});

describe('until-any', () => {
  it('is met by one object, before other types are there', () => {
    const { send, synced } = waiting({ untilAny: [phase('Failed'), phase('Succeeded')] }, PODS, JOBS);
    send('a', 'Running', PODS);
    send('b', 'Failed', JOBS);
    expect([synced(PODS), send('a', 'Succeeded', PODS)]).toEqual([undefined, 'until-any']);
  });

  it('about an event is met by an event, not by the initial list', () => {
    const { send, synced } = waiting({ untilAny: [about(({ event }) => event !== 'MODIFIED', true)] });
    send('a', 'Running');
    expect([synced(), send('a', 'Failed'), send('a', 'gone')]).toEqual([undefined, undefined, 'until-any']);
  });
});

describe('fail-if', () => {
  it('ends the wait before other rules that the same change meets', () => {
    const { send, synced } = waiting({ ...running, failIf: [phase('Running')] });
    expect([send('a', 'Running'), synced()]).toEqual([undefined, 'fail-if']);
  });

  it('is evaluated for the final state of a deleted object, and for events', () => {
    const final = waiting({
      failIf: [about(({ event, object }) => event === 'DELETED' && phaseOf(object) === 'Running', true)],
    });
    final.synced();
    expect([final.send('a', 'Running'), final.send('a', 'gone')]).toEqual([undefined, 'fail-if']);
  });

  it('does not wait for other types, nor stay', () => {
    const { send, synced } = waiting({ failIf: [phase('Failed')], staysMs: 1000 }, PODS, JOBS);
    send('a', 'Failed', PODS);
    expect(synced(PODS)).toBe('fail-if');
  });
});

describe('for', () => {
  const ready = 'jsonpath={.status.phase}=Running';

  test('each object is done with when it has met it, as with kubectl', () => {
    const { send, synced } = waiting(forAll(ready));
    send('a', 'Running');
    send('b', 'Pending');
    expect([synced(), send('a', 'Failed'), send('a', 'gone'), send('b', 'Running')]).toEqual([
      undefined,
      undefined,
      undefined,
      'for',
    ]);
  });

  test('a new object with the same name starts from the beginning', () => {
    const { send, synced } = waiting(forAll(ready));
    send('a', 'Running');
    send('b', 'Pending');
    expect([synced(), send('a', 'Pending replaced'), send('b', 'Running'), send('a', 'Running')]).toEqual([
      undefined,
      undefined,
      undefined,
      'for',
    ]);
  });

  test('an object that is gone before it met it is waited for only when it was named', () => {
    const selected = waiting(forAll(ready));
    selected.send('a', 'Running');
    selected.send('b', 'Pending');
    expect([selected.synced(), selected.send('b', 'gone')]).toEqual([undefined, 'for']);
    const asked = waiting(forAll(ready), named('a', 'b'));
    asked.send('a', 'Running');
    asked.send('b', 'Pending');
    expect([asked.synced(), asked.send('b', 'gone'), asked.send('b', 'Running')]).toEqual([
      undefined,
      undefined,
      'for',
    ]);
  });

  test('several are met one after the other', () => {
    const { send, synced } = waiting(forAll('create', ready, 'delete'), named('a'));
    expect([synced(), send('a', 'Pending'), send('a', 'Running'), send('a', 'Failed'), send('a', 'gone')]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      'for',
    ]);
  });

  test('create is met by an object that exists or is added', () => {
    const { send, synced } = waiting(forAll('create'), named('a', 'b'));
    send('a', 'Pending');
    expect([synced(), send('b', 'Pending')]).toEqual([undefined, 'for']);
  });

  test('delete is met at once by a name that is not there, and by a selection of nothing', () => {
    expect(waiting(forAll('delete'), named('a')).synced()).toBe('for');
    expect(waiting(forAll('delete'), { ...named('a'), namespaces: undefined }).synced()).toBe('for');
    expect(waiting(forAll('delete')).synced()).toBe('for');
  });

  test('delete waits for the objects of the initial list, not for later ones', () => {
    const { send, synced } = waiting(forAll('delete'));
    send('a', 'Running');
    expect([synced(), send('b', 'Running'), send('a', 'gone')]).toEqual([undefined, undefined, 'for']);
  });

  test('delete is met when another object has taken the name', () => {
    const { send, synced } = waiting(forAll('delete'), named('a'));
    send('a', 'Running');
    expect([synced(), send('a', 'Running replaced')]).toEqual([undefined, 'for']);
  });

  test('gives up on an expression that finds too much', () => {
    const { send, synced, waiter } = waiting(forAll('jsonpath={.status}=x'));
    expect([send('a', 'Running'), synced()]).toEqual([undefined, 'error']);
    expect(waiter.settled).toMatchObject({
      error: { message: 'jsonpath leads to a nested object or list which is not supported' },
    });
  });
});

describe('stays', () => {
  it('has to hold without a break', async () => {
    const { send, synced, waiter, clock } = waiting({ ...running, staysMs: 30_000 });
    send('a', 'Running');
    synced();
    await clock.advance(29_999);
    send('a', 'Pending');
    send('a', 'Running');
    await clock.advance(29_999);
    expect(waiter.settled).toBeUndefined();
    await clock.advance(1);
    expect([waiter.settled, await waiter.outcome]).toEqual([{ kind: 'until' }, { kind: 'until' }]);
    expect(clock.pending).toBe(0);
  });

  it('of for asks all objects at one time', async () => {
    const { send, synced, waiter, clock } = waiting({ ...forAll('jsonpath={.status.phase}=Running'), staysMs: 1000 });
    send('a', 'Running');
    send('b', 'Pending');
    synced();
    send('a', 'Pending');
    send('b', 'Running');
    await clock.advance(5000);
    expect(waiter.settled).toBeUndefined();
    send('a', 'Running');
    await clock.advance(1000);
    expect(waiter.settled?.kind).toBe('for');
  });

  it('of delete is broken by an object that is created again', async () => {
    const { send, synced, waiter, clock } = waiting({ ...forAll('delete'), staysMs: 1000 }, named('a'));
    synced();
    await clock.advance(999);
    send('a', 'Running');
    await clock.advance(5000);
    expect(waiter.settled).toBeUndefined();
    send('a', 'gone');
    await clock.advance(1000);
    expect(waiter.settled?.kind).toBe('for');
  });

  it('leaves no timer behind', () => {
    const { send, synced, waiter, clock } = waiting({ ...running, staysMs: 1000 });
    send('a', 'Running');
    synced();
    expect(clock.pending).toBe(1);
    waiter[Symbol.dispose]();
    expect(clock.pending).toBe(0);
  });
});

describe('a condition about the time', () => {
  const start = new FakeClock().now();
  const olderThan = (ms: number): CompiledCondition => ({
    ...about(({ now, object }) => phaseOf(object) === 'Running' && now.getTime() - start >= ms),
    readsTime: true,
  });

  test('is judged while nothing changes', async () => {
    const { send, synced, waiter, clock } = waiting({ until: [olderThan(5000)] });
    send('a', 'Running');
    send('b', 'Pending');
    synced();
    await clock.advance(10_000);
    expect(waiter.settled).toBeUndefined();
    send('b', 'gone');
    expect(waiter.settled?.kind).toBe('until');
    expect(clock.pending).toBe(0);
  });

  test('of several types is judged by one timer, until the wait ends', () => {
    const { synced, waiter, clock } = waiting({ until: [olderThan(5000)] }, PODS, JOBS);
    synced(PODS);
    synced(JOBS);
    expect(clock.pending).toBe(1);
    waiter[Symbol.dispose]();
    expect(clock.pending).toBe(0);
  });

  test('can be met by one object while nothing changes', async () => {
    const { send, synced, waiter, clock } = waiting({ untilAny: [olderThan(5000)] });
    send('a', 'Pending');
    send('b', 'Running');
    synced();
    await clock.advance(4999);
    expect(waiter.settled).toBeUndefined();
    await clock.advance(1);
    expect(waiter.settled?.kind).toBe('until-any');
    expect(clock.pending).toBe(0);
  });

  test('can fail a wait, and leaves no timer behind', async () => {
    const { send, synced, waiter, clock } = waiting({ failIf: [olderThan(5000)] });
    send('a', 'Running');
    synced();
    await clock.advance(4999);
    expect([waiter.settled, clock.pending]).toEqual([undefined, 1]);
    await clock.advance(1);
    expect([waiter.settled?.kind, clock.pending]).toEqual(['fail-if', 0]);
    const other = waiting({ failIf: [olderThan(5000)] });
    other.synced();
    other.waiter[Symbol.dispose]();
    expect(other.clock.pending).toBe(0);
  });

  test('that reads events too is not made true by a second that passes', async () => {
    const updated: CompiledCondition = { ...about(({ event }) => event === 'MODIFIED', true), readsTime: true };
    const { send, synced, waiter, clock } = waiting({ untilAny: [updated] });
    send('a', 'Running');
    synced();
    await clock.advance(3000);
    expect(waiter.settled).toBeUndefined();
  });
});

test('a condition whose evaluation fails is not met; it is reported once and counted', () => {
  const { send, synced, waiter, errors } = waiting({ until: [about(() => new Error('no such overload'))] });
  send('a', 'A');
  synced();
  send('a', 'B');
  expect([errors, waiter.errors, waiter.settled]).toEqual([['no such overload'], 2, undefined]);
});

describe('without a connection', () => {
  const staying = { ...running, staysMs: 30_000 };

  it('no condition is met by staying; one that stayed met is decided a second after the reconnection', async () => {
    const { send, synced, waiter, clock } = waiting(staying);
    send('a', 'Running');
    synced();
    waiter.setConnected(false);
    await clock.advance(300_000);
    expect(waiter.settled).toBeUndefined();
    waiter.setConnected(true);
    await clock.advance(999);
    expect(waiter.settled).toBeUndefined();
    await clock.advance(1);
    expect(waiter.settled?.kind).toBe('until');
  });

  it('a condition that changed during the outage has not stayed met', async () => {
    const { send, synced, waiter, clock } = waiting(staying);
    send('a', 'Running');
    synced();
    waiter.setConnected(false);
    await clock.advance(60_000);
    waiter.setConnected(true);
    send('a', 'Pending');
    send('a', 'Running');
    await clock.advance(29_999);
    expect(waiter.settled).toBeUndefined();
    await clock.advance(1);
    expect(waiter.settled?.kind).toBe('until');
  });

  it('nothing becomes true by the time alone', async () => {
    const old: CompiledCondition = { ...about(({ now }) => (now as unknown as number) > 0), readsTime: true };
    let isDue = false;
    const { synced, send, waiter, clock } = waiting({ until: [{ ...old, test: () => isDue }] });
    send('a', 'Running');
    synced();
    waiter.setConnected(false);
    isDue = true;
    await clock.advance(60_000);
    expect(waiter.settled).toBeUndefined();
    waiter.setConnected(true);
    await clock.advance(2000);
    expect(waiter.settled?.kind).toBe('until');
  });

  it('with several types, the old state of the other one decides nothing, except for --until-any', async () => {
    const all = waiting(running, PODS, JOBS);
    for (const type of [PODS, JOBS]) all.send(type === PODS ? 'a' : 'j', 'Pending', type);
    all.send('j', 'Running', JOBS);
    for (const type of [PODS, JOBS]) all.synced(type);
    all.waiter.setConnected(false);
    expect(all.send('a', 'Running', PODS)).toBeUndefined();
    all.waiter.setConnected(true);
    await all.clock.advance(1000);
    expect(all.waiter.settled?.kind).toBe('until');
    const any = waiting({ untilAny: [phase('Running')] }, PODS, JOBS);
    for (const type of [PODS, JOBS]) any.synced(type);
    any.waiter.setConnected(false);
    expect(any.send('a', 'Running', PODS)).toBe('until-any');
  });
});

it('without a connection a change decides where there is one type only', () => {
  const { send, synced, waiter } = waiting(running);
  send('a', 'Pending');
  synced();
  waiter.setConnected(false);
  expect(send('a', 'Running')).toBe('until');
});

it('a connection that is lost again at once decides nothing of what became due before', async () => {
  const { send, synced, waiter, clock } = waiting({ ...running, staysMs: 30_000 });
  send('a', 'Running');
  synced();
  waiter.setConnected(false);
  await clock.advance(60_000);
  waiter.setConnected(true);
  waiter.setConnected(true);
  await clock.advance(500);
  waiter.setConnected(false);
  await clock.advance(60_000);
  expect([waiter.settled, clock.pending]).toEqual([undefined, 0]);
  waiter.setConnected(true);
  expect(clock.pending).toBe(1);
  waiter[Symbol.dispose]();
  expect(clock.pending).toBe(0);
});

describe('a type that is added', () => {
  it('counts: nothing about all objects is decided before its initial list, and without its objects', () => {
    const { send, synced, waiter } = waiting(running);
    send('a', 'Pending');
    synced();
    waiter.add(JOBS);
    expect(send('a', 'Running')).toBeUndefined();
    expect([send('j', 'Pending', JOBS), synced(JOBS), send('j', 'Running', JOBS)]).toEqual([
      undefined,
      undefined,
      'until',
    ]);
  });

  it('may decide, and a type that was not added does not', () => {
    const { send, synced, waiter } = waiting({ untilAny: [phase('Failed')] });
    expect([synced(), synced(JOBS), send('j', 'Failed', JOBS)]).toEqual([undefined, undefined, undefined]);
    waiter.add(JOBS);
    expect([synced(JOBS), send('k', 'Failed', JOBS)]).toEqual([undefined, 'until-any']);
  });
});

it('while not all types are known, nothing about all objects is decided, and a timeout says so', () => {
  let isComplete = false;
  const waiter = new Waiter(running, { clock: new FakeClock(), targets: [PODS], isComplete: () => isComplete });
  const send = (to: string) => waiter.handle({ type: 'updated', object: pod('a', to), cause: 'watch' }, PODS);
  send('Running');
  waiter.synced(PODS);
  expect(waiter.settled).toBeUndefined();
  expect(waiter.timeoutText()).toBe('timed out waiting for the condition: not every cluster has answered');
  send('Pending');
  expect(waiter.timeoutText()).toBe('timed out waiting for the condition on pods/a');
  isComplete = true;
  send('Running');
  expect(waiter.settled?.kind).toBe('until');
});

it('a timeout of a rule that was met, but did not stay, says so; one that looks once has words of its own', () => {
  const { send, synced, waiter } = waiting({ ...running, staysMs: 1000 });
  send('a', 'Running');
  synced();
  expect(waiter.timeoutText()).toBe('timed out waiting for the condition: it did not stay');
  send('b', 'Pending');
  expect(waiter.timeoutText(true)).toBe('condition not met for pods/b');
});

it('after the outcome an initial list that is complete starts no timer', () => {
  const never: CompiledCondition = { ...about(() => false), readsTime: true };
  const { send, synced, clock } = waiting({ until: [never], failIf: [phase('Failed')] }, PODS, JOBS);
  synced(PODS);
  expect([send('a', 'Failed'), synced(JOBS), clock.pending]).toEqual(['fail-if', 'fail-if', 0]);
});

describe('the deciders', () => {
  it('has its deciders, also if it was the initial list: at most three, and their number', () => {
    const failing = waiting({ failIf: [phase('Failed')] });
    for (const name of ['a', 'b', 'c', 'd', 'e']) failing.send(name, name === 'a' ? 'Running' : 'Failed');
    failing.synced();
    const { deciders, decided } = failing.waiter.settled ?? {};
    expect({ keys: deciders?.map(({ key }) => key), decided }).toEqual({
      keys: ['shop/b', 'shop/c', 'shop/d'],
      decided: 4,
    });
  });

  it('is the object that changed, where one did', () => {
    const any = waiting({ untilAny: [phase('Failed')] });
    any.send('a', 'Running');
    any.send('b', 'Running');
    any.synced();
    any.send('b', 'Failed');
    expect(any.waiter.settled).toMatchObject({
      kind: 'until-any',
      deciders: [{ key: 'shop/b', target: PODS }],
      decided: 1,
    });
  });

  it('are the objects that stayed', async () => {
    const any = waiting({ untilAny: [phase('Failed')], staysMs: 1000 });
    any.send('a', 'Failed');
    any.synced();
    await any.clock.advance(1000);
    expect(any.waiter.settled).toMatchObject({ kind: 'until-any', deciders: [{ key: 'shop/a' }], decided: 1 });
  });
});

describe('progress', () => {
  it('says that one is enough where it is', () => {
    const any = waiting({ untilAny: [phase('Failed')] });
    for (const name of ['a', 'b']) any.send(name, 'Running');
    any.synced();
    expect(progressText(any.waiter.progress())).toBe('0/2 met, one is enough');
  });

  it('is reported when the numbers change, after the initial lists', () => {
    const seen: string[] = [];
    const waiter: Waiter = new Waiter(running, {
      clock: new FakeClock(),
      targets: [PODS],
      onProgress: () => seen.push(progressText(waiter.progress())),
    });
    waiter.handle({ type: 'added', object: pod('a', 'Pending'), cause: 'initial' }, PODS);
    waiter.synced(PODS);
    for (const to of ['Failed', 'Failed', 'Running'])
      waiter.handle({ type: 'updated', object: pod('a', to), cause: 'watch' }, PODS);
    expect(seen).toEqual(['0/1 met, waiting for a', '1/1 met']);
  });

  it('has the numbers, and some of the objects that do not meet it yet', () => {
    const { send, synced, waiter } = waiting(running);
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) send(name, name < 'c' ? 'Running' : 'Pending');
    synced();
    expect(waiter.progress()).toEqual({
      met: 2,
      total: 6,
      waitingFor: ['c', 'd', 'e'],
      word: 'met',
      isOneEnough: false,
    });
    expect(progressText(waiter.progress())).toBe('2/6 met, waiting for c, d, e and 1 more');
    expect(waiter.progress(2).waitingFor).toEqual(['c', 'd']);
    expect(waiter.timeoutText()).toBe('timed out waiting for the condition on pods/c, pods/d, pods/e and 1 more');
  });

  it('names one as kubectl does when time runs out', () => {
    const { synced, waiter } = waiting(forAll('condition=Ready'), named('web-2'));
    synced();
    expect(waiter.timeoutText()).toBe('timed out waiting for the condition on pods/web-2');
    expect(progressText(waiter.progress())).toBe('0/1 met, waiting for web-2');
  });

  it('has the type and the namespace if there are several', () => {
    const { send, waiter } = waiting(running, { ...PODS, namespaces: ['shop', 'db'] }, JOBS);
    send('a', 'Pending', JOBS);
    expect(waiter.progress().waitingFor).toEqual(['jobs/a']);
    send('b', 'Pending');
    send('c', 'Pending');
    expect(waiter.progress(2).waitingFor).toEqual(['pods/shop/b', 'pods/shop/c']);
    const everywhere = waiting(running, { ...PODS, namespaces: [''] });
    everywhere.send('a', 'Pending');
    expect(everywhere.waiter.progress().waitingFor).toEqual(['shop/a']);
    const cluster = { ...PODS, type: { ...PODS.type, cluster: 'east' } };
    const clusters = waiting(running, cluster, JOBS);
    clusters.send('a', 'Pending');
    expect(clusters.waiter.progress().waitingFor).toEqual(['pods/a in east']);
    expect(clusters.waiter.timeoutText()).toBe('timed out waiting for the condition on pods/a in east');
  });

  it('says when there is nothing yet', () => {
    const { synced, waiter } = waiting(running);
    synced();
    expect(progressText(waiter.progress())).toBe('0/0 met, waiting for the first object');
    expect(waiter.timeoutText()).toBe('timed out waiting for the condition: no matching resources found');
  });

  it.each([
    ['delete', '0/1 deleted, waiting for a'],
    ['create', '1/1 created'],
    ['create delete', '0/1 deleted, waiting for a'],
    ['delete create', '0/1 created, waiting for a'],
    ['create jsonpath=.status.none', '0/1 met, waiting for a'],
  ])('uses the word for what is waited for in the end: %s', (texts, expected) => {
    const { send, waiter } = waiting(forAll(...texts.split(' ')));
    send('a', 'Running');
    expect(progressText(waiter.progress())).toBe(expected);
  });
});
