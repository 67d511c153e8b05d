import { expect, it } from 'vitest';
import { Trail } from '../../../src/controller/history/trail.ts';
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
