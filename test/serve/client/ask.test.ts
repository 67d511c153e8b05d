import { getEventListeners } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../src/kit/clock.ts';
import { type Asked, askServe, SILENCE_MS } from '../../../src/serve/client/ask.ts';
import { type FoundServe, servesOf } from '../../../src/serve/find.ts';
import type { QueryRequest } from '../../../src/serve/protocol.ts';
import { eventually } from '../../../src/testing/eventually.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';
import { bytesSocket, type FakeServeOptions, fakeServe, silentSocket } from '../../support/fake-serve.ts';

let folder: string;
let env: { XDG_RUNTIME_DIR: string };
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'ask-'));
  env = { XDG_RUNTIME_DIR: folder };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const QUESTION: QueryRequest = {
  words: ['pods'],
  given: { count: { values: ['true'], origin: 'flag' } },
  config: { indexes: {} },
  terminal: { isTerminal: false },
  env: {},
};

async function asked(
  answer: FakeServeOptions['answer'],
  more: Partial<FakeServeOptions> & {
    clock?: Clock;
    signal?: AbortSignal;
    take?(text: string): Promise<void>;
  } = {},
): Promise<{ result: Asked; texts: string[] }> {
  await using _ = await fakeServe(env, { answer, ...more });
  const texts: string[] = [];
  const { clock = systemClock, signal = new AbortController().signal } = more;
  const result = await askServe(servesOf(env)[0] as FoundServe, QUESTION, {
    clock,
    signal,
    async take(text) {
      texts.push(text);
      await more.take?.(text);
    },
  });
  return { result, texts };
}

describe.skipIf(process.platform === 'win32')('the client of a serve', () => {
  it('sends its question whole, and gets the text and the end', async () => {
    let question: QueryRequest | undefined;
    const errors = [{ message: 'pods "x" not found', hint: 'try y', exitCode: 1 }];
    const { result, texts } = await asked(async (got, outlet) => {
      question = got;
      await outlet.write('a\n');
      outlet.notice('careful ✓');
      await outlet.write('b ✓\n');
      return { exitCode: 1, ageMs: 400, errors };
    });
    expect(question).toEqual(QUESTION);
    expect(texts.join('')).toBe('a\nb ✓\n');
    expect(result).toEqual({ kind: 'answered', end: { exitCode: 1, ageMs: 400, errors, notices: ['careful ✓'] } });
  });

  it('gets a long answer whole, byte for byte', async () => {
    const text = `${'x'.repeat(65_535)}😀${'é'.repeat(3_000_000)}`;
    const { texts } = await asked(async (_, outlet) => {
      await outlet.write(text);
      await outlet.write('');
      await outlet.write(text);
      return { exitCode: 0 };
    });
    expect(texts.join('') === `${text}${text}`).toBe(true);
  });

  it('gets each piece of text as it was written, in one: an escape sequence is not divided', async () => {
    const pieces = Array.from({ length: 50 }, (_, i) => `${i} \u001b[31m${'é'.repeat(i * 1000)}\u001b[0m\n`);
    const { texts } = await asked(async (_, outlet) => {
      for (const piece of pieces) await outlet.write(piece);
      return { exitCode: 0 };
    });
    expect(texts.every((text) => text.endsWith('\u001b[0m\n'))).toBe(true);
    expect(texts.join('')).toBe(pieces.join(''));
  });

  it('gets an end with a line for each of thousands of names', async () => {
    const errors = Array.from({ length: 5000 }, (_, i) => ({ message: `pods "ä-${i}" not found`, exitCode: 1 }));
    const { result } = await asked(() => ({ exitCode: 1, errors }));
    expect(result).toEqual({ kind: 'answered', end: { exitCode: 1, errors, notices: [] } });
  });

  it('is read no faster than its text is taken: the serve waits, and keeps little', async () => {
    let sent = 0;
    let taken = 0;
    const { result, texts } = await asked(
      async (_, outlet) => {
        for (; sent < 400; sent++) await outlet.write('x'.repeat(60_000));
        return { exitCode: 0 };
      },
      {
        async take() {
          if (taken++ === 0) {
            let before = -1;
            while (before !== sent) {
              before = sent;
              for (let i = 0; i < 50; i++) await systemClock.yield();
            }
            expect(sent).toBeLessThan(100);
          }
        },
      },
    );
    expect([result.kind, texts.join('').length]).toEqual(['answered', 400 * 60_000]);
  });

  it('passes on that a serve does not hold what is asked', async () => {
    const { result, texts } = await asked(() => ({ exitCode: 1, unserved: 'it does not hold nodes' }));
    expect(result).toEqual({ kind: 'unserved', reason: 'it does not hold nodes' });
    expect(texts).toEqual([]);
  });

  it('takes an answer without its end for cut off', async () => {
    const error = asked(async (_, outlet, response) => {
      await outlet.write('half'.repeat(10_000));
      response.destroy();
      return { exitCode: 0 };
    });
    await expect(error).rejects.toMatchObject({
      code: 'transport',
      message: expect.stringContaining(`the serve with pid ${process.pid} ended before its answer was whole`),
    });
    const isEnded = asked(async (_, outlet, response) => {
      await outlet.write('half'.repeat(10_000));
      response.end(); // the body is whole, its trailer is missing
      return new Promise(() => {});
    });
    await expect(isEnded).rejects.toThrow('whole');
  });

  const HEAD = 'HTTP/1.1 200 OK\r\nkubectl-informer-protocol: 2\r\n\r\n';
  const last = (end: string) => `0\r\nkubectl-informer-end: ${end}\r\n\r\n`;
  it.each([
    ['{"out":"x"}\n', 'the size of a chunk is too long'],
    ['123456789', 'the size of a chunk is too long'],
    ['12345678', '$'],
    ['-1\r\n', 'it is not in chunks'],
    [`1\r\nab\r\n${last('{"exitCode":0,"notices":[]}')}`, 'a chunk of it has another length'],
    [last('{"exitCode":0'), 'JSON'],
    ...['null', '7', '{}', '{"exitCode":0}', '{"exitCode":0,"notices":[],"errors":[{"message":"x"}]}'].map((end) => [
      last(end),
      'its end cannot be read',
    ]),
    ['0\r\nother: {"exitCode":0,"notices":[]}\r\n\r\n', 'JSON'],
    ['', '$'],
    ['3\r\nab', '$'],
    ['0\r\n\r\n', '$'],
    [last('{"exitCode":0,"notices":[]}').slice(0, -1), '$'],
  ])('takes an answer for cut off whose body is %j', async (body, why) => {
    const socket = path.join(folder, 'raw');
    await using _ = await bytesSocket(socket, [Buffer.from(`${HEAD}${body}`)]);
    const serve = { folder, socket, about: { pid: 1, protocol: 2 } } as FoundServe;
    const answer = askServe(serve, QUESTION, { clock: systemClock, signal: new AbortController().signal, take() {} });
    await expect(answer).rejects.toMatchObject({
      code: 'transport',
      message: expect.stringMatching(new RegExp(`^the serve with pid 1 ended before its answer was whole.*${why}`)),
    });
  });

  it('ends its connection when it has the whole answer, whatever the serve does', async () => {
    const socket = path.join(folder, 'open');
    let isClosed = false;
    const server = createServer((connection) => {
      connection.once('close', () => {
        isClosed = true;
      });
      connection.resume().write(`${HEAD}1\r\na\r\n${last('{"exitCode":0,"notices":[]}')}`);
    });
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    const serve = { folder, socket, about: { pid: 1, protocol: 2 } } as FoundServe;
    const { signal } = new AbortController();
    expect((await askServe(serve, QUESTION, { clock: systemClock, signal, take() {} })).kind).toBe('answered');
    await eventually(() => isClosed);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    await new Promise((resolve) => server.close(resolve));
  });

  it('refuses a serve of another protocol version, by its description and by its answer', async () => {
    const answer: FakeServeOptions['answer'] = () => ({ exitCode: 0 });
    const versions = /pid \d+ speaks protocol version 1, this program version 2/;
    await expect(asked(answer, { about: { protocol: 1 } })).rejects.toThrow(versions);
    await expect(asked(answer, { protocol: '1' })).rejects.toThrow(versions);
    await expect(asked(answer, { protocol: '' })).rejects.toThrow('protocol version none');
  });

  it('gives up on a serve that is silent, and says which', async () => {
    const clock = new FakeClock();
    const sockets = path.join(folder, 'silent');
    await using silent = await silentSocket(sockets);
    const serve = { folder, socket: sockets, about: { pid: 4711, protocol: 2 } } as FoundServe;
    const answer = askServe(serve, QUESTION, { clock, signal: new AbortController().signal, take() {} });
    answer.catch(() => {});
    await silent.connected;
    await clock.advance(SILENCE_MS);
    await expect(answer).rejects.toMatchObject({
      message: 'the serve with pid 4711 has not answered for 5s',
      hint: 'was it stopped? kill -CONT 4711 continues it, kill -KILL 4711 ends it',
    });
    expect(clock.pending).toBe(0);
  });

  it('gives up in the same way on one that no second request reaches', async () => {
    const clock = new FakeClock();
    const sockets = path.join(folder, 'gone');
    await using silent = await silentSocket(sockets);
    const serve = { folder, socket: sockets, about: { pid: 4711, protocol: 2 } } as FoundServe;
    const answer = askServe(serve, QUESTION, { clock, signal: new AbortController().signal, take() {} });
    answer.catch(() => {});
    await silent.connected;
    await rm(sockets);
    const uncaught: unknown[] = [];
    const note = (error: unknown) => void uncaught.push(error);
    process.on('uncaughtException', note);
    await clock.advance(3_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off('uncaughtException', note);
    await clock.advance(SILENCE_MS - 3_000);
    await expect(answer).rejects.toThrow('the serve with pid 4711 has not answered for 5s');
    expect(uncaught).toEqual([]);
  });

  it('waits for one that takes long, as long as it answers a second request', async () => {
    const clock = new FakeClock();
    const isAsked = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    let probes = 0;
    const answer = asked(
      async () => {
        isAsked.resolve();
        await finish.promise;
        return { exitCode: 0 };
      },
      { clock, onProbe: () => probes++ },
    );
    await isAsked.promise;
    for (let round = 1; round <= 3; round++) {
      await clock.advance(3_000);
      await eventually(() => probes === round && clock.pending === 1);
    }
    finish.resolve();
    expect((await answer).result.kind).toBe('answered');
    expect(clock.pending).toBe(0);
  });

  it('waits for one that takes long and has no connection free for a second request', async () => {
    const clock = new FakeClock();
    const socket = path.join(folder, 'full');
    let isAsked: Socket | undefined;
    let refused = 0;
    const server = createServer((connection) => {
      isAsked = connection.resume();
    });
    server.maxConnections = 1;
    server.on('drop', () => refused++);
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    const serve = { folder, socket, about: { pid: 1, protocol: 2 } } as FoundServe;
    const answer = askServe(serve, QUESTION, { clock, signal: new AbortController().signal, take() {} });
    await eventually(() => isAsked !== undefined && clock.pending === 1);
    for (let round = 1; round <= 3; round++) {
      await clock.advance(3_000);
      await eventually(() => refused === round && clock.pending === 1);
    }
    isAsked?.end(`${HEAD}${last('{"exitCode":0,"notices":[]}')}`);
    expect((await answer).kind).toBe('answered');
    expect(clock.pending).toBe(0);
    await new Promise((resolve) => server.close(resolve));
  });

  it('leaves no second request open when its answer comes before that of it', async () => {
    const clock = new FakeClock();
    const socket = path.join(folder, 'late');
    const connections: Socket[] = [];
    const server = createServer((connection) => connections.push(connection.resume().on('error', () => {})));
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    const serve = { folder, socket, about: { pid: 1, protocol: 2 } } as FoundServe;
    const answer = askServe(serve, QUESTION, { clock, signal: new AbortController().signal, take() {} });
    await eventually(() => connections.length === 1 && clock.pending === 1);
    await clock.advance(3_000);
    await eventually(() => connections.length === 2);
    connections[0]?.end(`${HEAD}${last('{"exitCode":0,"notices":[]}')}`);
    expect((await answer).kind).toBe('answered');
    await eventually(() => connections.every(({ destroyed }) => destroyed));
    await new Promise((resolve) => server.close(resolve));
  });

  it('gives up on one that is stopped in the middle of its answer', async () => {
    const clock = new FakeClock();
    const socket = path.join(folder, 'half');
    const connections: Socket[] = [];
    const server = createServer((connection) => {
      if (connections.push(connection.resume()) === 1) connection.write(`${HEAD}4\r\nhalf\r\n`);
    });
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    const serve = { folder, socket, about: { pid: 1, protocol: 2 } } as FoundServe;
    const half = Promise.withResolvers<string>();
    const options = { clock, signal: new AbortController().signal, take: half.resolve };
    const answer = askServe(serve, QUESTION, options);
    answer.catch(() => {});
    expect(await half.promise).toBe('half');
    await settled();
    await clock.advance(3_000);
    await eventually(() => connections.length === 2);
    await clock.advance(2_000);
    await expect(answer).rejects.toThrow('the serve with pid 1 has not answered for 5s');
    expect(clock.pending).toBe(0);
    for (const connection of connections) connection.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  it('ends with the reason of its signal, and the serve learns that its reader is gone', async () => {
    const controller = new AbortController();
    let learned: Promise<unknown> | undefined;
    const answer = asked(
      async (_, outlet) => {
        learned = new Promise((resolve) => outlet.signal.addEventListener('abort', resolve, { once: true }));
        await outlet.write('first'.repeat(10_000));
        await learned;
        return { exitCode: 0 };
      },
      { signal: controller.signal, take: async () => controller.abort(new Error('enough')) },
    );
    await expect(answer).rejects.toThrow('enough');
    await learned;
  });

  it('finds no process at the socket of one that was killed', async () => {
    const serve = { folder, socket: path.join(folder, 'none'), about: { pid: 1, protocol: 2 } } as FoundServe;
    const options = { clock: systemClock, signal: new AbortController().signal, take() {} };
    expect(await askServe(serve, QUESTION, options)).toEqual({ kind: 'gone' });
  });

  it.each([
    [16 * 1024, 'ended before its answer was whole$'],
    [16 * 1024 + 1, 'its head is too long'],
  ])('reads a head of %s bytes that does not end so far, and no longer one', async (length, message) => {
    const socket = path.join(folder, 'raw');
    const server = createServer((connection) => {
      connection.on('error', () => {});
      connection.once('data', () => connection.end('x'.repeat(length)));
    });
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    const serve = { folder, socket, about: { pid: 1, protocol: 2 } } as FoundServe;
    const answer = askServe(serve, QUESTION, { clock: systemClock, signal: new AbortController().signal, take() {} });
    await expect(answer).rejects.toThrow(new RegExp(message));
    await new Promise((resolve) => server.close(resolve));
  });

  it('waits for each piece to be taken before the next, and counts no silence meanwhile', async () => {
    const order: string[] = [];
    const clock = new FakeClock();
    await asked(
      async (_, outlet) => {
        for (const letter of ['a', 'b']) await outlet.write(letter.repeat(20_000));
        return { exitCode: 0 };
      },
      {
        clock,
        async take(text) {
          order.push(`begin ${text[0]}`);
          await clock.advance(10 * SILENCE_MS);
          order.push(`end ${text[0]}`);
        },
      },
    );
    expect(order).toEqual(['begin a', 'end a', 'begin b', 'end b']);
    expect(clock.pending).toBe(0);
  });

  it('that has begun to answer is not taken for gone when its text cannot be written', async () => {
    const answer = async (_: unknown, outlet: { write(text: string): Promise<unknown> }) => {
      await outlet.write('half');
      return { exitCode: 0 };
    };
    const take = () => Promise.reject(Object.assign(new Error('no such file'), { code: 'ENOENT' }));
    await expect(asked(answer as FakeServeOptions['answer'], { take })).rejects.toThrow('no such file');
  });

  it('that was aborted before asks nothing', async () => {
    const asks: unknown[] = [];
    const signal = AbortSignal.abort(new Error('too late'));
    const answer: FakeServeOptions['answer'] = (question) => {
      asks.push(question);
      return { exitCode: 0 };
    };
    await expect(asked(answer, { signal })).rejects.toThrow('too late');
    expect(asks).toEqual([]);
  });
});
