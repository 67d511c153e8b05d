import { expect, it } from 'vitest';
import { notSynced } from '../../../src/controller/sources/late-sources.ts';
import type { Source } from '../../../src/controller/sources/source.ts';

const source = (name: string, trouble?: () => unknown): Source => ({
  name,
  start: async () => {},
  ...(trouble ? { trouble } : {}),
});

it('names the sources that are late, and what each of them reports', () => {
  const refused = new Error('not allowed');
  const failing = () => {
    throw new Error('no report');
  };
  const late = [source('a'), source('b', () => 'slow'), source('c', () => refused), source('d', failing)];
  const error = notSynced('pods', 5000, new Set(late));
  expect(error.message).toBe('controller pods: caches did not sync within 5000ms: a, b, c, d');
  expect(error.hint).toBe('b: slow; c: not allowed; d: no report');
  expect(error.cause).toBe(refused);
});

it('has no hint and no cause where no source reports anything', () => {
  const error = notSynced('pods', 5000, new Set([source('a'), source('b', () => undefined)]));
  expect([error.hint, error.cause]).toEqual([undefined, undefined]);
});
