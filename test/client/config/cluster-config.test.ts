import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Credentials, createConfig } from '../../../src/client/config/cluster-config.ts';

describe('Credentials', () => {
  it('are hidden in logs, inspections and JSON', () => {
    const credentials = new Credentials({ authorization: 'Bearer hush' }, { key: 'hush' });
    expect(inspect({ credentials }, { depth: 9, showHidden: true })).not.toContain('hush');
    expect(JSON.stringify({ credentials })).toBe('{"credentials":"[credentials]"}');
    expect(`${credentials}`).not.toContain('hush');
    expect([credentials.headers.authorization, credentials.tls.key]).toEqual(['Bearer hush', 'hush']);
  });

  it('have equal fingerprints when headers and TLS material are equal, in any order', () => {
    const one = new Credentials({ a: '1', b: ['2', '3'] }, { ca: Buffer.from('ca') });
    const other = new Credentials({ b: ['2', '3'], a: '1' }, { ca: Buffer.from('ca') });
    expect([one.fingerprint, one.tlsFingerprint]).toEqual([other.fingerprint, other.tlsFingerprint]);
  });

  it('have another fingerprint with another header, and another TLS fingerprint with other TLS material only', () => {
    const one = new Credentials({ a: '1' }, { ca: 'ca' });
    const header = new Credentials({ a: '2' }, { ca: 'ca' });
    const tls = new Credentials({ a: '1' }, { ca: 'cb' });
    expect([header.fingerprint === one.fingerprint, header.tlsFingerprint === one.tlsFingerprint]).toEqual([
      false,
      true,
    ]);
    expect([tls.fingerprint === one.fingerprint, tls.tlsFingerprint === one.tlsFingerprint]).toEqual([false, false]);
  });

  it('do not take two values for one that looks the same when joined', () => {
    const fingerprints = [
      new Credentials({}, { ca: Buffer.from('a'), cert: Buffer.from('b') }),
      new Credentials({}, { ca: Buffer.from('acert\0b') }),
    ].map(({ fingerprint }) => fingerprint);
    expect(new Set(fingerprints).size).toBe(2);
  });
});

describe('createConfig', () => {
  it('has the server without trailing slashes, the default namespace and the token', async () => {
    const config = createConfig({ server: 'https://api.test/base//', token: 't' });
    expect(config).toMatchObject({
      server: 'https://api.test/base',
      namespace: 'default',
      proxyUrl: undefined,
      disableCompression: false,
    });
    expect((await config.credentials()).headers).toEqual({ authorization: 'Bearer t' });
  });

  it('has no headers without a token, and the TLS material that it is given', async () => {
    const { headers, tls } = await createConfig({
      server: 'http://x',
      namespace: 'team',
      tls: { servername: 'y' },
    }).credentials();
    expect([headers, tls]).toEqual([{}, { servername: 'y' }]);
  });

  it.each<[object, string]>([
    [{ server: 'x', tokn: 't' }, 'tokn'],
    [{ server: 'x', tls: { kay: 'k' } }, 'kay'],
    [{ server: 7 }, 'server'],
  ])('refuses %j', (options, name) => {
    expect(() => createConfig(options as never)).toThrow(
      expect.objectContaining({ code: 'argument', message: expect.stringContaining(name) }),
    );
  });
});
