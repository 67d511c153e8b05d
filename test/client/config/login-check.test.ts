import { mkdtemp, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTransport } from '../../../src/client/http/http-transport.ts';
import { loadConfig } from '../../../src/client/kubeconfig.ts';
import { type Authority, authority } from '../../support/authority.ts';

let trusted: Authority;
let own: { cert: string; key: string };
let other: { cert: string; key: string };
beforeAll(async () => {
  trusted = await authority();
  [own, other] = await Promise.all([trusted.client('jane'), trusted.client('joe')]);
});

const data = (text: string) => Buffer.from(text).toString('base64');

async function load(user: object, cluster: object = {}) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'login-'));
  const kubeconfig = path.join(folder, 'config');
  await writeFile(
    kubeconfig,
    JSON.stringify({
      'current-context': 'x',
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1', ...cluster } }],
      users: [{ name: 'u', user }],
    }),
  );
  return loadConfig({ kubeconfig, env: {} });
}

/** Sends a request to a closed port. An error other than a refused connection shows that nothing was sent. */
async function ask(user: object, cluster?: object) {
  const transport = createTransport(await load(user, cluster));
  try {
    return await transport.request({ method: 'GET', path: '/' });
  } finally {
    await transport.close();
  }
}

const SENT = { message: expect.stringContaining('was refused') };

describe('credentials that cannot work are refused before anything is sent', () => {
  it.each([
    [
      'a certificate without its key',
      { 'client-certificate-data': data('x') },
      'client-key-data or client-key must be specified for u',
    ],
    [
      'a certificate file without its key',
      { 'client-certificate': '/x' },
      'client-key-data or client-key must be specified for u',
    ],
    [
      'a token beside a password',
      { token: 't', username: 'u', password: 'p' },
      'more than one authentication method found for u; found [token basicAuth]',
    ],
    [
      'a token beside a name alone',
      { token: 't', username: 'u' },
      'more than one authentication method found for u; found [token basicAuth]',
    ],
  ])('%s', async (_, user, message) => {
    await expect(load(user)).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining(message),
      hint: expect.any(String),
    });
  });

  it('a token beside a certificate, or a plugin beside either, is accepted', async () => {
    const both = { token: 't', 'client-certificate-data': data(own.cert), 'client-key-data': data(own.key) };
    await expect(ask(both)).rejects.toMatchObject(SENT);
  });

  it.each([
    ['no PEM', 'not a certificate', 'unable to load root certificates: unable to parse bytes as PEM block'],
    [
      'a PEM of something else',
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      'unable to load root certificates: failed to parse certificate',
    ],
  ])('a CA that is %s', async (_, ca, message) => {
    await expect(ask({ token: 't' }, { 'certificate-authority-data': data(ca) })).rejects.toMatchObject({
      code: 'config',
      message,
      hint: expect.stringContaining('certificate-authority'),
    });
  });

  it('a CA with text around its certificates is accepted', async () => {
    const cluster = { 'certificate-authority-data': data(`# our CA\n${trusted.ca}\n# end\n`) };
    await expect(ask({ token: 't' }, cluster)).rejects.toMatchObject(SENT);
  });

  it.each([
    ['do not belong together', () => [own.cert, other.key], 'tls: private key does not match public key'],
    ['are no PEM: the certificate', () => ['x', own.key], 'tls: failed to find any PEM data in certificate input'],
    ['are no PEM: the key', () => [own.cert, 'x'], 'tls: failed to find any PEM data in key input'],
    [
      'are spoilt',
      () => [own.cert, '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'],
      'tls: failed to parse the certificate or its private key',
    ],
  ])('a client certificate and a key that %s', async (_, pair, message) => {
    const [cert = '', key = ''] = pair();
    await expect(ask({ 'client-certificate-data': data(cert), 'client-key-data': data(key) })).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining(message),
    });
  });

  it.each(['ftp://127.0.0.1', 'unix:///run/api.sock', 'HTTPSS://x'])('the server %s', async (server) => {
    await expect(load({ token: 't' }, { server })).rejects.toMatchObject({
      code: 'config',
      message: `unsupported protocol scheme "${server.split(':')[0]?.toLowerCase()}" of the server`,
    });
  });

  it('an auth provider that client-node no longer supports has a readable error', async () => {
    for (const name of ['gcp', 'azure']) {
      const config = await load({ 'auth-provider': { name } });
      await expect(config.credentials()).rejects.toMatchObject({
        code: 'credentials',
        message: `auth provider "${name}" gave no token`,
      });
    }
  });
});
