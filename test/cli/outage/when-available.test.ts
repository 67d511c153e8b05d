import { expect, it } from 'vitest';
import { whenAvailable } from '../../../src/cli/outage/when-available.ts';
import { StreamEnd } from '../../../src/cli/terminal/stream-ending.ts';
import { InformerError } from '../../../src/kit/error.ts';
import { failure, StatusError } from '../../../src/model/status.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const refused = (code: number, reason: string) => new StatusError(failure(code, reason, code === 429 ? 'busy' : 'no'));
const STARTING = refused(503, 'ServiceUnavailable');

/** Asks a server that fails in this way, each time in turn, the last without end. */
function asking(failures: readonly Error[], endsAfter = Number.POSITIVE_INFINITY) {
  const clock = new FakeClock();
  const ending = new AbortController();
  const notices: string[] = [];
  const askedAt: number[] = [];
  let forgotten = 0;
  const session = {
    clock,
    signal: ending.signal,
    notice: (text: string) => void notices.push(text),
    client: { discovery: { invalidate: async () => void forgotten++ } },
  } as unknown as Parameters<typeof whenAvailable>[0];
  const start = clock.monotonic();
  const asked = whenAvailable(session, async () => {
    askedAt.push(clock.monotonic() - start);
    if (askedAt.length > endsAfter) return 'pods';
    throw failures[Math.min(askedAt.length, failures.length) - 1];
  });
  asked.catch(() => {}); // each test says what it expects
  return { asked, clock, ending, notices, askedAt, forgotten: () => forgotten };
}

it('asks a server that fails or is busy less and less often, for new types each time, and reports each error once', async () => {
  const busy = refused(429, 'TooManyRequests');
  const { asked, clock, notices, askedAt, forgotten } = asking([STARTING, STARTING, busy, busy], 4);
  await clock.advance(20_000);
  expect(await asked).toBe('pods');
  expect([askedAt.length, forgotten()]).toEqual([5, 4]);
  const pauses = askedAt.slice(1).map((at, i) => at - (askedAt[i] as number));
  for (const [i, ms] of [1000, 2000, 4000, 8000].entries()) {
    expect(pauses[i]).toBeGreaterThanOrEqual(ms);
    expect(pauses[i]).toBeLessThanOrEqual(ms * 1.2);
  }
  expect(notices).toEqual(['no (ServiceUnavailable); trying again', 'busy (TooManyRequests); trying again']);
});

it('says how long it has lasted after half a minute, 1, 2, 5 and 10 minutes, then every ten', async () => {
  const { clock, notices, ending } = asking([STARTING]);
  await clock.advance(21 * 60_000);
  ending.abort(new StreamEnd('done'));
  expect(notices[0]).toBe('no (ServiceUnavailable); trying again');
  const told = notices
    .slice(1)
    .map((text) => /^no answer after (\S+): no \(ServiceUnavailable\); trying again$/.exec(text)?.[1]);
  const times = [/^[3-5]\ds$/, /^[6-9]\ds$/, /^2m/, /^5m/, /^10m/, /^20m/];
  expect(told).toEqual(times.map((time) => expect.stringMatching(time)));
});

it.each([
  ['credentials that the server refuses', refused(401, 'Unauthorized')],
  ['a right that is missing', refused(403, 'Forbidden')],
  ['a type that the server does not have', new InformerError('discovery', 'no such type')],
  ['a server that cannot be reached', new InformerError('transport', 'refused', { cause: { code: 'ECONNREFUSED' } })],
])('rejects at once with %s', async (_, error) => {
  const { asked, askedAt, notices } = asking([error]);
  await expect(asked).rejects.toBe(error);
  expect([askedAt, notices]).toEqual([[0], []]);
});

it('rejects with what is wrong when the time is up, and with the signal’s reason otherwise', async () => {
  for (const [reason, expected] of [
    [new StreamEnd('timeout'), { code: 'sync', message: 'no (ServiceUnavailable), until --timeout' }],
    [new Error('SIGINT'), { message: 'SIGINT' }],
  ] as const) {
    const { asked, clock, ending } = asking([STARTING]);
    await clock.advance(500);
    ending.abort(reason);
    await expect(asked).rejects.toMatchObject(expected);
  }
});
