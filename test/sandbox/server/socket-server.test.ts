import { Agent, request as httpsRequest } from 'node:https';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { CONFIG_MAPS, configMapNamed } from '../../support/sandbox-requests.ts';

let sandbox: Sandbox;
let agent: Agent;

beforeEach(async () => {
  sandbox = await Sandbox.start({ seed: 1 });
  agent = new Agent({ keepAlive: true });
});
afterEach(async () => {
  agent.destroy();
  await sandbox.stop();
});

interface Reply {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly chunks: Buffer[];
  readonly end: Promise<'end' | 'broken'>;
  readonly next: () => Promise<void>;
}

function send(
  path: string,
  options: { headers?: Record<string, string>; method?: string; body?: string } = {},
): Promise<Reply> {
  const headers = { authorization: `Bearer ${sandbox.token}`, ...options.headers };
  return new Promise((resolve, reject) => {
    const outgoing = httpsRequest(
      `${sandbox.url}${path}`,
      { ca: sandbox.caPem, agent, method: options.method ?? 'GET', headers },
      (incoming) => {
        const chunks: Buffer[] = [];
        let wake = () => {};
        incoming.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          wake();
        });
        const end = new Promise<'end' | 'broken'>((done) => {
          incoming.on('end', () => done('end'));
          incoming.on('error', () => done('broken'));
        });
        const next = () =>
          new Promise<void>((done) => {
            wake = done;
          });
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, chunks, end, next });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(options.body);
  });
}

async function text(reply: Reply): Promise<string> {
  await reply.end;
  return Buffer.concat(reply.chunks).toString('utf8');
}

it('answers over TLS, with its own certificate, to requests with the token', async () => {
  const reply = await send('/api/v1/namespaces');
  expect(reply.status).toBe(200);
  expect(JSON.parse(await text(reply))).toMatchObject({ kind: 'NamespaceList' });
});

it.each([['Bearer nonsense'], ['Basic abc'], ['']])('answers 401 to the credentials %j', async (authorization) => {
  const reply = await send('/api/v1/pods', { headers: { authorization } });
  expect(reply.status).toBe(401);
  expect(JSON.parse(await text(reply))).toMatchObject({ kind: 'Status', reason: 'Unauthorized', code: 401 });
});

it('answers health checks without a token', async () => {
  expect(await text(await send('/readyz', { headers: { authorization: '' } }))).toBe('ok');
});

it('sends each event of a watch at once', async () => {
  const watching = await send(`${CONFIG_MAPS}?watch=1&resourceVersion=${sandbox.resourceVersion}`);
  expect(watching.status).toBe(200);
  for (const name of ['a', 'b']) {
    const came = watching.next();
    sandbox.apply(configMapNamed(name));
    await came;
    expect(Buffer.concat(watching.chunks).toString('utf8').split('\n').at(-2)).toContain(`"name":"${name}"`);
  }
});

it('compresses large lists for clients that accept gzip', async () => {
  sandbox.apply(Array.from({ length: 200 }, (_, i) => configMapNamed(`m${i}`, { text: 'x'.repeat(2_000) })));
  const reply = await send(CONFIG_MAPS, { headers: { 'accept-encoding': 'gzip' } });
  await reply.end;
  expect(reply.headers['content-encoding']).toBe('gzip');
  const { items } = JSON.parse(gunzipSync(Buffer.concat(reply.chunks)).toString('utf8')) as { items: unknown[] };
  expect(items).toHaveLength(200);
  const small = await send(`${CONFIG_MAPS}?limit=1`, { headers: { 'accept-encoding': 'gzip' } });
  expect(small.headers['content-encoding']).toBeUndefined();
});

it('refuses a body that is too large', async () => {
  const reply = await send(CONFIG_MAPS, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: 'x'.repeat(4 * 1024 * 1024),
  });
  expect(reply.status).toBe(413);
});

it('breaks open watches when it restarts, and is back under the same address with its objects', async () => {
  sandbox.apply(configMapNamed('kept'));
  const version = sandbox.resourceVersion;
  const { url } = sandbox;
  const watching = await send(`${CONFIG_MAPS}?watch=1&resourceVersion=${version}`);
  await sandbox.restart({ keepHistory: true });
  expect(await watching.end).toBe('broken');
  expect(sandbox.url).toBe(url);
  const again = await send(`${CONFIG_MAPS}/kept`);
  expect(again.status).toBe(200);
});

it('forgets its history in a restart without `keepHistory`', async () => {
  const version = sandbox.resourceVersion;
  sandbox.apply(configMapNamed('a'));
  await sandbox.restart();
  const watching = await send(`${CONFIG_MAPS}?watch=1&resourceVersion=${version}`);
  expect(await text(watching)).toContain('"code":410');
});

it('a fault can break the connection', async () => {
  sandbox.faults.add({ fault: { kind: 'refuse' } });
  await expect(send('/api/v1/pods')).rejects.toMatchObject({ code: 'ECONNRESET' });
});

it('its kubeconfig has the address, the certificate and the token', () => {
  const text = sandbox.kubeconfig();
  expect(text).toContain(`server: ${sandbox.url}`);
  expect(text).toContain(`token: ${sandbox.token}`);
  expect(text).toContain(`certificate-authority-data: ${Buffer.from(sandbox.caPem).toString('base64')}`);
  expect(text).toContain('current-context: sandbox');
});

it('logs requests without their credentials', async () => {
  await send('/api/v1/pods?limit=1');
  expect([...sandbox.requests]).toEqual([{ method: 'GET', path: '/api/v1/pods?limit=1', status: 200 }]);
  expect(JSON.stringify([...sandbox.requests])).not.toContain(sandbox.token);
});

it('reads request lines of more than 64 KiB, as long selectors need', async () => {
  const names = Array.from({ length: 8_000 }, (_, i) => `value-${i}`).join(',');
  const path = `${CONFIG_MAPS}?labelSelector=${encodeURIComponent(`app in (${names})`)}`;
  const reply = await send(path);
  await reply.end;
  expect([path.length > 64 * 1024, reply.status]).toEqual([true, 200]);
});
