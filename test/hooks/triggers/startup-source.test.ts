import { expect, it, vi } from 'vitest';
import { createController } from '../../../src/controller/controller.ts';
import { StopError, TerminalError } from '../../../src/controller/reconciler.ts';
import { createStartupSource, type StartupOptions } from '../../../src/hooks/triggers/startup-source.ts';
import { silentLogger } from '../../../src/kit/logger.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';

function started(
  run: StartupOptions['run'],
  { maxRetries, isSynced = true }: { maxRetries?: number; isSynced?: boolean } = {},
) {
  const clock = new FakeClock();
  const notices: string[] = [];
  let sync = () => {};
  const synced = new Promise<void>((resolve) => {
    sync = resolve;
  });
  if (isSynced) sync();
  const reconcile = vi.fn();
  const controller = createController({
    name: 'guard.ts',
    reconcile,
    clock,
    logger: silentLogger,
    cacheSyncTimeoutMs: Number.POSITIVE_INFINITY,
    sources: [
      createStartupSource({
        hook: 'guard.ts',
        cachesSynced: () => synced,
        run,
        retries: { baseMs: 100, maxMs: 300 },
        maxRetries,
        notice: (text) => notices.push(text),
      }),
    ],
  });
  controller.enqueue('shop/web');
  const abort = new AbortController();
  const end = controller.run(abort.signal);
  end.catch(() => {});
  return { clock, notices, reconcile, controller, abort, end, sync };
}

it('runs once when the caches are synced, and no key runs before it has succeeded', async () => {
  let done = () => {};
  const run = vi.fn(
    () =>
      new Promise<void>((resolve) => {
        done = resolve;
      }),
  );
  const { reconcile, sync, abort, end } = started(run, { isSynced: false });
  await settled();
  expect(run).not.toHaveBeenCalled();
  sync();
  await settled();
  expect([run.mock.calls.length, reconcile.mock.calls.length]).toEqual([1, 0]);
  done();
  await settled();
  expect([run.mock.calls.length, reconcile.mock.calls.length]).toEqual([1, 1]);
  abort.abort();
  await end;
});

it('is retried with growing delays, each failure is reported, and no key runs meanwhile', async () => {
  const times: number[] = [];
  const { clock, notices, reconcile } = started(async ({ attempt }) => {
    times.push(clock.monotonic());
    if (attempt < 5) throw new Error(`no ${attempt}`);
  });
  await clock.advance(899);
  expect([times.length, reconcile.mock.calls.length]).toEqual([4, 0]);
  await clock.advance(1);
  expect(times.map((at) => at - (times[0] ?? 0))).toEqual([0, 100, 300, 600, 900]);
  expect(notices).toEqual(
    [1, 2, 3, 4].map((n) => `the startup of hook guard.ts failed (attempt ${n}), and is retried: no ${n}`),
  );
  expect(reconcile).toHaveBeenCalledTimes(1);
});

it.each([
  ['a StopError', new StopError('wrong'), 'wrong'],
  ['a TerminalError', new TerminalError(new Error('never')), 'never'],
])('ends the command at once with %s', async (_, error, why) => {
  const { end, reconcile, notices } = started(async () => Promise.reject(error));
  await expect(end).rejects.toMatchObject({ message: `the startup of hook guard.ts failed: ${why}` });
  expect([reconcile.mock.calls.length, notices]).toEqual([0, []]);
});

it('ends the command after the retries that a key has', async () => {
  const run = vi.fn(async () => Promise.reject(new Error('no')));
  const { clock, end } = started(run, { maxRetries: 2 });
  const failed = expect(end).rejects.toThrow('the startup of hook guard.ts failed: no');
  await clock.advance(1000);
  await failed;
  expect(run).toHaveBeenCalledTimes(3);
});

it('that takes long is reported once', async () => {
  const { clock, notices } = started(() => new Promise(() => {}));
  await clock.advance(60_000);
  expect(notices).toEqual(['the startup of hook guard.ts has not ended after 10 s; no key runs before it succeeds']);
});

it('ends with the command, also between two tries', async () => {
  const { clock, abort, end, notices } = started(async () => Promise.reject(new Error('no')));
  await settled();
  abort.abort();
  await end;
  expect([notices.length, clock.pending]).toEqual([1, 0]);
});
