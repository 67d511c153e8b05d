import { describe, expect, it } from 'vitest';
import { ChangeHistory } from '../../../src/serve/ui/change-history.ts';
import type { UiChange } from '../../../src/serve/ui/wire.ts';

const change = (at: number, text = 'x'): UiChange => ({
  at,
  what: 'MODIFIED',
  cause: 'watch',
  fields: [{ path: '.spec', from: text, to: text }],
  more: 0,
});

const times = (history: ChangeHistory, key: string) => history.of('v1/pods', key).changes.map(({ at }) => at);

describe('the history of changes', () => {
  it('has the changes of an object, the latest first, and is complete since its start', () => {
    const history = new ChangeHistory(5);
    for (const at of [10, 11, 12]) history.add('v1/pods', 'a/b', change(at));
    history.add('v1/secrets', 'a/b', change(13));
    expect(times(history, 'a/b')).toEqual([12, 11, 10]);
    expect(history.of('v1/pods', 'a/b').since).toBe(5);
    expect(history.of('v1/pods', 'other')).toEqual({ changes: [], since: 5 });
  });

  it('keeps the latest changes of one object, and says since when they are complete', () => {
    const history = new ChangeHistory(0, { perObject: 2 });
    for (const at of [10, 11, 12, 13]) history.add('v1/pods', 'busy', change(at));
    history.add('v1/pods', 'quiet', change(14));
    expect(times(history, 'busy')).toEqual([13, 12]);
    expect(history.of('v1/pods', 'busy').since).toBe(11);
    expect([history.of('v1/pods', 'quiet').since, history.of('v1/pods', 'other').since]).toEqual([0, 0]);
    expect(history.size.changes).toBe(3);
  });

  it('drops the oldest changes of all objects, and no object claims to be complete before them', () => {
    const history = new ChangeHistory(0, { changes: 3 });
    for (let at = 1; at <= 6; at++) history.add('v1/pods', `pod-${at}`, change(at));
    expect(history.size.changes).toBe(3);
    expect(times(history, 'pod-3')).toEqual([]);
    expect(history.of('v1/pods', 'pod-3').since).toBe(3);
    expect(times(history, 'pod-4')).toEqual([4]);
  });

  it('is bounded in characters too', () => {
    const history = new ChangeHistory(0, { characters: 10_000 });
    for (let at = 1; at <= 100; at++) history.add('v1/pods', `pod-${at}`, change(at, 'y'.repeat(1000)));
    expect(history.size.characters).toBeLessThanOrEqual(10_000);
    expect(times(history, 'pod-100')).toEqual([100]);
  });

  it('keeps exactly as many characters as it may', () => {
    const one = new ChangeHistory(0);
    one.add('v1/pods', 'a', change(1));
    const { characters } = one.size;
    const history = new ChangeHistory(0, { characters: 2 * characters });
    for (const key of ['a', 'b', 'c']) history.add('v1/pods', key, change(1));
    expect(history.size).toEqual({ changes: 2, characters: 2 * characters });
  });

  it('keeps nothing of objects whose changes are dropped, however many of them there were', () => {
    const history = new ChangeHistory(0, { changes: 10, perObject: 1 });
    for (let at = 1; at <= 1000; at++) history.add('v1/pods', 'one', change(at));
    for (let at = 1001; at <= 1010; at++) history.add('v1/pods', `pod-${at}`, change(at));
    expect(times(history, 'one')).toEqual([]);
    expect(history.size.changes).toBe(10);
  });

  it('keeps a change of another object until twice as many changes have come as it keeps', () => {
    const history = new ChangeHistory(0, { changes: 4, perObject: 1 });
    history.add('v1/pods', 'other', change(1));
    const kept: number[] = [];
    for (let at = 2; at <= 9; at++) {
      history.add('v1/pods', 'one', change(at));
      kept.push(times(history, 'other').length);
    }
    expect(kept).toEqual([1, 1, 1, 1, 1, 1, 1, 0]);
  });

  it('keeps as much as its limits say, and not one more', () => {
    const sizeOf = (limits: ConstructorParameters<typeof ChangeHistory>[1], adds: number, sameObject = false) => {
      const history = new ChangeHistory(0, limits);
      for (let at = 1; at <= adds; at++) history.add('v1/pods', sameObject ? 'one' : `pod-${at}`, change(at));
      return history.size;
    };
    const one = 100 + '.spec'.length + 1 + 1; // the size of a change without texts is taken for 100
    expect(sizeOf({ characters: 3 * one }, 3)).toEqual({ changes: 3, characters: 3 * one });
    expect(sizeOf({ characters: 3 * one - 1 }, 3)).toEqual({ changes: 2, characters: 2 * one });
    expect([sizeOf({ perObject: 3 }, 3, true).changes, sizeOf({ perObject: 3 }, 4, true).changes]).toEqual([3, 3]);
    expect([sizeOf({ changes: 3 }, 3).changes, sizeOf({ changes: 3 }, 4).changes]).toEqual([3, 3]);
    expect([sizeOf({}, 101, true).changes, sizeOf({}, 20_001).changes]).toEqual([100, 20_000]);
  });

  it('keeps 16 million characters where no limit is given', () => {
    const history = new ChangeHistory(0);
    const add = (at: number, size: number) =>
      history.add('v1/pods', 'a', { ...change(at), fields: [{ path: '', to: 'y'.repeat(size - 100) }] });
    for (const at of [1, 2]) add(at, 8_000_000);
    expect(history.size).toEqual({ changes: 2, characters: 16_000_000 });
    add(3, 101);
    expect([times(history, 'a'), history.of('v1/pods', 'a').since]).toEqual([[3, 2], 1]);
  });
});
