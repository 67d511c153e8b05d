import { describe, expect, it } from 'vitest';
import type { LeaderElectorOptions } from '../../../src/controller/election/elector-options.ts';
import { LeaderElector } from '../../../src/controller/election/leader-elector.ts';
import { LEASES } from '../../../src/controller/election/lease-lock.ts';
import { microTime } from '../../../src/controller/election/lease-record.ts';
import { EventRecorder } from '../../../src/controller/events/event-recorder.ts';
import { aborted } from '../../../src/kit/abort.ts';
import type { InformerError } from '../../../src/kit/error.ts';
import { silentLogger } from '../../../src/kit/logger.ts';
import type { Fault } from '../../../src/sandbox/faults/fault.ts';
import { calm, election, LEASE_KEY, skipping } from '../../support/election.ts';
import { RecordingMetrics } from '../../support/recording-metrics.ts';

const ANCIENT = '2001-01-01T00:00:00.000000Z';
const heldBy = (holderIdentity: string, more: object = {}) => ({
  holderIdentity,
  leaseDurationSeconds: 15,
  acquireTime: ANCIENT,
  renewTime: ANCIENT,
  leaseTransitions: 7,
  ...more,
});

describe('a candidate', () => {
  it('creates a lease that does not exist, and holds it [LE-01]', async () => {
    const place = await election();
    await using me = await place.start('me');
    expect(place.verbs().slice(0, 2)).toEqual(['GET', 'POST']);
    const now = microTime(place.clock.now());
    expect(place.spec()).toEqual({
      holderIdentity: 'me',
      leaseDurationSeconds: 15,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: 0,
    });
    expect([me.elector.isLeader, me.elector.isLeading, me.elector.leader]).toEqual([true, true, 'me']);
    expect(me.log).toEqual(['leader me', 'started']);
  });

  it.each([
    ['an empty spec', {}],
    ['an empty holder', heldBy('', { leaseTransitions: 0 })],
  ])('takes a lease with %s, and counts one change of the holder [LE-02]', async (_, spec) => {
    const place = await election();
    place.put(spec);
    await using me = await place.start('me');
    expect(place.verbs().slice(0, 2)).toEqual(['GET', 'PUT']);
    expect(place.spec()).toMatchObject({
      holderIdentity: 'me',
      leaseTransitions: 1,
      acquireTime: microTime(place.clock.now()),
    });
    expect(me.elector.isLeader).toBe(true);
  });

  it('leaves a lease of another alone when it sees it first, however old its time of renewal is [LE-03]', async () => {
    const place = await election();
    place.put(heldBy('other'));
    await using me = await place.start('me');
    expect(place.verbs()).toEqual(['GET']);
    expect([me.elector.isLeader, me.elector.isLeading, me.elector.leader]).toEqual([false, false, 'other']);
    expect(me.log).toEqual(['leader other']);
  });

  it('takes a lease that it has seen unchanged for its duration, and not earlier [LE-05]', async () => {
    const place = await election();
    place.put(heldBy('other', { leaseDurationSeconds: 7 }));
    await using me = await place.start('me');
    await place.pass(6_999);
    expect(place.spec()?.holderIdentity).toBe('other');
    await place.pass(1_001);
    expect(place.spec()).toMatchObject({ holderIdentity: 'me', leaseTransitions: 8, leaseDurationSeconds: 15 });
    expect(me.log).toEqual(['leader other', 'leader me', 'started']);
  });

  it('waits for a whole duration again when the lease has changed', async () => {
    const place = await election();
    place.put(heldBy('other'));
    await using me = await place.start('me');
    await place.pass(14_000);
    place.put(heldBy('other', { renewTime: microTime(place.clock.now()) }));
    await place.pass(14_000);
    expect([me.elector.isLeader, place.verbs().includes('PUT')]).toEqual([false, false]);
    await place.pass(4_000);
    expect(me.elector.isLeader).toBe(true);
  });

  it('gets a lease with its own identity at once, and keeps its time of acquisition and the count [LE-06]', async () => {
    const place = await election();
    place.put(heldBy('me'));
    await using _me = await place.start('me');
    const kept = { holderIdentity: 'me', acquireTime: ANCIENT, leaseTransitions: 7 };
    expect(place.spec()).toMatchObject({ ...kept, renewTime: microTime(place.clock.now()) });
    await place.pass(4_000);
    expect(place.spec()).toMatchObject({ ...kept, renewTime: microTime(place.clock.now()) });
  });

  it('needs one PUT for a renewal, and no read [LE-08]', async () => {
    const place = await election();
    await using _me = await place.start('me');
    await place.pass(2_000);
    expect(place.verbs()).toEqual(['GET', 'POST', 'PUT', 'PUT']);
  });

  it.each([
    ['2.0 s', 0, 2_000],
    ['nearly 4.4 s', 1 - 2 ** -53, 4_399],
  ])('tries again after %s, as the random number says [LE-10]', async (_, random, afterMs) => {
    const place = await election();
    place.put(heldBy('other', { leaseDurationSeconds: 3600 }));
    await using _me = await place.start('me', { random: () => random });
    await place.clock.advance(afterMs - 1);
    expect(place.verbs()).toEqual(['GET']);
    await place.clock.advance(2);
    await calm();
    expect(place.verbs()).toEqual(['GET', 'GET']);
  });

  it('that is not asked to lead any more never starts, and says once that it has stopped [LE-12]', async () => {
    const place = await election();
    place.put(heldBy('other'));
    const me = await place.start('me');
    me.abort.abort();
    expect(await me.ended).toBeUndefined();
    expect(me.log).toEqual(['leader other', 'stopped']);
    expect(place.clock.pending).toBe(0);
    expect(place.spec()).toMatchObject(heldBy('other'));
  });

  it('that was stopped before it began sends nothing, and says once that it has stopped [LE-12]', async () => {
    const place = await election();
    const log: string[] = [];
    await place.elector('me', { onStoppedLeading: () => log.push('stopped') }).run(AbortSignal.abort());
    expect([log, place.verbs()]).toEqual([['stopped'], []]);
  });

  it('that is stopped while its write is on the way releases the lease if it may', async () => {
    const place = await election();
    place.sandbox.faults.add({ fault: { kind: 'stall' }, match: { method: 'POST', path: '/leases' } });
    const me = await place.start('me', { releaseOnCancel: true });
    expect(place.spec()?.holderIdentity).toBe('me');
    me.abort.abort();
    await me.ended;
    expect(place.spec()?.holderIdentity).toBe('');
    expect(me.log).not.toContain('started');
  });

  it('reports each new leader once, also if it does not lead itself [LE-16]', async () => {
    const place = await election();
    place.put(heldBy('a'));
    await using me = await place.start('me');
    await place.pass(4_000);
    place.put(heldBy('b'));
    await place.pass(4_000);
    place.put(heldBy('b', { leaseTransitions: 8 }));
    await place.pass(4_000);
    place.put(heldBy('a', { leaseTransitions: 9 }));
    await place.pass(4_000);
    expect(me.log).toEqual(['leader a', 'leader b', 'leader a']);
    await place.pass(30_000);
    expect(me.log).toEqual(['leader a', 'leader b', 'leader a', 'leader me', 'started']);
  });

  it('tries on after errors, reports them, and names the rights that it lacks', async () => {
    const place = await election();
    const errors: unknown[] = [];
    place.sandbox.faults.add({ fault: { kind: 'status', code: 403 }, match: { path: '/leases' } });
    place.sandbox.faults.add({ fault: { kind: 'refuse' }, match: { path: '/leases' } });
    await using me = await place.start('me', { onError: (error) => errors.push(error) });
    await place.pass(2_000);
    expect(me.elector.isLeader).toBe(false);
    await place.pass(2_000);
    expect(me.elector.isLeader).toBe(true);
    expect(errors).toEqual([
      expect.objectContaining({
        code: 'api',
        hint: expect.stringContaining('get, create and update leases.coordination.k8s.io in the namespace shop'),
      }),
      expect.objectContaining({ code: 'transport' }),
    ]);
  });

  it('gets a lease from a server whose answers come so late that a read and a write take longer than an attempt', async () => {
    const place = await election();
    const send = place.transport.request.bind(place.transport);
    place.transport.request = async (request) => {
      await place.clock.sleep(600, { signal: request.signal });
      return await send(request);
    };
    const errors: unknown[] = [];
    const short = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 400 };
    await using me = await place.start('me', { ...short, onError: (error) => errors.push(error) });
    await place.pass(5_000, 100);
    expect(errors).toEqual([expect.objectContaining({ message: 'no answer about the lease within 1s' })]);
    for (let i = 0; i < 20; i++) {
      await place.pass(500, 100);
      expect([i, me.elector.isLeading]).toEqual([i, true]);
    }
  });

  it('says nothing of rights where these were not missing', async () => {
    const place = await election();
    const errors: { hint?: string }[] = [];
    place.sandbox.faults.add({ fault: { kind: 'status', code: 500 }, match: { path: '/leases' } });
    await using _ = await place.start('me', { onError: (error) => errors.push(error as { hint?: string }) });
    expect(errors).toHaveLength(1);
    expect(errors[0]?.hint ?? '').not.toContain('right');
  });

  it('logs errors without onError, in each minute the first ones only', async () => {
    const place = await election();
    const lines: string[] = [];
    const log = (message: string, fields: object = {}) => lines.push(`${message} ${JSON.stringify(fields)}`);
    const logger = { error: log, warn: log, info: log, debug: log, child: () => logger };
    place.sandbox.faults.add({
      fault: { kind: 'status', code: 403 },
      match: { path: '/leases' },
      times: Number.POSITIVE_INFINITY,
    });
    await using _me = await place.start('me', { logger });
    await place.pass(50_000);
    expect(lines[0]).toMatch(/could not be acquired or renewed.*Forbidden|forbidden/);
    expect(lines[0]).toContain('an election needs the right to get, create and update leases.coordination.k8s.io');
    expect(lines).toHaveLength(11);
    await place.pass(9_000);
    expect(lines).toHaveLength(11);
    await place.pass(60_000);
    expect(lines).toHaveLength(22);
  });
});

describe('a leader', () => {
  it('that cannot renew the lease ends after renewDeadlineMs: first its signal, then onStoppedLeading [LE-11]', async () => {
    const place = await election();
    const me = await place.start('me');
    place.sandbox.faults.add({
      fault: { kind: 'status', code: 500 },
      match: { path: '/leases' },
      times: Number.POSITIVE_INFINITY,
    });
    await place.pass(2_000); // the first renewal that fails
    await place.pass(9_999);
    expect([me.log, me.elector.isLeading]).toEqual([['leader me', 'started'], true]);
    await place.pass(1);
    expect(me.log).toEqual(['leader me', 'started', 'aborted', 'stopped']);
    expect(me.elector.isLeading).toBe(false);
    expect(await me.ended).toMatchObject({
      code: 'leadership',
      message: expect.stringContaining('the lease shop/operator was lost: it could not be renewed within 10s'),
    });
    expect(place.clock.pending).toBe(0);
  });

  it('that gets no answers ends then too, also when its client ignores the signal [LE-11]', async () => {
    const place = await election();
    let isDead = false;
    const client = {
      resource: (...args: Parameters<typeof place.client.resource>) => {
        const api = place.client.resource(...args);
        const never = new Promise<never>(() => {});
        return {
          get: (name: string) => (isDead ? never : api.get(name)),
          create: (object: object) => (isDead ? never : api.create(object)),
          update: (object: object) => (isDead ? never : api.update(object)),
        };
      },
    };
    const me = await place.start('me', { client });
    isDead = true;
    await place.pass(11_999);
    expect(me.log).not.toContain('aborted');
    await place.pass(1);
    expect(me.log.slice(-2)).toEqual(['aborted', 'stopped']);
    expect(await me.ended).toMatchObject({ code: 'leadership' });
  });

  it('that cannot renew the lease aborts its work with the error of the loss, before it gives anything up [LE-11]', async () => {
    const place = await election();
    let signal: AbortSignal | undefined;
    const worked: string[] = [];
    const me = await place.start('me', {
      releaseOnCancel: true,
      onStartedLeading: async (leading) => {
        signal = leading;
        await aborted(leading);
        worked.push(`ended while the holder is ${JSON.stringify(place.spec()?.holderIdentity)}`);
      },
    });
    const fault = { kind: 'status', code: 500 } as const;
    place.sandbox.faults.add({ fault, match: { path: '/leases' }, times: Number.POSITIVE_INFINITY });
    await place.pass(11_999);
    expect([signal?.aborted, worked]).toEqual([false, []]);
    await place.pass(1);
    expect(signal?.reason).toMatchObject({ code: 'leadership' });
    expect(worked).toEqual(['ended while the holder is "me"']);
    await place.pass(20_000);
    expect(await me.ended).toBe(signal?.reason);
  });

  it('that is asked to end aborts its work with the reason of who asked', async () => {
    const place = await election();
    let signal: AbortSignal | undefined;
    const me = await place.start('me', {
      onStartedLeading: (leading) => {
        signal = leading;
      },
    });
    me.abort.abort('enough');
    await place.pass(1);
    expect([await me.ended, signal?.reason]).toEqual([undefined, 'enough']);
  });

  it('survives failures that end in time', async () => {
    const place = await election();
    await using me = await place.start('me');
    place.sandbox.faults.add({ fault: { kind: 'status', code: 500 }, match: { path: '/leases' }, times: 8 });
    await place.pass(60_000);
    expect(me.log).toEqual(['leader me', 'started']);
    expect(place.spec()).toMatchObject({ holderIdentity: 'me', leaseTransitions: 0 });
  });

  it('whose renewals are answered late keeps the lease, also when its period is nearly its deadline', async () => {
    const place = await election();
    const send = place.transport.request.bind(place.transport);
    const options = { leaseDurationMs: 15_000, renewDeadlineMs: 14_000, retryPeriodMs: 11_000 };
    await using me = await place.start('me', options);
    place.transport.request = async (request) => {
      await place.clock.sleep(6_500, { signal: request.signal });
      return await send(request);
    };
    for (let i = 0; i < 60; i++) {
      await place.pass(1_000);
      expect([i, me.elector.isLeading]).toEqual([i, true]);
    }
    expect(place.verbs().filter((verb) => verb === 'PUT').length).toBeLessThan(8);
  });

  it('keeps a lease whose metadata others change, and their labels', async () => {
    const place = await election();
    await using me = await place.start('me', { labels: { app: 'shop' } });
    place.sandbox.apply([
      { ...place.lease(), metadata: { ...place.lease()?.metadata, labels: { app: 'x', team: 'a' } } },
    ] as never);
    await place.pass(6_000);
    expect(place.lease()?.metadata.labels).toEqual({ app: 'shop', team: 'a' });
    expect(me.log).toEqual(['leader me', 'started']);
  });

  it('creates a lease again that was deleted', async () => {
    const place = await election();
    await using me = await place.start('me');
    place.sandbox.delete(LEASES, LEASE_KEY);
    await place.pass(2_000);
    expect(place.spec()).toMatchObject({ holderIdentity: 'me', leaseTransitions: 0 });
    expect(me.log).toEqual(['leader me', 'started']);
  });

  it.each([
    ['another', heldBy('other'), 'it belongs to other now'],
    ['no one', heldBy(''), 'another process released it'],
    ['another process with its identity', heldBy('me'), 'another process has the same identity me'],
  ])('ends at once when the lease belongs to %s, and leaves it alone', async (_, spec, why) => {
    const place = await election();
    const me = await place.start('me', { releaseOnCancel: true });
    place.put(spec);
    await place.pass(2_000);
    expect(me.log.filter((line) => !line.startsWith('leader'))).toEqual(['started', 'aborted', 'stopped']);
    expect(await me.ended).toMatchObject({ code: 'leadership', message: expect.stringContaining(why) });
    expect(place.spec()).toEqual(spec);
  });

  it('ends when the server has an older record of it, and says that the server was restored', async () => {
    const place = await election();
    const me = await place.start('me', { releaseOnCancel: true });
    const older = place.spec() as object;
    await place.pass(6_000);
    expect(place.spec()).not.toEqual(older);
    place.put(older);
    await place.pass(2_000);
    expect(me.log.filter((line) => !line.startsWith('leader'))).toEqual(['started', 'aborted', 'stopped']);
    const why = 'the server was restored to an older state of it';
    expect(await me.ended).toMatchObject({ code: 'leadership', message: expect.stringContaining(why) });
    expect(place.spec()).toEqual(older);
  });

  it('whose renewal was stored but not answered renews it again', async () => {
    const place = await election();
    await using me = await place.start('me');
    place.sandbox.faults.add({ fault: { kind: 'stall' }, match: { method: 'PUT', path: '/leases' } });
    await place.pass(20_000);
    expect(me.log).toEqual(['leader me', 'started']);
  });

  it('may run again after its end', async () => {
    const place = await election();
    const elector = place.elector('me', { releaseOnCancel: true });
    for (const _ of [1, 2]) {
      const abort = new AbortController();
      const run = elector.run(abort.signal);
      await calm();
      expect(elector.isLeader).toBe(true);
      await expect(elector.run(abort.signal)).rejects.toMatchObject({ code: 'argument' });
      abort.abort();
      await run;
      expect([elector.isLeader, elector.isLeading, place.spec()?.holderIdentity]).toEqual([false, false, '']);
    }
  });

  it('that runs again while its lease is in force renews it without a read', async () => {
    const place = await election();
    const elector = place.elector('me');
    for (const _ of [1, 2]) {
      const abort = new AbortController();
      const run = elector.run(abort.signal);
      await calm();
      expect(elector.isLeader).toBe(true);
      abort.abort();
      await run;
    }
    expect(place.verbs().slice(0, 3)).toEqual(['GET', 'POST', 'PUT']);
    expect(place.verbs().filter((verb) => verb === 'GET')).toHaveLength(1);
  });

  it('ends with the error of its work, and releases the lease', async () => {
    const place = await election();
    const error = new Error('no disk');
    const me = await place.start('me', { releaseOnCancel: true, onStartedLeading: () => Promise.reject(error) });
    expect(await me.ended).toBe(error);
    expect(place.spec()?.holderIdentity).toBe('');
  });
});

const NOT_RELEASED = 'the lease could not be released; it will expire';
const NOT_ENDED = 'the lease is not released, because the work of the leader has not ended; it will expire';

describe('a release', () => {
  it('reads the lease first, and is repeated after a conflict [LE-14]', async () => {
    const place = await election();
    const me = await place.start('me', { releaseOnCancel: true });
    const before = place.verbs().length;
    let isChanged = false;
    const send = place.transport.request.bind(place.transport);
    place.transport.request = async (request) => {
      if (request.method === 'PUT' && !isChanged) {
        isChanged = true;
        place.put(place.spec() ?? {}, { changed: 'meanwhile' });
      }
      return send(request);
    };
    place.put(place.spec() ?? {}, { changed: 'before' });
    me.abort.abort();
    expect(await me.ended).toBeUndefined();
    expect(place.verbs().slice(before)).toEqual(['GET', 'PUT', 'GET', 'PUT']);
    const now = microTime(place.clock.now());
    expect(place.spec()).toEqual({
      holderIdentity: '',
      leaseDurationSeconds: 1,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: 0,
    });
    expect(me.log).toEqual(['leader me', 'started', 'aborted', 'stopped']);
  });

  it('lets another candidate lead at its next attempt', async () => {
    const place = await election();
    const me = await place.start('me', { releaseOnCancel: true });
    await using next = await place.start('next');
    me.abort.abort();
    await me.ended;
    await place.pass(2_000);
    expect(next.log).toEqual(['leader me', 'leader next', 'started']);
    expect(place.spec()).toMatchObject({ holderIdentity: 'next', leaseTransitions: 1 });
  });

  it('does not happen unless it was asked for', async () => {
    const place = await election();
    const me = await place.start('me');
    me.abort.abort();
    await me.ended;
    expect(place.spec()?.holderIdentity).toBe('me');
  });

  it('waits until the work has ended, while the lease is renewed', async () => {
    const place = await election();
    const work = Promise.withResolvers<void>();
    const me = await place.start('me', { releaseOnCancel: true, onStartedLeading: () => work.promise });
    await using next = await place.start('next');
    me.abort.abort();
    await calm();
    await place.pass(20_000);
    expect([place.spec()?.holderIdentity, me.elector.isLeading, next.elector.isLeader]).toEqual(['me', true, false]);
    work.resolve();
    await me.ended;
    expect(place.spec()?.holderIdentity).toBe('');
  });

  it('does not happen if the work does not end within drainMs', async () => {
    const place = await election();
    const me = await place.start('me', {
      releaseOnCancel: true,
      drainMs: 3_000,
      onStartedLeading: () => new Promise(() => {}),
    });
    me.abort.abort();
    await calm();
    await place.pass(3_000);
    expect(await me.ended).toBeUndefined();
    expect(place.spec()?.holderIdentity).toBe('me');
    expect(me.elector.isLeading).toBe(false);
  });

  it('does not happen if the work fails while it ends, and the run fails with its error', async () => {
    const place = await election();
    const error = new Error('flush failed');
    const onStartedLeading = async (signal: AbortSignal) => {
      await aborted(signal);
      throw error;
    };
    const me = await place.start('me', { releaseOnCancel: true, onStartedLeading });
    me.abort.abort();
    expect(await me.ended).toBe(error);
    expect(place.spec()?.holderIdentity).toBe('me');
  });

  it('happens if the work only passes its signal on', async () => {
    const place = await election();
    const onStartedLeading = async (signal: AbortSignal) => {
      await aborted(signal);
      signal.throwIfAborted();
    };
    const me = await place.start('me', { releaseOnCancel: true, onStartedLeading });
    me.abort.abort();
    expect(await me.ended).toBeUndefined();
    expect(place.spec()?.holderIdentity).toBe('');
  });

  it('leaves a lease alone that another has taken meanwhile', async () => {
    const place = await election();
    const me = await place.start('me', { releaseOnCancel: true });
    place.put(heldBy('other'));
    me.abort.abort();
    await me.ended;
    expect(place.spec()).toEqual(heldBy('other'));
  });

  it.each<[string, Fault | undefined, LeaderElectorOptions['onStartedLeading'], string[]]>([
    ['nothing where it succeeds', undefined, () => {}, []],
    ['that it could not be done without an answer', { kind: 'stall' }, () => {}, [NOT_RELEASED]],
    ['that it could not be done where it is refused', { kind: 'status', code: 403 }, () => {}, [NOT_RELEASED]],
    ['why it is not tried while the work goes on', undefined, () => new Promise(() => {}), [NOT_ENDED]],
  ])('says %s', async (_, fault, onStartedLeading, said) => {
    const place = await election();
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (message: string) => void warnings.push(message), child: () => logger };
    const me = await place.start('me', { releaseOnCancel: true, drainMs: 1_000, onStartedLeading, logger });
    if (fault) place.sandbox.faults.add({ fault, match: { path: '/leases' }, times: Number.POSITIVE_INFINITY });
    me.abort.abort();
    await calm();
    await place.pass(10_000);
    await me.ended;
    expect(warnings).toEqual(said);
  });

  it('is given up after renewDeadlineMs', async () => {
    const place = await election();
    const me = await place.start('me', { releaseOnCancel: true });
    place.sandbox.faults.add({ fault: { kind: 'stall' }, match: { path: '/leases' }, times: Number.POSITIVE_INFINITY });
    me.abort.abort();
    await calm();
    let isOver = false;
    void me.ended.then(() => (isOver = true));
    await place.pass(9_999);
    expect(isOver).toBe(false);
    await place.pass(1);
    expect(await me.ended).toBeUndefined();
    expect(place.clock.pending).toBe(0);
  });
});

describe('the fence', () => {
  it('is shut directly after a freeze, before any timer of this process has run', async () => {
    const place = await election();
    const clock = skipping(place.clock);
    const me = await place.start('me', { clock });
    clock.skippedMs += 11_999;
    expect(me.elector.isLeading).toBe(true);
    me.elector.assertLeading();
    clock.skippedMs += 1;
    expect([me.elector.isLeading, me.elector.isLeader]).toEqual([false, true]);
    expect(() => me.elector.assertLeading()).toThrow(
      expect.objectContaining({ code: 'leadership', message: expect.stringContaining('shop/operator') }),
    );
    await place.pass(2_000);
    expect(await me.ended).toMatchObject({ code: 'leadership', message: expect.stringContaining('frozen') });
    expect(me.log.slice(-2)).toEqual(['aborted', 'stopped']);
  });

  it('is not opened again by a renewal that begins at the moment in which its time is over', async () => {
    const place = await election();
    const clock = skipping(place.clock);
    const me = await place.start('me', { clock });
    clock.skippedMs += 10_000;
    const before = place.verbs().length;
    await place.pass(2_000); // the next renewal
    expect(await me.ended).toMatchObject({ code: 'leadership', message: expect.stringContaining('frozen') });
    expect(place.verbs()).toHaveLength(before);
  });

  it('is shut before another candidate can lead, at every moment of an outage of the leader', async () => {
    const place = await election();
    const me = await place.start('me');
    await using next = await place.start('next', { random: () => 0.37 });
    let isCut = false;
    const send = place.transport.request.bind(place.transport);
    place.transport.request = (request) =>
      isCut && String(request.body ?? '').includes('"me"') ? new Promise(() => {}) : send(request);
    await place.pass(7_300);
    isCut = true;
    for (let i = 0; i < 500; i++) {
      await place.pass(100);
      expect(me.elector.isLeading && next.elector.isLeading).toBe(false);
    }
    expect([me.elector.isLeading, next.elector.isLeading]).toEqual([false, true]);
    expect(await me.ended).toMatchObject({ code: 'leadership' });
  });

  it('counts the time in which the machine slept, and opens again with the next renewal', async () => {
    const place = await election();
    const clock = skipping(place.clock);
    await using me = await place.start('me', { clock });
    clock.setForwardMs += 3_600_000;
    expect(me.elector.isLeading).toBe(false);
    await place.pass(2_000);
    expect(me.elector.isLeading).toBe(true);
    expect(me.log).toEqual(['leader me', 'started']);
  });

  it('ends with the whole seconds that others see, when a duration has a fraction', async () => {
    const place = await election();
    const clock = skipping(place.clock);
    await using me = await place.start('me', {
      clock,
      leaseDurationMs: 2_900,
      renewDeadlineMs: 2_500,
      retryPeriodMs: 1_000,
    });
    expect(place.spec()?.leaseDurationSeconds).toBe(2);
    clock.skippedMs += 2_000;
    expect(me.elector.isLeading).toBe(false);
  });

  it('is shut for a process that has never led', async () => {
    const place = await election();
    expect(() => place.elector('me').assertLeading()).toThrow(expect.objectContaining({ code: 'leadership' }));
  });
});

describe('the health check', () => {
  const MINUTE = { leaseDurationMs: 60_000, healthToleranceMs: 20_000 };

  it('passes for a process that does not lead [LE-17]', async () => {
    const place = await election();
    const clock = skipping(place.clock);
    place.put(heldBy('other', { leaseDurationSeconds: 60 }));
    await using me = await place.start('me', { ...MINUTE, clock });
    clock.skippedMs += 3_600_000;
    expect(me.elector.isLeader).toBe(false);
    me.elector.check();
  });

  it('passes for a leader until the duration and the tolerance have passed, and then names the lease [LE-17]', async () => {
    const place = await election();
    const clock = skipping(place.clock);
    await using me = await place.start('me', { ...MINUTE, clock });
    clock.skippedMs += 80_000;
    me.elector.check();
    clock.skippedMs += 1;
    expect(() => me.elector.check()).toThrow('failed election to renew leadership on lease shop/operator');
    clock.skippedMs += 3_600_000;
    expect(() => me.elector.check()).toThrow(expect.objectContaining({ code: 'leadership' }));
  });

  it('passes for a former leader whose lease has another holder [LE-17]', async () => {
    const place = await election();
    const clock = skipping(place.clock);
    const me = await place.start('me', { ...MINUTE, clock });
    place.put(heldBy('other', { leaseDurationSeconds: 60 }));
    await place.pass(2_000);
    clock.skippedMs += 3_600_000;
    me.elector.check();
    await me.ended;
  });
});

describe('options', () => {
  const rows: readonly [problem: string, options: Partial<LeaderElectorOptions>, message: string][] = [
    [
      'a lease that is not longer than the deadline',
      { leaseDurationMs: 10_000 },
      'leaseDurationMs (10000) must be greater than renewDeadlineMs (10000)',
    ],
    [
      'a deadline of 1.2 periods',
      { retryPeriodMs: 10_000 / 1.2 },
      'renewDeadlineMs (10000) must be greater than 1.2 times retryPeriodMs',
    ],
    ['a period of zero', { retryPeriodMs: 0 }, 'retryPeriodMs must be greater than zero'],
    ['a negative period', { retryPeriodMs: -1 }, 'retryPeriodMs must be greater than zero'],
    ['a negative deadline', { renewDeadlineMs: -5, retryPeriodMs: -10 }, 'renewDeadlineMs must be greater than zero'],
    [
      'a negative duration',
      { leaseDurationMs: -1, renewDeadlineMs: -5, retryPeriodMs: -10 },
      'leaseDurationMs must be greater than zero',
    ],
    [
      'a duration that no Lease can have',
      { leaseDurationMs: 900, renewDeadlineMs: 500, retryPeriodMs: 100 },
      'leaseDurationMs must be from 1000',
    ],
    [
      'a duration of more seconds than a Lease counts',
      { leaseDurationMs: (2 ** 31 - 1) * 1000 + 1 },
      'leaseDurationMs must be from 1000 to 2147483647000',
    ],
    ['an endless duration', { leaseDurationMs: Number.POSITIVE_INFINITY }, 'leaseDurationMs must be from 1000'],
    ['no onStartedLeading', { onStartedLeading: undefined as never }, 'onStartedLeading must be a function'],
    ['no onStoppedLeading', { onStoppedLeading: undefined as never }, 'onStoppedLeading must be a function'],
    ['no client', { client: undefined as never }, 'client is missing'],
    ['no name', { name: undefined as never }, 'name must be a text'],
    ['an empty namespace', { namespace: '' }, 'namespace must be a text'],
    ['a name that no Lease can have', { name: 'My_Operator' }, 'name "My_Operator" cannot be that of a Lease'],
    ['labels that are no texts', { labels: { a: 1 } as never }, 'labels must be an object of texts'],
    ['an empty identity', { identity: '' }, 'Lock identity is empty'],
  ];

  it.each(rows)('with %s are refused before anything is sent, with a hint [LE-15]', async (_, options, message) => {
    const place = await election();
    const error = await Promise.resolve()
      .then(() => place.elector('me', options))
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'argument' });
    expect((error as InformerError).message).toContain(message);
    expect((error as InformerError).hint).toMatch(/\w/);
    expect(place.verbs()).toEqual([]);
  });

  it('are checked in the order of client-go: of several problems the first is reported [LE-15]', async () => {
    const place = await election();
    const order = [0, 1, 2, 8, 10, 15].map((i) => rows[i] as (typeof rows)[number]);
    for (let i = 0; i < order.length; i++) {
      const problems = Object.assign(
        {},
        ...order
          .slice(i)
          .map(([, options]) => options)
          .reverse(),
      );
      if (i === 1) problems.leaseDurationMs = 15_000;
      expect(() => place.elector('me', problems)).toThrow(order[i]?.[2]);
    }
  });

  it('have client-go’s defaults, and a new identity with the name of the host', async () => {
    const place = await election();
    const options = { client: place.client, name: 'a', namespace: 'b', onStartedLeading() {}, onStoppedLeading() {} };
    const [one, two] = [new LeaderElector(options), new LeaderElector(options)];
    expect(one.identity).toMatch(/^.+_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(two.identity).not.toBe(one.identity);
  });
});

describe('what others see of an election', () => {
  it('metrics: whether this process leads, and the renewals that needed more than one request', async () => {
    const place = await election();
    const metrics = new RecordingMetrics();
    const me = await place.start('me', { metrics });
    expect(metrics.value('leader_election_master_status', { name: 'operator' })).toBe(1);
    expect(metrics.value('leader_election_slowpath_total', { name: 'operator' })).toBe(0);
    place.put(place.spec() ?? {}, { changed: 'yes' });
    await place.pass(2_000);
    expect(metrics.value('leader_election_slowpath_total', { name: 'operator' })).toBe(1);
    me.abort.abort();
    await me.ended;
    expect(metrics.value('leader_election_master_status', { name: 'operator' })).toBe(0);
  });

  it('events about the Lease, at the beginning and at the end', async () => {
    const place = await election();
    const events: unknown[] = [];
    const recorder = {
      event: (object: object, ...rest: string[]) => events.push([object, ...rest]),
    };
    const me = await place.start('me', { recorder });
    me.abort.abort();
    await me.ended;
    const lease = expect.objectContaining({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: expect.objectContaining({ name: 'operator', namespace: 'shop', uid: place.lease()?.metadata.uid }),
    });
    expect(events).toEqual([
      [lease, 'Normal', 'LeaderElection', 'me became leader'],
      [lease, 'Normal', 'LeaderElection', 'me stopped leading'],
    ]);
  });

  it('callbacks that throw end nothing', async () => {
    const place = await election();
    const fail = () => {
      throw new Error('oops');
    };
    const me = await place.start('me', { onNewLeader: fail, onStoppedLeading: fail, recorder: { event: fail } });
    expect(me.elector.isLeader).toBe(true);
    me.abort.abort();
    expect(await me.ended).toBeUndefined();
  });
});

it('an EventRecorder writes the events of an election', async () => {
  const place = await election();
  const recorder = new EventRecorder(place.client, { component: 'operator', clock: place.clock, logger: silentLogger });
  const me = await place.start('me', { recorder });
  me.abort.abort();
  await me.ended;
  await calm();
  const closed = recorder.close();
  await place.clock.advance(10_000);
  await closed;
  const events = place.sandbox.list({ group: '', version: 'v1', resource: 'events' });
  expect(events.map(({ reason, message, involvedObject }) => [reason, message, involvedObject])).toEqual(
    ['me became leader', 'me stopped leading'].map((message) => [
      'LeaderElection',
      message,
      expect.objectContaining({ kind: 'Lease', namespace: 'shop', name: 'operator' }),
    ]),
  );
});
