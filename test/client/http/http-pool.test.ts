import { describe, expect, it } from 'vitest';
import { Credentials } from '../../../src/client/config/cluster-config.ts';
import { HttpPool, type HttpPoolOptions } from '../../../src/client/http/http-pool.ts';
import { readText } from '../../../src/client/http/response.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { socketScript } from '../../support/socket-script.ts';

function pool(options: Partial<HttpPoolOptions>): HttpPool & AsyncDisposable {
  const defaults = {
    server: 'https://api.test',
    proxyUrl: undefined,
    compress: true,
    userAgent: 'test/1',
    timeoutMs: undefined,
    idleMs: 60_000,
    clock: new FakeClock(),
  };
  const made = new HttpPool({ ...defaults, ...options });
  return Object.assign(made, { [Symbol.asyncDispose]: () => made.close() });
}

const get = { method: 'GET', path: '/x' };
const nobody = new Credentials({}, {});

describe('a request of the pool', () => {
  it('has the base path, the user agent and the credentials; its own headers come first', async () => {
    await using server = await socketScript((request, response) => response.end(request.url));
    await using connections = pool({ server: `${server.url}/base/` });
    const credentials = new Credentials({ authorization: 'Bearer t', 'impersonate-group': ['a', 'b'] }, {});
    const { status, body } = await connections.send({ ...get, headers: { accept: 'text/plain' } }, credentials);
    expect([status, await readText(body)]).toEqual([200, '/base/x']);
    expect(server.seen[0]?.headers).toMatchObject({
      authorization: 'Bearer t',
      accept: 'text/plain',
      'user-agent': 'test/1',
    });
    expect(server.seen[0]?.rawHeaders.filter((_, i, all) => all[i - 1]?.toLowerCase() === 'impersonate-group')).toEqual(
      ['a', 'b'],
    );
  });

  it('uses the open connection while the TLS material is the same, and a new one when it has changed', async () => {
    await using server = await socketScript((_, response) => response.end('ok'));
    await using connections = pool({ server: server.url });
    const send = async (headers: Record<string, string>, tls: object) =>
      readText((await connections.send(get, new Credentials(headers, tls))).body);
    await send({ authorization: 'Bearer one' }, {});
    await send({ authorization: 'Bearer two' }, {});
    expect(server.connections).toBe(1);
    await send({ authorization: 'Bearer two' }, { servername: 'other' });
    expect(server.connections).toBe(2);
  });

  it('rejects with `closed` after the pool was closed', async () => {
    await using connections = pool({});
    await connections.close();
    await expect(connections.send(get, nobody)).rejects.toMatchObject({
      code: 'closed',
      message: 'the client was closed',
    });
  });
});

describe('the proxy of a pool', () => {
  it.each([
    ['ftp://me:hush@proxy', 'has an unsupported scheme', 'use http://, https:// or socks5://'],
    ['http://me:hush@', 'is not a URL', 'write it as http://host:port'],
  ])('%s is refused without its password, before anything is sent', (proxyUrl, fault, hint) => {
    expect(() => pool({ proxyUrl })).toThrow(
      expect.objectContaining({ code: 'config', message: expect.stringContaining(fault), hint }),
    );
    expect(() => pool({ proxyUrl })).toThrow(expect.objectContaining({ message: expect.not.stringContaining('hush') }));
  });
});
