import { describe, expect, it, vi } from 'vitest';
import { HotLoops } from '../../../src/controller/history/hot-loops.ts';
import { OwnWrites } from '../../../src/controller/history/own-writes.ts';
import type { ReconcileRequest } from '../../../src/controller/reconciler.ts';
import type { ResourceEvent } from '../../../src/controller/resource-event.ts';
import { createEventSource } from '../../../src/controller/sources/source.ts';
import type { Logger } from '../../../src/kit/logger.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';
import { added, pod, start, updated } from '../../support/controller.ts';
import { ScriptedSource } from '../../support/scripted-source.ts';

const KEY = 'shop/web';

function recorder() {
  const lines: { level: string; message: string; fields: unknown }[] = [];
  const at = (level: string) => (message: string, fields?: unknown) => void lines.push({ level, message, fields });
  const logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } as unknown as Logger;
  (logger as { child: unknown }).child = () => logger;
  const of = (level: string) => lines.filter((line) => line.level === level);
  return { logger, of };
}

/** The annotated pod at a version. */
function annotated(version: number, annotation = `t${version}`) {
  return {
    ...pod('web', String(version)),
    metadata: { ...pod('web', String(version)).metadata, annotations: { at: annotation } },
  };
}

function writeEvent(version: number, annotation?: string): ResourceEvent {
  return {
    type: 'updated',
    key: KEY,
    cause: 'watch',
    object: annotated(version, annotation),
    oldObject: annotated(version - 1),
  };
}

/** A controller whose reconciler writes its object at each run, as long as `writes` says so. */
async function writer(
  writes: (run: number, request: ReconcileRequest) => boolean,
  {
    via = 'register',
    hotLoopRuns,
    delayMs = 0,
  }: { via?: 'register' | 'unknown'; hotLoopRuns?: number; delayMs?: number } = {},
) {
  const clock = new FakeClock();
  const ownWrites = new OwnWrites();
  const { logger, of } = recorder();
  let version = 100;
  let runs = 0;
  const reconcile = vi.fn(async (request: ReconcileRequest) => {
    if (delayMs > 0) await clock.sleep(delayMs);
    if (!writes(++runs, request)) return;
    version++;
    started.events.emit(writeEvent(version)); // the watch may be ahead of the answer
    await clock.sleep(10);
    if (via === 'register') ownWrites.add(KEY, String(version));
  });
  const started = await start({
    reconcile,
    clock,
    ownWrites,
    logger,
    ...(hotLoopRuns === undefined ? {} : { hotLoopRuns }),
  });
  const foreign = () => started.events.emit(updated('web', String(version), String(++version)));
  return { ...started, clock, reconcile, foreign, ownWrites, of };
}

describe('a key that its own writes run', () => {
  it('is parked after 10 such runs in a row, and named with the fields that change and what to do', async () => {
    const { clock, events, controller, reconcile, of } = await writer(() => true);
    events.emit(added('web'));
    await clock.advance(5000);
    expect(reconcile).toHaveBeenCalledTimes(10); // the first for the object, the others for own writes
    expect(controller.parked).toMatchObject([
      {
        key: KEY,
        reason: 'hot-loop',
        error: 'hot loop: 10 runs in 0.1s, each caused only by own writes, which changed .metadata.annotations.at',
      },
    ]);
    expect(of('error')).toMatchObject([
      {
        message: expect.stringContaining('Write only when something differs'),
        fields: { key: KEY, runs: 10, paths: ['.metadata.annotations.at'] },
      },
    ]);
    expect(of('error')[0]?.message).not.toContain('it looped before');
    expect(controller.explain(KEY)).toMatchObject({ state: 'parked', history: expect.anything() });
    expect(controller.explain(KEY).history?.at(-1)).toMatchObject({ kind: 'hot-loop', runs: 10 });
    expect(controller.explain(KEY).summary).toContain('until another writer changes it or it is released: hot loop');
  });

  it('stays parked when the event of its last write comes late; the change of another writer unparks it', async () => {
    const { clock, events, controller, reconcile, foreign, ownWrites } = await writer(() => true);
    events.emit(added('web'));
    await clock.advance(5000);
    ownWrites.add(KEY, '500');
    events.emit(writeEvent(500));
    await settled();
    expect(controller.parked).toHaveLength(1);
    const before = reconcile.mock.calls.length;
    foreign();
    await settled();
    expect(reconcile.mock.calls.length).toBe(before + 1);
    expect(controller.parked).toEqual([]);
  });

  it('is delayed longer after each loop, if another writer reacts to every loop', async () => {
    const { clock, controller, events, foreign, reconcile, of } = await writer(() => true);
    events.emit(added('web'));
    const holds: number[] = [];
    for (let loop = 0; loop < 12; loop++) {
      await clock.advance(2000);
      expect(controller.parked, `loop ${loop}`).toHaveLength(1);
      const before = reconcile.mock.calls.length;
      foreign();
      const due = controller.explain(KEY).delayed;
      holds.push(Math.round((due?.dueInMs ?? 0) / 1000));
      if (due) {
        expect(due.why).toBe('hot loop');
        await clock.advance(due.dueInMs - 1);
        expect(reconcile.mock.calls.length).toBe(before);
        await clock.advance(1);
      }
      await settled();
      expect(reconcile.mock.calls.length).toBeGreaterThan(before);
    }
    expect(holds).toEqual([0, 0, 0, 2, 6, 14, 30, 62, 126, 254, 298, 298]); // 2 s passed since each loop was found
    expect(of('error').at(-1)?.message).toContain('it looped before, so no change runs it for 5m');
    await clock.advance(1000 * 1000);
    foreign();
    await settled();
    expect(controller.explain(KEY).delayed).toBeUndefined();
  });

  it('that is delayed is run at once by hand', async () => {
    const { clock, controller, events, foreign, reconcile } = await writer(() => true);
    events.emit(added('web'));
    for (let loop = 0; loop < 10; loop++) {
      await clock.advance(400_000);
      foreign();
    }
    await clock.advance(2000);
    foreign();
    const before = reconcile.mock.calls.length;
    expect(controller.explain(KEY).state).toBe('delayed');
    controller.enqueue(KEY);
    await settled();
    expect(reconcile.mock.calls.length).toBeGreaterThan(before);
  });

  it.each([
    ['converges after 9 writes', (run: number) => run < 10],
    ['writes nothing', () => false],
  ])('is never parked when it %s', async (_, writes) => {
    const { clock, events, controller } = await writer(writes);
    events.emit(added('web'));
    await clock.advance(60_000);
    expect(controller.parked).toEqual([]);
  });

  it('is never parked when another writer changes it in between', async () => {
    const { clock, events, controller, foreign, reconcile, of } = await writer(() => true);
    events.emit(added('web'));
    for (let i = 0; i < 100; i++) {
      await clock.advance(50);
      foreign();
    }
    expect(reconcile.mock.calls.length).toBeGreaterThan(300);
    expect([controller.parked, of('error')]).toEqual([[], []]);
  });

  it('is never parked when it writes once a minute, or once for each due time', async () => {
    const minute = await writer(() => true, { delayMs: 59_000 });
    minute.events.emit(added('web'));
    await minute.clock.advance(3_600_000);
    expect(minute.controller.parked).toEqual([]);
    const timer = await writer((_, { causes }) => causes[0]?.reason === 'manual');
    for (let i = 0; i < 100; i++) {
      timer.controller.enqueue(KEY);
      await timer.clock.advance(500);
    }
    expect(timer.reconcile.mock.calls.length).toBe(200);
    expect(timer.controller.parked).toEqual([]);
  });

  it('is parked after as many runs as asked for, and never with 0', async () => {
    const three = await writer(() => true, { hotLoopRuns: 3 });
    three.events.emit(added('web'));
    await three.clock.advance(5000);
    expect(three.reconcile).toHaveBeenCalledTimes(3);
    const one = await writer(() => true, { hotLoopRuns: 1 });
    one.events.emit(added('web'));
    await one.clock.advance(5000);
    expect([one.reconcile.mock.calls.length, one.controller.parked.length]).toEqual([1, 1]);
    const never = await writer(() => true, { hotLoopRuns: 0 });
    never.events.emit(added('web'));
    await never.clock.advance(5000);
    expect(never.controller.parked).toEqual([]);
    expect(never.reconcile.mock.calls.length).toBeGreaterThan(400);
  });

  it('harms no other key', async () => {
    const { clock, events, controller, reconcile } = await writer((_, { key }) => key === KEY);
    for (const name of ['a', 'web', 'b']) events.emit(added(name));
    await clock.advance(5000);
    events.emit(updated('b', '1', '2'));
    await settled();
    expect(controller.parked.map(({ key }) => key)).toEqual([KEY]);
    expect(reconcile.mock.calls.filter(([{ key }]) => key === 'shop/b')).toHaveLength(2);
  });

  it('failing runs that write are a loop too: the events of the writes skip the back-off', async () => {
    const clock = new FakeClock();
    const ownWrites = new OwnWrites();
    let version = 1;
    const { events, controller } = await start({
      clock,
      ownWrites,
      reconcile: () => {
        ownWrites.add(KEY, String(++version));
        events.emit(writeEvent(version));
        throw new Error('after the write');
      },
    });
    events.emit(added('web'));
    await clock.advance(1000);
    expect(controller.parked).toMatchObject([{ reason: 'hot-loop' }]);
  });
});

describe('a key whose runs write other objects', () => {
  async function owner(writes: (run: number) => { name: string; type: 'added' | 'updated' } | undefined) {
    const clock = new FakeClock();
    const ownWrites = new OwnWrites();
    const children = new ScriptedSource();
    let version = 0;
    const reconcile = vi.fn(() => {
      const write = writes(reconcile.mock.calls.length);
      if (!write) return;
      const event = updated(write.name, String(version), String(++version));
      ownWrites.add(event.key, String(version));
      children.emit({ ...event, type: write.type });
    });
    const started = await start({ reconcile, clock, ownWrites });
    started.controller.watch(createEventSource(children, { name: 'v1/children', enqueue: () => [KEY] }));
    started.events.emit(added('web'));
    await clock.advance(5000);
    return { ...started, reconcile };
  }

  it('is parked when it writes the same one again and again, which is named', async () => {
    const { controller, reconcile } = await owner(() => ({ name: 'child', type: 'updated' }));
    expect(controller.parked).toMatchObject([{ reason: 'hot-loop', error: expect.stringContaining('shop/child') }]);
    expect(reconcile.mock.calls.length).toBe(11);
  });

  it('is not parked when it creates 50 objects, one at each run', async () => {
    const { controller, reconcile } = await owner((run) =>
      run <= 50 ? { name: `child-${run}`, type: 'added' } : undefined,
    );
    expect([controller.parked, reconcile.mock.calls.length]).toEqual([[], 51]);
  });
});

describe('writes that are not in the register', () => {
  it('are suspected from changes of the same fields during each run; that is logged once, and nothing is parked', async () => {
    const { clock, events, controller, of } = await writer(() => true, { via: 'unknown' });
    events.emit(added('web'));
    await clock.advance(5000);
    expect(controller.parked).toEqual([]);
    expect(of('warn').map(({ message }) => message)).toEqual([
      'a hot loop? 10 runs in 0.1s, each caused by a change of .metadata.annotations.at while the run before it was ' +
        'under way; a reconciler must not write when nothing differs',
    ]);
  });

  it('are not suspected when the changes come between the runs', async () => {
    const { clock, foreign, of } = await writer(() => false);
    for (let i = 0; i < 100; i++) {
      foreign();
      await clock.advance(20);
    }
    expect(of('warn')).toEqual([]);
  });
});

describe('a loop of an unknown writer is suspected', () => {
  let version = 0;
  const note = () => {
    const object = (n: number) => ({ metadata: { name: 'web', namespace: 'shop', annotations: { n: `${n}` } } });
    const event = { type: 'updated', key: KEY, oldObject: object(version), object: object(++version) };
    return { cause: { reason: 'event' }, event, isChange: true } as never;
  };
  /** How many of five runs are a loop, if events come at these places before each. */
  const loopsOf = (...places: ('queued' | 'processing' | 'runs-again' | undefined)[]) => {
    const loops = new HotLoops({ clock: new FakeClock(), runs: 3, ownWrites: undefined });
    return Array.from({ length: 5 }, () => {
      for (const place of places) loops.came(KEY, note(), place);
      return loops.due(KEY);
    }).filter((loop) => loop?.kind === 'suspected').length;
  };

  it('where every change came while the key was processed, also when it was to run again already', () => {
    expect([loopsOf('processing'), loopsOf('processing', 'runs-again'), loopsOf('runs-again')]).toEqual([1, 1, 1]);
  });

  it('and not where one came at another time', () => {
    expect([loopsOf(undefined), loopsOf('queued'), loopsOf('processing', 'queued'), loopsOf()]).toEqual([0, 0, 0, 0]);
    expect(loopsOf('processing', undefined, 'processing')).toBe(0);
  });

  it('and not where a change at another time came in between, from which runs are counted again', () => {
    const loops = new HotLoops({ clock: new FakeClock(), runs: 3, ownWrites: undefined });
    const places = ['processing', 'processing', undefined, 'processing', 'processing', 'processing'] as const;
    const found = places.map((place) => {
      loops.came(KEY, note(), place);
      return loops.due(KEY)?.kind;
    });
    expect(found).toEqual([...Array(5).fill(undefined), 'suspected']);
  });

  it.each(['object', 'oldObject'])('and not where each change makes or deletes an object: it has only %s', (state) => {
    const loops = new HotLoops({ clock: new FakeClock(), runs: 3, ownWrites: undefined });
    const found = Array.from({ length: 5 }, () => {
      const event = { key: KEY, [state]: { metadata: { name: 'web', namespace: 'shop' } } };
      loops.came(KEY, { cause: { reason: 'event' }, event, isChange: true } as never, 'processing');
      return loops.due(KEY);
    });
    expect(found.filter(Boolean)).toEqual([]);
  });

  it('and not where the runs are so slow that fewer than three of them begin within a minute', () => {
    const slow = (ms: number) => {
      const clock = new FakeClock();
      const loops = new HotLoops({ clock, runs: 3, ownWrites: undefined });
      return Array.from({ length: 6 }, () => {
        loops.came(KEY, note(), 'processing');
        clock.tick(ms);
        return loops.due(KEY);
      }).filter(Boolean).length;
    };
    expect([slow(30_000), slow(30_001)]).toEqual([1, 0]);
  });
});

describe('a chain of own writes', () => {
  const fields = (n: number) => Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`f${i + 10}`, n]));
  /** Loops after three runs, and functions for events of own writes; `key`: of another object. */
  const chain = () => {
    const clock = new FakeClock();
    const ownWrites = new OwnWrites();
    const loops = new HotLoops({ clock, runs: 3, ownWrites });
    let version = 0;
    const object = (name: string, n: number) => ({
      metadata: { name, namespace: 'shop', resourceVersion: `${n}` },
      spec: fields(n),
    });
    const own = (other?: string) => {
      const name = other ?? 'web';
      const event = { type: 'updated', key: `shop/${name}`, cause: 'watch', oldObject: object(name, version) };
      const after = object(name, ++version);
      ownWrites.add(event.key, `${version}`);
      const cause = { reason: 'updated', source: 'things', ...(other && { key: event.key }) };
      loops.came(KEY, { cause, event: { ...event, object: after }, isChange: true } as never, undefined);
    };
    const timer = () => loops.came(KEY, { cause: { reason: 'timer' }, isChange: true } as never, undefined);
    const run = () => loops.due(KEY)?.runs;
    return { clock, loops, own, timer, run };
  };
  const ownRun = ({ own, run }: ReturnType<typeof chain>) => {
    own();
    return run();
  };

  it('names at most ten of the fields and ten of the objects', () => {
    const { loops, own } = chain();
    const others = Array.from({ length: 12 }, (_, i) => `other-${i + 10}`);
    for (let i = 0; i < 3; i++) {
      for (const other of others) own(other);
      loops.due(KEY);
    }
    for (const other of others) own(other);
    const loop = loops.due(KEY);
    expect(loop).toMatchObject({ kind: 'own', runs: 3, holdMs: 0 });
    expect(loop?.paths).toEqual(Array.from({ length: 10 }, (_, i) => `.spec.f${i + 10}`));
    expect(loop?.objects).toEqual(others.slice(0, 10).map((name) => `shop/${name}`));
  });

  it.each<[string, (of: ReturnType<typeof chain>) => unknown]>([
    ['a timer', ({ own, timer, run }) => [own(), timer(), run()]],
    ['a key that is queued by hand', ({ loops }) => loops.queuedByHand(KEY)],
    ['more events in a run than are compared', ({ own, run }) => [Array.from({ length: 17 }, () => own()), run()]],
    ['a run without an event', ({ run }) => run()],
  ])('ends with %s', (_, end) => {
    const of = chain();
    expect([ownRun(of), ownRun(of)]).toEqual([undefined, undefined]);
    expect([end(of)].flat(2).filter((loop) => loop !== undefined)).toEqual([]);
    expect([ownRun(of), ownRun(of), ownRun(of)]).toEqual([undefined, undefined, 3]);
  });

  it('begins again after a loop', () => {
    const of = chain();
    const loops = Array.from({ length: 6 }, () => ownRun(of));
    expect(loops).toEqual([undefined, undefined, 3, undefined, undefined, 3]);
  });

  it('that follows another one after ten minutes is delayed, and a later one is not', () => {
    const holdAfter = (ms: number) => {
      const of = chain();
      const loop = () => {
        for (let i = 0; i < 2; i++) ownRun(of);
        of.own();
        return of.loops.due(KEY)?.holdMs;
      };
      expect(loop()).toBe(0);
      of.clock.tick(ms);
      return loop();
    };
    expect([holdAfter(600_000), holdAfter(600_001)]).toEqual([1000, 0]);
  });

  it('remembers the first thousand objects that it wrote', () => {
    const loopOf = (nth: number) => {
      const { own, run } = chain();
      const write = (n: number) => {
        own(`other-${n}`);
        return run();
      };
      for (let n = 1; n <= 1001; n++) expect(write(n)).toBeUndefined();
      return [write(nth), write(nth), write(nth)].at(-1);
    };
    expect([loopOf(1), loopOf(1000), loopOf(1001)]).toEqual([3, 3, undefined]);
  });

  it('goes on with as many events in a run as are compared', () => {
    const of = chain();
    ownRun(of);
    for (let i = 0; i < 16; i++) of.own();
    expect([of.run(), ownRun(of)]).toEqual([undefined, 3]);
  });
});
