import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { LARGEST_CREDENTIAL } from '../../../src/client/http/limits.ts';
import { readText } from '../../../src/client/http/response.ts';
import { createLogger } from '../../../src/kit/logger.ts';
import { authority } from '../../support/authority.ts';
import { ownKubeconfig } from '../../support/own-kubeconfig.ts';
import { socketScript } from '../../support/socket-script.ts';

const place = ownKubeconfig();
const { at, authorization, configOf } = place;

describe('an OIDC provider', () => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  let serial = 0;
  /** A token that ends that many seconds from now. */
  const jwt = (seconds: number) =>
    `${encode({ alg: 'x' })}.${encode({ exp: place.clock.now() / 1000 + seconds, n: ++serial })}.sig`;

  interface Asked {
    authorization: string | undefined;
    form: Record<string, string>;
  }

  /** A provider whose tokens last an hour; `answer` replaces its answer to a refresh. */
  async function provider(
    answer: () => [status: number, body: object] | undefined = () => undefined,
    methods?: string[],
    tls?: object,
  ) {
    const asked: Asked[] = [];
    const server = await socketScript((request, response) => {
      if (request.url === '/realm/.well-known/openid-configuration') {
        response.end(
          JSON.stringify({ token_endpoint: `${server.url}/token`, token_endpoint_auth_methods_supported: methods }),
        );
        return;
      }
      void readText(request).then((body) => {
        asked.push({
          authorization: request.headers.authorization,
          form: Object.fromEntries(new URLSearchParams(body)),
        });
        const [status, json] = answer() ?? [200, { id_token: jwt(3600), refresh_token: `refresh-${asked.length + 1}` }];
        response.writeHead(status).end(JSON.stringify(json));
      });
    }, tls);
    return Object.assign(server, { asked });
  }

  const user = (issuer: string, more: object = {}) => ({
    'auth-provider': {
      name: 'oidc',
      config: { 'idp-issuer-url': issuer, 'client-id': 'c', 'refresh-token': 'refresh-1', ...more },
    },
  });
  const written = async () => JSON.parse(await readFile(at('config'), 'utf8')).users[0].user['auth-provider'].config;

  it('whose answer is too long is an error with the limit, which quotes no part of the answer', async () => {
    await using idp = await provider(() => [200, { id_token: jwt(3600), padding: 'x'.repeat(LARGEST_CREDENTIAL) }]);
    const config = await configOf(user(`${idp.url}/realm`, { 'id-token': jwt(-1) }));
    const error: Error = await config.credentials().then(
      () => expect.unreachable(),
      (e) => e,
    );
    expect(error).toMatchObject({ code: 'credentials' });
    expect(error.message).toBe(
      `failed to refresh token: the answer of ${idp.url}/token is longer than the limit of ${LARGEST_CREDENTIAL} bytes (1 MiB)`,
    );
  });

  it('is not asked while the token of the kubeconfig holds', async () => {
    await using idp = await provider();
    const token = jwt(3600);
    const config = await configOf(user(`${idp.url}/realm`, { 'id-token': token }));
    expect(await authorization(config)).toBe(`Bearer ${token}`);
    expect(idp.seen).toHaveLength(0);
  });

  it.each([
    ['that has ended', -1],
    ['that is about to end', 9],
    ['that is missing', undefined],
  ])(
    'renews a token %s once for a hundred requests, and not again until the new one ends, whichever files are read again',
    async (_, seconds) => {
      await using idp = await provider();
      await writeFile(at('ca'), 'the ca');
      const old = seconds === undefined ? {} : { 'id-token': jwt(seconds) };
      const config = await configOf(user(`${idp.url}/realm/`, old), { 'certificate-authority': 'ca' });
      const all = await Promise.all(Array.from({ length: 100 }, () => authorization(config)));
      expect(new Set(all).size).toBe(1);
      expect(idp.asked.map(({ form }) => form)).toEqual([
        { grant_type: 'refresh_token', refresh_token: 'refresh-1', client_id: 'c' },
      ]);
      for (let minutes = 0; minutes < 59; minutes++) {
        place.clock.tick(60_000);
        expect(await authorization(config)).toBe(all[0]);
      }
      place.clock.tick(60_000);
      expect(await authorization(config)).not.toBe(all[0]);
      expect(idp.asked[1]?.form).toMatchObject({ refresh_token: 'refresh-2' });
      expect(idp.asked).toHaveLength(2);
    },
  );

  it('has its new tokens written to the kubeconfig in place of the old ones, and nothing else changed', async () => {
    await using idp = await provider();
    const old = jwt(-1);
    const config = await configOf(user(`${idp.url}/realm`, { 'id-token': old }));
    const before = `# kept\n${await readFile(at('config'), 'utf8')}\n`;
    await writeFile(at('config'), before);
    await chmod(at('config'), 0o640);
    const token = String(await authorization(config)).slice('Bearer '.length);
    expect(await readFile(at('config'), 'utf8')).toBe(before.replace(old, token).replace('refresh-1', 'refresh-2'));
    expect((await stat(at('config'))).mode & 0o777).toBe(0o640);
    expect(await readdir(place.directory)).toEqual(['config']);
  });

  it.each([
    ['is locked by kubectl', 'refresh-2', () => writeFile(at('config.lock'), '')],
    ['would no longer have text there', '12345', async () => {}],
  ])('has its new tokens used although the kubeconfig %s', async (_, next, disturb) => {
    await using idp = await provider(() => [200, { id_token: jwt(3600), refresh_token: next }]);
    const warned: string[] = [];
    const logger = createLogger((level, message) => level === 'warn' && warned.push(message));
    const config = await configOf(user(`${idp.url}/realm`, { 'id-token': jwt(-1) }), {}, { logger });
    const text = (await readFile(at('config'), 'utf8')).replaceAll('"refresh-1"', 'refresh-1');
    await writeFile(at('config'), text);
    await disturb();
    expect(await authorization(config)).toMatch(/^Bearer /);
    expect(await readFile(at('config'), 'utf8')).toBe(text);
    expect(warned).toEqual(['renewed OIDC tokens are kept in memory only']);
    place.clock.tick(3600_000);
    await authorization(config);
    expect(idp.asked[1]?.form).toMatchObject({ refresh_token: next });
  });

  it('is not asked when the user has logged in meanwhile', async () => {
    await using idp = await provider();
    const config = await configOf(user(`${idp.url}/realm`, { 'id-token': jwt(3600) }));
    await authorization(config);
    place.clock.tick(3600_000);
    const token = jwt(3600);
    await configOf(user(`${idp.url}/realm`, { 'id-token': token }));
    expect(await authorization(config)).toBe(`Bearer ${token}`);
    expect(idp.seen).toHaveLength(0);
  });

  it('renews a token that the server refuses, unless it is quite new', async () => {
    await using idp = await provider();
    const config = await configOf(user(`${idp.url}/realm`, { 'id-token': jwt(3600) }));
    for (const requests of [1, 1, 1]) {
      await config.credentials({ rejected: await config.credentials() });
      expect(idp.asked).toHaveLength(requests);
    }
    place.clock.tick(60_001);
    await config.credentials({ rejected: await config.credentials() });
    expect(idp.asked).toHaveLength(2);
  });

  it.each([
    [undefined, `Basic ${Buffer.from('c:s%2Fx').toString('base64')}`, {}],
    [['client_secret_post'], undefined, { client_id: 'c', client_secret: 's/x' }],
  ])('gets the client secret in the way that it supports (%j)', async (methods, header, fields) => {
    await using idp = await provider(undefined, methods);
    await authorization(await configOf(user(`${idp.url}/realm`, { 'client-secret': 's/x' })));
    expect(idp.asked).toEqual([
      { authorization: header, form: { grant_type: 'refresh_token', refresh_token: 'refresh-1', ...fields } },
    ]);
  });

  it('is verified with the CA of its section', async () => {
    const pki = await authority();
    await using idp = await provider(undefined, undefined, pki.server);
    await writeFile(at('idp.pem'), pki.ca);
    for (const ca of [
      { 'idp-certificate-authority': at('idp.pem') },
      { 'idp-certificate-authority-data': Buffer.from(pki.ca).toString('base64') },
    ]) {
      expect(await authorization(await configOf(user(`${idp.url}/realm`, ca)))).toMatch(/^Bearer /);
    }
    await expect((await configOf(user(`${idp.url}/realm`))).credentials()).rejects.toMatchObject({
      code: 'credentials',
      message: expect.stringContaining('failed to verify certificate'),
    });
  });

  it.each<[string, object, [number, object] | undefined, string]>([
    [
      'no refresh token',
      { 'refresh-token': '' },
      undefined,
      'No valid id-token, and cannot refresh without refresh-token',
    ],
    ['no issuer', { 'idp-issuer-url': '' }, undefined, 'Must provide idp-issuer-url'],
    ['no client', { 'client-id': '' }, undefined, 'Must provide client-id'],
    [
      'a refusal',
      {},
      [400, { error: 'invalid_grant', error_description: 'session ended' }],
      'failed to refresh token: invalid_grant: session ended',
    ],
    ['a failure without a reason', {}, [502, {}], 'failed to refresh token: the provider answered 502'],
    ['no token in the answer', {}, [200, { access_token: 'a' }], 'token response did not contain an id_token'],
  ])('reports %s', async (_, more, answer, message) => {
    await using idp = await provider(() => answer);
    const config = await configOf(user(`${idp.url}/realm`, more));
    await expect(config.credentials()).rejects.toMatchObject({
      code: 'credentials',
      message: expect.stringContaining(message),
    });
    expect((await written())['id-token']).toBeUndefined();
  });

  it('with an unknown name is an error, not an anonymous request', async () => {
    const config = await configOf({ 'auth-provider': { name: 'other', config: {} } });
    await expect(config.credentials()).rejects.toThrow('auth provider "other" gave no token');
  });
});
