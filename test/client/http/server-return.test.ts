import { expect, it } from 'vitest';
import { ServerReturn } from '../../../src/client/http/server-return.ts';
import { abortable } from '../../../src/kit/abort.ts';
import { seededRandom } from '../../../src/kit/random.ts';
import { settled } from '../../../src/testing/fake-clock.ts';
import { inProcess, through } from '../../support/in-process.ts';

/** A server that refuses connections until `answer` is set. */
async function bench() {
  const { clock, transport } = await inProcess();
  const asked: number[] = [];
  const server: { answer: number | Error | 'silence' } = {
    answer: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
  };
  const changed = through(transport, async (init, send) => {
    asked.push(clock.monotonic());
    const { answer } = server;
    if (answer === 'silence') return abortable(new Promise<never>(() => {}), init.signal);
    if (answer instanceof Error) throw answer;
    return { ...(await send(init)), status: answer };
  });
  const serverReturn = new ServerReturn({ transport: changed, clock, random: seededRandom(1) });
  const controller = new AbortController();
  const back: number[] = [];
  const arrived = () => void back.push(clock.monotonic());
  const wait = () => serverReturn.wait(controller.signal).then(arrived, () => {});
  return { clock, asked, server, wait, back, controller };
}

it('is detected for all callers with one or two requests a second, and within two seconds', async () => {
  const { clock, asked, server, wait, back } = await bench();
  for (let i = 0; i < 50; i++) void wait();
  await clock.advance(60_000);
  expect(back).toEqual([]);
  expect(asked.length).toBeGreaterThan(50);
  expect(asked.length).toBeLessThan(150);
  server.answer = 200;
  await clock.advance(2_000);
  expect(back).toHaveLength(50);
  const { length } = asked;
  await clock.advance(60_000);
  expect(asked).toHaveLength(length); // no caller waits, so no request is sent
  expect(clock.pending).toBe(0);
});

it.each([200, 401, 403, 404, 429, 500, 502, 503])('any answer, also %s, is a server that is there', async (status) => {
  const { clock, server, wait, back } = await bench();
  server.answer = status;
  void wait();
  await clock.advance(600);
  expect(back).toHaveLength(1);
});

it('is noticed within 0.6 s of its return in the first half minute', async () => {
  const { clock, server, wait, back } = await bench();
  void wait();
  await clock.advance(20_000);
  const returnedAt = clock.monotonic();
  server.answer = 503; // not ready, and there
  await clock.advance(600);
  expect(back).toHaveLength(1);
  expect(back[0]).toBeLessThan(returnedAt + 600);
});

it('a server that accepts a connection and sends nothing is asked again', async () => {
  const { clock, asked, server, wait, back } = await bench();
  server.answer = 'silence';
  void wait();
  await clock.advance(30_000);
  expect(asked.length).toBeGreaterThan(7);
  server.answer = 200;
  await clock.advance(4_000);
  expect(back).toHaveLength(1);
});

it('a request that fails for another reason than the connection counts as an answer', async () => {
  const { clock, server, wait, back } = await bench();
  server.answer = new Error('not logged in');
  void wait();
  await clock.advance(2_000);
  expect(back).toHaveLength(1);
});

it('sends nothing more after the last caller has left', async () => {
  const { clock, asked, wait, controller } = await bench();
  void wait();
  await clock.advance(10_000);
  controller.abort();
  await settled();
  const { length } = asked;
  await clock.advance(10_000);
  expect([asked.length, clock.pending]).toEqual([length, 0]);
});
