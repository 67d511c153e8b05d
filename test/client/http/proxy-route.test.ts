import { describe, expect, it } from 'vitest';
import { type ClusterConfig, createConfig } from '../../../src/client/config/cluster-config.ts';
import { createTransport } from '../../../src/client/http/http-transport.ts';
import { ProxyRoute } from '../../../src/client/http/proxy-route.ts';
import { readText } from '../../../src/client/http/response.ts';
import { systemClock } from '../../../src/kit/clock.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { authority } from '../../support/authority.ts';
import { httpProxy, socksProxy, type TestProxy } from '../../support/proxies.ts';
import { rawSocketScript, socketScript } from '../../support/socket-script.ts';

function open(config: ClusterConfig) {
  const transport = createTransport(config);
  return Object.assign(transport, { [Symbol.asyncDispose]: () => transport.close() });
}
const get = { method: 'GET', path: '/x' } as const;
const route = (proxyUrl: string, origin = 'https://api.test:6443') =>
  new ProxyRoute({ proxyUrl, origin, clock: systemClock, connectTimeoutMs: 5000 });
const urlOf = (scheme: string, { port }: TestProxy, login = '') => `${scheme}://${login}127.0.0.1:${port}`;

describe('a server with TLS', () => {
  it.each(['http', 'socks5', 'socks5h'])('is reached by its name through a proxy of %s', async (scheme) => {
    const pki = await authority();
    await using server = await socketScript((_, response) => response.end('through'), pki.server);
    const where = () => ({ host: '127.0.0.1', port: Number(new URL(server.url).port) });
    await using proxy = await (scheme === 'http' ? httpProxy({ where }) : socksProxy({ where }));
    const config = createConfig({ server: 'https://api.test', tls: { ca: pki.ca } });
    await using transport = open({ ...config, proxyUrl: urlOf(scheme, proxy) });
    for (let i = 0; i < 2; i++) expect(await readText((await transport.request(get)).body)).toBe('through');
    expect(proxy.asked).toEqual([scheme === 'http' ? 'CONNECT api.test:443' : 'api.test:443']); // it is kept
    expect(server.seen[0]?.headers['proxy-authorization']).toBeUndefined();
  });

  it('is not taken for another one, although the proxy leads there', async () => {
    const pki = await authority();
    await using server = await socketScript((_, response) => response.end(), pki.server);
    await using proxy = await httpProxy({
      where: () => ({ host: '127.0.0.1', port: Number(new URL(server.url).port) }),
    });
    const config = createConfig({ server: 'https://other.test', tls: { ca: pki.ca } });
    await using transport = open({ ...config, proxyUrl: urlOf('http', proxy) });
    await expect(transport.request(get)).rejects.toThrow('certificate is valid for');
    expect(server.seen).toEqual([]);
  });
});

it('a server without TLS gets the requests of an HTTP proxy, which reads the login', async () => {
  await using server = await socketScript((_, response) => response.end('through'));
  await using proxy = await httpProxy({ login: 'me:h:ush' });
  const config = createConfig({ server: server.url });
  await using transport = open({ ...config, proxyUrl: urlOf('http', proxy, 'me:h%3Aush@') });
  expect(await readText((await transport.request(get)).body)).toBe('through');
  expect(proxy.asked).toEqual([`GET ${server.url}/x`]);
});

describe('a login', () => {
  const kinds = [
    ['http', httpProxy, 'the proxy answered 407'],
    ['socks5', socksProxy, 'the proxy refused the login'],
  ] as const;

  it.each(kinds)(
    'is sent to a proxy of %s, and a wrong one is named with the next step',
    async (scheme, make, fault) => {
      await using proxy = await make({ login: 'me:hush', where: () => ({ host: '127.0.0.1', port: 1 }) });
      const wrong = await route(urlOf(scheme, proxy, 'me:no@'))
        .connect()
        .catch((error) => error);
      expect(wrong.message).toBe(fault);
      const config = createConfig({ server: 'https://api.test' });
      await using transport = open({ ...config, proxyUrl: urlOf(scheme, proxy, 'me:no@') });
      await expect(transport.request(get)).rejects.toMatchObject({
        message: expect.not.stringContaining('me:no'),
        hint: expect.stringContaining('the proxy wants a login: write it in the proxy URL'),
      });
    },
  );

  it('that a SOCKS proxy wants and does not get is named', async () => {
    await using proxy = await socksProxy({ login: 'me:hush' });
    await expect(route(urlOf('socks5', proxy)).connect()).rejects.toThrow('the proxy wants a login of another kind');
  });
});

describe('a proxy that does not connect', () => {
  it.each([
    [5, 'ECONNREFUSED', 'connection refused'],
    [4, 'EHOSTUNREACH', 'host unreachable'],
    [2, 'EACCES', 'its rules do not allow it'],
    [8, undefined, 'SOCKS reply 8'],
  ])('says why: reply %i of SOCKS', async (reply, code, words) => {
    await using proxy = await socksProxy({ reply });
    const error = await route(urlOf('socks5', proxy))
      .connect()
      .catch((thrown) => thrown);
    expect([error.code, error.message]).toEqual([code, `the proxy did not connect: ${words}`]);
  });

  it('says its status', async () => {
    await using proxy = await httpProxy({ where: () => ({ host: '127.0.0.1', port: 1 }) });
    await expect(route(urlOf('http', proxy)).connect()).rejects.toThrow('the proxy answered 502');
  });

  it.each(['http', 'socks5', 'https'])(
    'and closes the connection, or speaks something else, is an error: %s',
    async (scheme) => {
      for (const answer of ['', 'SSH-2.0-x\r\n\r\n']) {
        await using other = await rawSocketScript((socket) => socket.once('data', () => socket.end(answer)));
        const error = await route(other.url.replace('http:', `${scheme}:`))
          .connect()
          .catch((thrown) => thrown);
        expect(error).toBeInstanceOf(Error);
      }
    },
  );

  it('and is silent is given up after the time for a connection, and at once when the client is closed', async () => {
    await using silent = await rawSocketScript();
    const clock = new FakeClock();
    const proxyUrl = silent.url;
    const quiet = new ProxyRoute({ proxyUrl, origin: 'https://api.test', clock, connectTimeoutMs: 30_000 });
    const late = quiet.connect();
    late.catch(() => {});
    await clock.advance(30_000);
    await expect(late).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    const second = quiet.connect();
    quiet.destroy(new Error('over'));
    await expect(second).rejects.toThrow('over');
    await expect(quiet.connect()).rejects.toThrow();
  });
});

it('the certificate of a proxy with TLS is checked', async () => {
  const pki = await authority();
  await using proxy = await socketScript(() => {}, pki.server);
  await expect(route(proxy.url).connect()).rejects.toThrow('unable to verify the first certificate');
});
