import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { fromFiles, fromSecret } from '../../src/webhooks/certificates.ts';

const DAY_MS = 86_400_000;
const HOSTS = ['hooks.infra.svc'];
const SECRET = { namespace: 'default', name: 'tls' };

/** Certificates of an authority, as text, split. */
const split = (pem = '') => pem.match(/-----BEGIN[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
const isSignedBy = (cert: string, authority: string | undefined) =>
  authority !== undefined && new X509Certificate(cert).verify(new X509Certificate(authority).publicKey);

async function cluster() {
  const sandbox = await Sandbox.start({ socket: false });
  const client = createClient(sandbox.transport());
  return {
    sandbox,
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await sandbox.close();
    },
  };
}

describe('a certificate in a Secret', () => {
  it('is created once, for all replicas that begin together', async () => {
    await using made = await cluster();
    const clock = new FakeClock();
    const sources = [1, 2, 3].map(() => fromSecret(made.client, SECRET, HOSTS, clock));
    const certificates = await Promise.all(sources.map((source) => source.current()));
    expect(new Set(certificates.map(({ cert }) => cert)).size).toBe(1);
    expect(made.sandbox.get({ apiVersion: 'v1', kind: 'Secret' }, 'default/tls')?.type).toBe('kubernetes.io/tls');
    const [{ cert = '', authorities } = {}] = certificates;
    expect(new X509Certificate(cert).checkHost('hooks.infra.svc')).toBe('hooks.infra.svc');
    expect(isSignedBy(cert, authorities)).toBe(true);
  });

  it('is renewed at the last third of its life, and its authority stays', async () => {
    await using made = await cluster();
    const clock = new FakeClock();
    const source = fromSecret(made.client, SECRET, HOSTS, clock);
    const first = await source.current();
    await clock.advance(59 * DAY_MS);
    expect(await source.current()).toEqual(first);
    await clock.advance(2 * DAY_MS);
    const second = await source.current();
    expect(second.authorities).toBe(first.authorities);
    expect(second.cert).not.toBe(first.cert);
    expect(isSignedBy(second.cert, second.authorities)).toBe(true);
  });

  it('over three years always has a valid certificate of a known authority; a new one is known before it signs', async () => {
    await using made = await cluster();
    const clock = new FakeClock();
    const source = fromSecret(made.client, SECRET, HOSTS, clock);
    let known = split((await source.current()).authorities);
    let most = 0;
    for (let day = 0; day < 3 * 365; day += 5) {
      const { cert, authorities } = await source.current();
      const now = clock.now();
      expect(Date.parse(new X509Certificate(cert).validTo)).toBeGreaterThan(now + 20 * DAY_MS);
      expect(known.some((authority) => isSignedBy(cert, authority))).toBe(true);
      known = split(authorities);
      most = Math.max(most, known.length);
      await clock.advance(5 * DAY_MS);
    }
    expect(most).toBe(2);
  });

  it('is made again for other hosts, and for a Secret that lacks parts', async () => {
    await using made = await cluster();
    const clock = new FakeClock();
    const first = await fromSecret(made.client, SECRET, HOSTS, clock).current();
    const second = await fromSecret(made.client, SECRET, ['other.infra.svc'], clock).current();
    expect(second.authorities).toBe(first.authorities);
    expect(new X509Certificate(second.cert).checkHost('other.infra.svc')).toBe('other.infra.svc');
    made.sandbox.put({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: SECRET,
      type: 'kubernetes.io/tls',
      data: { 'tls.crt': '', 'tls.key': '' },
    });
    expect((await fromSecret(made.client, SECRET, HOSTS, clock).current()).authorities).not.toBe(first.authorities);
  });
});

it('a certificate in files is read again each time', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'webhook-'));
  try {
    const [certFile, keyFile] = [path.join(folder, 'tls.crt'), path.join(folder, 'tls.key')];
    await writeFile(keyFile, 'key');
    for (const cert of ['one', 'two']) {
      await writeFile(certFile, cert);
      expect(await fromFiles({ certFile, keyFile }).current()).toEqual({ cert, key: 'key', authorities: undefined });
    }
    await rm(certFile);
    await expect(fromFiles({ certFile, keyFile }).current()).rejects.toThrow('cannot be read');
  } finally {
    await rm(folder, { recursive: true });
  }
});
