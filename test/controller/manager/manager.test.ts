import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createController } from '../../../src/controller/controller.ts';
import { EventRecorder } from '../../../src/controller/events/event-recorder.ts';
import { createManager, type ManagerOptions } from '../../../src/controller/manager/manager.ts';
import type { Runnable, RunnableGroup } from '../../../src/controller/manager/runnable.ts';
import { createInformerSource } from '../../../src/controller/sources/informer-source.ts';
import { dynamicInformerFactory } from '../../../src/informer/informer-factory.ts';
import { aborted } from '../../../src/kit/abort.ts';
import { InformerError } from '../../../src/kit/error.ts';
import { createLogger, logLine, silentLogger } from '../../../src/kit/logger.ts';
import { calm, election } from '../../support/election.ts';
import { CONFIG_MAPS, ConfigMaps } from '../../support/in-process.ts';

const SHOP = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };

/** A runnable that logs its start and its end. `endMs`: how long its end takes. */
function part(log: string[], name: string, options: { ends?: Promise<void> } = {}): Runnable {
  return {
    name,
    async run(signal) {
      log.push(`${name} starts`);
      await aborted(signal);
      log.push(`${name} is asked`);
      await options.ends;
      log.push(`${name} ends`);
    },
  };
}

async function setup(options: Partial<ManagerOptions> & { elect?: string } = {}) {
  const place = await election();
  const { elect, ...rest } = options;
  const { client, clock } = place;
  const leaderElection = { client, name: 'operator', namespace: 'shop', identity: elect ?? '', random: () => 0 };
  const manager = createManager({
    clock,
    logger: silentLogger,
    ...(elect === undefined ? {} : { leaderElection }),
    ...rest,
  });
  const abort = new AbortController();
  const factory = dynamicInformerFactory(client, { clock, logger: silentLogger, namespaces: ['shop'] });
  const run = async () => {
    const ended = manager.run(abort.signal).then(
      () => undefined,
      (error: unknown) => error,
    );
    await calm();
    return ended;
  };
  return { ...place, manager, abort, factory, run };
}

describe('a manager', () => {
  it('starts servers, caches, those of every process and those of the leader, and ends them in its order', async () => {
    const { manager, abort } = await setup();
    const log: string[] = [];
    for (const group of ['leader', 'always', 'cache', 'server'] as const) manager.add(part(log, group), { group });
    const ended = manager.run(abort.signal);
    await calm();
    expect(log).toEqual(['server starts', 'cache starts', 'always starts', 'leader starts']);
    expect(manager.isLeading).toBe(true); // without an election
    log.length = 0;
    abort.abort();
    await ended;
    expect(log).toEqual(
      ['always', 'leader', 'cache', 'server'].flatMap((name) => [`${name} is asked`, `${name} ends`]),
    );
  });

  it.each(['always', 'leader', 'server'] as const)(
    'ends an EventRecorder of the group %s after everything that records Events, also after the election',
    async (group) => {
      const { client, clock, sandbox } = await election();
      const recorder = new EventRecorder(client, { component: 'operator', clock, logger: silentLogger });
      const manager = createManager({
        clock,
        logger: silentLogger,
        leaderElection: { client, name: 'operator', namespace: 'shop', identity: 'one', recorder },
      });
      const last = (reason: string) => recorder.event(SHOP, 'Normal', reason, 'the last one');
      const work = (name: string, of: RunnableGroup) =>
        manager.add({ name, run: (signal) => aborted(signal).then(() => last(name)) }, { group: of });
      manager.add(recorder, { group });
      for (const of of ['server', 'cache', 'always', 'leader'] as const) work(`Ending${of}`, of);
      const abort = new AbortController();
      const running = manager.run(abort.signal);
      await calm();
      abort.abort();
      await running;
      expect(recorder.counts).toMatchObject({ written: 6, dropped: 0, failed: 0 });
      const reasons = sandbox
        .list({ group: '', version: 'v1', resource: 'events' })
        .map((event) => Object(event).reason);
      expect(reasons.sort()).toEqual(
        ['Endingalways', 'Endingcache', 'Endingleader', 'Endingserver', 'LeaderElection', 'LeaderElection'].sort(),
      );
      await sandbox.stop();
    },
  );

  it('starts nothing that reads caches before they have synced', async () => {
    const { manager, abort, factory, sandbox, clock } = await setup();
    const { lister } = factory.forResource(CONFIG_MAPS);
    new ConfigMaps(sandbox).put('shop/a');
    sandbox.faults.add({ fault: { kind: 'status', code: 500 }, match: { path: '/configmaps' }, times: 3 });
    const seen: number[] = [];
    manager.add({ run: async () => void seen.push(lister.size) });
    manager.add(factory);
    const ended = manager.run(abort.signal);
    await calm();
    expect([seen, manager.health().isReady]).toEqual([[], false]);
    while (seen.length === 0) {
      clock.tick(500);
      await calm();
    }
    expect([seen, manager.health().isReady]).toEqual([[1], true]);
    abort.abort();
    await ended;
  });

  it('runs controllers and their informers, and leaves no timer and no listener', async () => {
    const { manager, abort, factory, sandbox, clock } = await setup();
    const keys: string[] = [];
    const { informer } = factory.forResource(CONFIG_MAPS);
    const controllers = ['one', 'two'].map((name) =>
      createController({
        name,
        clock,
        logger: silentLogger,
        sources: [createInformerSource(informer, { name: 'maps' })],
        reconcile: ({ key }) => void keys.push(`${name} ${key}`),
      }),
    );
    for (const controller of controllers) manager.add(controller);
    manager.add(factory);
    const ended = manager.run(abort.signal);
    await calm();
    new ConfigMaps(sandbox).put('shop/a');
    await calm();
    await clock.advance(1_000);
    expect(keys).toEqual(expect.arrayContaining(['one shop/a', 'two shop/a']));
    expect(informer.handlerCount).toBe(2);
    abort.abort();
    await ended;
    expect([clock.pending, informer.handlerCount]).toEqual([0, 0]);
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
  });

  it('ends with an error that names the caches that did not sync in time', async () => {
    const { manager, abort, factory, sandbox, clock } = await setup({ cacheSyncTimeoutMs: 3_000 });
    factory.forResource(CONFIG_MAPS);
    sandbox.faults.add({ fault: { kind: 'stall' }, match: { path: '/configmaps' }, times: Number.POSITIVE_INFINITY });
    manager.add(factory);
    const log: string[] = [];
    manager.add(part(log, 'work'));
    const ended = manager.run(abort.signal).catch((error: unknown) => error);
    await calm();
    await clock.advance(3_000);
    expect(await ended).toMatchObject({ code: 'sync', message: expect.stringContaining('v1/configmaps') });
    expect(log).toEqual([]);
  });

  it('ends when a runnable fails, and names it', async () => {
    const { manager, abort } = await setup();
    const log: string[] = [];
    const cause = new Error('no disk');
    manager.add(part(log, 'work'));
    manager.add({ name: 'reports', run: () => Promise.reject(cause) }, { group: 'always' });
    await expect(manager.run(abort.signal)).rejects.toMatchObject({ message: 'reports failed: no disk', cause });
    expect(log.filter((line) => line === 'work ends')).toHaveLength(log.includes('work starts') ? 1 : 0);
  });

  it('keeps running when a runnable has done its work', async () => {
    const { manager, abort } = await setup();
    const log: string[] = [];
    manager.add({ name: 'once', run: async () => void log.push('once') }, { group: 'always' });
    manager.add(part(log, 'work'));
    const ended = manager.run(abort.signal);
    await calm();
    expect(log).toEqual(['once', 'work starts']);
    abort.abort();
    await ended;
  });

  it('ends after graceMs although a runnable ignores its signal, asks the others all the same, and names it', async () => {
    const { manager, abort, clock } = await setup({ graceMs: 8_000 });
    const log: string[] = [];
    manager.add(part(log, 'stubborn', { ends: new Promise(() => {}) }), { group: 'always' });
    manager.add(part(log, 'work'));
    manager.add(part(log, 'server'), { group: 'server' });
    const ended = manager.run(abort.signal).catch((error: unknown) => error);
    await calm();
    abort.abort();
    await calm();
    await clock.advance(7_999);
    expect(log).toEqual(expect.arrayContaining(['work ends', 'server ends']));
    await clock.advance(1);
    expect(await ended).toMatchObject({
      code: 'closed',
      message: 'the manager waited 8s, and did not end: stubborn',
    });
    expect(clock.pending).toBe(0);
  });

  it('reports what fails while it ends', async () => {
    const { manager, abort } = await setup();
    const fails = async (signal: AbortSignal) => {
      await aborted(signal);
      throw new Error('flush failed');
    };
    const polite = async (signal: AbortSignal) => {
      await aborted(signal);
      signal.throwIfAborted();
    };
    manager.add({ name: 'polite', run: polite });
    manager.add({ name: 'writer', run: fails });
    const ended = manager.run(abort.signal).catch((error: unknown) => error);
    await calm();
    abort.abort();
    expect(await ended).toMatchObject({ message: 'writer failed while it ended: flush failed' });
  });

  it('starts what is added while it runs, and refuses it after the end', async () => {
    const { manager, abort } = await setup();
    const log: string[] = [];
    const ended = manager.run(abort.signal);
    await calm();
    manager.add(part(log, 'late'));
    await calm();
    expect(log).toEqual(['late starts']);
    abort.abort();
    await ended;
    expect(log).toEqual(['late starts', 'late is asked', 'late ends']);
    expect(() => manager.add(part(log, 'too late'))).toThrow(expect.objectContaining({ code: 'closed' }));
  });

  it('runs once', async () => {
    const { manager } = await setup();
    await manager.run(AbortSignal.abort());
    await expect(manager.run(AbortSignal.abort())).rejects.toMatchObject({ code: 'argument' });
    const other = await setup();
    const ended = other.manager.run(other.abort.signal);
    await expect(other.manager.run(other.abort.signal)).rejects.toMatchObject({ code: 'argument' });
    other.abort.abort();
    await ended;
  });

  it('fails with the code and the hint of what failed, also where that is a lease that it does not know', async () => {
    for (const code of ['config', 'leadership'] as const) {
      const { manager, abort } = await setup();
      const cause = new InformerError(code, 'no', { hint: 'say yes' });
      manager.add({ name: 'reports', run: () => Promise.reject(cause) }, { group: 'always' });
      const expected = { code, message: 'reports failed: no', hint: 'say yes', cause };
      await expect(manager.run(abort.signal)).rejects.toMatchObject(expected);
    }
    const { manager, abort } = await setup();
    manager.add({ name: 'reports', run: () => Promise.reject(new Error('no')) }, { group: 'always' });
    await expect(manager.run(abort.signal)).rejects.toMatchObject({ code: 'hook', hint: undefined });
  });

  it('waits 120 s for its caches, unless it is said otherwise', async () => {
    const { manager, sandbox, abort, pass, factory } = await setup();
    sandbox.faults.add({ fault: { kind: 'status', code: 503 }, match: { path: /configmaps/ }, times: 1e9 });
    factory.forResource(CONFIG_MAPS);
    manager.add(factory);
    const errors: unknown[] = [];
    const ended = manager.run(abort.signal).catch((error: unknown) => errors.push(error));
    await pass(119_000);
    expect(errors).toEqual([]);
    await pass(2_000);
    await ended;
    expect(errors).toMatchObject([{ code: 'sync' }]);
  });

  it('that was asked to end before it began starts nothing', async () => {
    const { manager } = await setup({ elect: 'me' });
    const log: string[] = [];
    for (const group of ['server', 'cache', 'always', 'leader'] as const) manager.add(part(log, group), { group });
    await manager.run(AbortSignal.abort());
    expect(log).toEqual([]);
  });

  it.each([
    ['what cannot be run', (m: ReturnType<typeof createManager>) => m.add({} as never), 'run(signal)'],
    [
      'an unknown group',
      (m: ReturnType<typeof createManager>) => m.add(part([], 'a'), { group: 'x' as never }),
      'group',
    ],
    [
      'the same one twice',
      (m: ReturnType<typeof createManager>) => {
        const one = part([], 'a');
        m.add(one);
        m.add(one);
      },
      'before',
    ],
    ['a check without a name', (m: ReturnType<typeof createManager>) => m.addHealthCheck('', () => undefined), 'name'],
    [
      'a check that is no function',
      (m: ReturnType<typeof createManager>) => m.addReadyCheck('a', 'x' as never),
      'function',
    ],
    [
      'a second check of one name',
      (m: ReturnType<typeof createManager>) => m.addReadyCheck('caches', () => undefined),
      'already',
    ],
  ])('refuses %s', async (_, attempt, message) => {
    const { manager } = await setup();
    expect(() => attempt(manager)).toThrow(
      expect.objectContaining({ code: 'argument', message: expect.stringContaining(message) }),
    );
  });

  it.each([
    ['a grace that is negative', { graceMs: -1 }],
    ['a sync timeout of zero', { cacheSyncTimeoutMs: 0 }],
    ['an election that cannot work', { elect: '' }],
  ])('refuses %s when it is created', async (_, options) => {
    await expect(setup(options)).rejects.toMatchObject({ code: 'argument' });
  });

  it('takes a grace of 0, and the shortest sync timeout', async () => {
    await expect(setup({ graceMs: 0, cacheSyncTimeoutMs: 1 })).resolves.toBeDefined();
  });
});

describe('the health of a manager', () => {
  it('has the result of each check, also of one that throws or answers later', async () => {
    const { manager } = await setup();
    manager.addHealthCheck('fine', () => undefined);
    manager.addHealthCheck('disk', () => 'the disk is full');
    manager.addHealthCheck('broken', () => {
      throw new Error('oops');
    });
    manager.addHealthCheck('later', (async () => undefined) as never);
    expect(manager.health()).toMatchObject({
      isLive: false,
      live: [
        { name: 'fine', reason: undefined },
        { name: 'disk', reason: 'the disk is full' },
        { name: 'broken', reason: 'oops' },
        { name: 'later', reason: expect.stringContaining('must return a text or undefined') },
      ],
    });
    expect(manager.liveChecks.map(({ name }) => name)).toEqual(['fine', 'disk', 'broken', 'later']);
    expect(manager.readyChecks.map(({ name }) => name)).toEqual(manager.health().ready.map(({ name }) => name));
  });

  it('is ready from the initial sync to the beginning of the end', async () => {
    const { manager, abort } = await setup();
    expect(manager.health()).toMatchObject({ isLive: true, isReady: false });
    const ended = manager.run(abort.signal);
    await calm();
    expect(manager.health()).toMatchObject({ isLive: true, isReady: true });
    abort.abort();
    expect([manager.health().isReady, manager.ending.aborted]).toEqual([false, true]);
    await ended;
  });
});

describe('a manager with an election', () => {
  it('keeps its caches, and runs the group leader when it leads', async () => {
    const { manager, abort, factory, sandbox, clock, put, pass, spec } = await setup({ elect: 'me' });
    put({ holderIdentity: 'other', leaseDurationSeconds: 15 });
    const { lister } = factory.forResource(CONFIG_MAPS);
    const log: string[] = [];
    manager.add(factory);
    manager.add(part(log, 'work'));
    manager.add(part(log, 'always'), { group: 'always' });
    const ended = manager.run(abort.signal);
    await calm();
    new ConfigMaps(sandbox).put('shop/a');
    await calm();
    expect([log, lister.size, manager.isLeading, manager.health().isReady]).toEqual([
      ['always starts'],
      1,
      false,
      true,
    ]);
    await pass(18_000);
    await manager.whenLeading();
    expect([log, manager.isLeading]).toEqual([['always starts', 'work starts'], true]);
    abort.abort();
    await ended;
    expect(spec()?.holderIdentity).toBe('');
    expect(clock.pending).toBe(0);
  });

  it('that ends and does not lead takes no lease any more', async () => {
    const { manager, abort, put, pass, spec } = await setup({ elect: 'me' });
    put({ holderIdentity: 'other', leaseDurationSeconds: 5 });
    const slow = Promise.withResolvers<void>();
    manager.add(part([], 'always', { ends: slow.promise }), { group: 'always' });
    const ended = manager.run(abort.signal);
    await calm();
    abort.abort();
    await pass(20_000);
    expect(spec()?.holderIdentity).toBe('other');
    slow.resolve();
    await ended;
  });

  it('that never leads rejects who waits for that, when it ends', async () => {
    const { manager, abort, put } = await setup({ elect: 'me' });
    put({ holderIdentity: 'other', leaseDurationSeconds: 3600 });
    const ended = manager.run(abort.signal);
    const waiting = manager.whenLeading();
    await calm();
    abort.abort();
    await expect(waiting).rejects.toThrow('the manager has ended');
    await ended;
  });

  it('releases the lease after all has ended, and renews it until then', async () => {
    const { manager, abort, pass, spec } = await setup({ elect: 'me' });
    const log: string[] = [];
    const slow = Promise.withResolvers<void>();
    manager.add(part(log, 'work', { ends: slow.promise }));
    const ended = manager.run(abort.signal);
    await calm();
    abort.abort();
    await calm();
    await pass(20_000);
    expect([spec()?.holderIdentity, manager.isLeading]).toEqual(['me', true]);
    slow.resolve();
    await ended;
    expect(spec()?.holderIdentity).toBe('');
  });

  it('does not release the lease if something has not ended in time', async () => {
    const { manager, abort, pass, spec } = await setup({ elect: 'me', graceMs: 4_000 });
    manager.add(part([], 'work', { ends: new Promise(() => {}) }));
    const ended = manager.run(abort.signal).catch((error: unknown) => error);
    await calm();
    abort.abort();
    await calm();
    await pass(5_000);
    expect(await ended).toMatchObject({ code: 'closed' });
    expect(spec()?.holderIdentity).toBe('me');
  });

  it('does not release the lease if something failed while it ended', async () => {
    const { manager, abort, spec } = await setup({ elect: 'me' });
    const fails = async (signal: AbortSignal) => {
      await aborted(signal);
      throw new Error('2 runs did not end');
    };
    manager.add({ name: 'controller', run: fails });
    const ended = manager.run(abort.signal).catch((error: unknown) => error);
    await calm();
    abort.abort();
    expect(await ended).toMatchObject({ message: expect.stringContaining('2 runs did not end') });
    expect(spec()?.holderIdentity).toBe('me');
  });

  it('ends with an error when the lease is lost, and aborts running reconciles at once', async () => {
    const { manager, abort, factory, sandbox, clock, put, pass } = await setup({ elect: 'me' });
    const log: string[] = [];
    const { informer } = factory.forResource(CONFIG_MAPS);
    manager.add(factory);
    manager.add(
      createController({
        name: 'maps',
        clock,
        logger: silentLogger,
        sources: [createInformerSource(informer, { name: 'maps' })],
        async reconcile(_, { signal }) {
          log.push('runs');
          await aborted(signal);
          log.push('aborted');
        },
      }),
    );
    const ended = manager.run(abort.signal).catch((error: unknown) => error);
    await calm();
    new ConfigMaps(sandbox).put('shop/a');
    await calm();
    expect(log).toEqual(['runs']);
    put({ holderIdentity: 'other', leaseDurationSeconds: 15 });
    await pass(2_000);
    expect(log).toEqual(['runs', 'aborted']);
    expect(await ended).toMatchObject({ code: 'leadership', message: expect.stringContaining('other') });
    await clock.advance(60_000);
  });

  it('whose lease is lost does not wait for what ignores its signal', async () => {
    const { manager, abort, put, pass } = await setup({ elect: 'me' });
    manager.add(part([], 'work', { ends: new Promise(() => {}) }));
    const ended = manager.run(abort.signal).catch((error: unknown) => error);
    await calm();
    put({ holderIdentity: 'other', leaseDurationSeconds: 15 });
    await pass(4_500);
    expect(await ended).toMatchObject({ code: 'leadership' });
  });

  it('has the check of its election among those of its liveness', async () => {
    const { manager } = await setup({ elect: 'me' });
    expect(manager.liveChecks.map(({ name }) => name)).toEqual(['leader-election']);
    expect(manager.health().live).toEqual([{ name: 'leader-election', reason: undefined }]);
  });
});

describe('the log of a manager at info', () => {
  function lines() {
    const written: string[] = [];
    const logger = createLogger((level, message, { controller: _, ...fields }) => {
      if (level !== 'debug') written.push(logLine(level, message, fields));
    });
    return { written, logger };
  }

  it('says once each that it starts, that its caches have synced, that it leads, that it ends and that it has ended', async () => {
    const { written, logger } = lines();
    const { manager, abort, factory, pass } = await setup({ elect: 'one', logger });
    const { informer } = factory.forResource(CONFIG_MAPS);
    await pass(1_000);
    manager.add(factory);
    const sources = [createInformerSource(informer, { name: 'configmaps' })];
    manager.add(createController({ name: 'labels', logger, sources, reconcile: async () => {} }));
    const ended = manager.run(abort.signal);
    await manager.whenLeading();
    await calm();
    expect(written).toEqual([
      'INFO the manager starts parts=2 identity=one ms=0',
      'INFO the caches have synced caches=1 ms=0',
      'INFO waiting for the lease lease=shop/operator identity=one ms=0',
      'INFO this process leads lease=shop/operator identity=one ms=0',
      'INFO the controller starts sources=1 workers=1 ms=0',
    ]);
    written.length = 0;
    abort.abort();
    await ended;
    expect(written).toEqual([
      'INFO the manager ends within=25s ms=0',
      'INFO the controller drains running=0 ms=0',
      'INFO the controller has ended runs=0 parked=0 ms=0',
      'INFO the manager has ended ms=0',
    ]);
  });

  it('says which source reads an informer of a factory that was not added, and fails when its controller begins', async () => {
    const { written, logger } = lines();
    const { manager, factory, run } = await setup({ elect: 'one', logger });
    const { informer } = factory.forResource(CONFIG_MAPS);
    const sources = [createInformerSource(informer, { name: 'maps' })];
    manager.add(createController({ name: 'labels', logger: silentLogger, sources, reconcile: async () => {} }));
    const error = await run();
    const said = 'the source maps of the controller labels reads v1/configmaps, which does not run';
    expect(error).toMatchObject({ code: 'argument', message: expect.stringContaining(said) });
    expect(written.filter((line) => line.startsWith('ERROR') && line.includes(said))).toHaveLength(1);
  });

  it('says it of a controller that is added later, too, and of none whose informers run in another way', async () => {
    const { manager, factory, abort, run } = await setup();
    const { informer } = factory.forResource(CONFIG_MAPS);
    const of = (name: string) =>
      createController({ name, sources: [createInformerSource(informer, { name })], reconcile: async () => {} });
    const ended = run();
    await calm();
    factory.start(abort.signal);
    manager.add(of('first'));
    await calm();
    expect(manager.health().isLive).toBe(true);
    const other = dynamicInformerFactory({ resource: () => ({}) as never }).forResource(CONFIG_MAPS);
    const sources = [createInformerSource(other.informer, { name: 'other' })];
    manager.add(createController({ name: 'late', sources, reconcile: async () => {} }));
    expect(await ended).toMatchObject({ message: expect.stringContaining('of the controller late reads') });
  });

  it('says why it ends, if a runnable failed', async () => {
    const { written, logger } = lines();
    const { manager, run } = await setup({ logger });
    manager.add({ name: 'bad', run: () => Promise.reject(new Error('no disk')) });
    await run();
    expect(written.at(-2)).toBe('INFO the manager ends within=25s error="bad failed: no disk" ms=0');
  });

  it('says that the lease is lost, and which, before it says that it ends', async () => {
    const { written, logger } = lines();
    const { manager, abort, put, pass } = await setup({ elect: 'one', logger });
    manager.add(part([], 'work'));
    const ended = manager.run(abort.signal).catch((error: unknown) => error);
    await manager.whenLeading();
    await calm();
    put({ holderIdentity: 'other', leaseDurationSeconds: 15 });
    await pass(2_000);
    expect(await ended).toMatchObject({ code: 'leadership' });
    expect(written.slice(-3)).toEqual([
      'INFO the lease is lost lease=shop/operator identity=one ms=2000',
      'INFO the manager ends within=2s error="the lease shop/operator was lost: it belongs to other now" ms=2000',
      'INFO the manager has ended ms=2000',
    ]);
  });
});
