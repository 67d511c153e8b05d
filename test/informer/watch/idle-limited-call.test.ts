import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { withPatience } from '../../../src/informer/watch/idle-limited-call.ts';
import type { CallContext } from '../../../src/informer/watch/lister-watcher.ts';
import { isConnectionError } from '../../../src/model/connection-error.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

function waiting(idleMs: number) {
  const clock = new FakeClock();
  const controller = new AbortController();
  const { promise, resolve } = Promise.withResolvers<string>();
  let context: CallContext | undefined;
  const result = withPatience(
    (given) => {
      context = given;
      return promise;
    },
    { what: 'the list of pods', signal: controller.signal, clock, idleMs },
  );
  const outcome = result.catch((error) => error);
  return {
    clock,
    controller,
    resolve,
    outcome,
    alive: () => context?.alive?.(),
    inner: () => context?.signal as AbortSignal,
  };
}

it('gives up a call that was silent for too long, with a connection error', async () => {
  const { clock, controller, outcome, inner } = waiting(1000);
  await clock.advance(999);
  expect(inner().aborted).toBe(false);
  await clock.advance(1);
  expect(await outcome).toMatchObject({ code: 'transport', message: 'the list of pods was silent for 1s' });
  expect(isConnectionError(await outcome)).toBe(true);
  expect([inner().aborted, clock.pending, getEventListeners(controller.signal, 'abort')]).toEqual([true, 0, []]);
});

it('keeps waiting as long as there are signs of life', async () => {
  const { clock, resolve, outcome, alive } = waiting(1000);
  for (let i = 0; i < 10; i++) {
    await clock.advance(900);
    alive();
  }
  resolve('done');
  expect(await outcome).toBe('done');
  expect(clock.pending).toBe(0);
});

it('ends with its signal, and never by itself without a limit', async () => {
  const { clock, controller, outcome, inner } = waiting(Number.POSITIVE_INFINITY);
  expect(clock.pending).toBe(0);
  await clock.advance(10_000_000);
  controller.abort(new Error('stop'));
  expect(await outcome).toEqual(new Error('stop'));
  expect(inner().aborted).toBe(true);
});
