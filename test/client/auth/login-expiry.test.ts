import { generate } from 'selfsigned';
import { beforeAll, describe, expect, it } from 'vitest';
import { OutageHints } from '../../../src/cli/hints/outage.ts';
import { errorTexts } from '../../../src/cli/terminal/error-text.ts';
import { expiredHint, withExpiry } from '../../../src/client/auth/login-expiry.ts';
import { Credentials } from '../../../src/client/config/cluster-config.ts';
import { InformerError } from '../../../src/kit/error.ts';
import { failure, StatusError } from '../../../src/model/status.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const NOW = Date.UTC(2026, 10, 23, 12);
const DAY = 24 * 3600 * 1000;
const TEXT =
  'the client certificate expired at 2026-11-20T12:00:00Z, 3d ago: have a new certificate issued (with kubeadm: kubeadm certs renew admin.conf), or log in again';

const unauthorized = new StatusError(failure(401, 'Unauthorized', 'Unauthorized'));
const withCredentials = (credentials: Credentials) => ({ credentials: async () => credentials });

let expired: ReturnType<typeof withCredentials>;
let valid: ReturnType<typeof withCredentials>;
beforeAll(async () => {
  const config = async (days: number) => {
    const { cert } = await generate([{ name: 'commonName', value: 'ann' }], {
      keyType: 'ec',
      notBeforeDate: new Date(NOW - 365 * DAY),
      notAfterDate: new Date(NOW + days * DAY),
    });
    return withCredentials(new Credentials({}, { cert, key: 'hush' }));
  };
  [expired, valid] = await Promise.all([config(-3), config(3)]);
});

describe('a 401', () => {
  it('names the client certificate that has expired, in place of the general hint', async () => {
    const cause = new InformerError('credentials', 'You must be logged in to the server (Unauthorized)', {
      cause: unauthorized,
      hint: 'log in again',
    });
    expect(errorTexts(await withExpiry(cause, expired, NOW))).toEqual({
      message: 'You must be logged in to the server (Unauthorized)',
      hint: TEXT,
    });
  });

  it('keeps its hint where nothing has expired, or there are no credentials', async () => {
    expect(await withExpiry(unauthorized, valid, NOW)).toBe(unauthorized);
    expect(await expiredHint({ credentials: () => Promise.reject(new Error('no plugin')) }, NOW)).toBeUndefined();
  });

  it('in a stream says it too, and that the stream goes on', async () => {
    const hints = new OutageHints({ config: expired, clock: new FakeClock(NOW) } as never);
    const hint = await hints.of(unauthorized, { type: {}, need: {} } as never);
    expect(hint).toBe(`${TEXT}; new credentials are read by themselves, and the stream goes on`);
  });
});

it('another error is not looked at', async () => {
  const other = new Error('no connection');
  expect(await withExpiry(other, expired, NOW)).toBe(other);
});
