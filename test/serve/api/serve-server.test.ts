import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { InformerError } from '../../../src/kit/error.ts';
import { listen, type ServerRequest, type StreamedAnswer, type WholeAnswer } from '../../../src/kit/http-listener.ts';
import { failure } from '../../../src/model/status.ts';
import { json } from '../../../src/serve/api/routes.ts';
import { type ServeAnswers, ServeServer, type ServeServerOptions } from '../../../src/serve/api/serve-server.ts';
import { PROTOCOL_HEADER, PROTOCOL_VERSION } from '../../../src/serve/protocol.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';

const question = (given: object = {}) => ({ words: ['pods'], given, config: {}, env: {} });

/** A server whose parts note what they are called with. */
function server(options: Partial<ServeServerOptions> = {}) {
  const clock = new FakeClock();
  const calls: unknown[] = [];
  const questions: ServeAnswers = {
    parse: (text) => {
      calls.push(['parse', text]);
      if (text === '') throw new InformerError('argument', 'no question', { hint: 'ask one' });
      return JSON.parse(text) as never;
    },
    ofParameters: (parameters) => question({ output: { values: [parameters.get('o') ?? ''] } }) as never,
    mediaTypeOf: () => 'text/plain',
    statusOf: () => 418,
    answer: async (_, outlet, isMasked) => {
      calls.push(['answer', isMasked]);
      await outlet.write('text\n');
      return { exitCode: 0 };
    },
  };
  const made = new ServeServer({
    clock,
    questions,
    lookups: {
      stream: async (_: unknown, body: PassThrough, isMasked: boolean) => void body.end(`masked ${isMasked}`),
    } as never,
    other: async () => json({ other: true }, 404),
    showsSecrets: false,
    status: () => ({ pid: 7 }),
    add: async (words, indexes) => ({ words, indexes }),
    stop: () => calls.push('stop'),
    caches: {
      takes: (url: string) => url.startsWith('/api'),
      answer: async ({ url }: { url: string }) =>
        url === '/api/refused' ? failure(421, 'Misdirected', 'no') : async (body: PassThrough) => void body.end('list'),
    } as never,
    ...options,
  });
  const ask = async (
    method: string,
    url: string,
    {
      body,
      access = 'private',
      headers = {},
    }: { body?: string | undefined; access?: 'private' | 'token'; headers?: object } = {},
  ) => {
    const { signal } = new AbortController();
    const request = { method, url, headers, takesTrailers: true, signal, text: async () => body, chunks: [] };
    const answer = await made.answer(request as unknown as ServerRequest, access);
    return { answer, status: answer.status, text: await textOf(answer) };
  };
  return { clock, calls, made, questions, ask };
}

async function textOf(answer: WholeAnswer | StreamedAnswer): Promise<string> {
  if ('body' in answer) return answer.body;
  const body = new PassThrough();
  await answer.stream(body);
  return String(body.read() ?? '');
}

describe('a question', () => {
  it('is read from the body of a POST or the parameters of a GET, and answered', async () => {
    const { ask, calls } = server();
    const body = JSON.stringify(question());
    expect(await ask('POST', '/v1/query', { body })).toMatchObject({ status: 200, text: 'text\n' });
    expect(await ask('GET', '/v1/query?o=name')).toMatchObject({ status: 200, text: 'text\n' });
    expect(calls).toEqual([
      ['parse', body],
      ['answer', false],
      ['answer', false],
    ]);
  });

  it.each([
    ['private', false, false],
    ['token', false, true],
    ['token', true, false],
  ] as const)(
    'of a caller with access %s, of a serve that shows Secrets: %j, sees marks: %j',
    async (access, showsSecrets, isMasked) => {
      const { ask, calls } = server({ showsSecrets });
      await ask('GET', '/v1/query', { access });
      expect(calls).toEqual([['answer', isMasked]]);
      expect((await ask('POST', '/v1/lookup', { access })).text).toBe(`masked ${isMasked}`);
    },
  );

  it('beyond the rights of its caller, or that cannot be read, is refused with what to do', async () => {
    const { ask } = server();
    const refused = await ask('GET', '/v1/query?o=jsonpath-file=x', { access: 'token' });
    expect([refused.status, JSON.parse(refused.text).error.message]).toEqual([
      400,
      expect.stringContaining('on a port'),
    ]);
    const empty = await ask('POST', '/v1/query', { body: '' });
    expect([empty.status, JSON.parse(empty.text)]).toEqual([
      400,
      { error: { message: 'no question', hint: 'ask one' } },
    ]);
    const odd = await ask('POST', '/v1/query', { body: '{' });
    expect([odd.status, JSON.parse(odd.text).error.hint]).toEqual([400, undefined]);
    expect((await ask('POST', '/v1/query', { body: undefined })).status).toBe(413);
  });

  it('of a program of another version is refused, of this one streamed', async () => {
    const { ask } = server();
    const other = await ask('GET', '/v1/query', { headers: { [PROTOCOL_HEADER]: '0' } });
    expect([other.status, JSON.parse(other.text).error.message]).toEqual([400, expect.stringContaining('0')]);
    const same = await ask('GET', '/v1/query', { headers: { [PROTOCOL_HEADER]: String(PROTOCOL_VERSION) } });
    expect(['stream' in same.answer, same.text]).toEqual([true, 'text\n']);
  });
});

describe('a list or watch of the Kubernetes API', () => {
  it('is answered from the caches on the private socket, and nowhere else', async () => {
    const { ask } = server();
    const { answer, text } = await ask('GET', '/api/v1/pods');
    expect([answer.status, answer.type, answer.headers, text]).toEqual([
      200,
      'application/json',
      { [PROTOCOL_HEADER]: String(PROTOCOL_VERSION) },
      'list',
    ]);
    expect((await ask('GET', '/api/v1/pods', { access: 'token' })).status).toBe(404);
    const refused = await ask('GET', '/api/refused');
    expect([refused.status, JSON.parse(refused.text).message]).toEqual([421, 'no']);
  });
});

describe('the other paths', () => {
  it('types are shown, and added by words and indexes', async () => {
    const { ask } = server();
    expect(JSON.parse((await ask('GET', '/v1/types')).text)).toEqual({ pid: 7 });
    const body = '{"words":["pods"],"indexes":["a=.b"]}';
    expect(JSON.parse((await ask('POST', '/v1/types', { body })).text)).toEqual({ words: ['pods'], indexes: ['a=.b'] });
    expect(JSON.parse((await ask('POST', '/v1/types', { body: 'null' })).text)).toEqual({ words: [], indexes: [] });
  });

  it.each(['{', '', '{"words":"pods"}', '{"words":[5]}', '{"indexes":["a",null]}', undefined])(
    'types are not added from the body %j',
    async (body) => {
      const { ask } = server();
      expect((await ask('POST', '/v1/types', { body })).status).toBe(400);
    },
  );

  it('the status names the run, which is another one for each serve', async () => {
    const runs = await Promise.all(
      [server(), server()].map(async ({ ask }) => {
        const [first, again] = [await ask('GET', '/v1/status'), await ask('GET', '/v1/status')];
        expect([first.text, JSON.parse(first.text).pid]).toEqual([again.text, 7]);
        return JSON.parse(first.text).run;
      }),
    );
    expect(runs[0]).toMatch(/^[0-9a-f]{8}$/);
    expect(runs[0]).not.toBe(runs[1]);
  });

  it('a stop is answered, then the serve stops; not on a port', async () => {
    const { ask, calls, made } = server();
    expect((await ask('POST', '/v1/stop', { access: 'token' })).status).toBe(403);
    const request = { method: 'POST', url: '/v1/stop', headers: {} } as ServerRequest;
    const answer = (await made.answer(request, 'private')) as WholeAnswer;
    expect([answer.body, calls]).toEqual(['{"stopping":true}\n', []]);
    await settled();
    expect(calls).toEqual(['stop']);
  });

  it('of other parts are routes too, and a path without one goes elsewhere', async () => {
    const { ask } = server({ routes: { '/v1/more': { methods: ['GET'], answer: () => json({ more: true }) } } });
    expect((await ask('GET', '/v1/more')).text).toBe('{"more":true}\n');
    expect(await ask('GET', '/metrics')).toMatchObject({ status: 404, text: '{"other":true}\n' });
  });
});

it('a serve is idle while it has no request and no answer is read', async () => {
  const { clock, made, ask } = server();
  clock.tick(5000);
  expect(made.idleMs).toBe(5000);
  const request = { method: 'GET', url: '/api/v1/pods', headers: {} } as ServerRequest;
  const answer = (await made.answer(request, 'private')) as StreamedAnswer;
  expect(made.idleMs).toBe(0);
  clock.tick(2000);
  expect(made.idleMs).toBe(2000);
  const body = new PassThrough();
  const streaming = answer.stream(body);
  expect(made.idleMs).toBe(0);
  clock.tick(1000);
  await streaming;
  expect(made.idleMs).toBe(0);
  clock.tick(300);
  expect(made.idleMs).toBe(300);
  await ask('GET', '/metrics');
  expect(made.idleMs).toBe(0);
});

describe('a question whose client can read no trailers', () => {
  const LARGE = 'x'.repeat(400_000);
  const large: Partial<ServeAnswers> = {
    answer: async (_, outlet) => {
      await outlet.write(LARGE);
      await outlet.write('last');
      outlet.notice('old');
      return { exitCode: 0, ageMs: 12 };
    },
  };

  /** What a server sends to a client that sends these lines, and its questions. */
  async function sent(lines: readonly string[], questions: Partial<ServeAnswers>) {
    const { made, questions: all } = server();
    Object.assign(all, questions);
    await using listener = await listen(
      { host: '127.0.0.1', port: 0 },
      { answer: (request) => made.answer(request, 'token') },
    );
    const [host = '', port = ''] = listener.address.split(':');
    const socket = connect(Number(port), host).setEncoding('utf8');
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    let text = '';
    socket.on('data', (piece: string) => (text += piece));
    await once(socket, 'close');
    const [head = '', body = ''] = text.split('\r\n\r\n');
    return { head: head.toLowerCase(), body };
  }

  it.each<[string, string, string[], string]>([
    ['HTTP/1.0', 'GET /v1/query HTTP/1.0', [], `${LARGE}last`],
    ['a command with HTTP/1.0', 'GET /v1/query HTTP/1.0', [`${PROTOCOL_HEADER}: ${PROTOCOL_VERSION}`], `${LARGE}last`],
    ['HEAD', 'HEAD /v1/query HTTP/1.1', ['host: x', 'connection: close'], ''],
  ])('(%s) gets a large answer whole, with its length and its facts in the head', async (_, first, more, text) => {
    const { head, body } = await sent([first, ...more], large);
    expect(head).toMatch(/^http\/1\.1 200 /);
    expect(head).toContain(`content-length: ${LARGE.length + 4}`);
    expect(head).toContain('kubectl-informer-age-ms: 12');
    expect(head).toContain('kubectl-informer-notices: ["old"]');
    expect(body === text).toBe(true);
  });

  it('gets an error of a large answer with its status', async () => {
    const { head, body } = await sent(['GET /v1/query HTTP/1.0'], {
      answer: async (_, outlet) => {
        await outlet.write(LARGE);
        return { exitCode: 1, errors: [{ message: 'the cluster is gone', exitCode: 1 }] };
      },
    });
    expect([head.split('\r\n')[0], JSON.parse(body)]).toEqual([
      expect.stringMatching(/^http\/1\.1 418 /),
      { error: { message: 'the cluster is gone' } },
    ]);
  });
});
