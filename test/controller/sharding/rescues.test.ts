import { expect, it } from 'vitest';
import { Rescues, type RescueView } from '../../../src/controller/sharding/rescues.ts';

const DURATION_MS = 1000;

interface Scene {
  members?: string;
  newcomers?: string;
  /** The holder of each shard, one letter each; `.` for none. */
  holders: string;
  lapsed?: number[];
}

const viewOf = ({ members = 'ab', newcomers = '', holders, lapsed = [] }: Scene): RescueView => ({
  members: new Set(members),
  newcomers: new Set(newcomers),
  holders: [...holders].map((holder) => (holder === '.' ? undefined : holder)),
  hasLapsed: (index) => lapsed.includes(index),
});

/** The rescues of a replica at each of the times, ms, in which nothing changes. */
const over = (replica: string, scene: Scene, times: number[]) => {
  const rescues = new Rescues(replica, DURATION_MS);
  return times.map((now) => rescues.at(now, viewOf(scene)).join());
};

it('a shard that is free for its lease duration is rescued by one replica, and by the next one after a further duration', () => {
  const times = [500, 1499, 1500, 2499, 2500, 3500];
  expect(over('a', { holders: '.' }, times)).toEqual(['', '', '0', '0', '0', '0']);
  expect(over('b', { holders: '.' }, times)).toEqual(['', '', '', '', '0', '0']);
  // the next shard begins with the other replica, whatever the order in which they are seen
  expect(over('a', { members: 'ba', holders: 'a.' }, times)).toEqual(['', '', '', '', '1', '1']);
  expect(over('b', { members: 'ba', holders: 'b.' }, times)).toEqual(['', '', '1', '1', '1', '1']);
  // of three, c is the first for shard 1, then a, then b
  const three = ['c', 'a', 'b'].map((replica) =>
    over(replica, { members: 'abc', holders: 'a.' }, [0, 1000, 2000, 3000]),
  );
  expect(three.map((shards) => shards.join('|'))).toEqual(['|1|1|1', '||1|1', '|||1']);
});

it('a shard counts as free since it had no owner the last time', () => {
  const rescues = new Rescues('a', DURATION_MS);
  const at = (now: number, holders: string) => rescues.at(now, viewOf({ holders }));
  expect([at(0, '.'), at(900, 'b'), at(901, '.'), at(1900, '.'), at(1901, '.')]).toEqual([[], [], [], [], [0]]);
});

it('a rescued shard is kept for eight lease durations after the time at which it had no owner last', () => {
  const rescues = new Rescues('a', DURATION_MS);
  const at = (now: number, holders: string) => rescues.at(now, viewOf({ holders }));
  expect([at(0, '.'), at(1000, '.'), at(1500, '.'), at(9499, 'a'), at(9500, 'a')]).toEqual([[], [0], [0], [0], []]);
});

it('the shards of one that died which would go to newcomers are divided among the others, for two lease durations', () => {
  const scene = { members: 'abcd', newcomers: 'd', holders: 'aabbcc..', lapsed: [6, 7] };
  expect(['a', 'b', 'c', 'd'].map((replica) => over(replica, scene, [0]).join())).toEqual(['6', '7', '', '']);
  const rescues = new Rescues('b', DURATION_MS);
  const at = (now: number, holders: string) => rescues.at(now, viewOf({ ...scene, members: 'dcba', holders })).join();
  expect([at(0, 'aabbcc..'), at(1999, 'aabbccab'), at(2000, 'aabbccab')]).toEqual(['7', '7', '']);
});

it('a shard that was released, or has an owner, is left to the newcomer', () => {
  const scene = { members: 'abcd', newcomers: 'd', holders: 'aabbcc..' };
  expect(['a', 'b'].map((replica) => over(replica, { ...scene, lapsed: [7] }, [0]).join())).toEqual(['7', '']);
  expect(over('a', { ...scene, lapsed: [] }, [0])).toEqual(['']);
  // where all are newcomers, no other one has them
  expect(over('a', { members: 'a', newcomers: 'a', holders: '.', lapsed: [0] }, [0])).toEqual(['']);
});

it('the shards of several newcomers are divided in their order, whatever the order of the newcomers', () => {
  const scene = { members: 'abxy', newcomers: 'yx', holders: 'aabb....', lapsed: [4, 5, 6, 7] };
  expect(['a', 'b'].map((replica) => over(replica, scene, [0]).join())).toEqual(['4,6', '5,7']);
});
