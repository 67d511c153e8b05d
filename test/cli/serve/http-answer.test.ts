import { get, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { HttpAnswer } from '../../../src/cli/serve/http-answer.ts';
import { systemClock } from '../../../src/kit/clock.ts';
import { listen } from '../../../src/kit/http-listener.ts';

/** What a program gets that asks a server for an answer that `write` makes. */
async function received(write: (answer: HttpAnswer) => Promise<void>) {
  await using listener = await listen(
    { host: '127.0.0.1', port: 0 },
    {
      answer: () => {
        const outlet = new HttpAnswer(systemClock, 'ndjson');
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
      await answer.out('{}\n');
      answer.notice('a cache is 40s old – look at it');
      answer.end({ exitCode: 0, ageMs: 12.4 });
    });
    expect([status, length, headers['content-length']]).toEqual([200, 3, '3']);
    expect(headers['kubectl-informer-age-ms']).toBe('12');
    expect(JSON.parse(String(headers['kubectl-informer-notices']))).toEqual(['a cache is 40s old – look at it']);
    expect(trailers).toEqual({});
  });

  it('that is large has them in trailers, those of its end too, and those before it in headers as well', async () => {
    const { status, headers, trailers, length } = await received(async (answer) => {
      answer.notice('before');
      await answer.out(LARGE);
      await answer.out('last\n');
      answer.notice('a cache is 40s old – look at it');
      answer.end({ exitCode: 0, ageMs: 12.4 });
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
      await answer.out(LARGE);
      answer.error({ message: 'the cluster is gone', exitCode: 1 });
      answer.end({ exitCode: 1 });
    });
    expect([status, end, trailers]).toEqual([200, expect.objectContaining({ code: 'ECONNRESET' }), {}]);
  });

  it('is an error with a status for what is wrong, what is not there, and what the serve does not hold', async () => {
    const refused = (message: string, exitCode: number) =>
      received(async (answer) => {
        answer.error({ message, exitCode });
        answer.end({ exitCode });
      });
    expect((await refused('there is no flag --x', 2)).status).toBe(400);
    expect((await refused('pods "x" not found (NotFound)', 1)).status).toBe(404);
    expect((await received(async (answer) => answer.unserved('it does not hold v1/pods'))).status).toBe(421);
  });
});
