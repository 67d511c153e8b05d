import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { InformerHandler, InformerNotification } from '../../src/informer/handlers/notification.ts';
import type { HandlerOptions } from '../../src/informer/handlers/registration.ts';
import type { SharedInformerOptions } from '../../src/informer/informer-options.ts';
import type { ContinuityEvent } from '../../src/informer/watch/continuity-ledger.ts';
import { createLogger } from '../../src/kit/logger.ts';
import { seededRandom } from '../../src/kit/random.ts';
import { surroundingsOf, withSurroundings } from '../../src/kit/surroundings.ts';
import { type ServedTypes, servedTypesOf, withServedTypes } from '../../src/model/served-types.ts';
import { failure } from '../../src/model/status.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import { createRecordingHandler } from '../../src/testing/recording-handler.ts';
import { CONFIG_MAPS, type ConfigMap, ConfigMaps, inProcess } from '../support/in-process.ts';
import { type Pod, pod } from '../support/objects.ts';
import {
  added,
  bookmark,
  deleted,
  errorEvent,
  expired,
  initialEnd,
  modified,
  refuse,
  ScriptedListerWatcher,
  ScriptedStream,
} from '../support/scripted-events.ts';
import { SharedInformer } from '../support/store-under-test.ts';

const lw = () => new ScriptedListerWatcher<Pod>();
const stream = () => new ScriptedStream<Pod>();

interface Bench {
  informer: SharedInformer<Pod>;
  clock: FakeClock;
  watch: ScriptedStream<Pod>;
  source: ScriptedListerWatcher<Pod>;
  logs: string[];
  start: () => Promise<void>;
  stop: () => Promise<void>;
  signal: AbortSignal;
}

/**
 * An informer over one scripted stream that begins with these pods at version 10. `start` runs it until it has settled.
 */
function bench(pods: Pod[] = [], options: SharedInformerOptions<Pod> = {}, more: ScriptedStream<Pod>[] = []): Bench {
  const clock = new FakeClock();
  const watch = stream().send(...pods.map(added), initialEnd(10));
  const source = lw().onWatch(watch, ...more);
  const logs: string[] = [];
  const logger = createLogger((level, message) => logs.push(`${level} ${message}`));
  const informer = new SharedInformer<Pod>(source, {
    name: 'v1/pods',
    clock,
    logger,
    random: () => 0,
    freeze: true,
    ...options,
  });
  const controller = new AbortController();
  let running: Promise<void> | undefined;
  return {
    informer,
    clock,
    watch,
    source,
    logs,
    signal: controller.signal,
    start: async () => {
      running = informer.run(controller.signal);
      await settled();
    },
    stop: async () => {
      controller.abort();
      await running;
    },
  };
}

/** A handler whose first callback waits until it is released. */
function blocked(): { handler: InformerHandler<Pod>; seen: string[]; release: () => void } {
  let release = () => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  const seen: string[] = [];
  const take = async (key: string) => {
    seen.push(key);
    await gate;
  };
  return {
    handler: { added: (_, d) => take(d.key), updated: (_, __, d) => take(d.key), deleted: (_, d) => take(d.key) },
    seen,
    release: () => release(),
  };
}

describe('the place of a notification', () => {
  /** A handler that records each place, and waits in each callback until it is released. */
  function places() {
    const seen: string[] = [];
    const steps: (() => void)[] = [];
    const note = (what: string, { key, sequence }: { key: string; sequence?: number }) => {
      seen.push(`${what} ${key} ${sequence}`);
      return new Promise<void>((resolve) => steps.push(resolve));
    };
    const handler: InformerHandler<Pod> = {
      added: (_, details) => note('added', details),
      updated: (_old, _new, details) => note('updated', details),
      deleted: (_, details) => note('deleted', details),
    };
    const goOn = async () => {
      steps.shift()?.();
      await settled();
    };
    return { seen, handler, goOn };
  }

  it('is the same for all handlers; a replay to a late handler has the place of the last one', async () => {
    const { informer, watch, start, stop } = bench([pod('a', 1), pod('b', 2)]);
    const [early, filtered, late] = [places(), places(), places()];
    informer.addHandler(early.handler);
    informer.addHandler(filtered.handler, { filter: ({ metadata }) => metadata.name === 'a' });
    await start();
    informer.addHandler(late.handler);
    watch.send(modified(pod('a', 11)), deleted(pod('b', 12)));
    for (let i = 0; i < 5; i++) for (const each of [early, filtered, late]) await each.goOn();
    expect(early.seen).toEqual(['added a 1', 'added b 2', 'updated a 3', 'deleted b 4']);
    expect(filtered.seen).toEqual(['added a 1', 'updated a 3']);
    expect(late.seen).toEqual(['added a 2', 'added b 2', 'updated a 3', 'deleted b 4']);
    await stop();
  });

  it('is known of the next queued one: 0 for one without a place, undefined when none is queued', async () => {
    const { informer, watch, start, stop } = bench([pod('a', 1), pod('b', 2)]);
    const { handler, goOn } = places();
    const registration = informer.addHandler(handler);
    expect(registration.nextSequence).toBeUndefined();
    await start();
    expect(registration.nextSequence).toBe(2); // the first one is being handled
    await goOn();
    expect(registration.nextSequence).toBe(0); // synced
    watch.send(modified(pod('a', 11)));
    await goOn();
    expect(registration.nextSequence).toBeUndefined();
    await goOn();
    await stop();
  });
});

describe('the initial list', () => {
  it('reaches the cache, then the handlers, then their sync markers', async () => {
    const { informer, start, stop } = bench([pod('a/x', 3), pod('b/y', 4)]);
    const handler = createRecordingHandler<Pod>();
    const registration = informer.addHandler(handler);
    const cached: number[] = [];
    informer.addHandler({ added: () => void cached.push(informer.lister.size) });
    expect([informer.hasSynced, registration.hasSynced]).toEqual([false, false]);
    await start();
    expect(cached).toEqual([2, 2]);
    expect(handler.lines).toEqual(['added a/x@3', 'added b/y@4', 'synced']);
    expect(handler.notifications.every((n) => n.kind === 'added' && n.isInInitialList && n.cause === 'initial')).toBe(
      true,
    );
    expect([informer.hasSynced, registration.hasSynced]).toEqual([true, true]);
    expect(informer.lister.size).toBe(2);
    await registration.whenSynced();
    await informer.whenSynced();
    await stop();
  });

  it('has a version only once it is in the cache [SHI-25]', async () => {
    const { informer, watch, start, stop } = bench([]);
    expect(informer.lastSyncResourceVersion).toBe('');
    await start();
    expect(informer.lastSyncResourceVersion).toBe('10');
    watch.send(bookmark(17));
    await settled();
    expect([informer.lastSyncResourceVersion, informer.lister.resourceVersion]).toEqual(['17', '17']);
    await stop();
  });

  it('counts as synced for a handler when the promises of all its callbacks have settled [SHI-17] [SHI-32]', async () => {
    const { informer, start, stop } = bench([pod('x', 3), pod('y', 4)]);
    const slow = blocked();
    const registration = informer.addHandler(slow.handler);
    await start();
    expect([informer.hasSynced, registration.hasSynced, slow.seen]).toEqual([true, false, ['x']]);
    slow.release();
    await registration.whenSynced();
    expect(slow.seen).toEqual(['x', 'y']);
    await stop();
  });

  it('counts as synced though a callback failed [SHI-32]', async () => {
    const { informer, start, stop } = bench([pod('x', 3)]);
    const registration = informer.addHandler({ added: () => Promise.reject(new Error('no')) });
    await start();
    expect([registration.hasSynced, registration.errors]).toEqual([true, 1]);
    await stop();
  });

  it('resolves every wait once it is complete, and not before; a later wait resolves at once [KR-08]', async () => {
    const { watch, source, clock } = { watch: stream().send(added(pod('x', 3))), source: lw(), clock: new FakeClock() };
    const informer = new SharedInformer<Pod>(source.onWatch(watch), { clock });
    const registration = informer.addHandler({});
    const controller = new AbortController();
    const seen: string[] = [];
    void informer.whenSynced().then(() => seen.push(`informer with ${informer.lister.size}`));
    void registration.whenSynced().then(() => seen.push('handler'));
    const running = informer.run(controller.signal);
    await settled();
    expect(seen).toEqual([]);
    watch.send(initialEnd(10));
    await settled();
    expect(seen).toEqual(['informer with 1', 'handler']);
    controller.abort();
    await running;
    await informer.whenSynced();
    await registration.whenSynced();
  });

  it.each([
    ['streaming lists', () => lw().onWatch(stream().send(added(pod('x', 3)))), {}],
    ['lists', () => lw().onList(() => new Promise(() => {})), { sync: 'list' as const }],
    ['refused lists', () => lw().onList(refuse(failure(403, 'Forbidden', 'no'))), { sync: 'list' as const }],
  ])(
    'rejects every wait, early or late, when the informer ends before it is complete: %s [KR-08]',
    async (_, source, options) => {
      const informer = new SharedInformer<Pod>(source(), { clock: new FakeClock(), name: 'v1/pods', ...options });
      const registration = informer.addHandler({});
      const early = Promise.allSettled([informer.whenSynced(), registration.whenSynced()]);
      const controller = new AbortController();
      const running = informer.run(controller.signal);
      await settled();
      controller.abort();
      await running;
      expect(await early).toMatchObject([
        {
          status: 'rejected',
          reason: { code: 'closed', message: 'the informer of v1/pods stopped before it had synced' },
        },
        { status: 'rejected', reason: { code: 'closed' } },
      ]);
      await expect(informer.whenSynced()).rejects.toMatchObject({ code: 'closed' });
      await expect(registration.whenSynced()).rejects.toMatchObject({ code: 'closed' });
      expect([informer.hasSynced, registration.hasSynced]).toEqual([false, false]);
    },
  );
});

describe('a whole state of many objects', () => {
  it('lets other code run before it is visible, and none between the cache and the handlers', async () => {
    const pods = Array.from({ length: 5000 }, (_, i) => pod(`n/p${i}`, i + 1));
    const { informer, start, stop } = bench(pods, { freeze: false });
    const early = createRecordingHandler<Pod>();
    informer.addHandler(early);
    const starting = start();
    const sizes = new Set<number>();
    const late: ReturnType<typeof createRecordingHandler<Pod>>[] = [];
    for (let turn = 0; early.lines.at(-1) !== 'synced'; turn++) {
      expect(turn).toBeLessThan(1000);
      sizes.add(informer.lister.list().length);
      if (turn < 20) {
        const handler = createRecordingHandler<Pod>();
        late.push(handler);
        informer.addHandler(handler);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([...sizes.add(informer.lister.list().length)]).toEqual([0, 5000]);
    expect(late.length).toBeGreaterThan(3);
    for (let turn = 0; late.some((handler) => handler.lines.at(-1) !== 'synced'); turn++) {
      expect(turn).toBeLessThan(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const handler of [early, ...late]) expect(new Set(handler.lines).size).toBe(handler.lines.length);
    for (const handler of [early, ...late]) expect(handler.lines).toHaveLength(5001);
    await starting;
    await stop();
  });
});

describe('changes', () => {
  it('reach a handler in the order of the stream, across keys [SHI-26]', async () => {
    const { informer, watch, start, stop } = bench();
    const handler = createRecordingHandler<Pod>();
    informer.addHandler(handler);
    await start();
    watch.send(added(pod('a', 11)), added(pod('b', 12)), modified(pod('a', 13)));
    watch.send(deleted(pod('b', 14)), modified(pod('a', 15)));
    await settled();
    expect(handler.lines).toEqual([
      'synced',
      'added a@11',
      'added b@12',
      'updated a@11->13',
      'deleted b@14',
      'updated a@13->15',
    ]);
    expect(handler.notifications.every((n) => n.cause === 'watch')).toBe(true);
    await stop();
  });

  it('have set the version of the cache before a handler gets them [APP-08]', async () => {
    const { informer, watch, start, stop } = bench();
    const seen: string[] = [];
    const note = (kind: string) => void seen.push(`${kind} at ${informer.lister.resourceVersion}`);
    informer.addHandler({ added: () => note('added'), updated: () => note('updated'), deleted: () => note('deleted') });
    await start();
    for (const event of [added(pod('a', 11)), modified(pod('a', 12)), deleted(pod('a', 13))]) {
      watch.send(event);
      await settled();
    }
    expect(seen).toEqual(['added at 11', 'updated at 12', 'deleted at 13']);
    await stop();
  });

  it('are in the cache before a handler gets them', async () => {
    const { informer, watch, start, stop } = bench();
    const seen: (string | undefined)[] = [];
    informer.addHandler({
      added: (o) => void seen.push(informer.lister.get(o.metadata.name ?? '')?.metadata.resourceVersion),
    });
    await start();
    watch.send(added(pod('a', 11)));
    await settled();
    expect(seen).toEqual(['11']);
    await stop();
  });

  it('missed while disconnected are reported after the relist: updates and additions, not as initial [APP-05]', async () => {
    const relist = stream().send(added(pod('pod-1', 20)), added(pod('pod-2', 21)), initialEnd(21));
    const { informer, watch, clock, start, stop } = bench([pod('pod-1', 1)], {}, [relist]);
    const handler = createRecordingHandler<Pod>();
    informer.addHandler(handler);
    await start();
    handler.clear();
    watch.send(errorEvent(expired()));
    await clock.advance(800);
    expect(handler.lines).toEqual(['updated pod-1@1->20', 'added pod-2@21']);
    expect(handler.notifications).toMatchObject([{ cause: 'relist' }, { cause: 'relist', isInInitialList: false }]);
    await stop();
  });

  it('include objects that vanished meanwhile, with their last known state', async () => {
    const relist = stream().send(initialEnd(21));
    const { informer, watch, clock, start, stop } = bench([pod('pod-1', 1)], {}, [relist]);
    const handler = createRecordingHandler<Pod>();
    informer.addHandler(handler);
    await start();
    watch.send(errorEvent(expired()));
    await clock.advance(800);
    expect(handler.lines).toEqual(['added pod-1@1', 'synced', 'deleted pod-1@1 (unknown)']);
    expect(informer.lister.size).toBe(0);
    await stop();
  });

  it('whose key a transform removed are dropped and reported, and the informer continues [FIFO-29]', async () => {
    const { informer, watch, logs, start, stop } = bench([], {
      transform: (o) => (o.metadata.name === 'bad' ? ({} as Pod) : o),
    });
    const handler = createRecordingHandler<Pod>();
    informer.addHandler(handler);
    await start();
    watch.send(added(pod('bad', 11)), added(pod('good', 12)));
    await settled();
    expect(handler.lines).toEqual(['synced', 'added good@12']);
    expect(logs.filter((l) => l.includes('could not be applied'))).toHaveLength(1);
    expect(informer.continuity[0]?.storeErrors).toBe(1);
    await stop();
  });
});

describe('a change that the cache cannot store', () => {
  /** Records every report of an error, from all callbacks. */
  function ears() {
    const faults: unknown[] = [];
    const errors: string[] = [];
    const counts: string[] = [];
    const options: SharedInformerOptions<Pod> = {
      onContinuity: (event) => void (event.kind === 'fault' && faults.push([event.fault, event.next])),
      onHandlerError: (error) => errors.push((error as Error).message),
      metrics: { storeFailed: (changes, informer) => counts.push(`${changes} of ${informer}`) },
    };
    return { faults, errors, counts, options };
  }

  it('because an index function throws is cached, and reported with key and index [IDX-10]', async () => {
    const { faults, errors, counts, options } = ears();
    const picky = (o: { metadata: { name?: string } }) => {
      if (o.metadata.name?.startsWith('bad')) throw new Error('hm');
      return ['fine'];
    };
    const { informer, watch, start, stop } = bench([pod('bad0', 1), pod('good0', 2)], {
      ...options,
      indexers: { picky },
    });
    const handler = createRecordingHandler<Pod>();
    informer.addHandler(handler);
    await start();
    watch.send(added(pod('bad', 11)), added(pod('good', 12)));
    await settled();
    expect(handler.lines).toEqual(['added bad0@1', 'added good0@2', 'synced', 'added bad@11', 'added good@12']);
    expect([informer.lister.size, informer.lister.indexKeys('picky', 'fine')]).toEqual([4, ['good', 'good0']]);
    expect(errors).toEqual(
      ['bad0', 'bad'].map((key) => `unable to calculate an index entry for key "${key}" on index "picky": hm`),
    );
    expect(faults).toEqual(Array(2).fill(['store', 'unindexed']));
    expect([counts, informer.continuity[0]?.storeErrors]).toEqual([['1 of v1/pods', '1 of v1/pods'], 2]);
    await stop();
  });

  it('in great numbers is reported once, and counted one by one', async () => {
    const { faults, errors, counts, options } = ears();
    const picky = () => {
      throw new Error('hm');
    };
    const pods = Array.from({ length: 9 }, (_, i) => pod(`p${i}`, i + 1));
    const { informer, start, stop } = bench(pods, { ...options, indexers: { picky } });
    await start();
    expect([informer.hasSynced, informer.lister.size, informer.continuity[0]?.storeErrors]).toEqual([true, 9, 9]);
    expect([faults.length, counts, errors.length]).toEqual([1, ['9 of v1/pods'], 1]);
    expect(errors[0]).toMatch(/"p0".*"p1".*"p2".*; and 6 more$/);
    await stop();
  });

  it('because the transform throws is dropped, reported and counted; the stream continues', async () => {
    const { faults, errors, counts, options } = ears();
    const transform = (o: Pod) => {
      if (o.metadata.resourceVersion === '11') throw new Error('hm');
      return o;
    };
    const { informer, watch, source, start, stop } = bench([pod('ns/a', 1)], { ...options, transform });
    const handler = createRecordingHandler<Pod>();
    informer.addHandler(handler);
    await start();
    watch.send(modified(pod('ns/a', 11)), added(pod('ns/b', 12)));
    await settled();
    expect(handler.lines).toEqual(['added ns/a@1', 'synced', 'added ns/b@12']);
    expect(errors).toEqual(['MODIFIED of "ns/a" at 11 was not stored: transforming: hm']);
    expect([faults, counts, informer.continuity[0]?.storeErrors]).toEqual([
      [['store', 'dropped']],
      ['1 of v1/pods'],
      1,
    ]);
    expect(source.watches).toHaveLength(1);
    await stop();
  });

  it('of a whole list fails the list, so that no incomplete state is synced', async () => {
    const { faults, options } = ears();
    const transform = () => {
      throw new Error('hm');
    };
    const { informer, start, stop } = bench([pod('a', 1)], { ...options, transform });
    await start();
    expect([informer.hasSynced, faults[0]]).toEqual([false, ['other', 'list']]);
    await stop();
  });

  it('is harmless also when the callback for it throws', async () => {
    const { informer, watch, logs, start, stop } = bench([], {
      indexers: { odd: () => undefined as unknown as string[] },
      onHandlerError: () => {
        throw new Error('deaf');
      },
    });
    await start();
    watch.send(added(pod('a', 11)));
    await settled();
    expect([informer.lister.size, informer.continuity[0]?.storeErrors]).toEqual([1, 1]);
    expect(logs).toContain('error onHandlerError threw');
    await stop();
  });
});

describe('a late handler', () => {
  it('first gets every cached object, then new changes [SHI-15]', async () => {
    const { informer, watch, start, stop } = bench([pod('x', 3), pod('y', 4)]);
    await start();
    const handler = createRecordingHandler<Pod>();
    const registration = informer.addHandler(handler);
    expect(registration.hasSynced).toBe(false);
    watch.send(modified(pod('x', 11)), added(pod('z', 12)));
    await settled();
    expect(handler.lines).toEqual(['added x@3', 'added y@4', 'synced', 'updated x@3->11', 'added z@12']);
    const additions = handler.notifications.filter((n) => n.kind === 'added');
    expect(additions.map((n) => [n.isInInitialList, n.cause])).toEqual([
      [true, 'initial'],
      [true, 'initial'],
      [false, 'watch'],
    ]);
    expect(registration.hasSynced).toBe(true);
    await stop();
  });

  it('that comes before the initial list gets the list once', async () => {
    const watch = stream();
    const informer = new SharedInformer<Pod>(lw().onWatch(watch), { clock: new FakeClock() });
    const controller = new AbortController();
    const running = informer.run(controller.signal);
    await settled();
    watch.send(added(pod('x', 3)));
    await settled();
    const handler = createRecordingHandler<Pod>();
    informer.addHandler(handler);
    await settled();
    expect(handler.lines).toEqual([]);
    watch.send(added(pod('y', 4)), initialEnd(10));
    await settled();
    expect(handler.lines).toEqual(['added x@3', 'added y@4', 'synced']);
    controller.abort();
    await running;
  });
});

describe('several handlers', () => {
  it('do not wait for one that is stuck, which later gets its backlog in order [SHI-19]', async () => {
    const { informer, watch, start, stop } = bench();
    const slow = blocked();
    const quick = createRecordingHandler<Pod>();
    const registration = informer.addHandler(slow.handler);
    informer.addHandler(quick);
    await start();
    watch.send(added(pod('a', 11)), added(pod('b', 12)), added(pod('c', 13)));
    await settled();
    expect(quick.lines).toEqual(['synced', 'added a@11', 'added b@12', 'added c@13']);
    expect(informer.lister.size).toBe(3);
    expect([slow.seen, registration.depth]).toEqual([['a'], 2]);
    slow.release();
    await settled();
    expect(slow.seen).toEqual(['a', 'b', 'c']);
    await stop();
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no'))],
  ])('are not affected when one %s, and that one still gets the next objects [SHI-23]', async (_, fail) => {
    const errors: unknown[] = [];
    const { informer, watch, logs, start, stop } = bench([], { onHandlerError: (error) => errors.push(error) });
    const seen: string[] = [];
    const failing = informer.addHandler({
      added(_object, { key }) {
        seen.push(key);
        return key === 'a' ? fail() : undefined;
      },
    });
    const other = createRecordingHandler<Pod>();
    informer.addHandler(other);
    await start();
    watch.send(added(pod('a', 11)), added(pod('b', 12)));
    await settled();
    expect(seen).toEqual(['a', 'b']);
    expect(other.lines).toEqual(['synced', 'added a@11', 'added b@12']);
    expect([failing.errors, errors.length, logs.filter((l) => l.includes('handler failed')).length]).toEqual([1, 1, 1]);
    await stop();
  });

  it('are counted, and removed one by one, also twice [SHI-10]', async () => {
    const { informer, start, stop } = bench();
    const first = informer.addHandler({});
    const second = informer.addHandler({});
    expect(informer.handlerCount).toBe(2);
    bench().informer.removeHandler(first);
    expect(informer.handlerCount).toBe(2);
    informer.removeHandler(first);
    informer.removeHandler(first);
    expect(informer.handlerCount).toBe(1);
    second.remove();
    second.remove();
    expect(informer.handlerCount).toBe(0);
    await start();
    await stop();
  });

  it('may be the same object twice [SHI-11]', async () => {
    const { informer, watch, start, stop } = bench();
    const handler = createRecordingHandler<Pod>();
    const first = informer.addHandler(handler);
    informer.addHandler(handler);
    await start();
    watch.send(added(pod('a', 11)));
    await settled();
    expect(handler.notifications).toHaveLength(2);
    first.remove();
    watch.send(added(pod('b', 12)));
    await settled();
    expect(handler.notifications).toHaveLength(3);
    await stop();
  });
});

describe('removing a handler', () => {
  it('ends its notifications [SHI-14]', async () => {
    const { informer, watch, start, stop } = bench();
    const handler = createRecordingHandler<Pod>();
    const registration = informer.addHandler(handler);
    await start();
    registration.remove();
    watch.send(added(pod('a', 11)));
    await settled();
    expect(handler.notifications).toEqual([]);
    await stop();
  });

  it('returns at once while a callback runs, which finishes; queued notifications are dropped [SHI-20]', async () => {
    const { informer, watch, start, stop } = bench();
    let finished = 0;
    const slow = blocked();
    const registration = informer.addHandler({
      async added(object, details) {
        await slow.handler.added?.(object, details);
        finished++;
      },
    });
    await start();
    watch.send(added(pod('a', 11)), added(pod('b', 12)));
    await settled();
    registration.remove();
    expect(finished).toBe(0);
    slow.release();
    await settled();
    expect([finished, slow.seen]).toEqual([1, ['a']]);
    await stop();
  });

  it('can be awaited: then its running callback has finished, and no other one runs [SHI-21]', async () => {
    const { informer, watch, start, stop } = bench();
    const slow = blocked();
    const registration = informer.addHandler(slow.handler);
    await start();
    watch.send(added(pod('a', 11)), added(pod('b', 12)));
    await settled();
    const steps: string[] = [];
    const removals = [registration.remove(), informer.removeHandler(registration)];
    void Promise.all(removals).then(() => steps.push('removed'));
    await settled();
    expect(steps).toEqual([]);
    slow.release();
    await Promise.all(removals);
    expect([steps, slow.seen]).toEqual([['removed'], ['a']]);
    await registration.remove();
    await stop();
  });

  it('is awaited by `await using`, and by a callback that removes itself without a deadlock', async () => {
    const { informer, watch, start, stop } = bench();
    const seen: string[] = [];
    const registration = informer.addHandler({
      added(object) {
        seen.push(`${object.metadata.name}`);
        return registration.remove();
      },
    });
    await start();
    {
      await using _other = informer.addHandler({ added: ({ metadata }) => void seen.push(`other ${metadata.name}`) });
      watch.send(added(pod('a', 11)), added(pod('b', 12)));
      await settled();
    }
    watch.send(added(pod('c', 13)));
    await settled();
    expect(seen.sort()).toEqual(['a', 'other a', 'other b']);
    await stop();
  });

  it('from within its own callback works', async () => {
    const { informer, watch, start, stop } = bench();
    let calls = 0;
    const registration = informer.addHandler({
      added() {
        calls++;
        registration.remove();
      },
    });
    await start();
    watch.send(added(pod('a', 11)), added(pod('b', 12)));
    await settled();
    expect(calls).toBe(1);
    await stop();
  });

  it('and adding others at random, while events arrive, does not affect the rest [SHI-22]', async () => {
    const { informer, watch, start, stop } = bench();
    const random = seededRandom(22);
    const steady = createRecordingHandler<Pod>();
    informer.addHandler(steady);
    await start();
    const workers = Array.from({ length: 100 }, async () => {
      for (let i = 0; i < 10; i++) {
        const registration = informer.addHandler({ added: () => (random() < 0.5 ? Promise.resolve() : undefined) });
        await new Promise((resolve) => setImmediate(resolve));
        if (random() < 0.9) registration.remove();
      }
    });
    for (let i = 0; i < 100; i++)
      watch.send(...Array.from({ length: 100 }, (_, j) => modified(pod(`p${j}`, 100 + i * 100 + j))));
    await Promise.all(workers);
    while (steady.notifications.length < 10_000) await settled();
    const versions = steady.notifications.map((n) => Number(n.object.metadata.resourceVersion));
    expect(versions).toEqual(Array.from({ length: 10_000 }, (_, i) => 100 + i));
    await stop();
    expect(informer.handlerCount).toBe(0);
  });
});

describe('the life of an informer', () => {
  it('begins once [SHI-13]', async () => {
    const { informer, source, logs, start, stop } = bench();
    expect(informer.isStopped).toBe(false);
    await start();
    expect(informer.isStopped).toBe(false);
    await informer.run(new AbortController().signal);
    expect(logs.some((l) => l.includes('run more than once'))).toBe(true);
    expect(informer.isStopped).toBe(false);
    await stop();
    expect(informer.isStopped).toBe(true);
    await informer.run(new AbortController().signal);
    expect(source.requests).toHaveLength(1);
  });

  it('ends for good: no handler and no index can be added, a handler can be removed [SHI-12]', async () => {
    const { informer, start, stop } = bench();
    const registration = informer.addHandler({});
    await start();
    await stop();
    expect(() => informer.addHandler({})).toThrow(/was not added to shared informer because it has stopped already$/);
    expect(() => informer.addIndexers({ x: () => [] })).toThrow('stopped already');
    registration.remove();
    informer.removeHandler(registration);
  });

  it('leaves no timer and no listener behind', async () => {
    const { informer, clock, signal, start, stop } = bench([pod('a', 1)], { resyncMs: 1000 });
    informer.addHandler(createRecordingHandler<Pod>());
    await start();
    await stop();
    expect(clock.pending).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('drops queued notifications at its end, and waits for the callback that runs', async () => {
    const { informer, watch, start, stop } = bench();
    const slow = blocked();
    informer.addHandler(slow.handler);
    await start();
    watch.send(added(pod('a', 11)), added(pod('b', 12)));
    await settled();
    let isOver = false;
    const stopping = stop().then(() => (isOver = true));
    await settled();
    expect(isOver).toBe(false);
    slow.release();
    await stopping;
    expect(slow.seen).toEqual(['a']);
  });

  it('fixes transform and error handler at the start; the last one given wins [SHI-08]', async () => {
    const { informer, watch, source, clock, start, stop } = bench([pod('a', 1)]);
    informer.setTransform(() => {
      throw new Error('replaced before the start');
    });
    informer.setTransform((o) => ({ ...o, metadata: { ...o.metadata, labels: { by: 'second' } } }));
    const heard: string[] = [];
    informer.setWatchErrorHandler(() => heard.push('replaced'));
    informer.setWatchErrorHandler((error) => heard.push((error as Error).message));
    await start();
    expect(informer.lister.get('a')?.metadata.labels).toEqual({ by: 'second' });
    source.onWatch(refuse(failure(403, 'Forbidden', 'no more')));
    source.onList(refuse(failure(403, 'Forbidden', 'no lists either')));
    watch.send(errorEvent(expired()));
    await clock.advance(100);
    expect(heard).toEqual(['failed to list v1/pods: no lists either']);
    expect(() => informer.setTransform((o) => o)).toThrow('informer has already started');
    expect(() => informer.setWatchErrorHandler(() => {})).toThrow('informer has already started');
    await stop();
  });

  it('calls the watch error handler with the cause of a failed list [SHI-07]', async () => {
    const errors: unknown[] = [];
    const source = lw().onList(refuse(failure(403, 'Forbidden', 'Access Denied')));
    const informer = new SharedInformer<Pod>(source, { clock: new FakeClock(), sync: 'list' });
    informer.setWatchErrorHandler((error) => errors.push(error));
    const controller = new AbortController();
    const running = informer.run(controller.signal);
    await settled();
    expect((errors[0] as Error).message).toContain('Access Denied');
    expect(informer.lastError).toBe(errors[0]);
    controller.abort();
    await running;
  });

  it('refuses invalid options', () => {
    expect(() => new SharedInformer<Pod>([])).toThrow('at least one source');
    expect(() => new SharedInformer<Pod>(lw(), { resyncMs: -1 })).toThrow(
      'resyncMs must be a number not below 0, not -1',
    );
    expect(() => new SharedInformer<Pod>(lw(), { backoff: { factor: 0 } })).toThrow('factor of a backoff must be');
    expect(() => new SharedInformer<Pod>(lw(), { idleMs: 0 })).toThrow('idleMs must be a positive number of ms, not 0');
    const twice = [
      { source: lw(), namespace: 'a' },
      { source: lw(), namespace: 'a' },
    ];
    expect(() => new SharedInformer<Pod>(twice)).toThrow('different namespaces or names');
    expect(() => bench().informer.addHandler({}, { blockAt: 0 })).toThrow('blockAt');
    expect(() => bench().informer.addHandler({}, { resyncMs: Number.NaN })).toThrow('resyncMs');
  });
});

describe('transform and freeze', () => {
  it('the result of the transform is cached, keyed and reported [SHI-09]', async () => {
    const transform = (o: Pod) => ({ ...o, metadata: { ...o.metadata, name: o.metadata.name?.toUpperCase() ?? '' } });
    const { informer, start, stop } = bench([pod('pod1', 1), pod('pod2', 2)], { transform });
    const handler = createRecordingHandler<Pod>();
    informer.addHandler(handler);
    await start();
    expect(handler.lines).toEqual(['added POD1@1', 'added POD2@2', 'synced']);
    expect(informer.lister.get('POD1')).toBeDefined();
    await stop();
  });

  it('removes parts of an object before it is cached [CCH-03]', async () => {
    const managed = pod('a', 1, { managedFields: [{ manager: 'x' }] });
    const plain = pod('b', 2);
    const before = structuredClone(plain);
    const { informer, start, stop } = bench([managed, plain], {
      transform(o) {
        delete o.metadata.managedFields;
        return o;
      },
    });
    await start();
    expect(informer.lister.get('a')?.metadata).not.toHaveProperty('managedFields');
    expect(informer.lister.get('b')).toEqual(before);
    await stop();
  });

  it('the result of the transform is cached also where objects are not frozen', async () => {
    const transform = (object: Pod) => ({ ...object, metadata: { ...object.metadata, labels: { changed: 'yes' } } });
    const { informer, start, stop } = bench([pod('a', 1)], { transform, freeze: false });
    await start();
    expect(informer.lister.get('a')?.metadata.labels).toEqual({ changed: 'yes' });
    expect(Object.isFrozen(informer.lister.get('a')?.metadata)).toBe(false);
    await stop();
  });

  it.each([true, false])(
    'objects that a compact store reads again are frozen if the informer freezes: %s',
    async (freeze) => {
      const { informer, start, stop } = bench([pod('a', 1), pod('b', 2)], { store: 'compact', freeze });
      await start();
      const objects = informer.lister.list();
      expect(objects.map(({ metadata }) => [metadata.name, Object.isFrozen(metadata)])).toEqual([
        ['a', freeze],
        ['b', freeze],
      ]);
      await stop();
    },
  );

  it('a write to a frozen cached object throws where it is made [SHI-28]', async () => {
    const { informer, start, stop } = bench([pod('a', 1, { labels: { x: '1' } })]);
    await start();
    const cached = informer.lister.get('a') as { metadata: { labels: Record<string, string> } };
    expect(() => {
      cached.metadata.labels.x = '2';
    }).toThrow(TypeError);
    await stop();
  });
});

describe('resync', () => {
  const two = [pod('a', 1), pod('b', 2)];

  it('reaches each handler in its own period [SHI-01]', async () => {
    const { informer, clock, start, stop } = bench(two, { resyncMs: 1000 });
    const handlers = [0, 2000, 3000].map((resyncMs) => {
      const handler = createRecordingHandler<Pod>();
      informer.addHandler(handler, { resyncMs });
      return handler;
    });
    await start();
    for (const handler of handlers) expect(handler.lines).toEqual(['added a@1', 'added b@2', 'synced']);
    const counts = () => handlers.map((h) => h.notifications.filter((n) => n.cause === 'resync').length);
    await clock.advance(1000);
    expect(counts()).toEqual([0, 0, 0]);
    await clock.advance(1000);
    expect(counts()).toEqual([0, 2, 0]);
    await clock.advance(1000);
    expect(counts()).toEqual([0, 2, 2]);
    await stop();
  });

  it('is checked at the shortest period asked for before the start [SHI-02]', () => {
    const { informer } = bench([], { resyncMs: 12 * 3_600_000 });
    const checks: number[] = [];
    const periods = [0, 60_000, 55_000, 5000].map((resyncMs) => {
      const { resyncMs: period } = informer.addHandler({}, { resyncMs });
      checks.push(informer.resyncCheckMs);
      return period;
    });
    expect(checks).toEqual([12 * 3_600_000, 60_000, 55_000, 5000]);
    expect(periods).toEqual([0, 60_000, 55_000, 5000]);
    expect(informer.addHandler({}, { resyncMs: 20 }).resyncMs).toBe(1000);
  });

  it('cannot be made more frequent once the informer runs', async () => {
    const { informer, start, stop } = bench([], { resyncMs: 60_000 });
    await start();
    expect(informer.addHandler({}, { resyncMs: 5000 }).resyncMs).toBe(60_000);
    expect(informer.resyncCheckMs).toBe(60_000);
    await stop();
  });

  it('does not exist in an informer without a period [SHI-04]', async () => {
    const { informer, clock, logs, start, stop } = bench(two);
    const handler = createRecordingHandler<Pod>();
    expect(informer.addHandler(handler, { resyncMs: 30_000 }).resyncMs).toBe(0);
    expect(logs.some((l) => l.startsWith('warn'))).toBe(true);
    await start();
    await clock.advance(100_000);
    expect(handler.notifications.filter((n) => n.cause === 'resync')).toEqual([]);
    await stop();
  });

  it('decides which handlers get unchanged objects after a relist [SHI-05]', async () => {
    const relist = stream().send(added(pod('pod1', 1)), added(pod('pod2', 4)), added(pod('pod3', 3)), initialEnd(20));
    const { informer, watch, clock, start, stop } = bench([pod('pod1', 1), pod('pod2', 2)], { resyncMs: 1000 }, [
      relist,
    ]);
    const never = createRecordingHandler<Pod>();
    const often = createRecordingHandler<Pod>();
    informer.addHandler(never, { resyncMs: 0 });
    informer.addHandler(often, { resyncMs: 1000 });
    await start();
    await clock.advance(1000);
    never.clear();
    often.clear();
    watch.send(errorEvent(expired()));
    await clock.advance(800);
    expect(never.notifications.map((n) => n.key)).toEqual(['pod2', 'pod3']);
    expect(often.notifications.map((n) => n.key)).toEqual(['pod1', 'pod2', 'pod3']);
    await stop();
  });

  it.each([
    ['9', '10'],
    ['10', '9'],
    ['10', '10'],
  ])(
    'treats an object at %s that is at %s after a relist as unchanged only when both are the same',
    async (before, after) => {
      const relist = stream().send(added(pod('a', Number(after))), initialEnd(20));
      const { informer, watch, clock, start, stop } = bench([pod('a', Number(before))], { resyncMs: 60_000 }, [relist]);
      const handler = createRecordingHandler<Pod>();
      const other = createRecordingHandler<Pod>();
      informer.addHandler(handler, { resyncMs: 0 });
      informer.addHandler(other, { resyncMs: 60_000 });
      await start();
      await clock.advance(60_000);
      handler.clear();
      await clock.advance(1000);
      watch.send(errorEvent(expired()));
      await clock.advance(800);
      expect(handler.lines).toEqual(before === after ? [] : [`updated a@${before}->${after}`]);
      await stop();
    },
  );

  it('not configured at all, every handler gets unchanged objects after a relist', async () => {
    const relist = stream().send(added(pod('a', 1)), added(pod('b', 2)), initialEnd(20));
    const { informer, watch, clock, start, stop } = bench(two, {}, [relist]);
    const handler = createRecordingHandler<Pod>();
    informer.addHandler(handler);
    await start();
    handler.clear();
    watch.send(errorEvent(expired()));
    await clock.advance(800);
    expect(handler.lines).toEqual(['updated a@1->1', 'updated b@2->2']);
    await stop();
  });
});

describe('indexes', () => {
  it('can be added before and after the start, and namespace is always there [IDX-08]', async () => {
    const { informer, watch, start, stop } = bench([pod('ns/a', 1, { node: 'n1' })], {
      indexers: { node: (o) => (o.spec?.nodeName ? [o.spec.nodeName] : []) },
    });
    await start();
    informer.addIndexers({ app: (o) => (o.metadata.labels?.app ? [o.metadata.labels.app] : []) });
    watch.send(added(pod('ns/b', 11, { node: 'n1', labels: { app: 'web' } })));
    await settled();
    const { lister } = informer;
    expect(lister.indexKeys('node', 'n1')).toEqual(['ns/a', 'ns/b']);
    expect(lister.byIndex('app', 'web').map((o) => o.metadata.name)).toEqual(['b']);
    expect(lister.byIndex('namespace', 'ns')).toHaveLength(2);
    expect(() => informer.addIndexers({ node: () => [] })).toThrow('indexer conflict');
    await stop();
  });
});

describe('queue policies', () => {
  const flood = (watch: ScriptedStream<Pod>, batches: number, size: number) => {
    for (let i = 0; i < batches; i++)
      watch.send(...Array.from({ length: size }, (_, j) => modified(pod(`p${j}`, 100 + i * size + j))));
  };

  it('block stops the reading of the stream until the handler has caught up', async () => {
    const { informer, watch, start, stop } = bench();
    const slow = blocked();
    informer.addHandler(slow.handler, { policy: 'block', blockAt: 10 });
    await start();
    flood(watch, 100, 100);
    await settled();
    expect(watch.unread).toBeGreaterThan(50);
    slow.release();
    while (slow.seen.length < 10_000) await settled();
    expect(watch.unread).toBe(0);
    await stop();
  });

  it('block ends when the handler is removed or the informer stops', async () => {
    const { informer, watch, start, stop } = bench();
    const slow = blocked();
    const registration = informer.addHandler(slow.handler, { policy: 'block', blockAt: 10 });
    await start();
    flood(watch, 100, 100);
    await settled();
    expect(watch.unread).toBeGreaterThan(50);
    registration.remove();
    while (watch.unread > 0) await settled();
    const other = blocked();
    informer.addHandler(other.handler, { policy: 'block', blockAt: 10 });
    flood(watch, 100, 100);
    await settled();
    expect(watch.unread).toBeGreaterThan(50);
    slow.release();
    const stopping = stop();
    await settled();
    expect(watch.isLeft).toBe(true); // nothing waits for room any more, although the callback still runs
    other.release();
    await stopping;
    expect(other.seen).toHaveLength(1);
  });

  it('buffer never makes the stream wait, and warns of a long backlog', async () => {
    const { informer, watch, logs, start, stop } = bench();
    const slow = blocked();
    const registration = informer.addHandler(slow.handler);
    await start();
    flood(watch, 101, 100);
    for (let i = 0; i < 20 && registration.depth < 10_099; i++) await settled();
    expect(registration.depth).toBe(10_099);
    expect(logs.filter((l) => l === 'warn an informer handler is behind')).toHaveLength(1);
    slow.release();
    await stop();
  });

  it('coalesce keeps the latest of each object and counts what it merged', async () => {
    const { informer, watch, start, stop } = bench();
    const lines: string[] = [];
    let release = () => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    const registration = informer.addHandler(
      {
        added: (o) => {
          lines.push(`added ${o.metadata.resourceVersion}`);
          return gate;
        },
        updated: (old, o) => void lines.push(`${old.metadata.resourceVersion}->${o.metadata.resourceVersion}`),
      },
      { policy: 'coalesce' },
    );
    await start();
    watch.send(added(pod('a', 11)));
    await settled();
    watch.send(modified(pod('a', 12)), modified(pod('a', 13)), added(pod('b', 21)));
    watch.send(modified(pod('a', 14)), modified(pod('b', 22)));
    await settled();
    release();
    await settled();
    expect(lines).toEqual(['added 11', '11->14', 'added 22']);
    expect(registration.lost).toBe(3);
    await stop();
  });
});

it('filters for one handler alone, also for objects that begin or cease to match [FLT-01]', async () => {
  const { informer, watch, start, stop } = bench([pod('a', 1)]);
  const handler = createRecordingHandler<Pod>();
  const options: HandlerOptions<Pod> = { filter: (o) => o.spec?.nodeName === 'n1' };
  informer.addHandler(handler, options);
  await start();
  watch.send(modified(pod('a', 11, { node: 'n1' })), modified(pod('a', 12)));
  await settled();
  expect(handler.lines).toEqual(['synced', 'added a@11', 'deleted a@11']);
  expect(handler.notifications.map((n) => n.cause)).toEqual(['filter', 'filter']);
  await stop();
});

describe('events', () => {
  it('yields the cached objects, the sync marker, then new changes', async () => {
    const { informer, watch, start, stop } = bench([pod('a', 1)]);
    await start();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const event of informer.events())
        seen.push(event.kind === 'synced' ? 'synced' : `${event.kind} ${event.key}`);
    })();
    await settled();
    watch.send(modified(pod('a', 11)), added(pod('b', 12)));
    await settled();
    expect(seen).toEqual(['added a', 'synced', 'updated a', 'added b']);
    await stop();
    await reading;
  });

  it('yields the events that came while the last one was handled', async () => {
    const { informer, watch, start, stop } = bench([pod('a', 1)]);
    await start();
    const events = informer.events();
    const kinds: (string | undefined)[] = [(await events.next()).value?.kind, (await events.next()).value?.kind];
    watch.send(added(pod('b', 11)));
    await settled();
    watch.send(added(pod('c', 12)));
    await settled();
    for (let i = 0; i < 2; i++) {
      const { value } = await events.next();
      kinds.push(value && 'key' in value ? `${value.kind} ${value.key}` : undefined);
    }
    expect(kinds).toEqual(['added', 'synced', 'added b', 'added c']);
    await events.return();
    await stop();
  });

  it('lets the informer end after the consumer left at the limit', async () => {
    const { informer, watch, start, stop } = bench([]);
    await start();
    const events = informer.events({ limit: 2 });
    await events.next();
    for (let i = 0; i < 10; i++) watch.send(added(pod(`p${i}`, 11 + i)));
    await settled();
    await events.return();
    await stop();
    expect([informer.handlerCount, informer.isStopped]).toEqual([0, true]);
  });

  it('ends with its signal or when the consumer leaves, and removes its handler', async () => {
    const { informer, start, stop } = bench([pod('a', 1), pod('b', 2)]);
    await start();
    const controller = new AbortController();
    const reading = (async () => {
      for await (const _ of informer.events({ signal: controller.signal }));
    })();
    await settled();
    expect(informer.handlerCount).toBe(1);
    controller.abort();
    await reading;
    for await (const event of informer.events()) if (event.kind === 'added') break;
    expect(informer.handlerCount).toBe(0);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    await stop();
  });

  it('makes the stream wait while no consumer pulls', async () => {
    const { informer, watch, start, stop } = bench([]);
    await start();
    const events = informer.events({ limit: 10 });
    await events.next();
    for (let i = 0; i < 200; i++)
      watch.send(...Array.from({ length: 100 }, (_, j) => modified(pod(`p${j}`, 100 + i * 100 + j))));
    for (let turn = 0; turn < 100; turn++) await settled();
    expect(watch.unread).toBeGreaterThan(100);
    let count = 0;
    while (count < 20_000) {
      const { value } = await events.next();
      if (value && value.kind !== 'synced') count++;
    }
    expect(watch.unread).toBe(0);
    for (let i = 0; i < 200; i++)
      watch.send(...Array.from({ length: 100 }, (_, j) => modified(pod(`p${j}`, 50_000 + i * 100 + j))));
    for (let turn = 0; turn < 100; turn++) await settled();
    expect(watch.unread, 'a second time').toBeGreaterThan(100);
    await events.return();
    await stop();
  });
});

describe('over several namespaces', () => {
  function scoped() {
    const clock = new FakeClock();
    const streams = { a: stream(), b: stream() };
    const sources = { a: lw().onWatch(streams.a), b: lw().onWatch(streams.b) };
    const events: ContinuityEvent[] = [];
    const informer = new SharedInformer<Pod>(
      [
        { source: sources.a, namespace: 'a' },
        { source: sources.b, namespace: 'b' },
      ],
      { clock, random: () => 0, resyncMs: 5000, onContinuity: (event) => events.push(event) },
    );
    const controller = new AbortController();
    const handler = createRecordingHandler<Pod>();
    const registration = informer.addHandler(handler);
    const running = informer.run(controller.signal);
    const stop = async () => {
      controller.abort();
      await running;
    };
    return { clock, streams, sources, informer, handler, registration, stop, events };
  }

  it('reports the continuity of each source to an observer, until that is disposed of', async () => {
    const { informer, streams, stop } = scoped();
    const seen: string[] = [];
    const observing = informer.onContinuity(({ kind, scope }) => seen.push(`${kind} ${scope}`));
    streams.a.send(initialEnd(5));
    await settled();
    expect(seen).toEqual(['synced a']);
    observing[Symbol.dispose]();
    streams.b.send(initialEnd(6));
    await settled();
    expect([seen.length, informer.hasSynced]).toEqual([1, true]);
    await stop();
  });

  it('leaves a source out on request: the others sync without it, and it gets no more requests', async () => {
    const clock = new FakeClock();
    const [streamA, sourceB] = [stream(), lw().onWatch(stream())];
    const leaving = new AbortController();
    const sources = [
      { source: lw().onWatch(streamA), namespace: 'a' },
      { source: sourceB, namespace: 'b', leftOut: leaving.signal },
    ];
    const informer = new SharedInformer<Pod>(sources, { clock, random: () => 0 });
    const controller = new AbortController();
    const running = informer.run(controller.signal);
    streamA.send(added(pod('a/x', 1)), initialEnd(5));
    await settled();
    expect(informer.hasSynced).toBe(false);
    leaving.abort();
    await settled();
    expect([informer.hasSynced, informer.isStopped, informer.lastError]).toEqual([true, false, undefined]);
    await clock.advance(100_000);
    expect(sourceB.trace).toHaveLength(1);
    streamA.send(added(pod('a/y', 6)));
    await settled();
    expect([...informer.lister.keys()]).toEqual(['a/x', 'a/y']);
    controller.abort();
    await running;
  });

  it('does not sync when all of its sources are left out, and runs until it is stopped', async () => {
    const leaving = new AbortController();
    const informer = new SharedInformer<Pod>([{ source: lw().onWatch(stream()), leftOut: leaving.signal }], {
      clock: new FakeClock(),
    });
    const controller = new AbortController();
    const running = informer.run(controller.signal);
    leaving.abort();
    await settled();
    expect([informer.hasSynced, informer.isStopped]).toEqual([false, false]);
    controller.abort();
    await running;
    expect(informer.isStopped).toBe(true);
  });

  it('is synced when all of them are, and so are its handlers, whatever they have handled so far [SHI-32]', async () => {
    const { streams, informer, handler, registration, stop } = scoped();
    streams.a.send(added(pod('a/x', 1)), initialEnd(5));
    await settled();
    expect([informer.hasSynced, registration.hasSynced, handler.lines]).toEqual([false, false, ['added a/x@1']]);
    streams.b.send(added(pod('b/x', 2)), initialEnd(6));
    await settled();
    expect([informer.hasSynced, registration.hasSynced]).toEqual([true, true]);
    expect(handler.lines).toEqual(['added a/x@1', 'added b/x@2', 'synced']);
    expect(informer.lister.byNamespace('b').list()).toHaveLength(1);
    await stop();
  });

  it('a relist of one does not affect the others', async () => {
    const { clock, streams, sources, informer, handler, events, stop } = scoped();
    streams.a.send(added(pod('a/x', 1)), initialEnd(5));
    streams.b.send(added(pod('b/x', 2)), initialEnd(6));
    await settled();
    sources.a.onWatch(stream().send(added(pod('a/y', 9)), initialEnd(9)));
    handler.clear();
    streams.a.send(errorEvent(expired()));
    await clock.advance(800);
    expect(handler.lines).toEqual(['deleted a/x@1 (unknown)', 'added a/y@9']);
    expect([...informer.lister.keys()].sort()).toEqual(['a/y', 'b/x']);
    expect(events.filter((e) => e.kind === 'relisted')).toMatchObject([{ scope: 'a' }]);
    expect(informer.continuity.map((c) => c.relists)).toEqual([1, 0]);
    await stop();
  });

  it('everything is resynced once in a period', async () => {
    const { clock, streams, handler, stop } = scoped();
    streams.a.send(added(pod('a/x', 1)), initialEnd(5));
    streams.b.send(added(pod('b/x', 2)), initialEnd(6));
    await settled();
    handler.clear();
    await clock.advance(5000);
    expect(handler.notifications.map((n: InformerNotification<Pod>) => `${n.key} ${n.cause}`).sort()).toEqual([
      'a/x resync',
      'b/x resync',
    ]);
    await stop();
  });
});

describe('an informer of two namespaces', () => {
  /** Config maps a/x and b/x of a sandbox, in the cache of an informer. */
  async function two(options: SharedInformerOptions<ConfigMap> = {}) {
    const { sandbox, clock, client } = await inProcess();
    const maps = new ConfigMaps(sandbox);
    for (const key of ['a/x', 'b/x']) maps.put(key);
    const sources = ['a', 'b'].map((namespace) => ({ namespace, source: client.resource<ConfigMap>(CONFIG_MAPS, { namespace }) })); // biome-ignore format: one call
    const informer = new SharedInformer<ConfigMap>(sources, { random: () => 0, ...options });
    const controller = new AbortController();
    const running = informer.run(controller.signal);
    await settled();
    const stop = async () => {
      controller.abort();
      await running;
      await sandbox.stop();
    };
    return { informer, sources: sources.map(({ source }) => source), maps, clock, stop, signal: controller.signal };
  }
  const now = () => AbortSignal.abort(new Error('enough'));

  it('knows its type, its sources, which of them has a key, and the time of their program', async () => {
    const { informer, sources, maps, stop } = await two();
    expect(informer.sources).toEqual(sources);
    expect(informer.resource).toEqual(CONFIG_MAPS);
    expect([informer.sourceOf('a/x'), informer.sourceOf('b/x')].map((each) => each && sources.indexOf((each as unknown as { source: (typeof sources)[0] }).source))).toEqual([0, 1]); // biome-ignore format: one list
    expect(informer.sourceOf('c/x')).toBeUndefined();
    expect(informer.lastSyncResourceVersion).not.toBe('');
    expect(maps.keys).toEqual(expect.arrayContaining([...informer.lister.keys()]));
    await stop();
    expect(new SharedInformer<Pod>(lw()).resource).toBeUndefined();
    const resource = { group: 'apps', resource: 'deployments' };
    expect(new SharedInformer<Pod>(lw(), { resource }).resource).toBe(resource);
  });

  it('agrees with the server, by all ways to ask for it, and says of which version', async () => {
    const { informer, maps, clock, signal, stop } = await two();
    expect(informer.isCaughtUp).toBe(true);
    expect(await informer.verify()).toEqual({ missing: [], extra: [], stale: [] });
    const version = maps.put('b/x', 'n2');
    const current = informer.whenCurrent(signal);
    await clock.advance(1000);
    await current;
    expect(informer.lister.get('b/x')?.metadata.resourceVersion).toBe(version);
    expect(await informer.confirm(signal)).toEqual([{ resourceVersion: version, differing: 0 }, { resourceVersion: version, differing: 0 }]); // biome-ignore format: one list
    await informer.whenApplied(signal);
    await stop();
  });

  it('waits for a sign of any of its sources, and until a signal', async () => {
    const { informer, maps, clock, signal, stop } = await two();
    await expect(informer.whenProven(now())).rejects.toThrow('enough');
    let isProven = false;
    const proven = informer.whenProven(signal).then(() => (isProven = true));
    await settled();
    expect(isProven).toBe(false);
    maps.put('b/x', 'n2');
    await clock.advance(1000);
    await proven;
    await stop();
  });

  it('shows each step that changes its cache to an observer, until that leaves', async () => {
    const { informer, maps, clock, stop } = await two();
    const seen: unknown[] = [];
    const observed = informer.onState(({ source, objects }) => seen.push([source, [...objects].map(([key]) => key)])); // biome-ignore format: one call
    maps.put('b/x', 'n2');
    await clock.advance(1000);
    observed[Symbol.dispose]();
    maps.put('b/x', 'n3');
    await clock.advance(1000);
    expect(seen).toEqual([[1, ['b/x']]]);
    await stop();
  });
});

it('removes the indexes that were added, and none of its own', () => {
  const name = ({ metadata }: { metadata: { readonly name?: string } }) => [metadata.name ?? ''];
  const informer = new SharedInformer<Pod>(lw(), { indexers: { own: name } });
  informer.addIndexers({ added: name, more: name });
  informer.removeIndexers(['added', 'own', 'namespace', 'none']);
  expect(['own', 'added', 'more', 'namespace'].map((index) => informer.lister.hasIndex(index))).toEqual([true, false, true, true]); // biome-ignore format: one list
});

describe('indexes that are built in steps', () => {
  const name = ({ metadata }: { metadata: { readonly name?: string } }) => [metadata.name ?? ''];
  const pods = Array.from({ length: 5000 }, (_, i) => pod(`p${i}`, 1));

  it('are not added when a signal ends that', async () => {
    const { informer, start, stop } = bench(pods);
    await start();
    await informer.whenSynced();
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(informer.buildIndexers({ name }, signal)).rejects.toThrow('enough');
    expect(informer.lister.hasIndex('name')).toBe(false);
    await stop();
  });
});

describe('what is no argument', () => {
  it('is refused where it is given', async () => {
    const informer = new SharedInformer<Pod>(lw());
    expect(() => informer.setTransform('x' as never)).toThrow('transform');
    expect(() => informer.setWatchErrorHandler('x' as never)).toThrow('handler');
    expect(() => informer.addHandler(null as never)).toThrow('a handler is an object with');
    expect(() => informer.addHandler({}, { polcy: 'block' } as never)).toThrow('polcy');
    expect(() => informer.addHandler({}, { blockAt: 0 })).toThrow('blockAt must be at least 1, not 0');
    expect(informer.addHandler({}, { blockAt: 1 }).depth).toBe(0);
    await expect(informer.run(undefined as never)).rejects.toThrow('signal');
    expect(informer.isStarted).toBe(false);
  });

  it('is named by an informer without a name', async () => {
    const informer = new SharedInformer<Pod>(lw());
    const synced = informer.whenSynced();
    await informer.run(AbortSignal.abort());
    await expect(synced).rejects.toThrow('the informer of <unspecified> stopped before it had synced');
  });
});

it('has the clock of its source unless it was given one', () => {
  const [ofSource, own] = [new FakeClock(), new FakeClock()];
  for (const clock of [undefined, own]) {
    const informer = new SharedInformer<Pod>(withSurroundings(lw(), { clock: ofSource }), { clock });
    expect(surroundingsOf(informer).clock).toBe(clock ?? ofSource);
  }
});

it('a removal is over when the callback that runs has ended', async () => {
  const { informer, start, stop } = bench([pod('a', 1)]);
  const { handler, release } = blocked();
  const registration = informer.addHandler(handler);
  await start();
  let isOver = false;
  const removal = informer.removeHandler(registration).then(() => (isOver = true));
  await settled();
  expect(isOver).toBe(false);
  release();
  await removal;
  await stop();
});

it.each([
  [true, 'a transform', (object: Pod) => ({ ...object, at: new Date(5) }), undefined],
  [false, 'a source of other than JSON', undefined, new Date(5)],
] as const)(
  'a compact cache keeps what JSON cannot express (from JSON: %s), of %s',
  async (givesJson, _, transform, at) => {
    const watch = stream().send(added({ ...pod('a', 1), ...(at ? { at } : {}) } as Pod), initialEnd(10));
    const source = Object.assign(lw().onWatch(watch), { givesJson });
    const informer = new SharedInformer<Pod>(source, { store: 'compact', clock: new FakeClock(), transform });
    const controller = new AbortController();
    const running = informer.run(controller.signal);
    await settled();
    expect((informer.lister.get('a') as unknown as { at: unknown }).at).toEqual(new Date(5));
    controller.abort();
    await running;
  },
);

it('measures what it applies, and how often a handler failed', async () => {
  const measured: unknown[] = [];
  const metrics = {
    applied: (...args: unknown[]) => measured.push(['applied', ...args]),
    handlerFailed: (...args: unknown[]) => measured.push(['failed', ...args]),
  };
  const { informer, clock, start, stop, watch } = bench([], { metrics: metrics as never, onHandlerError: () => {} });
  informer.addHandler({
    added() {
      throw new Error('no');
    },
  });
  await clock.advance(700);
  await start();
  measured.splice(0);
  watch.send(added(pod('a', 11)));
  await settled();
  expect(measured).toEqual([['applied', 0, 1, 'v1/pods'], ['failed', 'v1/pods']]); // biome-ignore format: one list
  await stop();
});

it('an informer of several sources has the types of the server of its first source', () => {
  const servers = ['first', 'second'].map((server) => ({ server }) as unknown as ServedTypes);
  const sources = servers.map((served, i) => ({
    source: withServedTypes(new ScriptedListerWatcher<Pod>(), served),
    namespace: `n${i}`,
  }));
  expect(servedTypesOf(new SharedInformer<Pod>(sources))).toBe(servers[0]);
  expect(servedTypesOf(new SharedInformer<Pod>(sources.slice(1)))).toBe(servers[1]);
  expect(servedTypesOf(new SharedInformer<Pod>(new ScriptedListerWatcher<Pod>()))).toBeUndefined();
});
