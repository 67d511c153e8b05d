import { describe, expect, it, vi } from 'vitest';
import { DEFAULT_BACKOFF, DEFAULT_RETRY, retryOnConflict, retryOnError } from '../../../src/controller/writes/retry.ts';
import { failure, StatusError } from '../../../src/model/status.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const conflict = () => new StatusError(failure(409, 'Conflict', 'the object has been modified'));
const backoff = { steps: 3, initialMs: 10, factor: 1, jitter: 0 };

async function run(operation: () => Promise<unknown>, options: Parameters<typeof retryOnConflict>[1] = { backoff }) {
  const clock = new FakeClock();
  const result = retryOnConflict(operation, { clock, random: () => 0, ...options }).then(
    (value) => ({ value }),
    (error) => ({ error }),
  );
  await clock.advance(10_000);
  expect(clock.pending).toBe(0);
  return result;
}

it('the times between tries are those of client-go', () => {
  expect([DEFAULT_RETRY, DEFAULT_BACKOFF]).toEqual([
    { steps: 5, initialMs: 10, factor: 1, jitter: 0.1 },
    { steps: 4, initialMs: 10, factor: 5, jitter: 0.1 },
  ]);
});

describe('retry on conflict', () => {
  it('makes as many tries as there are steps, then rejects with the conflict [RTY-01]', async () => {
    const error = conflict();
    const operation = vi.fn().mockRejectedValue(error);
    expect(await run(operation)).toEqual({ error });
    expect(operation).toHaveBeenCalledTimes(3);
  });

  it('rejects with any other error at once [RTY-01]', async () => {
    const operation = vi.fn().mockRejectedValue(new Error('no'));
    expect(await run(operation)).toMatchObject({ error: { message: 'no' } });
    expect(operation).toHaveBeenCalledTimes(1);
  });

  it('resolves with the result of the first successful try [RTY-01]', async () => {
    const operation = vi
      .fn()
      .mockRejectedValueOnce(conflict())
      .mockRejectedValueOnce(conflict())
      .mockResolvedValue('done');
    expect(await run(operation)).toEqual({ value: 'done' });
  });

  it('pauses longer each time, plus jitter', async () => {
    const clock = new FakeClock();
    const at: number[] = [];
    const operation = async () => {
      at.push(clock.monotonic());
      throw conflict();
    };
    const result = retryOnConflict(operation, { backoff: DEFAULT_BACKOFF, clock, random: () => 0.5 });
    result.catch(() => {});
    await clock.advance(10_000);
    await expect(result).rejects.toThrow('modified');
    expect(at).toEqual([0, 10.5, 63, 325.5]);
  });

  it('ends when the signal aborts', async () => {
    const controller = new AbortController();
    const operation = vi.fn(async () => {
      controller.abort(new Error('enough'));
      throw conflict();
    });
    expect(await run(operation, { backoff, signal: controller.signal })).toMatchObject({
      error: { message: 'enough' },
    });
    expect(operation).toHaveBeenCalledTimes(1);
  });
});

it('a retry of an operation without a clock of its own takes the time of the system', async () => {
  const operation = vi.fn().mockRejectedValueOnce(conflict()).mockResolvedValue('done');
  expect(await retryOnConflict(operation, { backoff: { ...backoff, initialMs: 0 } })).toBe('done');
});

it('a retry refuses what it does not know before the first try', async () => {
  const operation = vi.fn();
  const wrong = 'no' as unknown as () => never;
  await expect(retryOnError(wrong, () => true)).rejects.toThrow('the operation');
  await expect(retryOnError(operation, wrong)).rejects.toThrow('isRetriable');
  await expect(retryOnError(operation, () => true, { nope: 1 } as object)).rejects.toThrow('no option "nope"');
  await expect(retryOnError(operation, () => true, { backoff: { steps: 'x' } } as object)).rejects.toThrow('steps');
  expect(operation).not.toHaveBeenCalled();
});
