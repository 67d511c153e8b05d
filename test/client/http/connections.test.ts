import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTransport, type TransportOptions } from '../../../src/client/http/http-transport.ts';
import { readText } from '../../../src/client/http/response.ts';
import { loadConfig } from '../../../src/client/kubeconfig.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { type Authority, authority } from '../../support/authority.ts';
import { socketScript } from '../../support/socket-script.ts';

let pki: Authority;
let directory: string;
let clock: FakeClock;
const at = (name: string) => path.join(directory, name);
const runs = async () => (await readFile(at('runs'), 'utf8')).length;

beforeAll(async () => {
  pki = await authority();
  directory = await mkdtemp(path.join(os.tmpdir(), 'connections-'));
});
afterAll(() => rm(directory, { recursive: true }));
beforeEach(async () => {
  clock = new FakeClock();
  await writeFile(at('runs'), '');
});

/** A plugin whose tokens are t1, t2, … and last an hour. */
async function plugin(): Promise<object> {
  const script = `
const fs = require('node:fs');
fs.appendFileSync(${JSON.stringify(at('runs'))}, '.');
const n = fs.readFileSync(${JSON.stringify(at('runs'))}).length;
const status = { token: 't' + n, expirationTimestamp: new Date(${clock.now()} + n * 3600_000) };
console.log(JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status }));`;
  await writeFile(at('plugin.cjs'), script);
  return {
    exec: {
      command: process.execPath,
      args: [at('plugin.cjs')],
      apiVersion: 'client.authentication.k8s.io/v1',
      interactiveMode: 'Never',
    },
  };
}

/** A transport that a kubeconfig configures. */
async function connect(server: string, user: object, options: TransportOptions = {}) {
  await writeFile(at('ca.pem'), pki.ca);
  const kubeconfig = {
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server, 'certificate-authority': 'ca.pem' } }],
    users: [{ name: 'u', user }],
  };
  await writeFile(at('config'), JSON.stringify(kubeconfig));
  const config = await loadConfig({ kubeconfig: at('config'), clock, env: { PATH: process.env.PATH } });
  const transport = createTransport(config, { clock, ...options });
  const text = async (url: string) => readText((await transport.request({ method: 'GET', path: url })).body);
  return { transport, text, [Symbol.asyncDispose]: () => transport.close() };
}

function commonName(request: IncomingMessage): string {
  return String((request.socket as TLSSocket).getPeerCertificate().subject?.CN);
}

describe('a user with a plugin', () => {
  it('makes a hundred requests at once and runs the plugin once', async () => {
    await using server = await socketScript(
      (request, response) => response.end(request.headers.authorization),
      pki.server,
    );
    await using client = await connect(server.url, await plugin());
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => client.text(`/${i}`)));
    expect(new Set(answers)).toEqual(new Set(['Bearer t1']));
    expect(server.seen).toHaveLength(100);
    expect(await runs()).toBe(1);
  });

  it('whose token is refused a hundred times at once runs it once more, and every request gets its response', async () => {
    await using server = await socketScript((request, response) => {
      const { authorization } = request.headers;
      response.writeHead(authorization === 'Bearer t1' ? 401 : 200).end(authorization);
    }, pki.server);
    await using client = await connect(server.url, await plugin());
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => client.text(`/${i}`)));
    expect(new Set(answers)).toEqual(new Set(['Bearer t2']));
    expect(await runs()).toBe(2);
  });
});

describe('credentials that change while a watch is open', () => {
  /** Answers with the user of the request. A watch goes on until `event` is emitted, and ends with its user. */
  const listening = (who: (request: IncomingMessage) => string, tls: object) =>
    socketScript(
      (request, response) => {
        if (request.url !== '/watch') return response.end(who(request));
        response.write('open ');
        return (request.socket as TLSSocket & { server: NodeJS.EventEmitter }).server.once('event', () =>
          response.end(who(request)),
        );
      },
      { ...pki.server, ...tls },
    );

  it('are used by the next request, on the same connections, and the watch does not end', async () => {
    await using server = await listening((request) => String(request.headers.authorization), {});
    await using client = await connect(server.url, await plugin());
    const watch = await client.transport.request({ method: 'GET', path: '/watch', stream: true });
    expect(await client.text('/a')).toBe('Bearer t1');
    const { connections } = server;
    clock.tick(3600_000);
    expect(await client.text('/b')).toBe('Bearer t2');
    expect(server.connections).toBe(connections);
    server.server.emit('event');
    expect(await readText(watch.body)).toBe('open Bearer t1');
  });

  it('and are a certificate lead to new connections, and the watch goes on over the old one', async () => {
    await using server = await listening(commonName, { ca: pki.ca, requestCert: true, rejectUnauthorized: true });
    const rotateTo = async (name: string) => {
      const { cert, key } = await pki.client(name);
      await Promise.all([writeFile(at('cert.pem'), cert), writeFile(at('key.pem'), key)]);
    };
    await rotateTo('one');
    await using client = await connect(server.url, { 'client-certificate': 'cert.pem', 'client-key': 'key.pem' });
    const watch = await client.transport.request({ method: 'GET', path: '/watch', stream: true });
    await rotateTo('two');
    expect(await client.text('/a')).toBe('one');
    clock.tick(60_000);
    expect(await client.text('/b')).toBe('two');
    server.server.emit('event');
    expect(await readText(watch.body)).toBe('open one');
  });
});

describe('the rate of requests', () => {
  it('is 300 at once, then one every 20 ms, and does not delay watches', async () => {
    const arrived: number[] = [];
    await using server = await socketScript((request, response) => {
      if (request.url === '/list') arrived.push(clock.monotonic());
      response.end('ok');
    });
    await using client = await connect(server.url, {});
    const all = Promise.all(Array.from({ length: 310 }, () => client.text('/list')));
    await expect.poll(() => arrived.length).toBe(300);
    await Promise.all(
      Array.from({ length: 50 }, () => client.transport.request({ method: 'GET', path: '/watch', stream: true })),
    );
    for (let n = 301; n <= 310; n++) {
      await clock.advance(19);
      expect(arrived).toHaveLength(n - 1);
      await clock.advance(1);
      await expect.poll(() => arrived.length).toBe(n);
    }
    await all;
    expect(arrived.slice(300)).toEqual([20, 40, 60, 80, 100, 120, 140, 160, 180, 200]);
    expect(clock.pending).toBe(0);
  });
});
