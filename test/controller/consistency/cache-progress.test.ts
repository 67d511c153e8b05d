import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CacheProgress } from '../../../src/controller/consistency/cache-progress.ts';
import type { ReadCache } from '../../../src/controller/consistency/read-cache.ts';
import type { UnseenWrite } from '../../../src/controller/consistency/unseen-write.ts';
import type { StateChange } from '../../../src/informer/state-change.ts';
import type { ReadonlyObject } from '../../../src/model/object.ts';

/** What follows a cache, and the changes of that cache. */
function following() {
  const ready: string[] = [];
  const observers = new Set<(change: StateChange<ReadonlyObject>) => void>();
  const onState = (observer: (change: StateChange<ReadonlyObject>) => void) => {
    observers.add(observer);
    return { [Symbol.dispose]: () => void observers.delete(observer) };
  };
  const progress = new CacheProgress({ onState } as unknown as ReadCache, (key) => ready.push(key));
  const wake = (key: string, object: string, version: string | undefined) =>
    progress.wake(key, { key: object, version } as UnseenWrite);
  /** The keys that are asked again when the cache has reached a version, by changes of the objects. */
  const reached = (resourceVersion: string, objects: string[] = []) => {
    const change = {
      source: 0,
      isWhole: false,
      objects: objects.map((key) => [key, undefined] as const),
      resourceVersion,
    };
    for (const observer of observers) observer(change);
    return ready.splice(0);
  };
  return { progress, wake, reached, observers };
}

it('keys are asked again at the version that they wait for, in whatever order they came', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (versions) => {
      const { wake, reached, observers } = following();
      for (const version of versions) wake(`key-${version}`, `object-${version}`, `${version}`);
      expect(observers.size).toBe(1);
      for (let at = 1; at <= 40; at++) expect(reached(`${at}`)).toEqual(versions.includes(at) ? [`key-${at}`] : []);
      expect(observers.size).toBe(0);
    }),
  );
});

it('keys are asked again once when their object changes, and all of one object together', () => {
  const { wake, reached, observers } = following();
  wake('a', 'x', '5');
  wake('a', 'x', '7');
  wake('b', 'x', undefined);
  wake('c', 'y', '9');
  expect(reached('1', ['x'])).toEqual(['a', 'b']);
  expect(reached('8')).toEqual([]);
  expect(observers.size).toBe(1);
  expect(reached('9')).toEqual(['c']);
  expect(observers.size).toBe(0);
});

it('shows a write every state of its object until it was shown, and follows nothing after that', () => {
  const { progress, reached, observers } = following();
  const seen: string[] = [];
  const write = (name: string, key: string, states: number) => {
    let left = states;
    const of = {
      key,
      isFollowed: true,
      changed() {
        of.isFollowed = --left > 0;
        seen.push(name);
      },
    };
    return of as unknown as UnseenWrite;
  };
  const [one, two, other] = [write('one', 'x', 1), write('two', 'x', 3), write('other', 'y', 9)];
  for (const each of [one, two, other]) progress.follow(each);
  reached('1', ['x']);
  reached('2', ['x', 'z']);
  expect([seen.splice(0), observers.size]).toEqual([['one', 'two', 'two'], 1]);
  progress.leave(other);
  reached('3', ['y']);
  expect([seen, observers.size]).toEqual([[], 1]);
  reached('4', ['x']);
  expect([seen, observers.size]).toEqual([['two'], 0]);
  progress.follow(other);
  expect(observers.size).toBe(1);
  progress[Symbol.dispose]();
  expect(observers.size).toBe(0);
});

it('a change without a version asks the keys of its objects alone, and one whose version has no order asks all', () => {
  const { wake, reached } = following();
  wake('a', 'x', '5');
  wake('b', 'y', '6');
  expect(reached('')).toEqual([]);
  expect(reached('', ['y'])).toEqual(['b']);
  expect(reached('unordered')).toEqual(['a']);
});
