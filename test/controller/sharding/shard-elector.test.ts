import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import type { TransportRequest } from '../../../src/client/http/transport.ts';
import { LEASES } from '../../../src/controller/election/lease-lock.ts';
import { ShardElector } from '../../../src/controller/sharding/shard-elector.ts';
import type { HeldShard } from '../../../src/controller/sharding/shard-options.ts';
import { aborted } from '../../../src/kit/abort.ts';
import type { Clock } from '../../../src/kit/clock.ts';
import { createLogger } from '../../../src/kit/logger.ts';
import { seededRandom } from '../../../src/kit/random.ts';
import { calm } from '../../support/election.ts';
import { inProcess, noting } from '../../support/in-process.ts';
import { RecordingMetrics } from '../../support/recording-metrics.ts';
import { type Replica, replicas, type World } from '../../support/replicas.ts';

const DURATION_MS = 15_000;

const names = ({ sandbox }: World) =>
  sandbox
    .list(LEASES)
    .map(({ metadata }) => metadata.name)
    .sort();
const counts = (world: World) => {
  const all = Object.values(world.owners()).flat();
  return world.replicas.map(({ name }) => all.filter((owner) => owner === name).length);
};

describe('replicas that share shards', () => {
  it('that start together have their parts within five seconds, and none ever has more', async () => {
    await using world = await replicas(8);
    for (const name of ['a', 'b', 'c', 'd']) world.start(name);
    await world.pass(5000);
    expect(counts(world)).toEqual([2, 2, 2, 2]);
    expect(Object.values(world.owners()).every((owners) => owners.length === 1)).toBe(true);
    for (const { overviews } of world.replicas) expect(Math.max(...overviews.map(({ held }) => held.length))).toBe(2);
    expect(world.doubled).toEqual([]);
    for (const { overviews } of world.replicas) {
      const texts = overviews.map(({ held, members }) => `${held} of ${members.length}`);
      expect(texts.filter((text, i) => text === texts[i - 1])).toEqual([]); // each is reported once
    }
  });

  it('give back what a new one should have, when the work has ended, and keep the rest', async () => {
    await using world = await replicas(8);
    for (const name of ['a', 'b']) world.start(name);
    await world.pass(5000);
    const before = world.owners();
    world.start('c');
    await world.pass(8000);
    expect(counts(world)).toEqual([3, 3, 2]);
    const after = world.owners();
    expect(Object.keys(after).filter((shard) => after[+shard]?.[0] !== before[+shard]?.[0])).toHaveLength(2);
    expect(world.doubled).toEqual([]);
  });

  it('take the shards of one that died within its lease duration and two seconds', async () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      await using world = await replicas(6, seed);
      const all = ['a', 'b', 'c'].map((name) => world.start(name));
      await world.pass(6000 + seed * 300);
      const died = all[1] as Replica;
      const shards = died.elector.held;
      expect(shards).toHaveLength(2);
      died.kill();
      const at = world.clock.monotonic();
      await world.pass(DURATION_MS + 2000);
      for (const shard of shards) {
        const first = world.acts.find((act) => act.shard === shard && act.by !== 'b' && act.at > at);
        expect((first?.at ?? Number.NaN) - at).toBeLessThanOrEqual(DURATION_MS + 2000);
      }
      expect(world.doubled).toEqual([]);
    }
  });

  it('say how many there are, also when that changes and their shards do not', async () => {
    await using world = await replicas(2);
    const all = ['a', 'b', 'c'].map((name) => world.start(name));
    await world.pass(5000);
    expect(counts(world)).toEqual([1, 1, 0]);
    const last = () => all.slice(0, 2).map(({ overviews }) => overviews.at(-1)?.members);
    expect(last()).toEqual([all, all].map((each) => each.map(({ name }) => name)));
    all[2]?.kill();
    await world.pass(2 * DURATION_MS);
    expect(counts(world)).toEqual([1, 1, 0]);
    expect(last()).toEqual(Array(2).fill(['a', 'b']));
  });

  it('take the shards of one that died and was started again as soon as those of one that was not', async () => {
    for (const afterMs of [500, 4000, 10_000]) {
      await using world = await replicas(8);
      const all = ['a', 'b', 'c', 'd'].map((name) => world.start(name));
      await world.pass(20_000);
      const died = all[3] as Replica;
      const shards = died.elector.held;
      expect(shards).toHaveLength(2);
      died.kill();
      const at = world.clock.monotonic();
      await world.pass(afterMs);
      const again = world.start('e');
      await world.pass(DURATION_MS + 2000 - afterMs);
      for (const shard of shards) {
        const first = world.acts.find((act) => act.shard === shard && act.by !== 'd' && act.at > at);
        expect((first?.at ?? Number.NaN) - at).toBeLessThanOrEqual(DURATION_MS + 2000);
      }
      await world.pass(3 * DURATION_MS);
      expect(again.elector.held).toHaveLength(2);
      expect(world.doubled).toEqual([]);
    }
  });

  it('without rights name those that they need', async () => {
    await using world = await replicas(2);
    const errors: unknown[] = [];
    world.sandbox.faults.add({ fault: { kind: 'status', code: 403 }, match: { path: /leases/, method: 'GET' } });
    const a = world.start('a', { onError: (error) => errors.push(error) });
    await world.pass(5000);
    expect(errors.length).toBeGreaterThan(0);
    expect((errors[0] as { hint?: string }).hint).toContain(
      'shards need the right to get, list, watch, create, update and delete leases.coordination.k8s.io',
    );
    a.abort.abort();
    await world.pass(5000);
  });

  it('that may not read the Leases at their start end with an error that names the rights', async () => {
    await using world = await replicas(2);
    const times = Number.POSITIVE_INFINITY;
    world.sandbox.faults.add({ fault: { kind: 'status', code: 403 }, match: { path: /leases/, method: 'GET' }, times });
    const a = world.start('a');
    await world.pass(5000);
    expect(await a.ended).toMatchObject({
      code: 'api',
      hint: expect.stringContaining('shards need the right to get, list'),
    });
  });

  it('end with the error of work that failed, and their other work ends before that', async () => {
    await using world = await replicas(2);
    const failure = new Error('broken');
    const ends: string[] = [];
    const onShard = async ({ index, signal }: HeldShard) => {
      if (index === 1) throw failure;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      ends.push('ended');
    };
    const a = world.start('a', { onShard });
    await world.pass(6000);
    expect([await a.ended, ends, a.elector.held]).toEqual([failure, ['ended'], []]);
  });

  it('that start within one retry period never have more than their parts', async () => {
    await using world = await replicas(8);
    const a = world.start('a');
    await world.pass(1500);
    world.start('b');
    await world.pass(6000);
    expect(counts(world)).toEqual([4, 4]);
    expect(Math.max(...a.overviews.map(({ held }) => held.length))).toBe(4);
  });

  it('report nothing before they have their first shard', async () => {
    await using world = await replicas(2);
    const a = world.start('a');
    await world.pass(5000);
    expect(a.overviews.map(({ held }) => held)).toEqual([[0], [0, 1]]);
    expect([a.elector.isClaiming, a.elector.held]).toEqual([false, [0, 1]]);
  });

  it('give a shard up again where the Leases cannot be read after it was acquired, report why, and try again', async () => {
    await using world = await replicas(1);
    const errors: unknown[] = [];
    const match = { path: /role%3Dshard/, method: 'GET' };
    world.sandbox.faults.add({ fault: { kind: 'status', code: 500 }, match, times: Number.POSITIVE_INFINITY });
    const a = world.start('a', { onError: (error) => errors.push(error) });
    await world.pass(6000);
    expect([a.elector.held, world.acts, errors.length > 0]).toEqual([[], [], true]);
    expect(errors[0]).toMatchObject({ code: 'api', status: { code: 500 } });
    world.sandbox.faults.clear();
    await world.pass(4000);
    expect(a.elector.held).toEqual([0]);
  });

  it.each([
    [409, false],
    [500, true],
  ] as const)(
    'that cannot delete their own Lease, with %i, end all the same: it is logged %s',
    async (code, isLogged) => {
      await using world = await replicas(1);
      const lines: string[] = [];
      const logger = createLogger((_, message) => lines.push(message));
      const a = world.start('a', { logger });
      await world.pass(5000);
      const match = { method: 'DELETE', path: '/leases' };
      world.sandbox.faults.add({ fault: { kind: 'status', code }, match, times: Number.POSITIVE_INFINITY });
      a.abort.abort();
      await world.pass(5000);
      expect(await a.ended).toBeUndefined();
      expect(lines.includes('a Lease was not deleted; it ends by itself')).toBe(isLogged);
    },
  );

  it('delete no Lease of one that died if it was renewed after it was seen, and say nothing of one that is gone', async () => {
    await using world = await replicas(2);
    const lines: string[] = [];
    const logger = createLogger((_, message) => lines.push(message));
    const sent: TransportRequest[] = [];
    const client = createClient(noting(world.sandbox.transport(), sent), { clock: world.clock });
    const a = world.start('a', { client, logger });
    const b = world.start('b');
    await world.pass(6000);
    b.kill();
    await world.pass(4 * DURATION_MS);
    const deletions = sent.filter(({ method }) => method === 'DELETE');
    expect(deletions.map(({ body }) => JSON.parse(String(body)))).toMatchObject([
      { preconditions: { resourceVersion: expect.stringMatching(/^[0-9]+$/) } },
    ]);
    const own = names(world).find((name) => name?.includes('member')) as string;
    world.sandbox.delete(LEASES, `shop/${own}`);
    a.abort.abort();
    await world.pass(3000);
    expect([await a.ended, lines.filter((line) => line.includes('not deleted'))]).toEqual([undefined, []]);
  });

  it('of which one has ended may take part again', async () => {
    await using world = await replicas(4);
    const a = world.start('a');
    await world.pass(3000);
    await expect(a.elector.run(new AbortController().signal)).rejects.toThrow('takes part in the sharing already');
    a.abort.abort();
    await world.pass(3000);
    await a.ended;
    expect(a.elector.held).toEqual([]);
    const again = new AbortController();
    const ended = a.elector.run(again.signal);
    await world.pass(3000);
    expect(a.elector.held).toHaveLength(4);
    again.abort();
    await world.pass(3000);
    await ended;
  });

  it('get the shards of one that ends at once, and no Lease of it is left', async () => {
    await using world = await replicas(4);
    const [a] = ['a', 'b'].map((name) => world.start(name)) as [Replica, Replica];
    await world.pass(5000);
    a.abort.abort();
    await world.pass(3000);
    expect(await a.ended).toBeUndefined();
    expect(counts(world)).toEqual([0, 4]);
    expect(names(world).filter((name) => name?.includes('member'))).toHaveLength(1);
    expect(world.doubled).toEqual([]);
  });

  it('have deleted their own Leases when they have ended, also without a shard', async () => {
    await using world = await replicas(1);
    const [a, b] = ['a', 'b'].map((name) => world.start(name)) as [Replica, Replica];
    await world.pass(5000);
    expect(counts(world)).toEqual([1, 0]);
    const left = [b, a].map(({ ended }) => ended.then(() => names(world).length));
    expect(names(world)).toHaveLength(3);
    b.abort.abort();
    await world.pass(1000);
    a.abort.abort();
    await world.pass(1000);
    expect(await Promise.all(left)).toEqual([2, 1]);
  });

  it('log that a Lease cannot be written, with the rights that it takes', async () => {
    await using world = await replicas(1);
    const lines: string[] = [];
    const logger = createLogger((level, message, { hint }) => void lines.push(`${level}: ${message} (${hint})`));
    const times = Number.POSITIVE_INFINITY;
    world.sandbox.faults.add({
      fault: { kind: 'status', code: 403 },
      match: { path: /leases/, method: 'POST' },
      times,
    });
    world.start('a', { logger, onError: undefined });
    await world.pass(5000);
    const rights = 'shards need the right to get, list, watch, create, update and delete leases';
    expect(lines.find((line) => !/^(debug|info)/.test(line))).toMatch(
      new RegExp(`^(warn|error): a Lease could not be acquired or renewed; will retry \\(${rights}`),
    );
  });

  it('wait when there are more of them than shards', async () => {
    await using world = await replicas(2);
    for (const name of ['a', 'b', 'c']) world.start(name);
    await world.pass(5000);
    expect(counts(world)).toEqual([1, 1, 0]);
    world.replicas[0]?.kill();
    await world.pass(DURATION_MS + 2000);
    expect(counts(world)).toEqual([0, 1, 1]);
  });

  it('cost a few hundred bytes a renewal: no Lease has managed fields after its first one', async () => {
    await using world = await replicas(8);
    for (const name of ['a', 'b']) world.start(name);
    await world.pass(8000);
    const leases = world.sandbox.list(LEASES);
    expect(leases).toHaveLength(10);
    for (const lease of leases) expect(lease.metadata.managedFields ?? []).toEqual([]);
    expect(Math.max(...leases.map((lease) => JSON.stringify(lease).length))).toBeLessThan(600);
  });

  it('do not wait for one that was killed long ago, and delete its Lease', async () => {
    await using world = await replicas(4);
    const ghost = world.start('ghost');
    await world.pass(5000);
    ghost.kill();
    await world.pass(DURATION_MS + 5000);
    const b = world.start('b');
    await world.pass(DURATION_MS + 4000);
    expect(b.elector.held).toHaveLength(4);
    expect(Math.max(...b.overviews.map(({ members }) => members.length))).toBe(1);
    b.abort.abort();
    await world.pass(1000);
    const c = world.start('c');
    await world.pass(6000);
    expect(c.elector.held).toHaveLength(4);
    await world.pass(2 * DURATION_MS);
    expect(names(world).filter((name) => name?.includes('member'))).toHaveLength(1);
    expect(world.doubled).toEqual([]);
  });

  it('delete the Lease of one that died when it has been over for a duration, and keep those of the others', async () => {
    await using world = await replicas(4);
    const members = () => names(world).filter((name) => name?.includes('member')).length;
    const [, b] = ['a', 'b', 'c'].map((name) => world.start(name)) as [Replica, Replica, Replica];
    await world.pass(6000);
    b.kill();
    await world.pass(2 * DURATION_MS - 3000);
    expect(members()).toBe(3);
    await world.pass(6000);
    expect(members()).toBe(2);
    await world.pass(2 * DURATION_MS);
    expect(members()).toBe(2);
  });

  it('say that they work on nothing when the work of their shards has ended, before their Leases are given up', async () => {
    await using world = await replicas(2);
    const a = world.start('a');
    await world.pass(5000);
    expect(a.overviews.at(-1)?.held).toEqual([0, 1]);
    world.sandbox.faults.add({
      fault: { kind: 'slow', ms: 60_000 },
      match: { method: 'PUT', path: '/leases' },
      times: Number.POSITIVE_INFINITY,
    });
    a.abort.abort();
    await world.pass(1000);
    expect([a.elector.held, a.overviews.at(-1)?.held]).toEqual([[], []]);
  });

  it('ask once for the deletion of a Lease, also where it is refused', async () => {
    await using world = await replicas(4);
    const match = { method: 'DELETE', path: '/leases' };
    world.sandbox.faults.add({ fault: { kind: 'status', code: 500 }, match, times: Number.POSITIVE_INFINITY });
    const [, b] = ['a', 'b', 'c'].map((name) => world.start(name)) as [Replica, Replica, Replica];
    await world.pass(6000);
    b.kill();
    await world.pass(3 * DURATION_MS);
    const deletions = world.sandbox.requests.matching(/leases/).filter(({ method }) => method === 'DELETE');
    expect(deletions).toHaveLength(1);
  });

  it.each([3_600_000, -3_600_000])('count one whose clock differs by %i ms, and are counted by it', async (ms) => {
    await using world = await replicas(8);
    for (const name of ['a', 'b']) world.start(name);
    await world.pass(6000);
    const { clock } = world;
    const other: Clock = {
      now: () => clock.now() + ms,
      monotonic: () => clock.monotonic(),
      after: (...args) => clock.after(...args),
      sleep: (...args) => clock.sleep(...args),
      yield: () => clock.yield(),
    };
    world.start('c', { clock: other });
    for (let i = 0; i < 60; i++) {
      await world.pass(1000);
      if (i > 2) expect(names(world).filter((name) => name?.includes('member'))).toHaveLength(3);
    }
    expect(counts(world)).toEqual([3, 3, 2]);
    expect(world.doubled).toEqual([]);
  });

  it('say nothing of a claim that another one was faster with, nor of a history that the server has lost', async () => {
    await using world = await replicas(12);
    const lines: string[] = [];
    const logger = createLogger((level, message) => lines.push(`${level} ${message}`));
    const errors: string[] = [];
    const onError = (error: unknown) => errors.push(String(error));
    world.sandbox.faults.add({
      fault: { kind: 'status', code: 409 },
      match: { path: /leases/, method: 'POST' },
      times: 2,
    });
    for (const name of ['a', 'b']) world.start(name, { logger, onError });
    await world.pass(6000);
    expect(counts(world)).toEqual([6, 6]);
    world.sandbox.faults.add({ fault: { kind: 'gone', after: 1 }, match: { path: /leases/, watch: true }, times: 2 });
    world.start('c', { logger, onError });
    await world.pass(5000);
    expect(lines.some((line) => line.includes('too old resource version'))).toBe(true);
    expect(lines.some((line) => line.startsWith('debug another replica has written a Lease first'))).toBe(true);
    expect(lines.filter((line) => line.startsWith('error'))).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('that divide otherwise wait until the others have ended', async () => {
    await using world = await replicas(8);
    const old = ['a', 'b'].map((name) => world.start(name, { shards: 4 }));
    await world.pass(5000);
    const late = world.start('c', { shards: 8 });
    await world.pass(30_000);
    expect([late.elector.held, late.elector.overview.waitsFor]).toEqual([[], '4-by-uid']);
    expect(late.overviews.at(-1)?.waitsFor).toBe('4-by-uid');
    old[0]?.abort.abort();
    await world.pass(5000);
    expect([late.elector.held, old[1]?.elector.held.length]).toEqual([[], 4]);
    old[1]?.abort.abort();
    await world.pass(8000);
    expect(late.elector.held).toHaveLength(8);
    expect(late.overviews.at(-1)?.waitsFor).toBeUndefined();
  });

  it('take what another one gives back as soon as its work has ended', async () => {
    await using world = await replicas(6);
    const [a] = ['a', 'b'].map((name) => world.start(name)) as [Replica, Replica];
    await world.pass(6000);
    expect(counts(world)).toEqual([3, 3]);
    const [shards, at] = [a.elector.held, world.clock.monotonic()];
    a.abort.abort();
    await world.pass(3000);
    for (const shard of shards) {
      const first = world.acts.find((act) => act.shard === shard && act.by === 'b' && act.at > at);
      expect((first?.at ?? Number.NaN) - at).toBeLessThan(1000); // the work takes 300 ms to end
    }
  });

  it('say while they try to take a shard, until they are asked to end', async () => {
    await using world = await replicas(2);
    // the first Lease is that of the replica itself
    world.sandbox.faults.add({
      fault: { kind: 'stall' },
      match: { path: /leases/, method: 'POST' },
      skip: 1,
      times: 2,
    });
    const a = world.start('a');
    expect(a.elector.isClaiming).toBe(false);
    await world.pass(5000);
    expect([a.elector.isClaiming, a.elector.held]).toEqual([true, []]);
    a.abort.abort();
    await world.pass(100);
    expect(a.elector.isClaiming).toBe(false);
  });

  it('are not healthy while they are frozen for longer than the Lease of a shard lasts, with the tolerance', async () => {
    await using world = await replicas(1);
    const a = world.start('a', { healthToleranceMs: 4000 });
    const b = world.start('b', { healthToleranceMs: 4000 });
    await world.pass(6000);
    const [owner, other] = a.elector.held.length > 0 ? [a, b] : [b, a];
    owner.process.shut();
    await world.pass(15_000);
    expect(() => owner.elector.check()).not.toThrow();
    await world.pass(7000);
    expect(() => owner.elector.check()).toThrow(expect.objectContaining({ code: 'leadership' }));
    expect(() => other.elector.check()).not.toThrow();
    owner.process.open();
  });

  it('end when the work of their shards has ended, and not before', async () => {
    await using world = await replicas(2);
    const { clock } = world;
    const onShard = async ({ signal }: HeldShard) => {
      await aborted(signal).catch(() => {});
      await clock.sleep(3000);
    };
    const a = world.start('a', { onShard });
    await world.pass(6000);
    let hasEnded = false;
    void a.ended.then(() => {
      hasEnded = true;
    });
    a.abort.abort();
    await world.pass(2500);
    expect(hasEnded).toBe(false);
    await world.pass(1000);
    expect(hasEnded).toBe(true);
  });

  it('have the clock of their client if they are given none', async () => {
    const { client, clock } = await inProcess({
      objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }],
    });
    const stop = new AbortController();
    const options = {
      client,
      name: 'op',
      namespace: 'shop',
      shards: 1,
      onShard: ({ signal }: HeldShard) => aborted(signal),
    };
    const elector = new ShardElector(options);
    const running = elector.run(stop.signal);
    for (let i = 0; i < 20; i++) {
      await calm();
      await clock.advance(500);
    }
    expect(elector.held).toEqual([0]);
    stop.abort();
    for (let i = 0; i < 20; i++) {
      await calm();
      await clock.advance(500);
    }
    await running;
  });

  it('of which the work of two shards fails end with the first error', async () => {
    await using world = await replicas(2);
    const clock = world.clock;
    const onShard = async ({ index }: HeldShard) => {
      await clock.sleep(1000 + 100 * index);
      throw new Error(`shard ${index} failed`);
    };
    const a = world.start('a', { onShard });
    await world.pass(10_000);
    expect(await a.ended).toMatchObject({ message: 'shard 0 failed' });
  });

  it('have the number of replicas and of their own shards as metrics', async () => {
    await using world = await replicas(6);
    const metrics = new RecordingMetrics();
    world.start('a', { metrics });
    world.start('b');
    await world.pass(6000);
    const value = (what: string) => metrics.value(`kubectl_informer_shard${what}`, { name: 'op' });
    expect([value('s_held'), value('_replicas')]).toEqual([3, 2]);
  });

  it('end although the server does not answer the deletion of their Lease, after the deadline of a renewal', async () => {
    await using world = await replicas(2);
    const a = world.start('a');
    await world.pass(6000);
    let hasEnded = false;
    void a.ended.then(() => {
      hasEnded = true;
    });
    world.sandbox.faults.add({ fault: { kind: 'stall' }, match: { path: /leases/, method: 'DELETE' }, times: 9 });
    a.abort.abort();
    await world.pass(9000);
    expect(hasEnded).toBe(false);
    await world.pass(3000);
    expect(hasEnded).toBe(true);
  });

  it('of which one is cut off lose what it had to others, and it takes part again when it is back', async () => {
    await using world = await replicas(4);
    const [a] = ['a', 'b'].map((name) => world.start(name)) as [Replica, Replica];
    await world.pass(5000);
    a.network.shut();
    await world.pass(DURATION_MS + 3000);
    expect(a.elector.held).toEqual([]);
    expect(world.replicas[1]?.elector.held).toHaveLength(4);
    a.network.open();
    await world.pass(20_000);
    expect(counts(world)).toEqual([2, 2]);
    expect(world.doubled).toEqual([]);
  });

  it('of which one was frozen find that it has lost its shards before it acts', async () => {
    await using world = await replicas(4);
    const [a] = ['a', 'b'].map((name) => world.start(name)) as [Replica, Replica];
    await world.pass(5000);
    a.process.shut();
    await world.pass(2 * DURATION_MS);
    expect(world.replicas[1]?.elector.held).toHaveLength(4);
    a.process.open();
    await world.pass(20_000);
    expect(counts(world)).toEqual([2, 2]);
    expect(world.doubled).toEqual([]);
  });
});

describe('a shard is not left without work', () => {
  it('where the work of its former owner does not end: another replica has it', async () => {
    await using world = await replicas(4);
    const stuck = Promise.withResolvers<void>();
    const a = world.start('a', { onShard: () => stuck.promise });
    world.start('b');
    await world.pass(5000);
    a.network.shut();
    await world.pass(DURATION_MS + 3000);
    expect(world.replicas[1]?.elector.held).toHaveLength(4);
    a.network.open();
    await world.pass(20_000);
    const { holders } = world.replicas[1]?.elector.overview ?? {};
    expect(holders).not.toContain(undefined);
    stuck.resolve();
  });

  it('where the replica that should take it does not: another one does, after a lease duration for each', async () => {
    await using world = await replicas(4);
    world.start('a');
    await world.pass(5000);
    // it lives, and takes nothing
    const idle = world.sandbox.list(LEASES).find(({ metadata }) => metadata.name?.includes('member'));
    const keep = () => {
      const renewTime = new Date(world.clock.now()).toISOString().replace('Z', '000Z');
      const spec = { ...(idle as unknown as { spec: object }).spec, holderIdentity: 'idle', renewTime };
      const { labels } = idle?.metadata ?? {};
      world.sandbox.apply([
        {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { namespace: 'shop', name: 'op-member-idle', labels },
          spec,
        },
      ]);
    };
    keep();
    await world.pass(3000);
    expect(world.replicas[0]?.elector.held).toHaveLength(2);
    for (let i = 0; i < 20; i++) {
      keep();
      await world.pass(2000);
    }
    expect(world.replicas[0]?.elector.held).toEqual([0, 1, 2, 3]);
  });
});

describe('replicas under faults', () => {
  it.each([1, 2])('never act for a shard at once, and always have all in the end (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    await using world = await replicas(8, seed);
    let next = 0;
    const alive = () => world.replicas.filter(({ isDead, abort }) => !isDead && !abort.signal.aborted);
    const begin = () => world.start(`r${next++}`);
    for (let i = 0; i < 4; i++) begin();
    for (let round = 0; round < 25; round++) {
      const all = alive();
      const one = all[Math.floor(random() * all.length)] as Replica;
      const fault = Math.floor(random() * 6);
      if (fault === 0) one.kill();
      if (fault === 1) one.process.shut();
      if (fault === 2) one.network.shut();
      if (fault === 3 && all.length > 2) one.abort.abort();
      if (fault === 4 && all.length < 6) begin();
      if (fault === 5)
        for (const each of all) {
          each.process.open();
          each.network.open();
        }
      if (alive().length < 3) begin();
      await world.pass(1000 + Math.floor(random() * 20_000));
    }
    for (const each of alive()) {
      each.process.open();
      each.network.open();
    }
    await world.pass(60_000);
    expect(world.doubled).toEqual([]);
    expect(Object.values(world.owners()).map((owners) => owners.length)).toEqual(Array(8).fill(1));
    expect(world.acts.length).toBeGreaterThan(2000);
  });
});
