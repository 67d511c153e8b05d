import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { compileJq } from '../../../src/output/jq/jq-expression.ts';
import { loadJqLibrary } from '../../../src/output/jq/jq-library.ts';
import { JqThreads } from '../../../src/output/jq/jq-threads.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { event, pod } from '../fixtures.ts';
import { printedBy } from './printed.ts';

const ENDLESS = 'def f: f; f';
const jqOf = async (expression: string) => compileJq(expression, await loadJqLibrary());

test('an expression that does not end is ended after its limit, which the error names, and the next one works', async () => {
  const clock = new FakeClock();
  const endless = (await jqOf(ENDLESS)).results('1', { clock });
  const refused = expect(endless).rejects.toThrow('it was ended: it has run for 30s, the limit for this input');
  await clock.advance(30_000);
  await refused;
  expect(await (await jqOf('. + 1')).results('1', { clock: new FakeClock() })).toBe('2');
});

test('a larger input may take longer', async () => {
  const clock = new FakeClock();
  const ending = new AbortController();
  const text = JSON.stringify('x'.repeat(60_000_000));
  const endless = (await jqOf(ENDLESS)).results(text, { clock, signal: ending.signal });
  const refused = expect(endless).rejects.toThrow('stopped by the test');
  await clock.advance(89_000);
  ending.abort(new Error('stopped by the test'));
  await refused;
});

test('an expression that takes too much memory is ended, and the next one works', async () => {
  const clock = new FakeClock();
  await expect((await jqOf('reduce range(40) as $i ("x"; . + .)')).results('1', { clock })).rejects.toThrow(
    'it was ended: it needs more than 1024 MiB of memory, the limit',
  );
  expect(await (await jqOf('. + 1')).results('1', { clock })).toBe('2');
}, 30_000);

test('a thread that holds much memory is ended after its call, also when the expression has failed', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'jq-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = path.join(folder, 'jq-web.cjs');
  await writeFile(file, FAKE_JQ_WEB);
  const threads = new JqThreads(file);
  expect(await threads.run('1000 pages', '')).toBe('call 1');
  await expect(threads.run('2000 pages, then fail', '')).rejects.toThrow('failed');
  expect(await threads.run('none', '')).toBe('call 3'); // the same thread
  await expect(threads.run('5000 pages, then fail', '')).rejects.toThrow('failed');
  expect(await threads.run('none', '')).toBe('call 1'); // a new one
});

/** Takes as many pages of 64 KiB as the expression says, and counts its calls. */
const FAKE_JQ_WEB = `
let calls = 0;
const raw = (texts, expression) => {
  calls++;
  new WebAssembly.Memory({ initial: 0 }).grow(Number.parseInt(expression) || 0);
  if (expression.endsWith('fail')) throw new Error('failed');
  return 'call ' + calls;
};
module.exports = Promise.resolve({ raw });
`;

test('an expression ends when its asker leaves, and leaves its place to another', async () => {
  const clock = new FakeClock();
  const leaving = new AbortController();
  const [endless, plain] = [await jqOf(ENDLESS), await jqOf('. + 1')];
  const all = Array.from({ length: 5 }, () => endless.results('1', { clock, signal: leaving.signal }));
  const waiting = plain.results('1', { clock });
  leaving.abort(new Error('gone'));
  expect((await Promise.allSettled(all)).map((each) => (each as PromiseRejectedResult).reason.message)).toEqual(
    Array(5).fill('gone'),
  );
  expect(await waiting).toBe('2');
});

test('nothing in this process waits for an expression that does not end', async () => {
  const ending = new AbortController();
  const endless = (await jqOf(ENDLESS)).results('1', { clock: new FakeClock(), signal: ending.signal });
  await new Promise((resolve) => setImmediate(resolve));
  ending.abort(new Error('from the event loop'));
  await expect(endless).rejects.toThrow('from the event loop');
});

test('a stream is ended by an expression that does not end, and tries no other record', async () => {
  const clock = new FakeClock();
  const printed = printedBy(await jqOf(`if .key == "shop/b" then (${ENDLESS}) else .key end`), EVENTS, { clock });
  await clock.advance(31_000);
  expect(await printed).toBe(
    '[argument, ended] jq: error on one of 3 records: it was ended: it has run for 30s, the limit for this input\n',
  );
});

const EVENTS = ['a', 'b', 'c'].map((name) => event('ADDED', pod(name)));
