import { expect, it } from 'vitest';
import type { Session } from '../../../src/cli/session/session.ts';
import { Interrupted } from '../../../src/cli/terminal/signals.ts';
import type { Reconciler } from '../../../src/controller/reconciler.ts';
import { StopError } from '../../../src/controller/reconciler.ts';
import { Drain } from '../../../src/hooks/run/drain.ts';
import { silentLogger } from '../../../src/kit/logger.ts';
import { added, start } from '../../support/controller.ts';

/** A controller with one run of each key under way, and the end of its program. */
async function draining(keys: readonly string[], reconcile: Reconciler, graceMs: number) {
  const ending = new AbortController();
  const notices: string[] = [];
  const atOnce = new Set<() => void>();
  const started = await start({
    workers: 4,
    drainMs: graceMs,
    logger: silentLogger,
    reconcile: (request, context) => watched(request, context),
  });
  const { clock, controller, events } = started;
  const session = {
    clock,
    atOnce,
    signal: ending.signal,
    notice: (text: string) => notices.push(`${clock.monotonic() / 1000}s ${text}`),
  };
  const drain = new Drain(session as unknown as Session, graceMs);
  const watched = drain.watching(reconcile);
  drain.of(controller);
  for (const key of keys) events.emit(added(key));
  await clock.advance(0);
  return { ...started, drain, ending, notices, atOnce };
}

it('says at the first signal what it waits for and how long, and again less and less often, up to the end of the grace', async () => {
  const { drain, ending, notices, clock } = await draining(['a', 'b', 'c', 'd'], () => new Promise(() => {}), 60_000);
  ending.abort(new Interrupted('SIGTERM'));
  await clock.advance(60_000);
  expect(notices).toEqual([
    '0s waiting for the hook to finish shop/a, shop/b, shop/c and 1 more, for at most 60s (--grace); a second signal (Ctrl-C again) ends it at once',
    '5s still waiting for shop/a, shop/b, shop/c and 1 more, for at most 55s more',
    '15s still waiting for shop/a, shop/b, shop/c and 1 more, for at most 45s more',
    '35s still waiting for shop/a, shop/b, shop/c and 1 more, for at most 25s more',
    '60s the grace is over; the hook is ended for shop/a, shop/b, shop/c and 1 more',
  ]);
  drain[Symbol.dispose]();
});

it('after the grace the signals of runs abort, 3 s later what is left is killed, and 1 s later it gives up', async () => {
  const signals: AbortSignal[] = [];
  const endless: Reconciler = (_, { signal }) => {
    signals.push(signal);
    return new Promise(() => {});
  };
  const { drain, ending, clock, atOnce, abort } = await draining(['a'], endless, 25_000);
  let killedAt: number | undefined;
  atOnce.add(() => {
    killedAt = clock.monotonic();
  });
  abort.abort();
  ending.abort(new Interrupted('SIGTERM'));
  await clock.advance(24_999);
  expect([signals[0]?.aborted, killedAt]).toEqual([false, undefined]);
  await clock.advance(1);
  expect(signals[0]?.aborted).toBe(true);
  await clock.advance(3000);
  expect([killedAt, drain.gaveUp.aborted]).toEqual([28_000, false]);
  await clock.advance(1000);
  expect(drain.gaveUp.reason).toMatchObject({
    code: 'hook',
    message: expect.stringContaining('has not ended for shop/a'),
  });
  drain[Symbol.dispose]();
});

it('says nothing, and leaves no timer, where no run is under way', async () => {
  const { drain, ending, notices, clock } = await draining([], async () => undefined, 25_000);
  ending.abort(new Interrupted('SIGINT'));
  await clock.advance(1000);
  drain[Symbol.dispose]();
  expect([notices, clock.pending]).toEqual([[], 0]);
});

it('begins also when a run asks for the end of the program, and names only the others', async () => {
  const { drain, notices, clock } = await draining(
    ['bad', 'other'],
    async ({ key }) => {
      if (key === 'shop/bad') throw new StopError('wrong configuration');
      await new Promise(() => {});
    },
    10_000,
  );
  await clock.advance(1);
  expect(notices).toEqual([expect.stringContaining('waiting for the hook to finish shop/other, for at most 10s')]);
  drain[Symbol.dispose]();
});
