import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TextSink } from '../../../src/cli/terminal/io.ts';
import { Interrupted } from '../../../src/cli/terminal/signals.ts';
import type { TourStop } from '../../../src/cli/tour/stops.ts';
import { Tour } from '../../../src/cli/tour/tour.ts';
import { plainPainter } from '../../../src/output/painter.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'informer-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const stop = (title: string, script: string, more: Partial<TourStop> = {}): TourStop => ({
  title,
  text: [],
  commands: [['-e', script]],
  ...more,
});
const FOREVER = 'process.on("SIGINT", () => process.exit(0)); setInterval(() => {}, 1000)';

/** A tour of small scripts, with a terminal or without one. */
function tour(stops: readonly TourStop[], { terminal = false, goesOn = false } = {}) {
  const texts = { stdout: '', stderr: '' };
  const sink = (name: keyof typeof texts) => {
    const stream = Object.assign(new PassThrough(), { isTTY: terminal });
    stream.on('data', (chunk) => (texts[name] += chunk));
    return new TextSink(stream, { isText: name === 'stderr' });
  };
  const abort = new AbortController();
  const input = Object.assign(new PassThrough(), { isTTY: terminal, raw: [] as boolean[] });
  const setRawMode = (isRaw: boolean) => input.raw.push(isRaw);
  const acts: string[] = [];
  const cluster = {
    release: async (tag: string, who: string) => void acts.push(`${who} ${tag}`),
    scale: async () => Promise.reject(new Error('the server is away')),
    restart: async () => void acts.push('restart'),
  };
  const env = { PATH: process.env.PATH, KUBECTL_INFORMER_OUTPUT: 'name', TERM: 'xterm' };
  const run = new Tour({
    io: { stdout: sink('stdout'), stderr: sink('stderr'), env },
    painter: plainPainter,
    signal: abort.signal,
    atOnce: new Set(),
    cluster,
    kubeconfig: path.join(folder, 'kubeconfig'),
    folder,
    called: 'kubectl informer',
    program: [process.execPath],
    input: Object.assign(input, { setRawMode }),
    goesOn,
    stops,
  }).run();
  const until = (what: string | (() => boolean)) =>
    expect
      .poll(() => (typeof what === 'string' ? texts.stdout.includes(what) : what()), { timeout: 10_000 })
      .toBe(true);
  return { run, texts, abort, input, acts, until };
}

it('without a terminal runs one command after the other, shows exit codes where they matter, and ends with 0', async () => {
  const { run, texts, input } = tour([
    stop('First', '0', { text: ['Look here.'] }),
    stop('Second', 'process.exit(3)', { code: 3, showsCode: true }),
  ]);
  expect(await run).toBe(0);
  expect(texts.stdout).toBe(`
1/2  First
Look here.

$ kubectl informer -e 0

2/2  Second

$ kubectl informer -e 'process.exit(3)'
$ echo $?
3

That was it. On your own cluster: kubectl informer watch pods -A
`);
  expect([texts.stderr, input.raw]).toEqual(['', []]);
});

it('ends with 1 and says which command did not do what it should', async () => {
  const { run, texts } = tour([stop('First', 'process.exit(7)'), stop('Second', '0')]);
  expect(await run).toBe(1);
  expect(texts.stderr).toBe('the command above ended with 7; the tour expected 0\n');
  expect(texts.stdout).toContain('2/2  Second');
});

it('runs commands in its own folder with its cluster, and with none of the settings of the user', async () => {
  const script = `const { KUBECONFIG, XDG_CONFIG_HOME, XDG_RUNTIME_DIR, KUBECTL_INFORMER_OUTPUT } = process.env;
    const right = KUBECONFIG.endsWith('kubeconfig') && XDG_CONFIG_HOME === process.cwd() && XDG_RUNTIME_DIR === process.cwd()
      && KUBECTL_INFORMER_OUTPUT === undefined && require('fs').readFileSync('hook.mjs', 'utf8') === 'export {}\\n';
    process.exit(right ? 0 : 1)`;
  const { run, texts } = tour([stop('First', script, { files: { 'hook.mjs': 'export {}\n' } })]);
  expect(await run).toBe(0);
  expect(texts.stdout).toContain('\n$ cat hook.mjs\nexport {}\n');
});

it('lets things happen while the last command runs, ends that in time, and says what could not happen', async () => {
  const { run, texts, acts } = tour([
    stop('First', FOREVER, {
      commands: [
        ['-e', '0'],
        ['-e', FOREVER],
      ],
      meanwhile: [
        { ms: 10, act: (cluster) => cluster.release('2', 'alice') },
        { ms: 20, act: (cluster) => cluster.scale(1, 'bob') },
      ],
      stopAfterMs: 1_500,
    }),
  ]);
  expect(await run).toBe(0);
  expect(acts).toEqual(['alice 2']);
  expect(texts.stderr).toBe('the tour could not go on as planned: the server is away\n');
});

it('on a terminal waits for Enter between its stops, each on a clear screen', async () => {
  const { run, texts, input, until } = tour([stop('First', '0'), stop('Second', '0')], { terminal: true });
  await until('Enter: go on   q: end');
  expect(texts.stdout).not.toContain('Second');
  input.write('\r');
  await until('Enter: end');
  expect(texts.stdout.split('\x1b[2J').length).toBe(3);
  input.write('\r');
  expect(await run).toBe(0);
  expect(input.raw).toEqual([true, false]);
});

it.each(['s', '\r'])('on a terminal the key %j ends a command early, and the tour goes on', async (key) => {
  const file = path.join(folder, `heeds-${key.charCodeAt(0)}`);
  const heeding = `${FOREVER}; require("node:fs").writeFileSync(${JSON.stringify(file)}, "")`;
  const { run, texts, input, until } = tour([stop('First', heeding), stop('Second', '0')], { terminal: true });
  await until(() => existsSync(file)); // from now on the command handles signals
  input.write(key);
  await until('Enter: go on');
  input.write('\r');
  await until('Enter: end');
  input.write('\r');
  expect([await run, texts.stderr]).toEqual([0, '']);
});

it.each([
  ['q', 0],
  ['\x03', 130],
])('on a terminal the key %j ends the tour, and its command, with %d', async (key, code) => {
  const { run, texts, input, until } = tour([stop('First', FOREVER), stop('Second', '0')], { terminal: true });
  await until('$ kubectl informer');
  input.write(key);
  expect(await run).toBe(code);
  expect(texts.stdout).not.toContain('Second');
  expect(texts.stdout).not.toContain('That was it');
});

it('a signal ends the tour and its command, with the exit code of the signal', async () => {
  const { run, abort, until, texts } = tour([stop('First', FOREVER), stop('Second', '0')]);
  await until('$ kubectl informer');
  abort.abort(new Interrupted('SIGTERM'));
  expect(await run).toBe(143);
  expect(texts.stdout).not.toContain('Second');
});

it('does not wait for keys on a terminal when it was asked to go on', async () => {
  const { run, texts, input } = tour([stop('First', '0'), stop('Second', '0')], { terminal: true, goesOn: true });
  expect(await run).toBe(0);
  expect(texts.stdout).not.toContain('\x1b[2J');
  expect(input.raw).toEqual([]);
});
