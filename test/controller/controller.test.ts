import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { createController } from '../../src/controller/controller.ts';
import type { ReconcileRequest } from '../../src/controller/reconciler.ts';
import { StopError, TerminalError } from '../../src/controller/reconciler.ts';
import type { Source } from '../../src/controller/sources/source.ts';
import { createEventSource, createTimerSource } from '../../src/controller/sources/source.ts';
import { InformerError } from '../../src/kit/error.ts';
import { Latch } from '../../src/kit/latch.ts';
import { createLogger } from '../../src/kit/logger.ts';
import type { MetricsProvider } from '../../src/kit/metrics.ts';
import { noMetrics } from '../../src/kit/metrics.ts';
import { seededRandom } from '../../src/kit/random.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import { ItemExponentialFailureRateLimiter } from '../../src/workqueue/rate-limiter.ts';
import { LOW_PRIORITY } from '../../src/workqueue/work-queue.ts';
import { added, start, updated } from '../support/controller.ts';
import { ScriptedSource } from '../support/scripted-source.ts';

/** Counts by metric name and the `result` label. */
function counting() {
  const counts = new Map<string, number>();
  const metrics: MetricsProvider = {
    ...noMetrics,
    counter(name, { result = '' }) {
      const id = name.replace('controller_runtime_', '') + (result === '' ? '' : ` ${result}`);
      counts.set(id, counts.get(id) ?? 0);
      return { add: (by = 1) => void counts.set(id, (counts.get(id) ?? 0) + by) };
    },
  };
  return { counts, metrics };
}

describe('the result of a run', () => {
  it.each([
    ['{}', {}],
    ['nothing', undefined],
  ])('a success with %s forgets the failures of the key and leaves the queue empty [CTL-01]', async (_, result) => {
    const { counts, metrics } = counting();
    const reconcile = vi.fn(() => result);
    const rateLimiter = new ItemExponentialFailureRateLimiter(5, 1_000_000);
    for (const key of ['shop/web', 'shop/web', 'shop/other']) rateLimiter.when(key);
    const { clock, events, controller } = await start({ reconcile, metrics, rateLimiter });
    events.emit(added('web'));
    await settled();
    expect(reconcile).toHaveBeenCalledTimes(1);
    expect([rateLimiter.numRequeues('shop/web'), rateLimiter.numRequeues('shop/other')]).toEqual([0, 1]);
    expect(clock.nextIn).toBeUndefined();
    expect(controller.snapshot()).toMatchObject({
      queued: [],
      processing: [],
      delayed: [],
      parked: [],
      counts: { queued: 0, processing: 0, delayed: 0, parked: 0, runs: 1 },
    });
    expect(counts.get('reconcile_total success')).toBe(1);
    expect(counts.get('reconcile_total error')).toBe(0);
  });

  it('errors are retried with growing delays until a run succeeds; then the delays start from the first one [CTL-02]', async () => {
    const attempts: number[] = [];
    const reconcile = ({ attempt }: ReconcileRequest) => {
      attempts.push(attempt);
      if (attempts.length === 1 || attempts.length === 2 || attempts.length === 4) throw new Error('not yet');
    };
    const rateLimiter = new ItemExponentialFailureRateLimiter(5, 1_000_000);
    const failures = () => rateLimiter.numRequeues('shop/web');
    const { clock, events } = await start({ reconcile, rateLimiter });
    events.emit(added('web'));
    await settled();
    expect([clock.nextIn, failures()]).toEqual([5, 1]);
    await clock.advance(5);
    expect([clock.nextIn, failures()]).toEqual([10, 2]);
    await clock.advance(10);
    expect(attempts).toEqual([1, 2, 3]);
    expect([clock.nextIn, failures()]).toEqual([undefined, 0]);
    events.emit(updated('web', '1', '2'));
    await settled();
    expect(attempts).toEqual([1, 2, 3, 1]);
    expect(clock.nextIn).toBe(5);
  });

  it('a terminal error, also as a cause, is counted, not retried, and parks the key [CTL-03]', async () => {
    const { counts, metrics } = counting();
    const reconcile = () => {
      throw new InformerError('hook', 'outer', { cause: new TerminalError(new Error('bad spec')) });
    };
    const { clock, events, controller } = await start({ reconcile, metrics });
    events.emit(added('web'));
    await settled();
    expect(clock.nextIn).toBeUndefined();
    expect(controller.parked).toMatchObject([
      { key: 'shop/web', reason: 'terminal', attempts: 1, error: 'outer', since: clock.now() },
    ]);
    expect(counts.get('terminal_reconcile_errors_total')).toBe(1);
    expect(counts.get('reconcile_errors_total')).toBe(1);
  });

  it('requeueAfter forgets the failures and runs the key again then, with the cause "requeue" [CTL-05]', async () => {
    const requests: ReconcileRequest[] = [];
    const { counts, metrics } = counting();
    const reconcile = (request: ReconcileRequest) => {
      requests.push(request);
      if (requests.length === 1) throw new Error('not yet');
      return requests.length === 2 ? { requeueAfterMs: 100 } : {};
    };
    const { clock, events } = await start({ reconcile, metrics });
    events.emit(added('web'));
    await clock.advance(5);
    expect(clock.nextIn).toBe(100);
    await clock.advance(100);
    expect(requests.map((r) => r.attempt)).toEqual([1, 2, 1]);
    expect(requests[2]?.causes).toEqual([{ reason: 'requeue', count: 1 }]);
    expect(counts.get('reconcile_total requeue_after')).toBe(1);
  });

  it.each([
    [{ requeueAfterMs: '30s' }, 'requeueAfterMs must be a number'],
    [{ requeueAfterMs: Number.NaN }, 'requeueAfterMs must be a number'],
    [{ requeueAfterMs: 5, priority: 'high' }, 'priority must be a number'],
    [{ keepCauses: 'yes' }, 'keepCauses must be true or false'],
    [{ requeueAfter: '30s' }, 'requeueAfter'],
  ])('the result %j fails the run, which is retried, and the controller goes on', async (result, message) => {
    const reconcile = vi.fn(({ name }: ReconcileRequest) => (name === 'web' ? (result as object) : {}));
    const { clock, events, controller, run, abort } = await start({ reconcile, maxRetries: 1 });
    events.emit(added('web'));
    await clock.advance(5);
    expect(reconcile).toHaveBeenCalledTimes(2);
    expect(controller.parked).toMatchObject([{ key: 'shop/web', error: expect.stringContaining(message) }]);
    events.emit(added('other'));
    await settled();
    expect(reconcile).toHaveBeenCalledTimes(3);
    abort.abort();
    await run;
  });

  it('a change before requeueAfter is due leads to a run at once, and only to one', async () => {
    const reconcile = vi.fn((request: ReconcileRequest) =>
      request.causes[0]?.reason === 'added' ? { requeueAfterMs: 100 } : {},
    );
    const { clock, events } = await start({ reconcile });
    events.emit(added('web'));
    await settled();
    events.emit(updated('web', '1', '2'));
    await settled();
    expect(reconcile).toHaveBeenCalledTimes(2);
    await clock.advance(1000);
    expect(reconcile).toHaveBeenCalledTimes(2);
  });

  it('retries and requeues keep the priority of the key; a result may set another [CTL-07]', async () => {
    let round = 0;
    const hold = new Latch();
    const reconcile = async ({ key }: ReconcileRequest) => {
      if (key === 'shop/blocker') return hold.wait();
      round++;
      if (round === 1) throw new Error('not yet');
      return round === 2 ? { requeueAfterMs: 5 } : { requeueAfterMs: 5, priority: 7 };
    };
    const { clock, events, controller } = await start({ reconcile });
    const priorities: (number | undefined)[] = [];
    events.emit(added('web', 'initial'));
    for (let i = 0; i < 3; i++) {
      await settled();
      priorities.push(controller.snapshot().delayed[0]?.priority);
      await clock.advance(5);
    }
    expect(priorities).toEqual([LOW_PRIORITY, LOW_PRIORITY, 7]);
  });

  it('a panic becomes an error that is retried [CTL-08]', async () => {
    const { counts, metrics } = counting();
    const warnings: unknown[] = [];
    const logger = {
      error() {},
      warn: (_: string, fields?: object) => void warnings.push(fields),
      info() {},
      debug() {},
      child: () => logger,
    };
    const reconcile = vi.fn(() => {
      const nothing = JSON.parse('null') as { spec: unknown };
      return nothing.spec as object;
    });
    const { clock, events } = await start({ reconcile, metrics, logger });
    events.emit(added('web'));
    await settled();
    expect(warnings).toEqual([
      expect.objectContaining({
        error: expect.stringMatching(/^TypeError: .*null.* \(at controller\.test\.ts:\d+:\d+\)$/),
      }),
    ]);
    expect(counts.get('reconcile_panics_total')).toBe(1);
    await clock.advance(5);
    expect(reconcile).toHaveBeenCalledTimes(2);
  });

  it('with recoverPanic: false a panic ends the controller, and an ordinary error does not [CTL-08]', async () => {
    const thrown = [new Error('ordinary'), 'a text'];
    const reconcile = () => {
      throw thrown.shift();
    };
    const { clock, events, run } = await start({ reconcile, recoverPanic: false });
    events.emit(added('web'));
    await clock.advance(5);
    await expect(run).rejects.toBe('a text');
  });

  it('a stop error ends the controller when the other runs are done', async () => {
    const other = new Latch();
    const reconcile = async ({ name }: ReconcileRequest) => {
      if (name === 'slow') return other.wait();
      throw new StopError('bad configuration');
    };
    const { clock, events, run } = await start({ reconcile, workers: 2 });
    let ended = false;
    run.catch(() => {
      ended = true;
    });
    events.emit(added('slow'));
    events.emit(added('bad'));
    await settled();
    expect(ended).toBe(false);
    other.open();
    await expect(run).rejects.toThrow('bad configuration');
    expect(clock.pending).toBe(0);
    expect(events.listeners).toBe(0);
  });
});

it('the metrics show the number of active runs and the time of each run, and gauges are removed at the end', async () => {
  const reads = new Map<string, () => number>();
  const took: number[] = [];
  const metrics: MetricsProvider = {
    ...noMetrics,
    histogram: (name) => ({
      observe: (value) => void (name === 'controller_runtime_reconcile_time_seconds' && took.push(value)),
    }),
    observe(name, _labels, read) {
      reads.set(name, read);
      return { [Symbol.dispose]: () => void reads.delete(name) };
    },
  };
  const clock = new FakeClock();
  const { events, abort, run } = await start({
    clock,
    metrics,
    workers: 3,
    reconcile: ({ name }) => clock.sleep(name === 'a' ? 250 : 500),
  });
  const active = () => reads.get('controller_runtime_active_workers')?.();
  const counts = [active()];
  for (const name of ['a', 'b']) events.emit(added(name));
  for (const ms of [0, 250, 250]) {
    await clock.advance(ms);
    counts.push(active());
  }
  expect(counts).toEqual([0, 2, 1, 0]);
  expect(took).toEqual([0.25, 0.5]);
  abort.abort();
  await run;
  expect([...reads.keys()]).toEqual([]);
});

describe('a run that takes longer than its timeout', () => {
  const obeying = ({ signal }: { signal: AbortSignal }) =>
    new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

  it('has its signal aborted at the timeout, which is counted [CTL-09]', async () => {
    const { counts, metrics } = counting();
    const { clock, events } = await start({
      reconcile: (_, context) => obeying(context),
      metrics,
      reconcileTimeoutMs: 50,
    });
    events.emit(added('web'));
    await clock.advance(49);
    expect(counts.get('reconcile_timeouts_total')).toBe(0);
    await clock.advance(1);
    expect(counts.get('reconcile_timeouts_total')).toBe(1);
    expect(counts.get('reconcile_total error')).toBe(1);
  });

  it('is not counted if it ended early, failed by itself, or the controller ended [CTL-09]', async () => {
    const { counts, metrics } = counting();
    const deaf = new Latch();
    const reconcile = ({ name }: ReconcileRequest, context: { signal: AbortSignal }) => {
      if (name === 'early') return;
      if (name === 'deaf') return deaf.wait();
      if (name === 'own') throw new DOMException('mine', 'AbortError');
      return obeying(context);
    };
    const { clock, events, abort, run } = await start({
      reconcile,
      metrics,
      reconcileTimeoutMs: 50,
      workers: 4,
      drainMs: 10,
      maxRetries: 0,
    });
    for (const name of ['early', 'own', 'waits', 'deaf']) events.emit(added(name));
    await clock.advance(20);
    abort.abort();
    await clock.advance(1000);
    deaf.open();
    await run;
    expect(counts.get('reconcile_timeouts_total')).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('keeps its key until it ends, however late that is', async () => {
    const ends: Latch[] = [];
    const reconcile = () => {
      const end = new Latch();
      ends.push(end);
      return end.wait();
    };
    const { clock, events } = await start({ reconcile, reconcileTimeoutMs: 50, workers: 2 });
    events.emit(added('web'));
    await settled();
    events.emit(updated('web', '1', '2'));
    await clock.advance(500);
    expect(ends).toHaveLength(1);
    ends[0]?.open();
    await settled();
    expect(ends).toHaveLength(2);
  });
});

describe('starting', () => {
  it('nothing runs before the sources have synced, and earlier events of a key lead to one run [KR-05]', async () => {
    const reconcile = vi.fn();
    const { events, controller } = await start({ reconcile }, { sync: false });
    events.emit(added('web', 'initial'));
    events.emit(updated('web', '1', '2'));
    await settled();
    expect(reconcile).not.toHaveBeenCalled();
    expect(controller.hasSynced).toBe(false);
    events.sync.open();
    await settled();
    expect(reconcile).toHaveBeenCalledTimes(1);
    await controller.whenSynced();
  });

  it('rejects if a source fails, and nothing runs [CTL-11] [KR-05]', async () => {
    const reconcile = vi.fn();
    const { events, controller, run } = await start({ reconcile }, { sync: false });
    events.emit(added('web', 'initial'));
    events.sync.fail(new Error('no such type'));
    await expect(run).rejects.toThrow('no such type');
    await expect(controller.whenSynced()).rejects.toThrow('has ended');
    expect(reconcile).not.toHaveBeenCalled();
  });

  it('rejects if the sync of a source takes too long [CTL-11]', async () => {
    const { clock, run } = await start({ reconcile: () => {}, cacheSyncTimeoutMs: 1000 }, { sync: false });
    await clock.advance(1000);
    await expect(run).rejects.toThrow('controller pods: caches did not sync within 1000ms');
    expect(clock.pending).toBe(0);
  });

  it('waits two minutes for the sync of its sources by default, and names only those that are late', async () => {
    const source = (name: string, start: Source['start']): Source => ({ name, start });
    const sources = [source('v1/pods', async () => {}), source('v1/nodes', () => new Promise<void>(() => {}))];
    const { clock, run, controller } = await start({ reconcile: () => {}, sources }, { sync: false });
    let hasEnded = false;
    run.catch(() => {
      hasEnded = true;
    });
    await clock.advance(119_999);
    expect([hasEnded, controller.sources]).toEqual([false, sources]);
    await clock.advance(1);
    await expect(run).rejects.toThrow('caches did not sync within 120000ms: v1/nodes');
  });

  it('logs its start, the sync of its sources, why it drains, and its end, with their numbers', async () => {
    const lines: string[] = [];
    const logger = createLogger((level, message, { controller: _, ...fields }) => {
      if (level === 'info') lines.push(`${message} ${JSON.stringify(fields)}`);
    });
    const hold = new Latch();
    const reconcile = async ({ name }: ReconcileRequest) => {
      if (name === 'parked') throw new TerminalError(new Error('bad'));
      if (name === 'slow') await hold.wait();
      if (name === 'stop') throw new StopError('enough');
    };
    const { events, run } = await start({ reconcile, logger, workers: 3 });
    for (const name of ['parked', 'slow', 'stop']) events.emit(added(name));
    await settled();
    hold.open();
    await expect(run).rejects.toThrow('enough');
    expect(lines).toEqual([
      'the controller starts {"sources":1,"workers":3,"ms":0}',
      'the sources have synced, and runs begin {"ms":0}',
      'the controller drains {"running":1,"error":"enough","ms":0}',
      'the controller has ended {"runs":3,"parked":1,"ms":0}',
    ]);
  });

  it('refuses to run without a signal', async () => {
    const controller = createController({ name: 'pods', reconcile: () => {} });
    await expect(controller.run(undefined as never)).rejects.toMatchObject({ code: 'argument' });
  });

  it('names what a late source reports as its trouble, and an error of that report', async () => {
    const source = (name: string, trouble: () => unknown): Source => ({
      name,
      trouble,
      start: () => new Promise<void>(() => {}),
    });
    const sources = [
      source('v1/pods', () => new Error('403 Forbidden')),
      source('v1/nodes', () => {
        throw new Error('no report');
      }),
      source('v1/secrets', () => undefined),
    ];
    const { clock, run } = await start({ reconcile: () => {}, cacheSyncTimeoutMs: 1000, sources }, { sync: false });
    await clock.advance(1000);
    await expect(run).rejects.toMatchObject({
      message: 'controller pods: caches did not sync within 1000ms: v1/pods, v1/nodes, v1/secrets',
      hint: 'v1/pods: 403 Forbidden; v1/nodes: no report',
    });
  });

  it('resolves if it is aborted during the sync [CTL-11]', async () => {
    const { clock, abort, run, events } = await start({ reconcile: () => {} }, { sync: false });
    abort.abort();
    await run;
    expect(clock.pending).toBe(0);
    expect(events.listeners).toBe(0);
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
  });

  it('can be run only once; a source that is added later starts at once [CTL-12]', async () => {
    const reconcile = vi.fn();
    const { controller, abort } = await start({ reconcile });
    await expect(controller.run(abort.signal)).rejects.toThrow('controller pods was started more than once');
    const late = new ScriptedSource();
    controller.watch(createEventSource(late, { name: 'v1/services', enqueue: () => ['shop/web'] }));
    expect(late.listeners).toBe(1);
    late.emit(added('front'));
    await settled();
    expect(reconcile.mock.calls[0]?.[0]).toMatchObject({
      key: 'shop/web',
      causes: [{ reason: 'added', source: 'v1/services', key: 'shop/front' }],
    });
  });

  it.each([
    [{ name: '' }, 'a controller needs a name'],
    [{ workers: 0 }, 'workers must be a whole number from 1, not 0'],
    [{ maxRetries: -1 }, 'maxRetries must be 0 or more, not -1'],
    [{ reconcileTimeoutMs: 0 }, 'reconcileTimeoutMs must be above zero, not 0'],
  ])('refuses %j, and names it', (options, message) => {
    expect(() => createController({ name: 'pods', reconcile: () => {}, ...options })).toThrow(message);
  });
});

describe('workers', () => {
  it('run different keys at once, at most one for each worker, and never one key twice [CTL-13] [KR-04]', async () => {
    const random = seededRandom(11);
    const clock = new FakeClock();
    const now = new Map<string, number>();
    let most = 0;
    let twice = 0;
    const reconcile = async ({ key }: ReconcileRequest) => {
      if (now.has(key)) twice++;
      now.set(key, 1);
      most = Math.max(most, now.size);
      await clock.sleep(Math.floor(random() * 20));
      now.delete(key);
      if (random() < 0.2) throw new Error('now and then');
    };
    const { events } = await start({ reconcile, clock, workers: 3 });
    for (let i = 0; i < 300; i++) {
      events.emit(updated(`pod${Math.floor(random() * 8)}`, String(i), String(i + 1)));
      if (i % 3 === 0) await clock.advance(3);
    }
    await clock.advance(60_000);
    expect(most).toBe(3);
    expect(twice).toBe(0);
    expect(now.size).toBe(0);
  });

  it('a failing key delays no other', async () => {
    const done: string[] = [];
    const reconcile = ({ name }: ReconcileRequest) => {
      if (name === 'poison') throw new Error('always');
      done.push(name);
    };
    const { clock, events } = await start({ reconcile });
    events.emit(added('poison'));
    for (const name of ['a', 'b', 'c']) events.emit(added(name));
    await clock.advance(100);
    expect(done).toEqual(['a', 'b', 'c']);
  });
});

describe('parking', () => {
  async function parked(options: { maxRetries?: number } = {}) {
    const requests: ReconcileRequest[] = [];
    let isFixed = false;
    const reconcile = (request: ReconcileRequest) => {
      requests.push(request);
      if (!isFixed) throw new Error('still broken');
    };
    const setup = await start({ reconcile, maxRetries: 2, ...options });
    setup.events.emit(added('web'));
    await setup.clock.advance(1000);
    const fix = () => {
      isFixed = true;
    };
    return { ...setup, requests, fix };
  }

  it('after maxRetries a key is listed and not retried', async () => {
    const { clock, controller, requests } = await parked();
    expect(requests.map((r) => r.attempt)).toEqual([1, 2, 3]);
    expect(controller.parked).toMatchObject([
      { key: 'shop/web', reason: 'retries', attempts: 3, error: 'still broken', causes: [{ reason: 'added' }] },
    ]);
    await clock.advance(3_600_000);
    expect(requests).toHaveLength(3);
    expect(clock.pending).toBe(0);
  });

  it('the next change releases it, with its earlier causes and all its retries', async () => {
    const { clock, events, controller, requests } = await parked();
    events.emit(updated('web', '1', '2'));
    await settled();
    expect(controller.parked).toEqual([]);
    expect(requests[3]).toMatchObject({
      attempt: 1,
      causes: [{ reason: 'added' }, { reason: 'updated', resourceVersion: '2' }],
    });
    await clock.advance(1000);
    expect(requests).toHaveLength(6);
    expect(controller.parked).toHaveLength(1);
  });

  it('a resync, which is no change, does not release it', async () => {
    const { events, controller, requests } = await parked();
    events.emit(updated('web', '1', '1', 'resync'));
    events.emit(updated('web', '1', '1'));
    await settled();
    expect(requests).toHaveLength(3);
    expect(controller.parked).toHaveLength(1);
  });

  it('a resync during the last run does not release it', async () => {
    const setup: { emit?: () => void } = {};
    let runs = 0;
    const reconcile = () => {
      runs++;
      setup.emit?.();
      throw new TerminalError(new Error('for good'));
    };
    const { events, controller } = await start({ reconcile });
    setup.emit = () => events.emit(updated('web', '1', '1', 'resync'));
    events.emit(added('web'));
    await settled();
    expect(runs).toBe(1);
    expect(controller.snapshot()).toMatchObject({ queued: [], processing: [], parked: [{ key: 'shop/web' }] });
  });

  it('it can be released by a call', async () => {
    const { controller, requests, fix } = await parked();
    expect(controller.release('shop/other')).toBe(false);
    fix();
    expect(controller.release('shop/web')).toBe(true);
    await settled();
    expect(controller.parked).toEqual([]);
    expect(requests).toHaveLength(4);
    expect(requests[3]?.causes.map((c) => c.reason)).toEqual(['added', 'released']);
  });

  it('enqueue releases it, with its earlier causes and all its retries', async () => {
    const { clock, controller, requests } = await parked();
    controller.enqueue('shop/web');
    await settled();
    expect(controller.parked).toEqual([]);
    expect(requests[3]).toMatchObject({ attempt: 1, causes: [{ reason: 'added' }, { reason: 'manual' }] });
    await clock.advance(1000);
    expect(requests).toHaveLength(6);
  });

  it('a key that is enqueued during its last run runs once more', async () => {
    const setup: { ask?: () => void } = {};
    let runs = 0;
    const reconcile = () => {
      if (++runs > 1) return;
      setup.ask?.();
      throw new TerminalError(new Error('of the old state'));
    };
    const { events, controller } = await start({ reconcile });
    setup.ask = () => controller.enqueue('shop/web');
    events.emit(added('web'));
    await settled();
    expect([runs, controller.parked]).toEqual([2, []]);
  });

  it('a key that is enqueued during its last retry begins again with its first try', async () => {
    const attempts: number[] = [];
    const setup: { ask?: () => void } = {};
    const reconcile = ({ attempt }: ReconcileRequest) => {
      attempts.push(attempt);
      if (attempts.length === 2) setup.ask?.();
      if (attempts.length <= 2) throw new Error('of the old state');
    };
    const { clock, events, controller } = await start({ reconcile, maxRetries: 1 });
    setup.ask = () => controller.enqueue('shop/web');
    events.emit(added('web'));
    await clock.advance(10_000);
    expect([attempts, controller.parked]).toEqual([[1, 2, 1], []]);
  });

  it('a timer, which is no change, does not release it', async () => {
    const { clock, controller, requests } = await parked();
    controller.watch(createTimerSource({ everyMs: 60_000, keys: () => ['shop/web'] }));
    await clock.advance(200_000);
    expect(requests).toHaveLength(3);
    expect(controller.parked).toHaveLength(1);
  });

  it('a change during the last run leads to another run', async () => {
    const setup: { emit?: () => void } = {};
    let runs = 0;
    const reconcile = () => {
      if (++runs === 1) setup.emit?.();
      if (runs === 1) throw new TerminalError(new Error('of the old state'));
    };
    const { events, controller } = await start({ reconcile });
    setup.emit = () => events.emit(updated('web', '1', '2'));
    events.emit(added('web'));
    await settled();
    expect(runs).toBe(2);
    expect(controller.parked).toEqual([]);
  });
});

describe('enqueue', () => {
  it('has the cause "manual", and refuses a text that is no key', async () => {
    const reconcile = vi.fn();
    const { controller } = await start({ reconcile });
    controller.enqueue('shop/web');
    await settled();
    expect(reconcile.mock.calls[0]?.[0]).toMatchObject({ key: 'shop/web', causes: [{ reason: 'manual', count: 1 }] });
    expect(() => controller.enqueue('a/b/c')).toThrow('unexpected key format');
  });
});

describe('shutting down', () => {
  it('lets the active run finish, begins no other, and leaves nothing behind', async () => {
    const hold = new Latch();
    const seen: string[] = [];
    let aborted = false;
    const reconcile = async ({ name }: ReconcileRequest, { signal }: { signal: AbortSignal }) => {
      seen.push(name);
      await hold.wait();
      aborted = signal.aborted;
      throw new Error('and it fails');
    };
    const { clock, events, abort, run } = await start({ reconcile, drainMs: 1000 });
    events.emit(added('a'));
    events.emit(added('b'));
    await settled();
    abort.abort();
    events.emit(added('c'));
    await clock.advance(999);
    hold.open();
    await run;
    expect(seen).toEqual(['a']);
    expect(aborted).toBe(false);
    expect(clock.pending).toBe(0);
    expect(events.listeners).toBe(0);
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
  });

  it('says of a run that fails when it is retried, in whole ms', async () => {
    const lines: string[] = [];
    const logger = createLogger((level, message, { key, retryMs }) =>
      lines.push(`${level} ${key}: ${message} ${retryMs}`),
    );
    const reconcile = () => {
      throw new Error('not yet');
    };
    const rateLimiter = new ItemExponentialFailureRateLimiter(100.5, 1000);
    const { clock, events } = await start({ reconcile, logger, rateLimiter });
    await clock.advance(5_000);
    events.emit(added('a'));
    await settled();
    expect(lines.filter((line) => line.startsWith('warn'))).toEqual(['warn shop/a: failed; will retry 101']);
  });

  it('says of a run that fails while the controller ends that it is not retried, and shows no time of a retry', async () => {
    const hold = new Latch();
    const lines: string[] = [];
    const logger = createLogger((level, message, { key, retryMs }) =>
      lines.push(`${level} ${key}: ${message} ${retryMs}`),
    );
    const reconcile = async () => {
      await hold.wait();
      throw new Error('and it fails');
    };
    const { events, abort, run, controller } = await start({ reconcile, logger });
    events.emit(added('a'));
    await settled();
    abort.abort();
    hold.open();
    await run;
    expect(lines.filter((line) => line.startsWith('warn'))).toEqual([
      'warn shop/a: failed; not retried, because the controller ends undefined',
    ]);
    const { state, history } = controller.explain('shop/a');
    expect([state, history?.at(-1)]).toEqual(['idle', expect.objectContaining({ outcome: 'error' })]);
    expect(history?.at(-1)).not.toHaveProperty('next');
  });

  it('begins no run for an event at the moment of the abort', async () => {
    const reconcile = vi.fn();
    const { events, abort, run } = await start({ reconcile });
    events.emit(added('a'));
    abort.abort();
    await run;
    expect(reconcile).not.toHaveBeenCalled();
  });

  it('aborts the signal of a run after drainMs, with the reason', async () => {
    let reason: unknown;
    const reconcile = (_: ReconcileRequest, { signal }: { signal: AbortSignal }) =>
      new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason;
          resolve();
        });
      });
    const { clock, events, abort, run } = await start({ reconcile, drainMs: 1000 });
    let ended = false;
    void run.then(() => {
      ended = true;
    });
    events.emit(added('a'));
    await settled();
    abort.abort();
    await clock.advance(999);
    expect(ended).toBe(false);
    await clock.advance(1);
    expect(ended).toBe(true);
    expect(reason).toMatchObject({ code: 'closed', message: 'the shutdown waited 1000ms for this run' });
  });

  it('ends in bounded time although runs ignore their signals, with an error that names their keys', async () => {
    const hold = new Latch();
    const reconcile = vi.fn(() => hold.wait());
    const { clock, events, abort, run, controller } = await start({ reconcile, workers: 3 });
    let error: unknown;
    run.catch((thrown: unknown) => {
      error = thrown;
    });
    for (const name of ['a', 'b', 'c', 'd']) events.emit(added(name));
    await settled();
    abort.abort();
    await clock.advance(20_000 + 4_999);
    expect([error, controller.explain('shop/a').controller.phase]).toEqual([undefined, 'draining']);
    await clock.advance(1); // 25 s in all, less than the 30 s of Kubernetes
    expect(error).toMatchObject({
      code: 'closed',
      message: 'controller pods ended, and 3 runs did not: shop/a, shop/b, shop/c',
      hint: expect.stringContaining('must end when its signal aborts'),
    });
    expect([clock.pending, events.listeners]).toEqual([0, 0]);
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
    hold.open(); // a run that ends later begins no other one
    await clock.advance(100_000);
    expect(reconcile).toHaveBeenCalledTimes(3);
  });

  it.each([
    [1, '1 run did not: shop/k01'],
    [
      10,
      `10 runs did not: ${Array.from({ length: 10 }, (_, i) => `shop/k${String(i + 1).padStart(2, '0')}`).join(', ')}`,
    ],
    [
      12,
      `12 runs did not: ${Array.from({ length: 10 }, (_, i) => `shop/k${String(i + 1).padStart(2, '0')}`).join(', ')}, 2 more`,
    ],
  ])('names ten of the runs that did not end, at most: of %i', async (count, text) => {
    const hold = new Latch();
    const { clock, events, abort, run } = await start({ reconcile: () => hold.wait(), workers: count });
    const error = run.catch((thrown: unknown) => thrown);
    for (let i = 1; i <= count; i++) events.emit(added(`k${String(i).padStart(2, '0')}`));
    await settled();
    abort.abort();
    await clock.advance(25_000);
    expect(await error).toMatchObject({ message: `controller pods ended, and ${text}` });
    hold.open();
  });

  it('the error that ended it comes before runs that do not end', async () => {
    const reconcile = ({ name }: ReconcileRequest) => {
      if (name === 'stop') throw new StopError('bad configuration');
      return new Promise<void>(() => {});
    };
    const { clock, events, run } = await start({ reconcile, workers: 2, drainMs: 10, abandonMs: 10 });
    for (const name of ['a', 'stop']) events.emit(added(name));
    await clock.advance(20);
    await expect(run).rejects.toThrow('bad configuration');
  });

  it('a source that still emits after the end has no effect', async () => {
    const kept: { emit?: Parameters<Source['start']>[0] } = {};
    const source: Source = {
      name: 'stubborn',
      async start(emit) {
        kept.emit = emit;
      },
    };
    const reconcile = vi.fn();
    const { abort, run } = await start({ reconcile, sources: [source] });
    abort.abort();
    await run;
    kept.emit?.('shop/web', { cause: { reason: 'generic' }, isChange: true }, 0);
    await settled();
    expect(reconcile).not.toHaveBeenCalled();
  });
});

describe('a snapshot', () => {
  it('counts the keys by place, and has the longest wait in line and what each source did', async () => {
    const reconcile = ({ name }: ReconcileRequest) => {
      if (name === 'bad') throw new TerminalError(new Error('bad'));
      if (name === 'later') return { requeueAfterMs: 60_000 };
      return name === 'slow' ? new Promise<void>(() => {}) : {};
    };
    const { clock, events, controller } = await start({ reconcile });
    for (const name of ['bad', 'later', 'slow', 'web']) events.emit(added(name));
    await clock.advance(1500);
    events.emit(added('api'));
    await clock.advance(500);
    expect(controller.snapshot()).toMatchObject({
      queued: [{ key: 'shop/web' }, { key: 'shop/api' }],
      processing: [{ key: 'shop/slow' }],
      delayed: [{ key: 'shop/later' }],
      parked: [{ key: 'shop/bad' }],
      counts: { queued: 2, processing: 1, delayed: 1, parked: 1, runs: 3 },
      oldestWaitMs: 2000,
      controller: { name: 'pods', phase: 'running', active: 1, sources: [{ name: 'v1/pods', keys: 5 }] },
    });
  });
});

describe('drop', () => {
  it('drops a parked key until its next event; a release does nothing then', async () => {
    const reconcile = vi.fn((_: ReconcileRequest) => {
      throw new TerminalError(new Error('bad'));
    });
    const { clock, events, controller } = await start({ reconcile });
    events.emit(added('web'));
    await settled();
    expect(controller.drop('shop/web')).toBe(true);
    expect([controller.parked, controller.release('shop/web'), controller.drop('shop/web')]).toEqual([
      [],
      false,
      false,
    ]);
    await clock.advance(1_000_000);
    expect(reconcile).toHaveBeenCalledTimes(1);
    events.emit(updated('web', '1', '2'));
    await settled();
    expect(reconcile).toHaveBeenCalledTimes(2);
    expect(reconcile.mock.lastCall?.[0]).toMatchObject({ causes: [{ reason: 'updated', count: 1 }], attempt: 1 });
  });

  it('drops a key that waits: in line, for a retry, or for the run after the present one, which goes on', async () => {
    const runs: string[] = [];
    const done = new Latch();
    const reconcile = async ({ name }: ReconcileRequest) => {
      runs.push(name);
      if (name === 'retry') throw new Error('not yet');
      if (name === 'busy') await done.wait();
    };
    const { clock, events, controller } = await start({ reconcile });
    for (const name of ['retry', 'busy', 'line']) events.emit(added(name));
    await settled();
    events.emit(updated('busy', '1', '2'));
    for (const name of ['retry', 'busy', 'line']) expect(controller.drop(`shop/${name}`)).toBe(true);
    expect(controller.drop('shop/busy')).toBe(false);
    done.open();
    await clock.advance(1_000_000);
    expect(runs).toEqual(['retry', 'busy']);
    expect(controller.snapshot().counts).toMatchObject({ queued: 0, processing: 0, delayed: 0, parked: 0 });
  });
});

it('runs that wait for nothing let events and timers have their turn', async () => {
  const KEYS = 20_000;
  const abort = new AbortController();
  let runs = 0;
  const turns: number[] = [];
  const events = new ScriptedSource();
  const sources = [createEventSource(events, { name: 'many' })];
  const reconcile = () => {
    if (++runs === KEYS) abort.abort();
  };
  const tick = setInterval(() => turns.push(runs), 1);
  try {
    const controller = createController({ name: 'busy', sources, reconcile });
    const ended = controller.run(abort.signal);
    events.sync.open();
    await settled();
    for (let i = 0; i < KEYS; i++) events.emit(added(`web-${i}`));
    await ended;
  } finally {
    clearInterval(tick);
  }
  expect(runs).toBe(KEYS);
  const within = turns.filter((at) => at > 0 && at < KEYS);
  expect(within.length).toBeGreaterThan(3);
});
