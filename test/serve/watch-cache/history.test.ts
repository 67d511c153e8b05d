import { describe, expect, it } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import { CachedSource } from '../../../src/serve/watch-cache/cached-source.ts';
import { EventHistory } from '../../../src/serve/watch-cache/history.ts';

const object = (version: number) =>
  ({ metadata: { name: `p${version}`, resourceVersion: String(version) } }) as UnknownObject;
const change = (version: number) =>
  ({
    type: 'ADDED',
    version: String(version),
    key: `p${version}`,
    object: object(version),
    previous: undefined,
  }) as const;

describe('the kept changes of a collection', () => {
  /** The versions that a watch from a version gets; undefined if it must list again. */
  function from(history: EventHistory, version: string): (string | undefined)[] | undefined {
    const place = history.after(version);
    if (place === undefined) return undefined;
    return Array.from({ length: history.next - place }, (_, i) => history.at(place + i)?.version);
  }

  it('give every later change, or nothing where one of them was dropped', () => {
    const history = new EventHistory('10', 8);
    for (let version = 11; version <= 40; version++) {
      history.push(change(version));
      for (let since = 10; since <= version; since++) {
        const later = Array.from({ length: version - since }, (_, i) => String(since + 1 + i));
        const kept = from(history, String(since));
        if (since >= version - 8) expect(kept).toEqual(later);
        else expect([undefined, later]).toContainEqual(kept);
      }
      expect(history.next - history.first).toBeLessThanOrEqual(10);
    }
    expect(from(history, '10')).toBeUndefined();
  });

  it('lose the oldest of them together, when a quarter more than the limit is there', () => {
    const history = new EventHistory('0', 8);
    const kept = Array.from({ length: 13 }, (_, i) => {
      history.push(change(i + 1));
      return history.next - history.first;
    });
    expect(kept).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 9, 8, 9]);
  });

  it('are at the same place after earlier ones were dropped', () => {
    const history = new EventHistory('0', 4);
    for (let version = 1; version <= 20; version++) history.push(change(version));
    expect(history.first).toBeGreaterThan(0);
    expect(history.at(history.first - 1)).toBeUndefined();
    for (let place = history.first; place < history.next; place++)
      expect(history.at(place)?.version).toBe(String(place + 1));
  });

  it('give nothing to a version that is not known here', () => {
    expect(new EventHistory('10', 4).after('9')).toBeUndefined();
    expect(new EventHistory('10', 4).after('x')).toBeUndefined();
  });
});

describe('the source of a cached collection', () => {
  const added = (version: number, cause: 'watch' | 'relist' | 'initial' = 'watch') =>
    ({ kind: 'added', key: `p${version}`, object: object(version), cause }) as unknown as Parameters<
      CachedSource['take']
    >[0];
  function whole(): CachedSource {
    const source = new CachedSource(4);
    source.take(added(3, 'initial'));
    source.filled('5');
    return source;
  }

  it('ends the watches once when it may have missed changes, and when a list shows it first', () => {
    const lost = whole();
    const before = lost.epoch;
    lost.lost();
    lost.lost();
    expect([lost.epoch, lost.state]).toEqual([before + 1, 'relisting']);
    const relisted = whole();
    relisted.take(added(9, 'relist'));
    expect([relisted.epoch, relisted.state]).toEqual([before + 1, 'relisting']);
  });

  it('gives a watch from before a relist nothing, so that it lists again', () => {
    const source = whole();
    source.take(added(6));
    expect(source.history.after('5')).toBe(0);
    source.lost();
    source.take(added(9, 'relist'));
    source.filled('9');
    expect(source.state).toBe('whole');
    expect(source.history.after('6')).toBeUndefined();
    expect(source.history.after('9')).toBe(source.history.next);
    source.take(added(10));
    expect(source.history.at(source.history.next - 1)?.version).toBe('10');
  });

  it('does not claim a version while it is being listed again', () => {
    const source = whole();
    source.lost();
    source.reached('30');
    expect(source.version).toBe('5');
    source.filled('31');
    source.reached('40');
    expect(source.version).toBe('40');
  });
});
