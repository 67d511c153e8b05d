import { createHash } from 'node:crypto';
import { request as httpRequest, type IncomingMessage, Server } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { InformerError } from '../../../src/kit/error.ts';
import { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { pageOf } from '../../../src/serve/ui/page-text.ts';
import { refusalFrom, startUi, type UiServer } from '../../../src/serve/ui/ui-server.ts';
import { eventually } from '../../../src/testing/eventually.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { pageText, sandboxUi, uiProgram } from '../../support/ui.ts';

let sandbox: Sandbox;
let served: Awaited<ReturnType<typeof sandboxUi>>;
let ui: UiServer;
beforeAll(async () => {
  sandbox = await Sandbox.start({ socket: false, seed: 1 });
  sandbox.apply([
    ...['web-1', 'web-2'].map((name) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'shop' },
      spec: { nodeName: `node-of-${name}`, containers: [{ name: 'c', image: 'a:1' }] },
    })),
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', namespace: 'shop' },
      type: 'Opaque',
      data: { key: Buffer.from('hunter2').toString('base64') },
    },
  ]);
  served = await sandboxUi(sandbox, ['pods', 'secrets']);
  ui = served.ui;
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await sandbox.stop();
});

const token = () => ui.url.slice(ui.url.indexOf('=') + 1);

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Sends a request with any headers; of a stream the first bytes are the answer. */
function send(
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: unknown } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(new URL(path, ui.address), { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      const done = () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      response.on('data', (part: string) => {
        text += part;
        if (!response.headers['content-type']?.startsWith('text/event-stream')) return;
        done();
        response.destroy();
      });
      response.on('end', done);
      response.on('error', () => {});
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const authorized = () => ({ authorization: `Bearer ${token()}` });

describe('the page', () => {
  it('has a token of 24 random bytes in its URL', () => {
    expect(token()).toMatch(/^[\w-]{32}$/);
  });

  it('needs no token, has no data, and allows its own script and style only', async () => {
    const { status, headers, text } = await send('GET', '/ui/');
    expect(status).toBe(200);
    expect(text).toBe(pageOf(await pageText()).html);
    expect(text).not.toContain('web-1');
    const policy = String(headers['content-security-policy']);
    const script = /<script>([\s\S]*?)<\/script>/.exec(text)?.[1] ?? '';
    const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? '';
    const hash = (part: string) => `'sha256-${createHash('sha256').update(part).digest('base64')}'`;
    expect(script.length).toBeGreaterThan(1000);
    expect(policy.split('; ')).toEqual([
      `default-src 'none'`,
      `script-src ${hash(script)}`,
      `style-src ${hash(style)}`,
      'img-src data:',
      `connect-src 'self'`,
      `base-uri 'none'`,
      `form-action 'none'`,
      `frame-ancestors 'none'`,
      `require-trusted-types-for 'script'`,
      `trusted-types 'none'`,
    ]);
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
  });

  it('loads nothing from elsewhere, and has no inline handler or style', async () => {
    const text = await pageText();
    const html = text.replace(/<script>[\s\S]*<\/script>|<style>[\s\S]*<\/style>/g, '');
    expect(html.match(/(?:src|href)="(?!data:)[^"]*"/g)).toBeNull();
    expect(html.match(/\s(on\w+|style)=/g)).toBeNull();
    expect(text.match(/@import|url\((?!#)/g)).toBeNull();
    expect(text.match(/innerHTML|outerHTML|insertAdjacentHTML|document\.write/g)).toBeNull();
  });

  it('is small', async () => {
    const whole = await pageText();
    expect(pageOf(whole).html.length).toBeLessThan(64 * 1024);
    expect(whole.length).toBeLessThan(72 * 1024); // with what is shown of a recording
  });

  it('is found from the root', async () => {
    expect(await send('GET', '/')).toMatchObject({ status: 308, headers: { location: '/ui/' } });
  });
});

describe('a request', () => {
  const data = ['/ui/stream', '/ui/view', '/ui/values'];

  it.each(data)('to %s without the token is refused with what to do', async (path) => {
    for (const headers of [{}, { authorization: 'Bearer wrong' }]) {
      const { status, text } = await send('POST', path, { headers: headers as Record<string, string>, body: {} });
      expect(status).toBe(401);
      expect(JSON.parse(text).hint).toContain('open the whole URL that serve --ui printed');
    }
  });

  it.each(data)('to %s from another page is refused, also with the token', async (path) => {
    for (const headers of [
      { host: 'rebound.example' },
      { origin: 'http://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      const { status } = await send('POST', path, { headers: { ...authorized(), ...headers } as never, body: {} });
      expect(status).toBe(403);
    }
  });

  it('for the page under another name is refused', async () => {
    const { status, text } = await send('GET', '/ui/', { headers: { host: 'rebound.example' } });
    expect([status, text]).toEqual([403, expect.stringContaining('answers to localhost only')]);
  });

  it('that asks before it sends, as a foreign page must, gets no permission', async () => {
    const { status, headers } = await send('OPTIONS', '/ui/stream', {
      headers: { origin: 'http://evil.example', 'access-control-request-method': 'POST' },
    });
    expect(status).toBe(403);
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('with the token in its URL is refused: a URL is kept in logs', async () => {
    expect(await send('POST', `/ui/stream?token=${token()}`, { body: {} })).toMatchObject({ status: 401 });
  });

  it.each([
    ['GET', '/ui/stream', 405],
    ['POST', '/ui/other', 404],
    ['POST', '/v1/query', 404],
  ])('%s %s gets %i', async (method, path, status) => {
    expect(await send(method, path, { headers: authorized() })).toMatchObject({ status });
  });

  it('may have 256 KiB, and no more', async () => {
    const statusOf = async (length: number) =>
      (await send('POST', '/ui/view', { headers: authorized(), body: 'x'.repeat(length - 2) })).status;
    expect([await statusOf(256 * 1024), await statusOf(256 * 1024 + 1)]).toEqual([400, 413]);
  });

  it('that is too large is cut off', async () => {
    const body = { text: 'x'.repeat(300_000) };
    const headers = { ...authorized(), connection: 'keep-alive' };
    const refused = await send('POST', '/ui/view', { headers, body });
    expect([refused.status, refused.headers.connection]).toEqual([413, 'close']);
    const kept = [await send('GET', '/ui/', { headers }), await send('POST', '/ui/other', { headers })];
    expect(kept.map((answer) => answer.headers.connection)).toEqual(['keep-alive', 'keep-alive']);
  });

  it.each([
    ['{', 'in JSON', 'in JSON'],
    ['null', 'not one that the page', 'has no question'],
    ['[]', 'not one that the page', 'has no question'],
    ['{"question":null,"name":"node"}', 'not one that the page', 'has no question'],
    ['{"question":"x","name":"node"}', 'not one that the page', 'has no question'],
    ['{"question":{"type":"v1/pods"}}', 'not one that the page', 'no index is named'],
    ['{"question":{"type":"v1/pods","where":{}},"name":"node"}', 'not one that the page', 'has no question'],
    ['{"question":{"type":"v1/pods","name":null},"name":"node"}', 'not one that the page', 'has no question'],
    ['{"question":{"type":"v1/pods","index":{"name":{}}},"name":"node"}', 'not one that the page', 'has no question'],
  ])('with the body %s is refused in words of the page', async (body, view, values) => {
    const errorOf = async (path: string) => {
      const answer = await fetch(new URL(path, ui.address), { method: 'POST', headers: authorized(), body });
      return [answer.status, ((await answer.json()) as { error: string }).error];
    };
    expect(await errorOf('/ui/view')).toEqual([400, expect.stringContaining(view)]);
    expect(await errorOf('/ui/values')).toEqual([400, expect.stringContaining(values)]);
  });
});

describe('a stream', () => {
  it('begins with a session, through which views are chosen', async () => {
    const { status, headers, text } = await send('POST', '/ui/stream', { headers: authorized() });
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(text).toMatch(/^event: hello\ndata: \{"session":"[\w-]{16}",/);
  });

  it('shows the view that was chosen for its session', async () => {
    const open = await fetch(`${ui.address}stream`, { method: 'POST', headers: authorized() });
    const reader = (open.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const until = async (found: RegExp) => {
      while (!found.test(text)) text += (await reader.read()).value ?? '';
      return found.exec(text)?.[1];
    };
    const session = await until(/"session":"([\w-]+)"/);
    const view = { session, number: 1, question: { type: 'v1/pods', name: 'web-2' } };
    expect(await send('POST', '/ui/view', { headers: authorized(), body: view })).toMatchObject({ status: 200 });
    await until(/event: rows\ndata: \{"view":1,"set":\[\["shop\/web-2"/);
    const refused = await send('POST', '/ui/view', {
      headers: authorized(),
      body: { ...view, question: { type: 'v1/pods', where: 'NOPE == "x"' } },
    });
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([400, { field: 'where' }]);
    await reader.cancel();
  });

  it('that has ended takes no view any more', async () => {
    const answer = await send('POST', '/ui/view', { headers: authorized(), body: { session: 'gone', number: 1 } });
    expect(answer.status).toBe(410);
  });

  it('is one of a limited number', async () => {
    const open = await Promise.all(
      Array.from({ length: 32 }, () => fetch(`${ui.address}stream`, { method: 'POST', headers: authorized() })),
    );
    expect(open.every(({ status }) => status === 200)).toBe(true);
    expect(await send('POST', '/ui/stream', { headers: authorized() })).toMatchObject({ status: 503 });
    await Promise.all(open.map(({ body }) => body?.cancel()));
  });
});

it('is not idle while a page is open', async () => {
  const clock = new FakeClock();
  await using own = await startUi({ program: uiProgram([], { clock }), page: '' });
  await clock.advance(5000);
  expect(own.idleMs).toBe(5000);
  const headers = { authorization: `Bearer ${own.url.split('=')[1]}` };
  const open = await fetch(`${own.address}stream`, { method: 'POST', headers });
  expect(own.idleMs).toBe(0);
  await open.body?.cancel();
  await eventually(async () => {
    await clock.advance(1000);
    return own.idleMs >= 1000;
  });
});

it('cuts a page off that does not read for a minute', async () => {
  const clock = new FakeClock();
  const program = { ...uiProgram([], { clock }), name: 'x'.repeat(20_000_000) };
  await using own = await startUi({ program, page: '' });
  const headers = { authorization: `Bearer ${own.url.split('=')[1]}` };
  const sent = httpRequest(`${own.address}stream`, { method: 'POST', headers, agent: false });
  let page: IncomingMessage | undefined;
  sent.on('response', (response) => {
    page = response.on('error', () => {}).pause();
  });
  sent.end();
  await eventually(async () => {
    await clock.advance(100);
    return own.idleMs === 0;
  });
  await clock.advance(59_000);
  expect(own.idleMs).toBe(0);
  await eventually(async () => {
    await clock.advance(1_000);
    return own.idleMs > 0;
  });
  page?.resume();
  await eventually(() => page?.closed === true);
});

it('goes on when a page has read what was written, long before it would be cut off', async () => {
  const clock = new FakeClock();
  const program = { ...uiProgram([], { clock }), name: 'x'.repeat(20_000_000) };
  await using own = await startUi({ program, page: '' });
  const headers = { authorization: `Bearer ${own.url.split('=')[1]}` };
  const sent = httpRequest(`${own.address}stream`, { method: 'POST', headers, agent: false });
  let [end, states] = ['', 0];
  sent.on('response', (response) =>
    response.on('data', (part: Buffer) => {
      const texts = (end + part.toString('latin1')).split('event: state');
      states += texts.length - 1;
      end = (texts.at(-1) as string).slice(-12);
    }),
  );
  sent.end();
  await eventually(() => states === 1);
  for (let passed = 0; passed < 30_000 && states === 1; passed += 200) await clock.advance(200);
  await eventually(() => states > 1);
  sent.on('error', () => {}).destroy();
});

describe('the values of an index', () => {
  const values = async (body: unknown) =>
    JSON.parse((await send('POST', '/ui/values', { headers: authorized(), body })).text);

  it('are counted among the objects that a question finds', async () => {
    expect(await values({ name: 'node', question: { type: 'v1/pods', namespace: 'shop' } })).toEqual({
      values: [
        ['node-of-web-1', 1],
        ['node-of-web-2', 1],
      ],
      distinct: 2,
      objects: 2,
      without: 0,
      isRedacted: false,
    });
    const one = { type: 'v1/pods', namespace: 'shop', where: 'NAME == "web-2"' };
    expect((await values({ name: 'node', question: one })).values).toEqual([['node-of-web-2', 1]]);
  });

  it('of Secrets are digests', async () => {
    const { values: found, isRedacted } = await values({
      name: 'namespace',
      question: { type: 'v1/secrets', namespace: 'shop' },
    });
    expect(isRedacted).toBe(true);
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });

  it('are refused for an index that does not exist, with those that do', async () => {
    const answer = await values({ name: 'nodes', question: { type: 'v1/pods' } });
    expect(answer).toMatchObject({
      error: expect.stringContaining('did you mean "node"'),
      hint: expect.stringContaining('namespace'),
    });
  });
});

it('gives the place of an error in the text of its box', () => {
  const refused = new InformerError(
    'argument',
    '--where: unexpected ")" at column 12\n  RESTARTS > )\n             ^',
    { hint: 'h' },
  );
  expect(refusalFrom(refused)).toEqual({
    error: 'unexpected ")" at column 12',
    hint: 'h',
    field: 'where',
    position: 11,
  });
  const first = new InformerError('argument', '--filter: unexpected ")" at column 1\n  ) > 3\n  ^');
  expect(refusalFrom(first)).toEqual({ error: 'unexpected ")" at column 1', field: 'filter', position: 0 });
  const unknown = new InformerError('argument', '--where: there is no column AGF in NAME == "a" && AGF > 3');
  expect(refusalFrom(unknown)).toEqual({ error: 'there is no column AGF', field: 'where', position: 15 });
  expect(refusalFrom(new Error('--where: there is no column B in A > 1 && B > 2'))).toMatchObject({ position: 9 });
  expect(refusalFrom(new Error('plain'))).toEqual({ error: 'plain' });
});

it('keeps a connection without a request for five seconds, and says so', async () => {
  const { headers } = await send('GET', '/ui/', { headers: { connection: 'keep-alive' } });
  expect(headers['keep-alive']).toBe('timeout=5');
});

it('refuses a port that is taken, with what to do', async () => {
  const port = Number(new URL(ui.address).port);
  await expect(startUi({ program: uiProgram([]), page: '', port })).rejects.toThrow(/cannot listen on 127\.0\.0\.1/);
});

it('listens on loopback only', async () => {
  const { networkInterfaces } = await import('node:os');
  const other = Object.values(networkInterfaces())
    .flat()
    .find((each) => each && !each.internal && each.family === 'IPv4');
  const refused = await new Promise((resolve) => {
    // another address of loopback where the machine has no network
    const socket = connect({ host: other?.address ?? '127.0.0.2', port: Number(new URL(ui.address).port) });
    socket.on('error', ({ message }) => resolve(message)).on('connect', () => resolve('connected'));
  });
  expect(refused).toMatch(/ECONNREFUSED/);
});

it('ends its streams when it ends', async () => {
  const own = await startUi({ program: uiProgram(served.caches), page: '' });
  const open = await fetch(`${own.address}stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${own.url.split('=')[1]}` },
  });
  await own[Symbol.asyncDispose]();
  await expect(open.text().catch((error: Error) => error.name)).resolves.toBeDefined();
  await expect(fetch(own.address)).rejects.toThrow();
});

it('has closed its port and all connections when its end is awaited', async () => {
  using listen = vi.spyOn(Server.prototype, 'listen');
  const own = await startUi({ program: uiProgram([]), page: '' });
  const server = listen.mock.contexts[0] as Server;
  const headers = { authorization: `Bearer ${own.url.split('=')[1]}` };
  const open = await fetch(`${own.address}stream`, { method: 'POST', headers });
  let isClosed = false;
  server.on('close', () => {
    isClosed = true;
  });
  await own[Symbol.asyncDispose]();
  expect([isClosed, server.listening]).toEqual([true, false]);
  await open.text().catch(() => {});
});

it('a picture of the past is not drawn any more when its page has gone', async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const timeline = (_: unknown, signal?: AbortSignal) => {
    signals.push(signal);
    return new Promise<undefined>(() => {});
  };
  const past = { types: [], timeline, at: async () => [] };
  await using own = await startUi({ program: { ...uiProgram([]), past }, page: await pageText() });
  const headers = { authorization: `Bearer ${own.url.slice(own.url.indexOf('=') + 1)}` };
  const page = new AbortController();
  const body = JSON.stringify({ type: 'v1/pods' });
  const asked = fetch(new URL('/ui/timeline', own.address), { method: 'POST', headers, body, signal: page.signal });
  const refused = expect(asked).rejects.toThrow('gone');
  await eventually(() => signals.length === 1);
  page.abort(new Error('gone'));
  await refused;
  await eventually(() => signals[0]?.aborted === true);
});
