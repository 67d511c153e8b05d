import { describe, expect, it } from 'vitest';
import { RawBody } from '../../../src/client/http/http-dispatch.ts';
import { answerOf, Exchange, isRequestTimeout } from '../../../src/client/http/http-exchange.ts';
import type { TransportRequest } from '../../../src/client/http/transport.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const LIMITS = { timeoutMs: 30_000, headersMs: 10_000, idleMs: 5_000 };

/** An exchange whose response a test writes into `raw`. */
function exchanged(request: Partial<TransportRequest> = {}) {
  const clock = new FakeClock();
  const exchange = new Exchange({ method: 'GET', path: '/x?limit=1', ...request }, { ...LIMITS, clock });
  const raw = new RawBody();
  raw.begin({ paused: false, pause() {}, resume() {}, abort() {} });
  exchange.signal.addEventListener('abort', () => raw.abort(exchange.signal.reason));
  const answered = () => {
    exchange.answered();
    return answerOf({ status: 200, headers: { a: ['1', '2'], b: undefined }, body: raw }, exchange, 'https://api.test');
  };
  return { clock, exchange, raw, answered };
}

describe('the limits of an exchange', () => {
  it('end it when there are no headers in time', () => {
    const { clock, exchange } = exchanged();
    clock.tick(9_999);
    expect(exchange.abortReason).toBeUndefined();
    clock.tick(1);
    expect(exchange.abortReason).toMatchObject({ code: 'transport', message: 'GET /x: no answer within 10s' });
    expect(isRequestTimeout(exchange.abortReason)).toBe(false);
    expect(clock.pending).toBe(0);
  });

  it('end it when the body is not complete in time, and name the flag that sets the limit', () => {
    const { clock, exchange, answered } = exchanged();
    answered();
    clock.tick(30_000);
    expect(exchange.abortReason).toMatchObject({
      message: 'GET /x: no complete answer within 30s',
      hint: 'raise `requestTimeout`',
    });
    expect(isRequestTimeout(exchange.abortReason)).toBe(true);
  });

  it('end it when its reader waits too long for the next piece', async () => {
    const { clock, raw, answered } = exchanged();
    const body = answered().body[Symbol.asyncIterator]();
    raw.push(Buffer.from('a'));
    await body.next();
    clock.tick(20_000); // the reader is busy
    const next = expect(body.next()).rejects.toMatchObject({ code: 'transport', message: 'GET /x: no byte for 5s' });
    await clock.advance(5_000);
    await next;
    expect(clock.pending).toBe(0);
  });

  it('apply to a stream until its headers only', async () => {
    const { clock, exchange, raw, answered } = exchanged({ stream: true });
    const next = answered().body[Symbol.asyncIterator]().next();
    await clock.advance(3600_000);
    expect(exchange.abortReason).toBeUndefined();
    raw.push(Buffer.from('a'));
    expect((await next).value).toEqual(Buffer.from('a'));
    expect(clock.pending).toBe(0);
  });
});

describe('the response of an exchange', () => {
  it('joins the values of a header', () => {
    expect(exchanged().answered().headers).toEqual({ a: '1, 2' });
  });

  it('releases all timers at the end of its body', async () => {
    const { clock, raw, answered } = exchanged();
    const body = answered().body[Symbol.asyncIterator]();
    raw.end();
    expect(await body.next()).toEqual({ done: true, value: undefined });
    expect(clock.pending).toBe(0);
  });

  it('rejects with the server and the cause when the body breaks', async () => {
    const { clock, raw, answered } = exchanged();
    const body = answered().body[Symbol.asyncIterator]();
    raw.end({ error: new Error('reset') });
    await expect(body.next()).rejects.toMatchObject({
      code: 'transport',
      message: 'the connection to api.test broke: reset',
    });
    expect(clock.pending).toBe(0);
  });

  it('ends without an error for a reader that has returned it', async () => {
    const { clock, answered } = exchanged();
    const body = answered().body[Symbol.asyncIterator]();
    const next = body.next();
    await body.return?.();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(clock.pending).toBe(0);
  });
});

describe('the signal of the caller', () => {
  it('aborts the exchange with its reason, and finds no timer left', () => {
    const controller = new AbortController();
    const { clock, exchange } = exchanged({ signal: controller.signal });
    let pending: number | undefined;
    exchange.signal.addEventListener('abort', () => (pending = clock.pending));
    controller.abort(new Error('enough'));
    expect([exchange.abortReason, pending]).toEqual([new Error('enough'), 0]);
  });

  it('ends the exchange at once when it was aborted before', () => {
    const { clock, exchange } = exchanged({ signal: AbortSignal.abort(new Error('before')) });
    expect([exchange.signal.aborted, exchange.abortReason, clock.pending]).toEqual([true, new Error('before'), 0]);
  });
});
