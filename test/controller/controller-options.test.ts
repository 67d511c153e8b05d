import { describe, expect, it } from 'vitest';
import {
  type ControllerOptions,
  checkControllerOptions,
  checkSource,
} from '../../src/controller/controller-options.ts';

const OPTIONS: ControllerOptions = { name: 'pods', reconcile: () => {} };
const check = (more: Record<string, unknown> = {}) => checkControllerOptions({ ...OPTIONS, ...more } as never);
const refusal = (more: Record<string, unknown>): string | undefined => {
  try {
    check(more);
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ code: 'argument' });
    return (error as Error).message;
  }
};

describe('the options of a controller', () => {
  it.each<[Record<string, unknown>, string]>([
    ...['drainMs', 'abandonMs', 'cacheSyncTimeoutMs', 'maxRetries'].flatMap(
      (name): [Record<string, unknown>, string][] => [
        [{ [name]: -1 }, `${name} must be 0 or more, not -1`],
        [{ [name]: Number.NaN }, `createController: ${name} must be a number, not NaN`],
      ],
    ),
    [{ workers: 0 }, 'workers must be a whole number from 1, not 0'],
    [{ workers: 1.5 }, 'workers must be a whole number from 1, not 1.5'],
    [{ workers: '2' }, 'workers must be a whole number from 1, not 2'],
    [{ reconcileTimeoutMs: 0 }, 'reconcileTimeoutMs must be above zero, not 0'],
    [{ reconcileTimeoutMs: Number.NaN }, 'createController: reconcileTimeoutMs must be a number, not NaN'],
    [{ name: '' }, 'a controller needs a name'],
    [{ reconcile: 'no' }, 'a controller needs a function reconcile'],
    [{ sources: [{ name: 'a' }] }, 'a source of a controller needs a name and a function start'],
  ])('%o are refused', (more, message) => {
    expect(refusal(more)).toBe(message);
  });

  it.each<Record<string, unknown>>([
    {},
    { drainMs: 0, abandonMs: 0, cacheSyncTimeoutMs: 0, maxRetries: 0 },
    { workers: 1, reconcileTimeoutMs: 0.5, maxRetries: Number.POSITIVE_INFINITY },
    { sources: [{ name: 'a', start: () => {} }] },
  ])('%j are taken', (more) => {
    expect(refusal(more)).toBeUndefined();
  });
});

it.each([undefined, null, 'pods', { start() {} }, { name: 1, start() {} }, { name: 'a', start: 1 }])(
  '%j is no source',
  (source) => {
    expect(() => checkSource(source)).toThrow('a source of a controller needs a name and a function start');
  },
);
