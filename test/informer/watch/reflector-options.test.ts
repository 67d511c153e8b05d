import { describe, expect, it } from 'vitest';
import { checkReflectorOptions, type ReflectorOptions } from '../../../src/informer/watch/reflector-options.ts';

describe('options of a reflector', () => {
  it.each<[ReflectorOptions]>([
    [{}],
    [{ resyncMs: 0, pageSize: 0, idleMs: 0.5 }],
    [{ resyncMs: 1000, pageSize: 500, idleMs: Number.POSITIVE_INFINITY }],
    [{ backoff: { capMs: 100 } }],
  ])('are accepted: %j', (options) => {
    expect(() => checkReflectorOptions(options)).not.toThrow();
  });

  it.each<[ReflectorOptions, string]>([
    [{ resyncMs: -1 }, 'resyncMs must be a number not below 0, not -1'],
    [{ pageSize: Number.NaN }, 'pageSize must be a number not below 0, not NaN'],
    [{ idleMs: 0 }, 'idleMs must be a positive number of ms, not 0'],
    [{ idleMs: Number.NaN }, 'idleMs must be a positive number of ms, not NaN'],
    [{ backoff: { factor: 0.5 } }, 'factor of a backoff must be a finite number not below 1'],
  ])('are refused: %j', (options, text) => {
    expect(() => checkReflectorOptions(options)).toThrow(text);
  });
});
