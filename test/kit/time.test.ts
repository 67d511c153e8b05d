import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { scope } from '../../src/kit/abort.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { humanDuration, parseDuration } from '../../src/kit/duration.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';

describe('durations', () => {
  it.each([
    ['30s', 30_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['300ms', 300],
    ['-1s', -1000],
    ['0', 0],
    ['2h45m10s', 9_910_000],
  ])('reads %s', (text, ms) => expect(parseDuration(text)).toBe(ms));

  it.each(['', '5', '1d', 's', '1h 30m', '--1s', '1hx'])('refuses %j', (text) => {
    expect(() => parseDuration(text)).toThrow(`invalid duration "${text}"`);
  });

  it.each([
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [190, '3m10s'],
    [600, '10m'],
    [3 * 3600 - 1, '179m'],
    [3 * 3600, '3h'],
    [5 * 3600 + 120, '5h2m'],
    [8 * 3600, '8h'],
    [47 * 3600, '47h'],
    [52 * 3600, '2d4h'],
    [8 * 24 * 3600, '8d'],
    [729 * 24 * 3600, '729d'],
    [740 * 24 * 3600, '2y10d'],
    [9 * 365 * 24 * 3600, '9y'],
    [-1.5, '0s'],
    [-3, '<invalid>'],
  ])('prints %d s as %s', (seconds, text) => expect(humanDuration(seconds * 1000)).toBe(text));
});

describe('a sleep', () => {
  it.each([
    ['the system clock', systemClock],
    ['the fake clock', new FakeClock()],
  ])('on %s ends with the signal’s reason and leaves no listener', async (_, clock) => {
    const controller = new AbortController();
    const sleeping = clock.sleep(60_000, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(sleeping).rejects.toThrow('enough');
    await expect(clock.sleep(1, { signal: controller.signal })).rejects.toThrow('enough');
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});

describe('FakeClock', () => {
  it('fires in order of the deadline, then of setting, and lets timers set timers', async () => {
    const clock = new FakeClock();
    const seen: string[] = [];
    clock.after(20, () => seen.push('c'));
    clock.after(10, () => {
      seen.push('a');
      clock.after(5, () => seen.push('b2'));
    });
    clock.after(10, () => seen.push('b'));
    clock.after(10, () => seen.push('never')).cancel();
    await clock.advance(20);
    expect(seen).toEqual(['a', 'b', 'b2', 'c']);
    expect(clock.pending).toBe(0);
  });
});

describe('scope', () => {
  it('follows its parent, and leaves nothing on it', () => {
    const parent = new AbortController();
    {
      using child = scope(parent.signal);
      expect(child.signal.aborted).toBe(false);
      expect(getEventListeners(parent.signal, 'abort')).toHaveLength(1);
    }
    expect(getEventListeners(parent.signal, 'abort')).toEqual([]);
    using other = scope(parent.signal);
    parent.abort(new Error('over'));
    expect(other.signal.reason).toEqual(new Error('over'));
  });
});
