import { describe, expect, it } from 'vitest';
import { Bell } from '../../src/kit/bell.ts';

describe('Bell', () => {
  it('wakes all present waiters and no later one', async () => {
    const bell = new Bell();
    let late = false;
    const both = Promise.all([bell.wait(), bell.wait()]);
    bell.wake();
    await both;
    void bell.wait().then(() => {
      late = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(late).toBe(false);
  });

  it('rejects with the reason of a signal, before or during the wait', async () => {
    const bell = new Bell();
    const controller = new AbortController();
    const waiting = bell.wait(controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    bell.wake();
    await expect(bell.wait(controller.signal)).rejects.toThrow('enough');
  });
});
