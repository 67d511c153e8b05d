import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Answering } from '../../../src/cli/serve/answer-request.ts';
import { systemClock } from '../../../src/kit/clock.ts';
import { listen } from '../../../src/kit/http-listener.ts';
import { HttpAnswer } from '../../../src/serve/api/http-answer.ts';
import type { AnswerEnd } from '../../../src/serve/protocol.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';

const OPTIONS = { type: 'text/plain', statusOf: Answering.prototype.statusOf };

/** What a program gets, or a command, that asks a server for an answer that `write` makes. */
async function received(write: (answer: HttpAnswer) => Promise<AnswerEnd>, isForCommand = false) {
  await using listener = await listen(
    { host: '127.0.0.1', port: 0 },
    {
      answer: ({ signal }) => {
        const outlet = new HttpAnswer({ ...OPTIONS, clock: systemClock, isForCommand, signal });
        return outlet.response(write(outlet));
      },
    },
  );
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`http://${listener.address}/`, resolve).on('error', reject);
  });
  let length = 0;
  const end = await (async () => {
    for await (const chunk of response) length += (chunk as Buffer).length;
  })().catch((error: Error) => error);
  return { status: response.statusCode, headers: response.headers, trailers: response.trailers, length, end };
}

const LARGE = `${'x'.repeat(99)}\n`.repeat(5000);

describe('an answer for a program', () => {
  it('has its age and its notices in headers, with a length', async () => {
    const { status, headers, trailers, length } = await received(async (answer) => {
      await answer.write('{}\n');
      answer.notice('a cache is 40s old – look at it');
      return { exitCode: 0, ageMs: 12.4 };
    });
    expect([status, length, headers['content-length']]).toEqual([200, 3, '3']);
    expect(headers['kubectl-informer-age-ms']).toBe('12');
    expect(JSON.parse(String(headers['kubectl-informer-notices']))).toEqual(['a cache is 40s old – look at it']);
    expect(trailers).toEqual({});
  });

  it.each([
    [{ exitCode: 0 }, []],
    [{ exitCode: 0, ageMs: 0 }, ['kubectl-informer-age-ms']],
  ])('without notices has no header of them, and one of its age only with an age: %j', async (end, expected) => {
    const { headers } = await received(async () => end);
    const facts = ['kubectl-informer-age-ms', 'kubectl-informer-notices'];
    expect(facts.filter((name) => name in headers)).toEqual(expected);
  });

  it.each([
    [[3997], 1],
    [[3998], 0],
    [[1000, 2994], 2],
    [[1000, 2995], 1],
  ])('has as many notices, from the first, as have room in a header: of %j characters %i', async (lengths, kept) => {
    const { headers } = await received(async (answer) => {
      for (const length of lengths) answer.notice('x'.repeat(length));
      return { exitCode: 0 };
    });
    const expected = lengths.slice(0, kept).map((length) => 'x'.repeat(length));
    expect(JSON.parse(String(headers['kubectl-informer-notices']))).toEqual(expected);
  });

  it('that is large has them in trailers, those of its end too, and those before it in headers as well', async () => {
    const { status, headers, trailers, length } = await received(async (answer) => {
      answer.notice('before');
      await answer.write(LARGE);
      await answer.write('last\n');
      answer.notice('a cache is 40s old – look at it');
      return { exitCode: 0, ageMs: 12.4 };
    });
    expect([status, length]).toEqual([200, LARGE.length + 5]);
    expect(headers).toMatchObject({
      trailer: 'kubectl-informer-age-ms, kubectl-informer-notices',
      'kubectl-informer-notices': '["before"]',
    });
    expect(trailers['kubectl-informer-age-ms']).toBe('12');
    expect(JSON.parse(String(trailers['kubectl-informer-notices']))).toEqual([
      'before',
      'a cache is 40s old – look at it',
    ]);
  });

  it('that is large and fails after it has begun is cut off', async () => {
    const { status, end, trailers } = await received(async (answer) => {
      await answer.write(LARGE);
      return { exitCode: 1, errors: [{ message: 'the cluster is gone', exitCode: 1 }] };
    });
    expect([status, end, trailers]).toEqual([200, expect.objectContaining({ code: 'ECONNRESET' }), {}]);
  });

  it('is an error with a status for what is wrong, what is not there, and what the serve does not hold', async () => {
    const refused = (message: string, exitCode: number) =>
      received(async () => ({ exitCode, errors: [{ message, exitCode }] }));
    expect((await refused('there is no flag --x', 2)).status).toBe(400);
    expect((await refused('pods "x" not found (NotFound)', 1)).status).toBe(404);
    expect((await received(async () => ({ exitCode: 1, unserved: 'it does not hold v1/pods' }))).status).toBe(421);
  });
});

describe('an answer for a command', () => {
  it('has its text in the body, and its end and every notice in a trailer, whatever the end is', async () => {
    const notices = Array.from({ length: 50 }, (_, i) => `${i} – ${'n'.repeat(200)}`);
    for (const end of [
      { exitCode: 0, ageMs: 12.4 },
      { exitCode: 1, errors: [{ message: 'pods "ä" not found (NotFound)', hint: 'try y', exitCode: 1 }] },
      { exitCode: 1, unserved: 'it does not hold v1/pods' },
    ]) {
      const { status, length, trailers, headers } = await received(async (answer) => {
        await answer.write('{}\n');
        for (const notice of notices) answer.notice(notice);
        return end;
      }, true);
      expect([status, length, headers.trailer]).toEqual([200, 3, 'kubectl-informer-end']);
      expect(JSON.parse(String(trailers['kubectl-informer-end']))).toEqual({ ...end, notices });
    }
  });
});

it('an answer for a command is sent in pieces of more than 16 KiB, and the rest at its end', async () => {
  const options = { ...OPTIONS, clock: new FakeClock(), isForCommand: true, signal: new AbortController().signal };
  const answer = new HttpAnswer(options);
  const made = (async () => {
    for (const length of [8_192, 8_192, 1, 5]) await answer.write('x'.repeat(length));
    return { exitCode: 0 };
  })();
  const response = await answer.response(made);
  const target = new PassThrough();
  const pieces: number[] = [];
  target.on('data', (piece: Buffer) => pieces.push(piece.length));
  await (response as Extract<typeof response, { stream: unknown }>).stream(target);
  expect(pieces).toEqual([16_385, 5]);
});

it('an answer for a program is sent from 256 KiB on, and then in pieces of more than 16 KiB too', async () => {
  const options = { ...OPTIONS, clock: new FakeClock(), isForCommand: false, signal: new AbortController().signal };
  const answer = new HttpAnswer(options);
  const made = (async () => {
    for (const length of [262_144, 1, 16_384, 1, 5]) await answer.write('x'.repeat(length));
    return { exitCode: 0 };
  })();
  const response = await answer.response(made);
  const target = new PassThrough({ highWaterMark: 1_000_000 });
  const pieces: number[] = [];
  target.on('data', (piece: Buffer) => pieces.push(piece.length));
  await (response as Extract<typeof response, { stream: unknown }>).stream(target);
  expect(pieces).toEqual([262_145, 16_385, 5]);
});

it('an answer whose head cannot be sent leaves no rejection behind when its client has gone', async () => {
  const controller = new AbortController();
  const options = { ...OPTIONS, clock: new FakeClock(), isForCommand: true, signal: controller.signal };
  const answer = new HttpAnswer(options);
  const rejections: unknown[] = [];
  const note = (reason: unknown) => rejections.push(reason);
  process.on('unhandledRejection', note);
  await answer.response(answer.write(LARGE).then(() => ({ exitCode: 0 })));
  controller.abort(new Error('the client has gone'));
  await new Promise((resolve) => setImmediate(resolve)); // the process judges promises after their turn
  process.off('unhandledRejection', note);
  expect(rejections).toEqual([]);
});

describe.each([true, false])('an answer (for a command: %s)', (isForCommand) => {
  /** An answer of a large text, and its reader, which takes nothing before `read`. */
  async function large() {
    const clock = new FakeClock();
    const controller = new AbortController();
    const answer = new HttpAnswer({ ...OPTIONS, clock, isForCommand, signal: controller.signal });
    const writing = answer.write(LARGE);
    writing.catch(() => {});
    const response = await answer.response(writing.then(() => ({ exitCode: 0 })));
    const target = new PassThrough({ highWaterMark: 16 });
    const streamed = 'stream' in response ? response.stream(target) : undefined;
    streamed?.catch(() => {});
    await settled();
    return { clock, answer, controller, target, writing, streamed };
  }

  it('that is large waits for a slow reader', async () => {
    const { clock, target, writing, streamed } = await large();
    let isWritten = false;
    void writing.then(() => (isWritten = true));
    await clock.advance(299_999);
    expect(isWritten).toBe(false);
    let length = 0;
    target.on('data', (chunk: Buffer) => (length += chunk.length));
    await once(target, 'end');
    await streamed;
    expect([length, clock.pending]).toEqual([LARGE.length, 0]);
  });

  it('gives up a reader that takes nothing for five minutes', async () => {
    const { clock, answer, writing, streamed } = await large();
    await clock.advance(299_999);
    expect(answer.signal.aborted).toBe(false);
    await clock.advance(1);
    await expect(writing).rejects.toThrow('the asker has read nothing for 300s');
    await expect(streamed).rejects.toThrow('the asker has read nothing for 300s');
    expect([answer.signal.aborted, clock.pending]).toEqual([true, 0]);
  });

  it('ends with the reason when its reader has gone', async () => {
    const { clock, answer, controller, writing } = await large();
    controller.abort(new Error('the client has gone'));
    await expect(writing).rejects.toThrow('the client has gone');
    expect([answer.signal.aborted, clock.pending]).toEqual([true, 0]);
  });
});
