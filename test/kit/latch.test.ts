import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Latch } from '../../src/kit/latch.ts';

describe('Latch', () => {
  it('resolves every wait once it is open, before or after', async () => {
    const latch = new Latch();
    const early = latch.wait();
    latch.open();
    latch.fail(new Error('too late'));
    await early;
    await latch.wait();
    expect(latch.isOpen).toBe(true);
  });

  it('rejects every wait once it has failed, before or after', async () => {
    const latch = new Latch();
    const early = latch.wait();
    latch.fail(new Error('gone'));
    latch.fail(new Error('gone again'));
    latch.open();
    await expect(early).rejects.toThrow('gone');
    await expect(latch.wait()).rejects.toThrow(/^gone$/);
    expect(latch.isOpen).toBe(false);
  });

  it('rejects with the reason of a signal, and leaves no listener', async () => {
    const controller = new AbortController();
    const waiting = new Latch().wait(controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});
