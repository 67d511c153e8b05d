import { expect, it } from 'vitest';
import { InformerError } from '../../src/kit/error.ts';
import {
  isConnectionError,
  isConnectionRefused,
  isConnectionReset,
  isTimeout,
} from '../../src/model/connection-error.ts';

const withCode = (code: unknown) => Object.assign(new Error('x'), { code });

it.each<[string, boolean, boolean, boolean, boolean]>([
  ['ECONNREFUSED', true, true, false, false],
  ['ECONNRESET', true, false, true, false],
  ['EPIPE', true, false, true, false],
  ['UND_ERR_SOCKET', true, false, true, false],
  ['ETIMEDOUT', true, false, false, true],
  ['EHOSTUNREACH', true, false, false, false],
  ['ENOTFOUND', true, false, false, false],
  ['UND_ERR_CONNECT_TIMEOUT', true, false, false, false],
  ['CERT_HAS_EXPIRED', false, false, false, false],
  ['ENOENT', false, false, false, false],
])('%s: a connection error %s, refused %s, reset %s, a timeout %s', (code, ...expected) => {
  const error = withCode(code);
  const wrapped = new InformerError('transport', 'could not connect', { cause: error });
  for (const each of [error, wrapped]) {
    expect([isConnectionError(each), isConnectionRefused(each), isConnectionReset(each), isTimeout(each)]).toEqual(
      expected,
    );
  }
});

it.each([undefined, null, 'ECONNREFUSED', new Error('ECONNREFUSED'), withCode(7)])('%s has no system code', (value) => {
  expect([isConnectionError(value), isConnectionRefused(value)]).toEqual([false, false]);
});

it('is found among the errors of several addresses that all refused', () => {
  expect(isConnectionRefused(new AggregateError([new Error('a'), withCode('ECONNREFUSED')]))).toBe(true);
});
