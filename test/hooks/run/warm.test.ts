import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { isTerminal, StopError } from '../../../src/controller/reconciler.ts';
import type { Hook } from '../../../src/hooks/hook.ts';
import { createWarmHook, type WarmHookOptions } from '../../../src/hooks/run/warm.ts';
import { createLogger, silentLogger } from '../../../src/kit/logger.ts';
import { eventually } from '../../../src/testing/eventually.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { request } from '../../support/hook-request.ts';
import { isAlive } from '../../support/process-alive.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'warm-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const hooks: Hook[] = [];
afterEach(async () => {
  for (const hook of hooks.splice(0)) {
    hook.kill?.();
    await hook.close?.();
  }
});

let scripts = 0;
/**
 * A worker in JavaScript. `body` runs for each request, with `request`, `n` (1 for the first one of the process),
 * `reply(object)` and `whenOpen(gate, act)`, which acts when the test has opened the gate by `open(gate)`.
 */
async function worker(
  body: string,
  { before = '', options = {} }: { before?: string; options?: Partial<WarmHookOptions> } = {},
) {
  const command = join(dir, `worker-${++scripts}`);
  const text = `#!${process.execPath}
    const { createInterface } = require('node:readline');
    const { appendFileSync, existsSync, writeSync } = require('node:fs');
    appendFileSync(${JSON.stringify(join(dir, `starts-${scripts}`))}, process.pid + '\\n');
    const print = (object) => writeSync(1, JSON.stringify(object) + '\\n');
    let request;
    const reply = (object) => print({ id: request.id, ...object });
    const whenOpen = (gate, act) => {
      const look = setInterval(() => {
        if (!existsSync(${JSON.stringify(join(dir, `gate-${scripts}-`))} + gate)) return;
        clearInterval(look);
        act();
      }, 5);
    };
    let n = 0;
    ${before}
    createInterface({ input: process.stdin }).on('line', (line) => { request = JSON.parse(line); n++; ${body} });`;
  await writeFile(command, text);
  await chmod(command, 0o755);
  const starts = join(dir, `starts-${scripts}`);
  const gates = join(dir, `gate-${scripts}-`);
  const entries: string[] = [];
  const strays: string[] = [];
  const hook = createWarmHook({
    command,
    name: 'worker',
    env: process.env,
    graceMs: 2_000,
    logger: createLogger((level, message, { error = '' }) => entries.push(`${level}: ${message} ${error}`.trim())),
    onStrayLine: (line, stream) => strays.push(`${stream}: ${line}`),
    ...options,
  });
  hooks.push(hook);
  return {
    hook,
    entries,
    strays,
    open: (gate: string) => writeFile(`${gates}${gate}`, ''),
    pids: async () => (await readFile(starts, 'utf8').catch(() => '')).split('\n').filter(Boolean).map(Number),
  };
}

const web = { metadata: { name: 'web', namespace: 'shop' } };

function run(hook: Hook, { key = 'shop/web', signal = new AbortController().signal, object = web as object } = {}) {
  const lines: string[] = [];
  const onOutput = (line: string, stream: string) => lines.push(`${stream}: ${line}`);
  const reply = hook.run({ ...request(object as never), key }, { signal, logger: silentLogger, onOutput });
  reply.catch(() => {});
  return { reply, lines };
}

const until = (condition: () => boolean | Promise<boolean>) => eventually(condition, { everyMs: 5, timeoutMs: 15_000 });

describe('a worker', () => {
  it('is started by the first run, and answers one request after the other', async () => {
    const { hook, pids } = await worker('reply({ requeueAfterMs: n, actions: [{ log: request.key }] });');
    expect(await pids()).toEqual([]);
    for (const n of [1, 2, 3])
      expect(await run(hook, { key: `shop/${n}` }).reply).toEqual({
        requeueAfterMs: n,
        actions: [{ log: `shop/${n}` }],
      });
    expect(await pids()).toHaveLength(1);
  });

  it('gets the request with an id, which the reply repeats', async () => {
    const { hook } = await worker('reply({ got: { ...request, id: typeof request.id } });');
    expect(await run(hook).reply).toEqual({ got: { ...request(web), id: 'string' } });
  });

  it('knows the mode by its environment, which has no variable of a single run', async () => {
    const { hook } = await worker(
      'reply({ mode: process.env.INFORMER_HOOK_MODE, key: process.env.INFORMER_KEY ?? null, secret: process.env.NPM_TOKEN ?? null });',
      {
        options: { env: { PATH: process.env.PATH, NPM_TOKEN: 't' } },
      },
    );
    expect(await run(hook).reply).toEqual({ mode: 'warm', key: null, secret: null });
  });

  it('is one of as many as there are runs at once', async () => {
    const { hook, pids, open } = await worker("whenOpen('all', () => reply({}));");
    const runs = [1, 2, 3].map((n) => run(hook, { key: `shop/${n}` }).reply);
    await until(async () => (await pids()).length === 3);
    await open('all');
    await Promise.all(runs);
    await Promise.all([1, 2, 3].map((n) => run(hook, { key: `shop/${n}` }).reply));
    expect(await pids()).toHaveLength(3);
  });

  it('may print anything else: each line is passed on with the run in which it was printed', async () => {
    const { hook, strays, open } = await worker(
      `console.log('one ' + n); console.error('two ' + n); console.log('[1]'); print({ level: 'info', actions: 2 }); whenOpen('reply' + n, () => reply({})); if (n === 1) whenOpen('idle', () => console.log('idle'));`,
    );
    const first = run(hook);
    await until(() => first.lines.length === 4);
    await open('reply1');
    await first.reply;
    expect(first.lines.sort()).toEqual([
      'stderr: two 1',
      'stdout: [1]',
      'stdout: one 1',
      'stdout: {"level":"info","actions":2}',
    ]);
    await open('idle');
    await until(() => strays.length === 1);
    expect(strays).toEqual(['stdout: idle']);
    const second = run(hook);
    await until(() => second.lines.length === 4);
    await open('reply2');
    await second.reply;
    expect(second.lines.sort()).toEqual([
      'stderr: two 2',
      'stdout: [1]',
      'stdout: one 2',
      'stdout: {"level":"info","actions":2}',
    ]);
  });

  it('gets a request of megabytes whole', async () => {
    const { hook } = await worker('reply({ length: request.object.data.length });');
    expect(await run(hook, { object: { ...web, data: 'x'.repeat(5_000_000) } }).reply).toEqual({ length: 5_000_000 });
  });
});

describe('harms only the run that it has, and is replaced, when it', () => {
  it.each([
    ['ends by an exit code', 'process.exit(3)', /^hook worker exited with 3 before it replied$/],
    [
      'ends by a signal',
      "process.kill(process.pid, 'SIGKILL')",
      /^hook worker was ended by SIGKILL before it replied$/,
    ],
    ['ends with 0 after it printed something', "console.log('x'); process.exit(0)", /exited with 0 before it replied$/],
    [
      'says why on stderr',
      "writeSync(2, 'no memory\\n'); process.exit(1)",
      /exited with 1 before it replied: no memory$/,
    ],
    ['prints half a reply', 'console.log(\'{"actions":\')', /the hook's reply is not one line of JSON: \{"actions":$/],
    ['replies to another id', "reply({ id: 'x' })", /it replied to a request x that it was not sent$/],
    [
      'replies without an id',
      'print({ actions: [] })',
      /its reply to the request [\w-]+ has no id: a reply repeats the id of its request$/,
    ],
    [
      'prints more than a reply may have',
      "writeSync(1, '{' + 'x'.repeat(17 * 1024 * 1024))",
      /more than 16 MiB on one line$/,
    ],
  ])('%s', async (_, harm, message) => {
    const { hook, pids, open } = await worker(
      `if (request.key === 'shop/bad') { ${harm}; return; } request.key === 'shop/good' ? whenOpen('good', () => reply({ n })) : reply({ n });`,
    );
    expect(await run(hook).reply).toEqual({ n: 1 });
    const [bad, good] = [run(hook, { key: 'shop/bad' }), run(hook, { key: 'shop/good' })];
    const error = await bad.reply.catch((e) => e);
    expect(error).toMatchObject({ code: 'hook', message: expect.stringMatching(message) });
    expect(isTerminal(error)).toBe(false);
    await open('good');
    expect(await good.reply).toEqual({ n: 1 });
    expect(await run(hook).reply).toEqual({ n: expect.any(Number) });
    expect((await pids()).length).toBeLessThanOrEqual(3);
  });

  it('replies twice, or late: the second reply is used for no other request, and a warning says so', async () => {
    const { hook, entries, pids } = await worker(
      'if (n > 1) print({ id: String(request.id - 1), wrong: true }); reply({ n }); reply({ wrong: true });',
    );
    for (const n of [1, 2, 3]) expect(await run(hook).reply).toEqual({ n });
    expect(await pids()).toHaveLength(1);
    await until(() => entries.length === 5);
    expect(new Set(entries.map((entry) => entry.replace(/\d+/, 'N')))).toEqual(
      new Set(['warn: a worker breaks the protocol it replied once more to the request N; this is ignored']),
    );
  });

  it('hangs until the signal of the run aborts: its whole process group is ended, also what ignores SIGTERM', async () => {
    const { hook, pids } = await worker(
      `if (n === 1) { const child = require('node:child_process').spawn('/bin/sh', ['-c', "trap '' TERM; while :; do sleep 0.05; done"], { stdio: 'inherit' }); appendFileSync(${JSON.stringify(join(dir, 'grandchild'))}, String(child.pid)); } else reply({});`,
      { options: { graceMs: 100 } },
    );
    const abort = new AbortController();
    const { reply } = run(hook, { signal: abort.signal });
    await until(async () => (await readFile(join(dir, 'grandchild'), 'utf8').catch(() => '')) !== '');
    const grandchild = Number(await readFile(join(dir, 'grandchild'), 'utf8'));
    abort.abort(new Error('took too long'));
    await expect(reply).rejects.toThrow('took too long');
    const [pid] = await pids();
    await until(() => !isAlive(pid as number) && !isAlive(grandchild));
  });
});

describe('exit codes of a worker', () => {
  it('65 is permanent, and carries the code', async () => {
    const { hook } = await worker('process.exit(65)');
    const error = await run(hook).reply.then(
      () => new Error('replied'),
      (e: Error) => e,
    );
    expect(isTerminal(error)).toBe(true);
    expect(error.cause).toMatchObject({ exitCode: 65 });
  });

  it('64 stops the controller, also between two requests', async () => {
    const { hook, open, pids } = await worker("reply({}); whenOpen('end', () => process.exit(64));");
    await run(hook).reply;
    await open('end');
    const [pid] = await pids();
    await until(() => !isAlive(pid as number));
    let error: unknown;
    await until(async () => {
      error = await run(hook).reply.catch((e) => e);
      return error instanceof Error;
    });
    expect(error).toBeInstanceOf(StopError);
  });

  it('a worker that ends after a number of requests costs no run', async () => {
    const { hook, entries, pids } = await worker('reply({ n }); if (n === 2) process.exit(0);');
    for (let i = 0; i < 10; i++) expect(await run(hook).reply).toEqual({ n: (i % 2) + 1 });
    expect(await pids()).toHaveLength(5);
    expect(entries).toEqual([]);
  });
});

describe('workers that end at once', () => {
  it('are started less and less often, and a warning says when', async () => {
    const { hook, entries, pids } = await worker('', { before: 'process.exit(1);' });
    const startedAt = performance.now(); // the delays are what is tested: they hold up real processes
    for (let i = 0; i < 4; i++) await expect(run(hook).reply).rejects.toThrow('exited with 1');
    expect(performance.now() - startedAt).toBeGreaterThan(600); // 100 + 200 + 400 ms
    expect(await pids()).toHaveLength(4);
    expect(
      entries.filter((entry) =>
        entry.includes('workers in a row ended without a valid reply; the next one starts in '),
      ),
    ).toHaveLength(3);
  });

  it('do not hold a run beyond its time', async () => {
    const { hook } = await worker('', { before: 'process.exit(1);' });
    for (let i = 0; i < 3; i++) await run(hook).reply.catch(() => {});
    const abort = new AbortController();
    const { reply } = run(hook, { signal: abort.signal });
    abort.abort(new Error('late'));
    await expect(reply).rejects.toThrow('no worker was started, because the last 3 ended before they replied');
  });

  it('that cannot be started at all stop the controller', async () => {
    const hook = createWarmHook({ command: join(dir, 'absent'), env: process.env, logger: silentLogger });
    await expect(run(hook).reply).rejects.toThrow(StopError);
  });
});

describe('close', () => {
  it('closes the stdin of all workers, which end by themselves', async () => {
    const bye = join(dir, 'bye');
    const { hook, pids } = await worker('reply({});', {
      before: `process.on('exit', () => appendFileSync(${JSON.stringify(bye)}, 'bye\\n'));`,
    });
    await run(hook).reply;
    await hook.close?.();
    expect((await pids()).some(isAlive)).toBe(false);
    expect(await readFile(bye, 'utf8')).toBe('bye\n');
  });

  it('ends those that do not: with SIGTERM, then with SIGKILL', async () => {
    const { hook, pids } = await worker('reply({});', {
      before: "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);",
      options: { graceMs: 50 },
    });
    await run(hook).reply;
    await hook.close?.();
    expect((await pids()).some(isAlive)).toBe(false);
  });

  it('leaves no timer, and sends no signal to a process group that has ended', async () => {
    const clock = new FakeClock();
    const signals: unknown[] = [];
    const { hook } = await worker('reply({});', { options: { clock } });
    await run(hook).reply;
    const kill = vi.spyOn(process, 'kill').mockImplementation((_, signal) => {
      signals.push(signal);
      return true;
    });
    await hook.close?.();
    kill.mockRestore();
    expect(clock.pending).toBe(0);
    expect(signals).toEqual(['SIGKILL']); // what the worker may have left of its group, when it ends
  });

  it('kill ends them at once', async () => {
    const { hook, pids } = await worker('reply({});', { before: "process.on('SIGTERM', () => {});" });
    await run(hook).reply;
    hook.kill?.();
    const started = await pids();
    await until(() => !started.some(isAlive));
  });
});

it('a flood of output is cut, in the run that prints it', async () => {
  const { hook } = await worker("for (let i = 0; i < 3000; i++) writeSync(1, i + '\\n'); reply({});");
  const { reply, lines } = run(hook);
  await reply;
  const counts = lines.map((line) => Number(/… (\d+) lines? left out$/.exec(line)?.[1] ?? 1));
  expect(lines.length).toBeLessThan(1_000);
  expect(counts.reduce((sum, count) => sum + count)).toBe(3_000);
});
