import { expect, it } from 'vitest';
import { shortened, Trail } from '../../../src/controller/history/trail.ts';
import type { ResourceEvent } from '../../../src/controller/resource-event.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { updated } from '../../support/controller.ts';

const origin = { reason: 'updated', via: 'watch', source: 'v1/pods' } as const;

function skipped(event: ResourceEvent, by: string) {
  return { origin: { ...origin, resourceVersion: event.object?.metadata.resourceVersion ?? '' }, event, by } as const;
}

it('events in a row that did the same are one step, with their number, the last version and the last time', () => {
  const clock = new FakeClock();
  const trail = new Trail(clock);
  for (const version of ['1', '2', '3']) {
    trail.came('a', 'merged', { cause: { ...origin, resourceVersion: version }, isChange: true });
    clock.tick(5);
  }
  trail.came('a', 'queued', { cause: origin, isChange: true });
  expect(trail.of('a')?.entries).toEqual([
    { kind: 'event', at: clock.now() - 5, effect: 'merged', count: 3, origin: { ...origin, resourceVersion: '3' } },
    { kind: 'event', at: clock.now(), effect: 'queued', count: 1, origin },
  ]);
});

it('keeps the last 20 steps of a key, and counts the others', () => {
  const trail = new Trail(new FakeClock());
  for (let run = 1; run <= 50; run++) trail.began('a', { run, attempt: 1, waitedMs: 0, events: 1 });
  const { entries = [], dropped } = trail.of('a') ?? {};
  expect(entries.map((entry) => entry.kind === 'run' && entry.run)).toEqual(
    Array.from({ length: 20 }, (_, i) => i + 31),
  );
  expect(dropped).toBe(30);
});

it('keeps a bounded number of keys: those with steps lately', () => {
  const trail = new Trail(new FakeClock());
  for (let i = 0; i < 100_000; i++) {
    trail.manual(`key-${i}`, 'enqueued');
    if (i % 1000 === 0) trail.manual('busy', 'enqueued');
  }
  const kept = Array.from({ length: 100_000 }, (_, i) => trail.of(`key-${i}`)).filter((page) => page).length;
  expect(kept).toBeGreaterThanOrEqual(10_000 - 200);
  expect(kept).toBeLessThanOrEqual(20_000);
  expect(trail.of('key-99999')).toBeDefined();
  expect(trail.of('busy')?.entries).toHaveLength(20);
  expect(trail.hasDropped).toBe(true);
});

it('keeps the objects of the last events of a bounded number of keys', () => {
  const trail = new Trail(new FakeClock());
  for (let i = 0; i < 1000; i++)
    trail.came(`shop/${i}`, 'queued', { cause: origin, isChange: true, event: updated(String(i), '1', '2') });
  const kept = Array.from({ length: 1000 }, (_, i) => trail.lastEvent(`shop/${i}`)).filter((event) => event).length;
  expect(kept).toBeGreaterThanOrEqual(128);
  expect(kept).toBeLessThanOrEqual(257);
});

it.each(['object', 'oldObject'] as const)(
  'an event that makes or deletes an object, and has only %s, lists no changed fields',
  (state) => {
    const { [state]: object, ...rest } = updated('web', '1', '2');
    const event = { key: rest.key, cause: rest.cause, type: 'added', [state]: object } as never;
    const trail = new Trail(new FakeClock());
    trail.came('shop/web', 'queued', { cause: origin, isChange: true, event });
    trail.skipped({ origin, event, why: 'error', by: 'labels' });
    expect(trail.of('shop/web')?.entries.map((entry) => 'changed' in entry)).toEqual([false, false]);
  },
);

it('a resync does not replace the last change of a key', () => {
  const trail = new Trail(new FakeClock());
  const change = updated('web', '1', '2');
  trail.came('shop/web', 'queued', { cause: origin, isChange: true, event: change });
  trail.came('shop/web', 'merged', { cause: origin, isChange: false, event: updated('web', '2', '2', 'resync') });
  expect(trail.lastEvent('shop/web')?.event).toBe(change);
});

it('a skipped event of another object is found by the keys that it would have led to; the mapping runs only then', () => {
  const trail = new Trail(new FakeClock());
  let calls = 0;
  for (const name of ['a', 'b', 'broken', 'b']) {
    const leadsTo = () => {
      calls++;
      if (name === 'broken') throw new Error('cannot map');
      return [`shop/owner-of-${name}`];
    };
    trail.skipped({ ...skipped(updated(name, '1', '2'), 'spec'), why: 'predicate', leadsTo });
  }
  expect(calls).toBe(0);
  expect(trail.skippedElsewhere('shop/owner-of-b')).toMatchObject([
    { why: 'predicate', by: 'spec', count: 1 },
    { why: 'predicate', by: 'spec', count: 1 },
  ]);
  expect(trail.skippedElsewhere('shop/owner-of-c')).toEqual([]);
  expect(trail.of('shop/a')).toBeUndefined();
});

it('keeps the last 128 skipped events of other objects, oldest first', () => {
  const trail = new Trail(new FakeClock());
  for (let i = 0; i < 300; i++)
    trail.skipped({ ...skipped(updated('a', '1', String(i)), 'spec'), why: 'predicate', leadsTo: () => ['shop/a'] });
  const versions = trail.skippedElsewhere('shop/a').map((entry) => entry.origin.resourceVersion);
  expect(versions).toEqual(Array.from({ length: 128 }, (_, i) => String(172 + i)));
});

it('cuts long texts', () => {
  const trail = new Trail(new FakeClock());
  for (let i = 0; i < 3; i++) trail.skipped({ ...skipped(updated('a', '1', '2'), 'x'.repeat(9999)), why: 'error' });
  expect(trail.of('shop/a')?.entries).toMatchObject([{ by: `${'x'.repeat(500)}…`, count: 3 }]);
});

/** An update of `web` that changes the given labels. */
function relabelled(version: number, ...labels: string[]): ResourceEvent {
  const change = updated('web', String(version), String(version + 1));
  const metadata = { ...change.object?.metadata, labels: Object.fromEntries(labels.map((label) => [label, 'x'])) };
  return { ...change, object: { ...change.object, metadata } } as ResourceEvent;
}

it('each step names the fields that its update changed, and one of several updates those of all, at most 10', () => {
  const trail = new Trail(new FakeClock());
  const came = (event: ResourceEvent, effect: 'queued' | 'merged') =>
    trail.came('shop/web', effect, { cause: origin, isChange: true, event });
  came(relabelled(1, 'a'), 'queued');
  came(relabelled(2, 'b'), 'merged');
  came({ ...relabelled(3), object: { ...updated('web', '3', '4').object, spec: { a: 1 } } } as ResourceEvent, 'merged');
  trail.skipped({ ...skipped(relabelled(4, 'c'), 'generation'), why: 'predicate' });
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`f${i}`, i]));
  came({ ...relabelled(5), object: { ...updated('web', '5', '6').object, ...many } } as ResourceEvent, 'queued');
  came(updated('web', '6', '6', 'resync'), 'merged');
  const changed = trail.of('shop/web')?.entries.map((entry) => ('changed' in entry ? entry.changed : undefined));
  expect(changed?.slice(0, 3)).toEqual([['.metadata.labels'], ['.metadata.labels', '.spec'], ['.metadata.labels']]);
  expect(changed?.slice(3)).toEqual([Array.from({ length: 10 }, () => expect.stringMatching(/^\.f\d+$/)), undefined]);
});

it('an update is not compared when comparing has taken more than 20 ms and a hundredth of the time', () => {
  const clock = new FakeClock();
  const trail = new Trail(clock);
  const slow = { ...relabelled(1, 'a') };
  const { object } = slow;
  let reads = 0;
  Object.defineProperty(slow, 'object', {
    value: new Proxy(object as object, {
      ownKeys(target) {
        reads++;
        clock.tick(15);
        return Reflect.ownKeys(target);
      },
    }),
  });
  const isCompared = () => {
    const before = reads;
    trail.came(`shop/${reads}`, 'queued', { cause: origin, isChange: true, event: slow });
    return reads > before;
  };
  const compared = [isCompared(), isCompared(), isCompared()];
  while (isCompared()) compared.push(true);
  expect(compared[0]).toBe(true);
  expect(isCompared()).toBe(false);
  clock.tick(100 * reads * 15);
  expect(isCompared()).toBe(true);
});

it.each([
  ['source', { source: 'v1/nodes' }],
  ['reason', { reason: 'added' }],
  ['way', { via: 'relist' }],
  ['object', { key: 'shop/other' }],
] as const)('an event from another %s is a step of its own, also when it is skipped', (_, other) => {
  const trail = new Trail(new FakeClock());
  const from = { ...origin, ...other };
  const event = updated('web', '1', '2', 'resync');
  for (const cause of [origin, from, from]) trail.came('a', 'queued', { cause, isChange: true });
  for (const each of [origin, from, from]) trail.skipped({ origin: each, event, why: 'predicate', by: 'spec' });
  const counts = (key: string) => trail.of(key)?.entries.map((entry) => 'count' in entry && entry.count);
  expect([counts('a'), counts('shop/web')]).toEqual([
    [1, 2],
    [1, 2],
  ]);
});

it('an event that is skipped for another reason, or by another predicate, is a step of its own', () => {
  const clock = new FakeClock();
  const trail = new Trail(clock);
  const event = updated('web', '1', '2', 'resync');
  for (const [why, by] of [
    ['predicate', 'spec'],
    ['predicate', 'labels'],
    ['error', 'labels'],
    ['error', 'labels'],
  ] as const) {
    clock.tick(1);
    trail.skipped({ origin, event, why, by });
  }
  trail.came('shop/web', 'queued', { cause: origin, isChange: true });
  trail.skipped({ origin, event, why: 'error', by: 'labels' });
  expect(trail.of('shop/web')?.entries).toEqual([
    { kind: 'skipped', at: clock.now() - 3, origin, why: 'predicate', by: 'spec', count: 1 },
    { kind: 'skipped', at: clock.now() - 2, origin, why: 'predicate', by: 'labels', count: 1 },
    { kind: 'skipped', at: clock.now(), origin, why: 'error', by: 'labels', count: 2 },
    { kind: 'event', at: clock.now(), origin, effect: 'queued', count: 1 },
    { kind: 'skipped', at: clock.now(), origin, why: 'error', by: 'labels', count: 1 },
  ]);
  expect(trail.lastEvent('shop/web')).toBeUndefined(); // a resync is no change
});

it('an event that led to several keys lists the first 10 of them, and one that led to one key none', () => {
  const trail = new Trail(new FakeClock());
  const keysAfter = (count: number) => {
    const keys = Array.from({ length: count }, (_, i) => `shop/${i}`);
    trail.came(`after-${count}`, 'queued', { cause: origin, isChange: true, keys });
    const [entry] = trail.of(`after-${count}`)?.entries ?? [];
    return entry && 'keys' in entry ? entry.keys : undefined;
  };
  expect([keysAfter(1), keysAfter(2)]).toEqual([undefined, ['shop/0', 'shop/1']]);
  expect(keysAfter(11)).toEqual(Array.from({ length: 10 }, (_, i) => `shop/${i}`));
});

it('a text of 500 characters is not cut', () => {
  expect([shortened('x'.repeat(500)), shortened('x'.repeat(501))]).toEqual(['x'.repeat(500), `${'x'.repeat(500)}…`]);
});

it('runs, their ends, hot loops and changes by hand are steps with their times', () => {
  const clock = new FakeClock();
  const trail = new Trail(clock);
  const at = clock.now();
  const step = trail.began('a', { run: 7, attempt: 2, waitedMs: 3, events: 4 });
  clock.tick(10);
  trail.ended(step, { tookMs: 10, outcome: 'error', error: 'no' });
  trail.hotLoop('a', { runs: 5, paths: ['.spec'] });
  clock.tick(10);
  trail.manual('a', 'released');
  expect(trail.of('a')).toEqual({
    dropped: 0,
    entries: [
      { kind: 'run', at, run: 7, attempt: 2, waitedMs: 3, events: 4, tookMs: 10, outcome: 'error', error: 'no' },
      { kind: 'hot-loop', at: at + 10, runs: 5, paths: ['.spec'] },
      { kind: 'released', at: at + 20 },
    ],
  });
  expect(trail.hasDropped).toBe(false);
});

it('a comparison is paid back by a hundred times its time, and time without comparisons is not saved up', () => {
  const clock = new FakeClock();
  const trail = new Trail(clock);
  let events = 0;
  /** Whether an update is compared that takes 20 ms to compare. */
  const isCompared = () => {
    const event = { ...relabelled(1, 'a') };
    const target = event.object as object;
    let reads = 0;
    const ownKeys = (object: object) => {
      if (reads++ === 0) clock.tick(20);
      return Reflect.ownKeys(object);
    };
    Object.defineProperty(event, 'object', { value: new Proxy(target, { ownKeys }) });
    trail.came(`shop/${events++}`, 'queued', { cause: origin, isChange: true, event });
    return reads > 0;
  };
  clock.tick(1_000_000);
  // the first leaves 19.8 ms when the second comes, and both leave 39.6 ms
  expect([isCompared(), isCompared(), isCompared()]).toEqual([true, true, false]);
  clock.tick(1950);
  expect(isCompared()).toBe(false);
  clock.tick(20);
  expect([isCompared(), isCompared()]).toEqual([true, false]);
});

it('a change that is skipped is the last event of its key', () => {
  const trail = new Trail(new FakeClock());
  const event = updated('web', '1', '2');
  trail.skipped({ ...skipped(event, 'spec'), why: 'predicate' });
  expect(trail.lastEvent('shop/web')?.event).toBe(event);
});
