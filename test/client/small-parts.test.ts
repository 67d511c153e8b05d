import { describe, expect, it } from 'vitest';
import { impersonationHeaders } from '../../src/client/auth/impersonation.ts';
import { isLoopback, noAnswer } from '../../src/client/http/connection-text.ts';
import { proxyFromEnvironment } from '../../src/client/http/proxy-environment.ts';
import { TokenBucket } from '../../src/client/http/token-bucket.ts';
import { onceEach, parseWarnings } from '../../src/client/http/warnings.ts';
import { InformerError } from '../../src/kit/error.ts';
import { isConnectionError, isConnectionRefused, isConnectionReset } from '../../src/model/connection-error.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';

describe('TokenBucket', () => {
  it('lets a burst through, then as many as its rate, in the order they came', async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket({ qps: 10, burst: 2, clock });
    const passed: number[] = [];
    for (const n of [1, 2, 3, 4]) void bucket.take().then(() => passed.push(n));
    await settled();
    expect(passed).toEqual([1, 2]);
    await clock.advance(100);
    expect(passed).toEqual([1, 2, 3]);
    await clock.advance(100);
    expect(passed).toEqual([1, 2, 3, 4]);
    clock.tick(10_000);
    expect([await bucket.take(), await bucket.take()]).toEqual([0, 0]);
    const third = bucket.take();
    await clock.advance(100);
    expect(await third).toBeCloseTo(100);
  });

  it.each([
    { qps: 50, burst: 300, idleMs: 0, taken: 305, waits: [20, 40, 60, 80, 100] },
    { qps: 5, burst: 10, idleMs: 0, taken: 12, waits: [200, 400] },
    { qps: 5, burst: 10, idleMs: 400, taken: 14, waits: [200, 400], before: 10 },
    { qps: 0.5, burst: 1, idleMs: 0, taken: 3, waits: [2000, 4000] },
    { qps: 50, burst: 0, idleMs: 0, taken: 2, waits: [20, 40] },
  ])('of $qps a second and bursts of $burst makes $taken callers wait $waits ms at the end', async ({ before, ...row }) => {
    const clock = new FakeClock();
    const bucket = new TokenBucket({ qps: row.qps, burst: row.burst, clock });
    for (let i = 0; i < (before ?? 0); i++) await bucket.take();
    clock.tick(row.idleMs);
    const waits = Promise.all(Array.from({ length: row.taken - (before ?? 0) }, () => bucket.take()));
    await clock.advance(10_000);
    expect((await waits).filter((ms) => ms > 0).map(Math.round)).toEqual(row.waits);
  });

  it('gives the token back when the wait is called off', async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket({ qps: 1, burst: 1, clock });
    await bucket.take();
    const controller = new AbortController();
    const waiting = bucket.take(controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(clock.pending).toBe(0);
    clock.tick(1000);
    expect(await bucket.take()).toBe(0);
  });

  it.each([-1, Number.POSITIVE_INFINITY])('holds nothing back at %d', async (qps) => {
    const bucket = new TokenBucket({ qps, burst: 1, clock: new FakeClock() });
    for (let i = 0; i < 100; i++) expect(await bucket.take()).toBe(0);
  });
});

describe('server warnings', () => {
  it.each([
    ['299 - "extensions/v1beta1 is deprecated"', ['extensions/v1beta1 is deprecated']],
    ['299 - "a, \\"b\\"", 299 agent "c" "Wed, 21 Oct 2015 07:28:00 GMT"', ['a, "b"', 'c']],
    ['110 proxy "stale"', []],
    ['nonsense', []],
  ])('%s', (header, texts) => {
    expect(parseWarnings(header)).toEqual(texts);
  });

  it('are told once each', () => {
    const told: string[] = [];
    const tell = onceEach((text) => told.push(text));
    for (const text of ['a', 'b', 'a']) tell(text);
    expect(told).toEqual(['a', 'b']);
  });
});

describe('proxyFromEnvironment', () => {
  const env = {
    HTTPS_PROXY: 'http://p:3128',
    http_proxy: 'q:80',
    NO_PROXY: 'exact.com, .sub.com,10.0.0.0/8,1.2.3.4,ported.com:8443,[fd00::1]',
  };
  it.each([
    ['https://cluster:6443', 'http://p:3128'],
    ['http://cluster', 'http://q:80'],
    ['https://localhost:6443', undefined],
    ['https://127.0.0.1:6443', undefined],
    ['https://exact.com', undefined],
    ['https://a.exact.com', undefined],
    ['https://notexact.com', 'http://p:3128'],
    ['https://a.sub.com', undefined],
    ['https://sub.com', 'http://p:3128'],
    ['https://10.1.2.3:6443', undefined],
    ['https://11.1.2.3:6443', 'http://p:3128'],
    ['https://1.2.3.4', undefined],
    ['https://ported.com:8443', undefined],
    ['https://ported.com', 'http://p:3128'],
    ['https://[fd00::1]:6443', undefined],
  ])('%s goes through %s', (server, proxy) => {
    expect(proxyFromEnvironment(server, env)).toBe(proxy);
  });

  it('is overruled as a whole by NO_PROXY=*', () => {
    expect(proxyFromEnvironment('https://x', { ...env, NO_PROXY: '*' })).toBeUndefined();
  });
});

describe('impersonation', () => {
  it('sends user, uid, every group and every extra, keys escaped', () => {
    const user = { as: 'jane', 'as-uid': 'u', 'as-groups': ['a', 'b'], 'as-user-extra': { 'acme.com/project': ['x', 'y'] } };
    expect(impersonationHeaders(user, 'me')).toEqual({
      'impersonate-user': 'jane',
      'impersonate-uid': 'u',
      'impersonate-group': ['a', 'b'],
      'impersonate-extra-acme.com%2Fproject': ['x', 'y'],
    });
  });

  it('needs a user to be groups of', () => {
    expect(() => impersonationHeaders({ 'as-groups': ['a'] }, 'me')).toThrow(
      'requesting uid, groups or user-extra for me without impersonating a user',
    );
    expect(impersonationHeaders({}, 'me')).toEqual({});
  });
});

describe('connection errors', () => {
  const withCode = (code: string) => new InformerError('transport', 'x', { cause: Object.assign(new Error('y'), { code }) });
  it.each([
    ['ECONNREFUSED', [true, true, false]],
    ['ECONNRESET', [false, true, true]],
    ['UND_ERR_SOCKET', [false, true, true]],
    ['ENOTFOUND', [false, true, false]],
    ['CERT_HAS_EXPIRED', [false, false, false]],
  ])('%s is recognised among the causes', (code, expected) => {
    const error = withCode(code);
    expect([isConnectionRefused(error), isConnectionError(error), isConnectionReset(error)]).toEqual(expected);
  });

  it('are found among several addresses that all refused', () => {
    expect(isConnectionRefused(new AggregateError([new Error('a'), withCode('ECONNREFUSED')]))).toBe(true);
    expect(isConnectionRefused('no error')).toBe(false);
  });
});

describe('isLoopback', () => {
  it.each([
    ['localhost', true],
    ['127.0.0.1', true],
    ['127.8.0.1', true],
    ['[::1]', true],
    ['10.0.0.1', false],
    ['127.example.com', false],
  ])('%s: %s', (host, expected) => {
    expect(isLoopback(host)).toBe(expected);
  });
});

describe('noAnswer', () => {
  const reach = { origin: 'https://api.test:6443', proxyUrl: undefined, closed: false };
  const alert =
    'C0F1:error:0A00045C:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required:rec_layer_s3.c:907:SSL alert number 116';
  it.each<[code: string, message: string, text: string, hint: string]>([
    ['ENOTFOUND', 'getaddrinfo ENOTFOUND', 'dial tcp: lookup api.test: no such host', 'DNS'],
    ['ETIMEDOUT', 'connect ETIMEDOUT', 'dial tcp api.test:6443: i/o timeout', 'VPN'],
    ['UND_ERR_CONNECT_TIMEOUT', 'Connect Timeout Error', 'dial tcp api.test:6443: i/o timeout', 'VPN'],
    ['EHOSTUNREACH', 'connect EHOSTUNREACH', 'dial tcp api.test:6443: connect: no route to host', 'network'],
    [
      'SELF_SIGNED_CERT_IN_CHAIN',
      'x',
      'tls: failed to verify certificate: x509: certificate signed by unknown authority',
      '--certificate-authority',
    ],
    ['CERT_HAS_EXPIRED', 'x', 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid', 'clock'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', alert, 'remote error: tls: certificate required', '--client-certificate'],
    ['ERR_OSSL_X509_KEY_VALUES_MISMATCH', 'mismatch', 'tls: the CA, certificate or key in use cannot be read: mismatch', 'kubeconfig'],
  ])('says of %s what is wrong, where, and what to do', (code, message, text, hint) => {
    const error = noAnswer(new AggregateError([Object.assign(new Error(message), { code })]), reach);
    expect(error.message).toBe(`Unable to connect to the server: ${text} (https://api.test:6443)`);
    expect(error).toMatchObject({ code: 'transport', hint: expect.stringContaining(hint) });
  });

  it('gives what it does not know as it is', () => {
    expect(noAnswer(new Error('odd'), reach)).toMatchObject({
      message: 'Unable to connect to the server: odd (https://api.test:6443)',
      hint: undefined,
    });
  });
});
