import { describe, expect, it } from 'vitest';
import { startWork } from '../../../src/controller/election/leader-work.ts';
import { settled } from '../../../src/testing/fake-clock.ts';

/** Work that ends as the test says, and the error by which it failed so far. */
function started() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = new AbortController();
  const work = startWork(() => promise, abort.signal);
  const seen: { error?: unknown } = {};
  void work.failed.then((error) => {
    seen.error = error;
  });
  return { work, abort, resolve, reject, seen };
}

describe('the work of a leader', () => {
  it('has not ended while it runs, and has ended when it resolves', async () => {
    const { work, resolve, seen } = started();
    await settled();
    expect([work.hasEnded(), work.failure()]).toEqual([false, undefined]);
    resolve();
    await work.ended;
    expect([work.hasEnded(), work.failure(), seen]).toEqual([true, undefined, {}]);
  });

  it('that fails by itself says with which error; nothing of it runs on', async () => {
    const error = new Error('broken');
    const { work, reject, seen } = started();
    reject(error);
    await work.ended;
    await settled();
    expect([work.hasEnded(), work.failure(), seen]).toEqual([true, undefined, { error }]);
  });

  it('that throws at once fails too', async () => {
    const error = new Error('broken');
    const work = startWork(() => {
      throw error;
    }, new AbortController().signal);
    await work.ended;
    expect(await work.failed).toBe(error);
  });

  it('that fails after its signal aborted has not ended: a part of it may run on', async () => {
    const error = new Error('flush failed');
    const { work, abort, reject } = started();
    await settled();
    abort.abort();
    reject(error);
    await work.ended;
    expect([work.hasEnded(), work.failure()]).toEqual([false, { error }]);
  });

  it('that only passes the reason of its signal on has ended', async () => {
    const { work, abort, reject } = started();
    await settled();
    abort.abort();
    reject(abort.signal.reason);
    await work.ended;
    expect([work.hasEnded(), work.failure()]).toEqual([true, undefined]);
  });
});
