import { describe, expect, it } from 'vitest';
import { createController } from '../../src/controller/controller.ts';
import { type ControllerFacts, explain } from '../../src/controller/explanation.ts';
import { type DelayReason, Trail } from '../../src/controller/history/trail.ts';
import { TerminalError } from '../../src/controller/reconciler.ts';
import { enqueueMapped } from '../../src/controller/sources/enqueue.ts';
import { andPredicate, generationChanged, labelledPredicate } from '../../src/controller/sources/predicate.ts';
import { createEventSource } from '../../src/controller/sources/source.ts';
import { InformerError } from '../../src/kit/error.ts';
import { Latch } from '../../src/kit/latch.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import { createControllerRateLimiter } from '../../src/workqueue/rate-limiter.ts';
import type { QueueSnapshot } from '../../src/workqueue/work-queue.ts';
import { added, pod, start, updated } from '../support/controller.ts';
import { ScriptedSource } from '../support/scripted-source.ts';

const KEY = 'shop/web';

function failing(times: number, error: unknown = new Error('not yet')) {
  let runs = 0;
  return () => {
    if (++runs <= times) throw error;
  };
}

describe('the state of a key', () => {
  it('unknown: no event has led to it', async () => {
    const { controller } = await start({ reconcile: () => {} });
    expect(controller.explain(KEY)).toMatchObject({
      key: KEY,
      state: 'unknown',
      summary: 'not queued: no event has led to it',
      history: [],
      pending: [],
    });
    expect(() => controller.explain('a/b/c')).toThrow('unexpected key format');
    expect(() => controller.explain('')).toThrow('unexpected key format');
  });

  it('processing, and that it runs again', async () => {
    const done = new Latch();
    const { clock, events, controller } = await start({ reconcile: () => done.wait() });
    events.emit(added('web'));
    await clock.advance(3000);
    expect(controller.explain(KEY)).toMatchObject({
      state: 'processing',
      processing: { sinceMs: 3000, attempt: 1, runsAgain: false },
      summary: 'a run has been under way for 3s (attempt 1)',
    });
    events.emit(updated('web', '1', '2'));
    const again = controller.explain(KEY);
    expect(again).toMatchObject({ state: 'processing', processing: { runsAgain: true } });
    expect(again.summary).toBe(
      'a run has been under way for 3s (attempt 1); it runs again after that, because something came meanwhile',
    );
    expect(again.history).toMatchObject([
      {
        kind: 'event',
        effect: 'queued',
        origin: { reason: 'added', via: 'watch', source: 'v1/pods', resourceVersion: '1' },
      },
      { kind: 'run', run: 1, attempt: 1, waitedMs: 0, events: 1 },
      { kind: 'event', effect: 'runs-again', origin: { reason: 'updated', resourceVersion: '2' } },
    ]);
    expect(again.history?.[1]).not.toHaveProperty('outcome');
  });

  it('queued: its position, its priority, how long it waits, and that all workers are busy', async () => {
    const { clock, events, controller } = await start({ reconcile: () => new Promise<void>(() => {}) });
    for (const name of ['busy', 'first']) events.emit(added(name));
    events.emit(added('web', 'initial'));
    events.emit(added('second'));
    await clock.advance(2000);
    expect(controller.explain(KEY)).toMatchObject({
      state: 'queued',
      queued: { position: 3, of: 3, priority: -100, waitedMs: 2000 },
      summary: 'waits in line for 2s, at position 3 of 3; the worker is busy',
    });
    expect(controller.explain('shop/second')).toMatchObject({ queued: { position: 2, priority: 0 } });
    events.emit(updated('web', '1', '2'));
    const { history, queued, pending } = controller.explain(KEY);
    expect(queued).toMatchObject({ position: 3, priority: 0 });
    expect(history).toMatchObject([{ effect: 'queued' }, { effect: 'merged' }]);
    expect(pending).toMatchObject([
      { reason: 'added', via: 'initial', count: 1 },
      { reason: 'updated', via: 'watch', count: 1 },
    ]);
  });

  it('queued before the initial sync: names the sources that it waits for', async () => {
    const { events, controller } = await start({ reconcile: () => {} }, { sync: false });
    events.emit(added('web', 'initial'));
    expect(controller.explain(KEY).summary).toBe(
      'waits in line for 0ms, at position 1 of 1; no run begins before the initial sync of v1/pods',
    );
    expect(controller.explain(KEY).controller).toMatchObject({ name: 'pods', phase: 'syncing', workers: 1, active: 0 });
    events.sync.open();
    await settled();
    expect(controller.explain(KEY)).toMatchObject({ state: 'idle', controller: { phase: 'running' } });
  });

  it('delayed by failures: when it is due, and after how many', async () => {
    const { clock, events, controller } = await start({ reconcile: failing(9) });
    events.emit(added('web'));
    await clock.advance(5);
    expect(controller.explain(KEY)).toMatchObject({
      state: 'delayed',
      delayed: { dueInMs: 10, dueAt: clock.now() + 10, why: 'back-off', priority: 0 },
      failures: 2,
      summary: 'due in 10ms: back-off after 2 failures in a row',
    });
    expect(controller.explain(KEY).history).toMatchObject([
      { kind: 'event' },
      { kind: 'run', attempt: 1, outcome: 'error', error: 'not yet', next: { why: 'back-off' } },
      { kind: 'run', attempt: 2, outcome: 'error', error: 'not yet', next: { at: clock.now() + 10, why: 'back-off' } },
    ]);
  });

  it('delayed by the rate limit of all retries', async () => {
    const clock = new FakeClock();
    const rateLimiter = createControllerRateLimiter({ clock, qps: 1, burst: 1 });
    const { events, controller } = await start({ reconcile: failing(99), clock, rateLimiter });
    events.emit(added('other'));
    events.emit(added('web'));
    await settled();
    expect(controller.explain('shop/other')).toMatchObject({ delayed: { why: 'back-off', dueInMs: 5 } });
    expect(controller.explain(KEY)).toMatchObject({ delayed: { why: 'rate limit', dueInMs: 1000 } });
    expect(controller.explain(KEY).summary).toBe('due in 1s: the rate limit of all retries, after 1 failure');
  });

  it('delayed by requeueAfter, or by an enqueue for a later time', async () => {
    const { events, controller } = await start({ reconcile: () => ({ requeueAfterMs: 30_000 }) });
    events.emit(added('web'));
    await settled();
    expect(controller.explain(KEY)).toMatchObject({
      delayed: { why: 'requeue after', dueInMs: 30_000 },
      failures: 0,
      summary: 'due in 30s: the last run asked for it (requeueAfter)',
    });
    expect(controller.explain(KEY).history).toMatchObject([
      { kind: 'event' },
      { kind: 'run', outcome: 'requeue-after', next: { why: 'requeue after' } },
    ]);
    expect(controller.explain(KEY).history?.[1]).not.toHaveProperty('parked');
    controller.enqueue('shop/other', { after: 50 });
    expect(controller.explain('shop/other')).toMatchObject({
      delayed: { why: 'asked', dueInMs: 50 },
      summary: 'due in 50ms: it was queued by hand for that time',
    });
  });

  it('an event for a delayed key brings it forward, and its history says so', async () => {
    const { events, controller } = await start({ reconcile: () => ({ requeueAfterMs: 30_000 }) });
    events.emit(added('web'));
    await settled();
    events.emit(updated('web', '1', '2'));
    expect(controller.explain(KEY).history?.at(-1)).toMatchObject({ kind: 'event', effect: 'sooner' });
  });

  it('parked: the reason, the error, the attempts; a resync is ignored, and a change unparks it', async () => {
    const { clock, events, controller } = await start({ reconcile: failing(9, new TerminalError(new Error('bad'))) });
    events.emit(added('web'));
    await clock.advance(60_000);
    events.emit(updated('web', '1', '1', 'resync'));
    expect(controller.explain(KEY)).toMatchObject({
      state: 'parked',
      parked: { reason: 'terminal', attempts: 1, error: 'terminal error: bad' },
      summary: 'parked 60s ago, after 1 attempt, until it changes or is released: terminal error: bad',
    });
    expect(controller.explain(KEY).history).toMatchObject([
      { kind: 'event' },
      { kind: 'run', outcome: 'terminal', parked: true },
      { kind: 'event', effect: 'ignored' },
    ]);
    events.emit(updated('web', '1', '2'));
    expect(controller.explain(KEY).history?.at(-1)).toMatchObject({ kind: 'event', effect: 'unparked' });
  });

  it('a run past its timeout, and the exit code that an error carries', async () => {
    const reconcile = (_: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const slow = await start({ reconcile, reconcileTimeoutMs: 50 });
    slow.events.emit(added('web'));
    await slow.clock.advance(50);
    expect(slow.controller.explain(KEY).history?.at(-1)).toMatchObject({ kind: 'run', outcome: 'timeout', tookMs: 50 });
    const cause = Object.assign(new InformerError('hook', 'hook x exited with 7'), { exitCode: 7 });
    const failed = await start({ reconcile: failing(1, new InformerError('hook', 'outer', { cause })) });
    failed.events.emit(added('web'));
    await settled();
    expect(failed.controller.explain(KEY).history?.at(-1)).toMatchObject({ outcome: 'error', exitCode: 7 });
  });
});

describe('why a key is not queued', () => {
  it('names the predicate that did not pass its last event, the version, and how often', async () => {
    const sold = labelledPredicate('sold here', () => true);
    const events = new ScriptedSource();
    const predicate = andPredicate(sold, generationChanged);
    const source = createEventSource(events, { name: 'v1/pods', isPrimary: true, predicate });
    const { controller, clock } = await start({ reconcile: () => {}, sources: [source] }, { sync: false });
    events.sync.open();
    await settled();
    events.emit(added('web'));
    await settled();
    events.emit(updated('web', '1', '2'));
    events.emit(updated('web', '2', '3'));
    await clock.advance(4000);
    const { state, summary, history } = controller.explain(KEY);
    expect(state).toBe('idle');
    expect(summary).toBe('not queued: the event "updated" of v1/pods at version 3 did not pass: generation, 4s ago');
    expect(history).toMatchObject([
      { kind: 'event' },
      { kind: 'run', outcome: 'success' },
      { kind: 'skipped', why: 'predicate', by: 'generation', count: 2, origin: { resourceVersion: '3' } },
    ]);
    expect(controller.explain(KEY).controller.sources).toEqual([
      { name: 'v1/pods', hasSynced: true, keys: 1, skipped: { 'predicate generation': 2 } },
    ]);
  });

  it('its last run succeeded and nothing came since', async () => {
    const { clock, events, controller } = await start({ reconcile: () => {} });
    events.emit(added('web'));
    await clock.advance(4000);
    expect(controller.explain(KEY).summary).toBe('not queued: its last run succeeded, 4s ago, and nothing came since');
  });

  it('an event of another object that a predicate did not pass, found by its mapping', async () => {
    const { controller } = await start({ reconcile: () => {} });
    const maps = new ScriptedSource();
    const predicate = labelledPredicate('data changed', () => false);
    const enqueue = enqueueMapped(() => [KEY]);
    controller.watch(createEventSource(maps, { name: 'v1/configmaps', predicate, enqueue }));
    maps.emit(updated('settings', '6', '7'));
    expect(controller.explain(KEY)).toMatchObject({
      state: 'unknown',
      skippedElsewhere: [{ why: 'predicate', by: 'data changed', origin: { key: 'shop/settings' } }],
      summary: 'not queued: the event "updated" of v1/configmaps shop/settings at version 7 did not pass: data changed',
    });
  });

  it('events that were mapped to no key, or could not be mapped, are counted by source; the own ones are steps', async () => {
    const events = new ScriptedSource();
    const enqueue = ({ key }: { key: string }) => {
      if (key === 'shop/odd') throw new Error('cannot map');
      return [];
    };
    const source = createEventSource(events, { name: 'v1/pods', isPrimary: true, enqueue });
    const { controller } = await start({ reconcile: () => {}, sources: [source] }, { sync: false });
    events.emit(added('web'));
    events.emit(added('odd'));
    expect(controller.explain(KEY).history).toMatchObject([{ kind: 'skipped', why: 'no key' }]);
    expect(controller.explain('shop/odd').history).toMatchObject([{ kind: 'skipped', why: 'error', by: 'cannot map' }]);
    expect(controller.explain(KEY).controller.sources[0]?.skipped).toEqual({ 'no key': 1, error: 1 });
    expect([controller.explain(KEY).summary, controller.explain('shop/odd').summary]).toEqual([
      expect.stringContaining('was mapped to no key'),
      expect.stringContaining('could not be mapped: cannot map'),
    ]);
  });

  it('an event that the feed itself leaves out, with the rule that it does not meet', async () => {
    const events = new ScriptedSource();
    const source = createEventSource(
      {
        subscribe: (listener, skipped) =>
          events.subscribe((event) => (event.key === KEY ? skipped?.(event, '--filter') : listener(event))),
      },
      { name: 'v1/pods', isPrimary: true },
    );
    const { controller } = await start({ reconcile: () => {}, sources: [source] }, { sync: false });
    events.emit(added('web'));
    expect(controller.explain(KEY).summary).toContain('did not pass: --filter');
  });

  it('its last run did nothing, for the reason that the reconciler gave', async () => {
    const { clock, events, controller } = await start({ reconcile: () => ({ skipped: 'object.spec.replicas > 3' }) });
    events.emit(added('web'));
    await settled();
    await clock.advance(2000);
    expect(controller.explain(KEY).summary).toBe(
      'not queued: its last run did nothing (object.spec.replicas > 3), 2s ago, and nothing came since',
    );
  });

  it('it was dropped by hand', async () => {
    const { clock, events, controller } = await start({ reconcile: failing(1) });
    events.emit(added('web'));
    await settled();
    expect(controller.drop(KEY)).toBe(true);
    await clock.advance(1000);
    expect(controller.explain(KEY)).toMatchObject({
      state: 'idle',
      failures: 0,
      pending: [],
      summary: 'not queued: it was dropped by hand 1s ago; its next change queues it',
    });
  });

  it('the controller has not started, or has ended', async () => {
    const idle = createController({ name: 'idle', reconcile: () => {} });
    expect(idle.explain(KEY).summary).toBe('not queued: the controller has not started');
    idle.enqueue(KEY);
    expect(idle.explain(KEY).summary).toContain('; the controller has not started');
    const { abort, run, controller } = await start({ reconcile: () => {} });
    abort.abort();
    await run;
    expect(controller.explain(KEY).controller.phase).toBe('ended');
  });
});

describe('an explanation', () => {
  it('has the fields that the last event changed, at most 50, of the key or of the object that led to it', async () => {
    const { events, controller } = await start({ reconcile: () => {} });
    const before = { ...pod('web', '1'), spec: { replicas: 1 } };
    const object = { ...pod('web', '2'), spec: { replicas: 3 } };
    events.emit({ type: 'updated', key: KEY, cause: 'watch', object, oldObject: before });
    await settled();
    expect(controller.explain(KEY).lastChange).toMatchObject({ paths: ['.spec.replicas'], from: '1', to: '2' });
    events.emit(added('new'));
    expect(controller.explain('shop/new').lastChange).toMatchObject({ paths: [], to: '1' });
    const spec = (value: number) => Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`f${i}`, value]));
    const [was, is] = [pod('web', '2'), pod('web', '3')].map((state, i) => ({ ...state, spec: spec(i) }));
    events.emit({ type: 'updated', key: KEY, cause: 'watch', object: is as never, oldObject: was as never });
    expect(controller.explain(KEY).lastChange?.paths).toHaveLength(50);
  });

  it('lists the keys that one event led to', async () => {
    const { controller } = await start({ reconcile: () => {} });
    const maps = new ScriptedSource();
    controller.watch(createEventSource(maps, { name: 'v1/configmaps', enqueue: () => ['shop/a', 'shop/b'] }));
    maps.emit(updated('settings', '6', '7'));
    expect(controller.explain('shop/a').history).toMatchObject([
      { kind: 'event', origin: { source: 'v1/configmaps', key: 'shop/settings' }, keys: ['shop/a', 'shop/b'] },
    ]);
  });

  it('is plain JSON, a copy, and holds no object', async () => {
    const { events, controller } = await start({ reconcile: failing(1) });
    events.emit({ ...updated('web', '1', '2'), object: { ...pod('web', '2'), data: { password: 'geheim' } } } as never);
    await settled();
    const explanation = controller.explain(KEY);
    expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
    expect(JSON.stringify(explanation)).not.toContain('geheim');
    (explanation.history as unknown[]).length = 0;
    expect(controller.explain(KEY).history).toHaveLength(2);
  });

  it('says so when the controller keeps no history; the state is right all the same', async () => {
    const { events, controller } = await start({ reconcile: failing(1), history: false });
    events.emit(added('web'));
    await settled();
    expect(controller.explain(KEY)).toMatchObject({
      state: 'delayed',
      history: undefined,
      delayed: { why: 'back-off' },
    });
    expect(controller.explain('shop/other').summary).toBe(
      'not queued: the controller keeps no history that would say why',
    );
  });
});

/** The explanation of a key, from a view of it with these facts. */
function explained(facts: Partial<Parameters<typeof explain>[0]>, phase: Partial<ControllerFacts> = {}) {
  const queue = { processing: [], queued: [], delayed: [] } as unknown as QueueSnapshot;
  const controller = { name: 'pods', phase: 'running', workers: 2, active: 1, sources: [], ...phase } as const;
  const none = { parked: undefined, attempt: 1, failures: 0, pending: [], whyDelayed: undefined, trail: undefined };
  return explain({ key: KEY, now: 100_000, queue, ...none, controller, ...facts });
}

const inQueue = (part: object) => ({ processing: [], queued: [], delayed: [], ...part }) as unknown as QueueSnapshot;
const inLine = inQueue({ queued: [{ key: KEY, priority: 0, waitedMs: 999.4 }] });
const due = (why: DelayReason | undefined, failures: number) =>
  explained({ queue: inQueue({ delayed: [{ key: KEY, dueInMs: 1000, priority: 0 }] }), whyDelayed: why, failures });
const running = (isDirty: boolean) =>
  explained({ queue: inQueue({ processing: [{ key: KEY, heldMs: -1, isDirty }] }), attempt: 3 });
const parked = { key: KEY, error: 'bad', since: 40_000, causes: [] };

describe('the sentence of a key', () => {
  it.each([
    ['processing', running(false), 'a run has been under way for 0ms (attempt 3)'],
    [
      'processing',
      running(true),
      'a run has been under way for 0ms (attempt 3); it runs again after that, because something came meanwhile',
    ],
    ['queued', explained({ queue: inLine }), 'waits in line for 999ms, at position 1 of 1'],
    [
      'queued',
      explained({ queue: inLine }, { active: 2 }),
      'waits in line for 999ms, at position 1 of 1; all 2 workers are busy',
    ],
    [
      'queued',
      explained({ queue: inLine }, { phase: 'draining' }),
      'waits in line for 999ms, at position 1 of 1; the controller ends, and starts no more runs',
    ],
    ['delayed', due(undefined, 0), 'due in 1s: it was queued by hand for that time'],
    ['delayed', due('back-off', 1), 'due in 1s: back-off after 1 failure'],
    ['delayed', due('rate limit', 2), 'due in 1s: the rate limit of all retries, after 2 failures in a row'],
    [
      'delayed',
      due('hot loop', 0),
      'due in 1s: its own writes ran it in a loop again and again, so its changes run it later and later',
    ],
    [
      'parked',
      explained({ parked: { ...parked, reason: 'retries', attempts: 2 }, queue: inLine }),
      'parked 60s ago, after 2 attempts, until it changes or is released: bad',
    ],
    [
      'parked',
      explained({ parked: { ...parked, reason: 'hot-loop', attempts: 2 } }),
      'parked 60s ago, until another writer changes it or it is released: bad',
    ],
    ['unknown', explained({}), 'not queued: the controller keeps no history that would say why'],
    ['unknown', explained({ trail: new Trail(new FakeClock()) }), 'not queued: no event has led to it'],
  ])('that is %s: %#', (state, explanation, summary) => {
    expect([explanation.state, explanation.summary]).toEqual([state, summary]);
  });

  const at = new FakeClock().now();
  const run = { run: 1, attempt: 1, waitedMs: 0, events: 1 };
  it.each<[string, (trail: Trail) => void]>([
    [
      'the last step was "updated" of v1/pods at version 7, 2s ago',
      (trail) =>
        trail.came(KEY, 'queued', {
          cause: { reason: 'updated', via: 'watch', source: 'v1/pods', resourceVersion: '7' },
          isChange: true,
        }),
    ],
    [
      'the last step was "timer", 2s ago',
      (trail) => trail.came(KEY, 'queued', { cause: { reason: 'timer', via: 'timer' } as never, isChange: true }),
    ],
    ['the last step was released, 2s ago', (trail) => trail.manual(KEY, 'released')],
    ['its last run ended, 2s ago, and nothing came since', (trail) => void trail.began(KEY, run)],
    [
      'its last run failed (no), 2s ago, and nothing came since',
      (trail) => trail.ended(trail.began(KEY, run), { outcome: 'error', error: 'no' }),
    ],
  ])('that waits nowhere says its last step: %s', (text, step) => {
    const trail = new Trail(new FakeClock());
    trail.manual(KEY, 'enqueued');
    step(trail);
    expect(explained({ trail, now: at + 2000 }).summary).toBe(`not queued: ${text}`);
    const sources = [3000, undefined, 1000, 2000].map((inMs, i) => {
      const nextAt = inMs && at + 2000 + inMs;
      return { name: `timer ${i}`, hasSynced: true, keys: 0, skipped: {}, nextAt };
    });
    expect(explained({ trail, now: at + 2000 }, { sources }).summary).toBe(
      `not queued: ${text}; timer 2 queues all keys in 1s`,
    );
  });

  it('that is unknown because others were busier says that its events are not kept', () => {
    const trail = new Trail(new FakeClock());
    for (let i = 0; i < 30_000; i++) trail.manual(`shop/${i}`, 'enqueued');
    expect(explained({ trail }).summary).toBe('not queued: none of its events is among the last ones that are kept');
  });
});
