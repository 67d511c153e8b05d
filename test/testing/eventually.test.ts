import { expect, it } from 'vitest';
import { eventually } from '../../src/testing/eventually.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';

it('returns the first value that is not false, null or undefined', async () => {
  const clock = new FakeClock();
  const values = [false, null, undefined, 0, 'too late'];
  const waiting = eventually(() => values.shift(), { clock });
  await clock.advance(30);
  expect(await waiting).toBe(0);
  expect(values).toEqual(['too late']);
});

it('tries again after a check that throws or rejects', async () => {
  const clock = new FakeClock();
  let tries = 0;
  const check = () => {
    tries++;
    if (tries === 1) throw new Error('thrown');
    return tries === 2 ? Promise.reject(new Error('rejected')) : Promise.resolve('passed');
  };
  const waiting = eventually(check, { clock });
  await clock.advance(20);
  expect(await waiting).toBe('passed');
});

it('rejects with the last failure as the cause when the time is over', async () => {
  const clock = new FakeClock();
  const waiting = eventually(() => expect(1).toBe(2), { clock, timeoutMs: 100 });
  waiting.catch(() => {});
  await clock.advance(100);
  await expect(waiting).rejects.toMatchObject({
    code: 'sync',
    message: expect.stringMatching(/^the check did not pass within 100ms: expected 1 to be 2/),
    cause: expect.objectContaining({ message: expect.stringMatching(/^expected 1 to be 2/) }),
  });
  expect(clock.pending).toBe(0);
});

it('says which value the check returned last', async () => {
  await expect(eventually(() => null, { timeoutMs: 0, clock: new FakeClock() })).rejects.toThrow(
    'the check did not pass within 0ms: the check returned null',
  );
});

it('waits everyMs between two tries', async () => {
  const clock = new FakeClock();
  const at: number[] = [];
  const waiting = eventually(() => at.push(clock.monotonic()) === 3, { clock, everyMs: 25 });
  await clock.advance(50);
  await waiting;
  expect(at).toEqual([0, 25, 50]);
});

it('rejects when the signal aborts during a pause, and leaves no timer', async () => {
  const clock = new FakeClock();
  const abort = new AbortController();
  const waiting = eventually(() => false, { clock, signal: abort.signal });
  waiting.catch(() => {});
  await clock.advance(15);
  abort.abort(new Error('the test is over'));
  await expect(waiting).rejects.toThrow('the test is over');
  expect(clock.pending).toBe(0);
});

it('refuses an option that does not exist', async () => {
  // @ts-expect-error: the type refuses it too
  await expect(eventually(() => true, { timeout: 5 })).rejects.toThrow(/timeout/);
});
