import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../src/kit/clock.ts';
import { type Asked, askServe, SILENCE_MS } from '../../../src/serve/client/ask.ts';
import { type FoundServe, servesOf } from '../../../src/serve/find.ts';
import type { AnswerFrame, QueryRequest } from '../../../src/serve/protocol.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { type FakeServeOptions, fakeServe, silentSocket } from '../../support/fake-serve.ts';

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
    take?(frame: AnswerFrame): Promise<void>;
  } = {},
): Promise<{ result: Asked; frames: AnswerFrame[] }> {
  await using _ = await fakeServe(env, { answer, ...more });
  const frames: AnswerFrame[] = [];
  const { clock = systemClock, signal = new AbortController().signal } = more;
  const result = await askServe(servesOf(env)[0] as FoundServe, QUESTION, {
    clock,
    signal,
    async take(frame) {
      frames.push(frame);
      await more.take?.(frame);
    },
  });
  return { result, frames };
}

const textOf = (frames: readonly AnswerFrame[]) => frames.map((frame) => ('out' in frame ? frame.out : '')).join('');

describe.skipIf(process.platform === 'win32')('the client of a serve', () => {
  it('sends its question whole and gets the frames in order', async () => {
    let question: QueryRequest | undefined;
    const { result, frames } = await asked(async (got, writer) => {
      question = got;
      await writer.out('a\n');
      writer.notice('careful');
      await writer.out('b ✓\n');
      writer.end({ exitCode: 1, ageMs: 400 });
    });
    expect(question).toEqual(QUESTION);
    expect(frames).toEqual([{ out: 'a\n' }, { notice: 'careful' }, { out: 'b ✓\n' }]);
    expect(result).toEqual({ kind: 'answered', end: { exitCode: 1, ageMs: 400 } });
  });

  it('gets a long answer whole, byte for byte, also where a pair of surrogates lies on a border', async () => {
    const text = `${'x'.repeat(65_535)}😀${'é'.repeat(3_000_000)}`;
    const { frames } = await asked(async (_, writer) => {
      await writer.out(text);
      writer.end({ exitCode: 0 });
    });
    expect(frames.length).toBeGreaterThan(40);
    expect(textOf(frames) === text).toBe(true);
  });

  it('is read no faster than its frames are taken: the serve waits, and keeps little', async () => {
    let sent = 0;
    let taken = 0;
    const { result } = await asked(
      async (_, writer) => {
        for (; sent < 400; sent++) await writer.out('x'.repeat(60_000));
        writer.end({ exitCode: 0 });
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
    expect([result.kind, taken]).toEqual(['answered', 400]);
  });

  it('passes on that a serve does not hold what is asked', async () => {
    const { result, frames } = await asked((_, writer) => writer.unserved('it does not hold nodes'));
    expect(result).toEqual({ kind: 'unserved', reason: 'it does not hold nodes' });
    expect(frames).toEqual([]);
  });

  it('takes an answer without its end for cut off', async () => {
    const error = asked(async (_, writer, response) => {
      await writer.out('half');
      response.destroy();
    });
    await expect(error).rejects.toMatchObject({
      code: 'transport',
      message: expect.stringContaining(`the serve with pid ${process.pid} ended before its answer was whole`),
    });
    await expect(asked((_, __, response) => void response.end('{"out":"half"}\n'))).rejects.toThrow('whole');
  });

  it.each(['{"end":null}', '{"end":{}}', '{"error":{"message":"x"}}', 'null', '7', '{"out":7}'])(
    'takes an answer for cut off at the line %s, which is no frame',
    async (line) => {
      const error = asked((_, __, response) => void response.end(`${line}\n{"end":{"exitCode":0}}\n`));
      await expect(error).rejects.toMatchObject({ code: 'transport', message: expect.stringContaining('is no frame') });
    },
  );

  it('refuses a serve of another protocol version, by its description and by its answer', async () => {
    const answer: FakeServeOptions['answer'] = (_, writer) => writer.end({ exitCode: 0 });
    const versions = /pid \d+ speaks protocol version 2, this program version 1/;
    await expect(asked(answer, { about: { protocol: 2 } })).rejects.toThrow(versions);
    await expect(asked(answer, { protocol: '2' })).rejects.toThrow(versions);
    await expect(asked(answer, { protocol: '' })).rejects.toThrow('protocol version none');
  });

  it('gives up on a serve that is silent, and says which', async () => {
    const clock = new FakeClock();
    const sockets = path.join(folder, 'silent');
    await using silent = await silentSocket(sockets);
    const serve = { folder, socket: sockets, about: { pid: 4711, protocol: 1 } } as FoundServe;
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

  it('waits for one that takes long but says that it lives', async () => {
    const { result, frames } = await asked(async (_, writer) => {
      await systemClock.sleep(1_100);
      writer.end({ exitCode: 0 });
    });
    expect([result.kind, frames]).toEqual(['answered', [{ alive: true }]]);
  });

  it('ends with the reason of its signal, and the serve learns that its reader is gone', async () => {
    const controller = new AbortController();
    let learned: Promise<unknown> | undefined;
    const answer = asked(
      async (_, writer) => {
        learned = new Promise((resolve) => writer.signal.addEventListener('abort', resolve, { once: true }));
        await writer.out('first');
        await learned;
      },
      { signal: controller.signal, take: async () => controller.abort(new Error('enough')) },
    );
    await expect(answer).rejects.toThrow('enough');
    await learned;
  });

  it('finds no process at the socket of one that was killed', async () => {
    const serve = { folder, socket: path.join(folder, 'none'), about: { pid: 1, protocol: 1 } } as FoundServe;
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
    const serve = { folder, socket, about: { pid: 1, protocol: 1 } } as FoundServe;
    const answer = askServe(serve, QUESTION, { clock: systemClock, signal: new AbortController().signal, take() {} });
    await expect(answer).rejects.toThrow(new RegExp(message));
    await new Promise((resolve) => server.close(resolve));
  });

  it('waits for each frame to be taken before the next, and counts no silence meanwhile', async () => {
    const order: string[] = [];
    const clock = new FakeClock();
    await asked(
      async (_, writer) => {
        await writer.out('a');
        await writer.out('b');
        writer.end({ exitCode: 0 });
      },
      {
        clock,
        async take(frame) {
          const text = 'out' in frame ? frame.out : 'other';
          order.push(`begin ${text}`);
          await clock.advance(10 * SILENCE_MS);
          order.push(`end ${text}`);
        },
      },
    );
    expect(order).toEqual(['begin a', 'end a', 'begin b', 'end b']);
    expect(clock.pending).toBe(0);
  });

  it('that was aborted before asks nothing', async () => {
    const asks: unknown[] = [];
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(asked((question) => void asks.push(question), { signal })).rejects.toThrow('too late');
    expect(asks).toEqual([]);
  });
});
