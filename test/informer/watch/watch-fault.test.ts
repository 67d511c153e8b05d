import { expect, it } from 'vitest';
import { driftError } from '../../../src/informer/verifier.ts';
import { replacedHistory } from '../../../src/informer/watch/history-check.ts';
import { changedCollection, movedCollection } from '../../../src/informer/watch/moved-collection.ts';
import { StoreResync } from '../../../src/informer/watch/store-resync.ts';
import { idleWatch } from '../../../src/informer/watch/watch-connection.ts';
import { askedPauseMs, classify, type WatchFault } from '../../../src/informer/watch/watch-fault.ts';
import { InformerError } from '../../../src/kit/error.ts';
import { failure, type Status, StatusError } from '../../../src/model/status.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const answer = (code: number, reason = '', details?: Status['details']) =>
  new StatusError(failure(code, reason, 'no', details));
const system = (code: string) => Object.assign(new Error(code), { code });

function resyncError(): unknown {
  const clock = new FakeClock();
  let failed: unknown;
  const resync = () => {
    throw new Error('no');
  };
  const onError = (error: unknown) => (failed = error);
  new StoreResync({ name: 'pods', periodMs: 1, clock, shouldResync: () => true, resync, onError }).start();
  clock.tick(1);
  return failed;
}

it.each<[WatchFault, unknown]>([
  ['gone', answer(410, 'Expired')],
  ['gone', answer(410, 'Gone')],
  ['gone', answer(410)],
  ['too-large', answer(504, 'Timeout', { causes: [{ reason: 'ResourceVersionTooLarge' }] })],
  ['throttled', answer(429, 'TooManyRequests')],
  ['internal', answer(500, 'InternalError')],
  ['missing', answer(404, 'NotFound')],
  ['invalid', answer(400, 'BadRequest')],
  ['invalid', answer(405, 'MethodNotAllowed')],
  ['invalid', answer(406, 'NotAcceptable')],
  ['invalid', answer(415, 'UnsupportedMediaType')],
  ['invalid', answer(422, 'Invalid')],
  ['connection', answer(502)],
  ['connection', answer(503, 'ServiceUnavailable')],
  ['connection', system('ECONNREFUSED')],
  ['connection', new InformerError('transport', 'could not connect', { cause: system('ENOTFOUND') })],
  ['broken', new InformerError('transport', 'the answer broke off')],
  ['other', new InformerError('transport', 'no login', { cause: answer(401, 'Unauthorized') })],
  ['other', answer(403, 'Forbidden')],
  ['other', answer(504, 'Timeout')],
  ['other', new InformerError('decode', 'line 3 is no JSON')],
  ['other', new Error('x')],
  ['other', undefined],
  ['idle', idleWatch('silent')],
  ['drift', driftError('pods', { missing: ['a'], extra: [], stale: [] })],
  ['replaced', replacedHistory('restored')],
  ['moved', movedCollection('v2 now')],
  ['changed', changedCollection('the shards 1, 2 of 4')],
  ['resync', resyncError()],
])('is %s for %s', (fault, error) => {
  expect(classify(error)).toBe(fault);
});

it('finds the fault in the cause of an error', () => {
  expect(classify(new InformerError('list', 'failed to list', { cause: answer(410, 'Expired') }))).toBe('gone');
  expect(classify(new InformerError('list', 'failed to list', { cause: system('ECONNRESET') }))).toBe('connection');
});

it.each<[string, unknown, number]>([
  ['a Retry-After', new StatusError(failure(429, 'TooManyRequests', 'no'), { retryAfterMs: 7000 }), 7000],
  ['retryAfterSeconds of the Status', answer(429, 'TooManyRequests', { retryAfterSeconds: 3 }), 3000],
  ['one in the cause', new Error('x', { cause: answer(503, '', { retryAfterSeconds: 2 }) }), 2000],
  ['none', answer(429, 'TooManyRequests'), 0],
  ['an error of another kind', new Error('x'), 0],
])('the pause that the server asked for, with %s', (_, error, ms) => {
  expect(askedPauseMs(error)).toBe(ms);
});
