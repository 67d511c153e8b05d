import { describe, expect, it } from 'vitest';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';

it('starts at 2026-01-01T00:00:00Z, or at the given wall-clock time; monotonic time starts at 0', () => {
  expect(new Date(new FakeClock().now()).toISOString()).toBe('2026-01-01T00:00:00.000Z');
  const clock = new FakeClock(5000);
  clock.tick(7);
  expect([clock.now(), clock.monotonic()]).toEqual([5007, 7]);
});

describe('timers', () => {
  it('fire in the order of their deadlines, and timers of one deadline in the order in which they were set', () => {
    const clock = new FakeClock();
    const fired: string[] = [];
    for (const [name, ms] of [
      ['late', 20],
      ['early', 10],
      ['late, set second', 20],
    ] as const)
      clock.after(ms, () => fired.push(`${name} at ${clock.monotonic()}`));
    clock.tick(30);
    expect(fired).toEqual(['early at 10', 'late at 20', 'late, set second at 20']);
    expect(clock.monotonic()).toBe(30);
  });

  it('fire at the exact deadline, and not before it', () => {
    const clock = new FakeClock();
    let fired = 0;
    clock.after(10, () => fired++);
    clock.tick(9);
    expect(fired).toBe(0);
    clock.tick(1);
    expect(fired).toBe(1);
  });

  it('with a negative delay are due at once', () => {
    const clock = new FakeClock();
    let fired = 0;
    clock.after(-5, () => fired++);
    clock.tick(0);
    expect(fired).toBe(1);
    expect(clock.monotonic()).toBe(0);
  });

  it('that are cancelled do not fire and are not counted', () => {
    const clock = new FakeClock();
    let fired = 0;
    const first = clock.after(10, () => fired++);
    clock.after(20, () => fired++);
    expect([clock.pending, clock.nextIn]).toEqual([2, 10]);
    first.cancel();
    first.cancel();
    expect([clock.pending, clock.nextIn]).toEqual([1, 20]);
    clock.tick(20);
    expect([fired, clock.pending, clock.nextIn]).toEqual([1, 0, undefined]);
  });

  it('are cancelled by using', () => {
    const clock = new FakeClock();
    {
      using _ = clock.after(10, () => {});
    }
    expect(clock.pending).toBe(0);
  });
});

it('tick fires timers that a timer sets within the same span', () => {
  const clock = new FakeClock();
  const fired: number[] = [];
  clock.after(10, () => clock.after(10, () => fired.push(clock.monotonic())));
  clock.tick(20);
  expect(fired).toEqual([20]);
});

it('advance fires timers that awaiting code sets within the same span; tick alone does not reach them', async () => {
  const clock = new FakeClock();
  const twoSleeps = async () => {
    await clock.sleep(10);
    await clock.sleep(10);
    return clock.monotonic();
  };
  const advanced = twoSleeps();
  await clock.advance(20);
  expect(await advanced).toBe(20);

  const ticked = twoSleeps();
  clock.tick(20);
  await settled();
  expect(clock.pending).toBe(1);
  clock.tick(10);
  expect(await ticked).toBe(50);
});

it('sleep rejects when its signal aborts, and leaves no timer', async () => {
  const clock = new FakeClock();
  const abort = new AbortController();
  const sleeping = clock.sleep(10, { signal: abort.signal });
  abort.abort(new Error('enough'));
  await expect(sleeping).rejects.toThrow('enough');
  expect(clock.pending).toBe(0);
});

it('yield resolves without a change of the time', async () => {
  const clock = new FakeClock();
  await clock.yield();
  expect(clock.monotonic()).toBe(0);
});
