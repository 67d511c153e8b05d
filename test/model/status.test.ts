import { describe, expect, it } from 'vitest';
import { InformerError } from '../../src/kit/error.ts';
import {
  failure,
  isConflict,
  isExpired,
  isGone,
  isInternalError,
  isNotFound,
  isThrottled,
  isTooLargeResourceVersion,
  notFound,
  StatusError,
} from '../../src/model/status.ts';

const error = (code: number, reason: string, message = 'x', details = {}) =>
  new StatusError(failure(code, reason, message, details));

describe('a Status is classified', () => {
  it('by its reason, and by its code only when the reason is unknown', () => {
    expect(isNotFound(error(404, 'NotFound'))).toBe(true);
    expect(isNotFound(error(404, 'Odd'))).toBe(true);
    expect(isNotFound(error(404, 'Gone'))).toBe(false);
    expect(isConflict(error(409, 'AlreadyExists'))).toBe(false);
    expect(isExpired(error(410, 'Expired'))).toBe(true);
    expect(isExpired(error(410, 'Gone'))).toBe(false);
    expect(isGone(error(410, ''))).toBe(true);
    expect(isInternalError(error(500, ''))).toBe(true);
  });

  it('as throttled by code 429 alone', () => {
    expect(isThrottled(error(429, 'Timeout'))).toBe(true);
  });

  it('through the causes of an error', () => {
    expect(isNotFound(new InformerError('list', 'failed to list', { cause: error(404, 'NotFound') }))).toBe(true);
    expect(isNotFound(new Error('404'))).toBe(false);
  });

  it('as too large by cause, or by message of a Timeout only [REF-13]', () => {
    const text = 'Timeout: Too large resource version: 99, current: 5';
    expect(isTooLargeResourceVersion(error(504, 'Timeout', text))).toBe(true);
    expect(
      isTooLargeResourceVersion(error(504, 'Timeout', 'x', { causes: [{ reason: 'ResourceVersionTooLarge' }] })),
    ).toBe(true);
    expect(isTooLargeResourceVersion(error(500, 'InternalError', text))).toBe(false);
  });

  it('with the wait that the server asked for', () => {
    expect(error(429, 'TooManyRequests', 'x', { retryAfterSeconds: 3 }).retryAfterMs).toBe(3000);
  });
});

it('the 404 of an object has the words of the server', () => {
  expect(notFound({ group: '', resource: 'pods' }, 'none')).toMatchObject({
    message: 'pods "none" not found',
    details: { name: 'none', kind: 'pods' },
  });
  expect(notFound({ group: 'apps', resource: 'deployments' }, 'x').message).toBe('deployments.apps "x" not found');
});
