import { mkdtemp, rename, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Transport, TransportRequest, TransportResponse } from '../../../src/client/http/transport.ts';
import { serveTransport } from '../../../src/serve/client/serve-transport.ts';
import type { FoundServe } from '../../../src/serve/find.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const PODS = '/api/v1/namespaces/shop/pods?watch=true';
const GONE = 'from the cluster, not from serve (pid 7) any more: ';

let folder: string;
let server: Server | undefined;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'transport-'));
});
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  await rm(folder, { recursive: true, force: true });
});

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function listening(socket: string, handler: Handler): Promise<void> {
  server = createServer(handler);
  await new Promise<void>((resolve) => server?.listen(socket, resolve));
}

/** A transport to a serve that answers as a test says. Requests that go to the cluster are written down. */
async function setup(handler: Handler | undefined, more: Partial<Parameters<typeof serveTransport>[0]> = {}) {
  const clock = new FakeClock();
  const socket = path.join(folder, 'serve.sock');
  const asked: IncomingMessage[] = [];
  if (handler)
    await listening(socket, (request, response) => {
      asked.push(request);
      handler(request, response);
    });
  const direct: string[] = [];
  const notices: string[] = [];
  const cluster: Transport = {
    request: async ({ method, path: url }) => {
      direct.push(`${method} ${url}`);
      return { status: 299, headers: {}, body: (async function* () {})() };
    },
    close: async () => void direct.push('closed'),
  };
  const transport = serveTransport({
    serve: { folder, socket, about: { pid: 7 } } as FoundServe,
    direct: cluster,
    clock,
    needsManagedFields: false,
    isQuiet: false,
    forgetKilled: async () => undefined,
    notice: (text) => void notices.push(text),
    ...more,
  });
  const get = (url = PODS, init: Partial<TransportRequest> = {}) =>
    transport.request({ method: 'GET', path: url, ...init });
  return { clock, asked, direct, notices, transport, get };
}

const answering =
  (status: number, text: string, protocol: string | undefined = '2'): Handler =>
  (_, response) => {
    if (protocol !== '') response.setHeader('kubectl-informer-protocol', protocol);
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  };

async function textOf({ body }: TransportResponse): Promise<string> {
  let text = '';
  for await (const chunk of body) text += Buffer.from(chunk).toString();
  return text;
}

describe.skipIf(process.platform === 'win32')('a transport through a serve', () => {
  it('gives the answers of the serve to lists and watches, with status and headers, and says so once', async () => {
    const { asked, direct, notices, get, clock } = await setup(answering(200, '{"items":[]}'));
    const answer = await get(PODS, { headers: { accept: 'application/json' } });
    expect([answer.status, answer.headers['content-type'], await textOf(answer)]).toEqual([
      200,
      'application/json',
      '{"items":[]}',
    ]);
    await textOf(await get());
    expect([asked[0]?.method, asked[0]?.url, asked[0]?.headers]).toMatchObject([
      'GET',
      PODS,
      { accept: 'application/json', 'kubectl-informer-protocol': '2' },
    ]);
    expect(asked[0]?.headers).not.toHaveProperty('kubectl-informer-managed-fields');
    expect([asked.length, direct, notices, clock.pending]).toEqual([2, [], ['from serve (pid 7)'], 0]);
  });

  it('passes refusals of the serve on, other than that it cannot answer', async () => {
    const { get, direct } = await setup(answering(410, '{"code":410}'));
    const answer = await get();
    expect([answer.status, await textOf(answer), direct]).toEqual([410, '{"code":410}', []]);
  });

  it('asks for managed fields where they are needed, and says nothing of itself if it is quiet', async () => {
    const { asked, notices, get } = await setup(answering(200, ''), { needsManagedFields: true, isQuiet: true });
    await textOf(await get());
    expect(asked[0]?.headers).toMatchObject({ 'kubectl-informer-managed-fields': 'true' });
    expect(notices).toEqual([]);
  });

  it('asks the cluster for everything but lists and watches of collections', async () => {
    const { transport, asked, direct, notices } = await setup(answering(200, ''));
    await transport.request({ method: 'POST', path: PODS });
    await transport.request({ method: 'GET', path: '/version' });
    await transport.close();
    expect([direct, asked, notices]).toEqual([[`POST ${PODS}`, 'GET /version', 'closed'], [], []]);
  });

  it.each([true, false])(
    'asks the cluster for what the serve cannot answer, with its reason, quiet: %s',
    async (isQuiet) => {
      const { get, asked, direct, notices } = await setup(answering(421, '{"message":"it is not cached"}'), {
        isQuiet,
      });
      for (let i = 0; i < 2; i++) expect((await get()).status).toBe(299);
      expect([asked.length, direct.length]).toEqual([2, 2]);
      expect(notices).toEqual(['pods from the cluster, not from serve (pid 7): it is not cached']);
    },
  );

  it('asks the cluster, now and later, once the serve fails, and says why once', async () => {
    const { get, asked, direct, notices, clock } = await setup((_, response) => void response.destroy());
    const answers = await Promise.all([get(), get()]);
    expect(answers.map(({ status }) => status)).toEqual([299, 299]);
    await get();
    expect([asked.length, direct.length, clock.pending]).toEqual([2, 3, 0]);
    expect(notices).toEqual([`${GONE}socket hang up`]);
  });

  it('asks the cluster once the serve has not begun its answer for 5 s', async () => {
    let arrived = () => {};
    const isThere = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const { get, notices, clock } = await setup(() => arrived());
    const answer = get();
    await isThere;
    await clock.advance(4999);
    expect(notices).toEqual([]);
    await clock.advance(1);
    expect([(await answer).status, notices]).toEqual([299, [`${GONE}it has not answered for 5s`]]);
    expect(clock.pending).toBe(0);
  });

  it.each(['3', ''])(
    'asks the cluster where the serve speaks the protocol version %j, and says what to do',
    async (version) => {
      const { get, notices } = await setup(answering(200, '', version));
      expect((await get()).status).toBe(299);
      expect(notices).toEqual([
        expect.stringMatching(
          `the serve with pid 7 speaks protocol version ${version || 'none'}, this program version 2 \\(.*serve stop.*\\)$`,
        ),
      ]);
    },
  );

  it('forgets a serve that was killed, with the line for it; says nothing of its own then', async () => {
    let forgotten = 0;
    const forgetKilled = async () => {
      forgotten++;
      return 'it was killed';
    };
    await listening(path.join(folder, 'other'), () => {});
    await rename(path.join(folder, 'other'), path.join(folder, 'serve.sock'));
    await new Promise((resolve) => server?.close(resolve)); // its socket stays
    const { get, direct, notices } = await setup(undefined, { forgetKilled });
    for (let i = 0; i < 2; i++) expect((await get()).status).toBe(299);
    expect([forgotten, direct.length, notices]).toEqual([1, 2, ['it was killed']]);
  });

  it('says why for any other failure, and does not ask whether the serve was killed', async () => {
    const forgetKilled = async () => expect.unreachable();
    const { get, notices } = await setup(undefined, { forgetKilled });
    await get();
    expect(notices).toEqual([expect.stringContaining(`${GONE}connect ENOENT`)]);
    const other = await setup((_, response) => void response.destroy(), { forgetKilled });
    expect((await other.get()).status).toBe(299);
  });

  it('rejects with the reason of a signal, and asks the serve again later', async () => {
    const ending = new AbortController();
    let isFirst = true;
    const { get, direct, notices } = await setup((request, response) => {
      if (isFirst) ending.abort(new Error('enough'));
      else answering(200, 'x')(request, response);
      isFirst = false;
    });
    await expect(get(PODS, { signal: ending.signal })).rejects.toThrow('enough');
    expect([direct, notices]).toEqual([[], []]);
    expect(await textOf(await get())).toBe('x');
  });

  it('takes an answer that is cut for a broken connection', async () => {
    const { get } = await setup((_, response) => {
      response.setHeader('kubectl-informer-protocol', '2');
      response.write('half', () => response.destroy());
    });
    await expect(textOf(await get())).rejects.toMatchObject({
      code: 'transport',
      message: expect.stringContaining('the serve ended its answer: '),
    });
  });
});
