import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/kit/clock.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';

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

describe('the system clock', () => {
  it('fires timers in the order of their deadlines, and no cancelled one', async () => {
    const seen: string[] = [];
    await new Promise<void>((resolve) => {
      systemClock.after(2, () => {
        seen.push('b');
        resolve();
      });
      systemClock.after(-5, () => seen.push('a'));
      systemClock.after(1, () => seen.push('never')).cancel();
      systemClock.after(1, () => seen.push('never'))[Symbol.dispose]();
    });
    expect(seen).toEqual(['a', 'b']);
  });

  it('does not fire a timer beyond the limit of setTimeout at once', async () => {
    let fired = false;
    const timer = systemClock.after(2 ** 31 + 5, () => (fired = true));
    for (let i = 0; i < 5; i++) await systemClock.yield();
    await systemClock.sleep(2);
    timer.cancel();
    expect(fired).toBe(false);
  });

  it('never goes back, also when the time of the machine is set back', () => {
    const before = systemClock.monotonic();
    const set = vi.spyOn(Date, 'now').mockReturnValue(0);
    try {
      expect(systemClock.now()).toBe(0);
      expect(systemClock.monotonic()).toBeGreaterThanOrEqual(before);
    } finally {
      set.mockRestore();
    }
  });
});
