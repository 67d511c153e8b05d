import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/client/kubeconfig.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { askServe } from '../../src/serve/client/ask.ts';
import { connectionRecord } from '../../src/serve/connection-record.ts';
import { type FoundServe, servesOf } from '../../src/serve/find.ts';
import { type ServeIdentity, serveIdentity } from '../../src/serve/folder-key.ts';
import type { QueryRequest } from '../../src/serve/protocol.ts';
import { Cli, run } from '../support/cli.ts';
import { type FakeServeOptions, fakeServe, leaveStale } from '../support/fake-serve.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';

let fixture: Fixture;
let runtime: string;
let env: { KUBECONFIG: string; XDG_RUNTIME_DIR: string };
let identity: ServeIdentity;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());
beforeEach(async () => {
  runtime = await mkdtemp(path.join(tmpdir(), 'door-'));
  env = { ...fixture.env, XDG_RUNTIME_DIR: runtime };
  identity = serveIdentity(await loadConfig({ kubeconfig: env.KUBECONFIG, env: {} }));
  return () => rm(runtime, { recursive: true, force: true });
});

const LINE = ['query', 'pods', '-n', 'shop', '-o', 'name'];
const serves = () => path.join(runtime, 'kubectl-informer', 'serve');
const record = () => connectionRecord({}, env);

/** What the cluster answers. */
const direct = async () => (await run([...LINE, '--no-serve'], { env })).stdout;

async function served(answer: FakeServeOptions['answer'], more: Partial<FakeServeOptions> = {}) {
  return fakeServe(env, { identity, about: { record: record(), anyAccount: true }, answer, ...more });
}

const one: FakeServeOptions['answer'] = async (_, outlet) => {
  await outlet.write('pod/from-serve\n');
  return { exitCode: 0, ageMs: 412 };
};

describe.skipIf(process.platform === 'win32')('query and a running serve', () => {
  it('the serve of the same cluster and user answers, which is said on stderr with its age', async () => {
    await using _ = await served(one);
    expect(await run(LINE, { env })).toMatchObject({
      code: 0,
      stdout: 'pod/from-serve\n',
      stderr: `from serve (pid ${process.pid}), 0.4s old\n`,
    });
  });

  it.each<[string, string[], NodeJS.ProcessEnv]>([
    ['-q', ['-q'], {}],
    ['the variable of --quiet', [], { KUBECTL_INFORMER_QUIET: 'true' }],
  ])('%s leaves out that it answered, and no other line', async (_, flags, more) => {
    await using _serve = await served((question, outlet, response) => {
      outlet.notice('careful');
      return one(question, outlet, response);
    });
    const { stdout, stderr } = await run([...LINE, ...flags], { env: { ...env, ...more } });
    expect([stdout, stderr]).toEqual(['pod/from-serve\n', 'careful\n']);
  });

  it('it is found by cluster and user when files or flags differ; the namespace is then that of the asking context', async () => {
    let question: QueryRequest | undefined;
    await using _ = await served((got) => {
      question = got;
      return { exitCode: 0 };
    });
    const copy = path.join(runtime, 'kubeconfig');
    await writeFile(copy, fixture.sandbox.kubeconfig());
    const { stderr } = await run([...LINE, '--kubeconfig', copy], { env });
    expect(stderr).toBe(`from serve (pid ${process.pid})\n`);
    expect(question?.namespace).toBe('default');
    await run(LINE, { env });
    expect(question?.namespace).toBeUndefined();
  });

  it('it gets words and flags with their origin, the text of files and no flag of the connection', async () => {
    let question: QueryRequest | undefined;
    await using _ = await served((got) => {
      question = got;
      return { exitCode: 0 };
    });
    const columns = ['-o', 'custom-columns-file=columns.txt', '--context', 'sandbox', '--request-timeout', '7s'];
    await writeFile(path.join(runtime, 'columns.txt'), 'NAME\n.metadata.name\n');
    const more = { env: { ...env, KUBECTL_INFORMER_LIMIT: '3' }, cwd: runtime };
    await run(['query', 'deploy/web', ...columns, '--eq', 'node=a', '--eq', 'node=b'], more);
    expect(question).toEqual({
      words: ['deploy/web'],
      given: {
        output: { values: ['custom-columns-text=NAME\n.metadata.name\n'], origin: 'flag' },
        eq: { values: ['node=a', 'node=b'], origin: 'flag' },
        limit: { values: ['3'], origin: 'environment', label: 'KUBECTL_INFORMER_LIMIT' },
      },
      namespace: 'default',
      config: { indexes: {} },
      terminal: { isTerminal: false },
      env: { NO_COLOR: '1' },
    });
  });

  it('is not asked when a file of the question cannot be read', async () => {
    let isAsked = false;
    await using _ = await served(() => {
      isAsked = true;
      return { exitCode: 0 };
    });
    const result = await run(['query', 'pods', '-o', 'jsonpath-file=none.txt'], { env, cwd: runtime });
    expect(result).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot read none.txt of -o jsonpath-file'),
    });
    expect(isAsked).toBe(false);
  });

  it('notices and errors of the serve go to stderr, and its exit code is the exit code', async () => {
    await using _ = await served(async (_question, outlet) => {
      await outlet.write('pod/web-1\n');
      outlet.notice('careful');
      return { exitCode: 1, errors: [{ message: 'pods "x" not found', hint: 'try y', exitCode: 1 }] };
    });
    expect(await run(LINE, { env })).toMatchObject({
      code: 1,
      stdout: 'pod/web-1\n',
      stderr: `careful\nerror: pods "x" not found\nhint: try y\nfrom serve (pid ${process.pid})\n`,
    });
  });

  it('--no-serve, --sandbox and another cluster or user bypass it, silently', async () => {
    await using _ = await served(one);
    const answer = await direct();
    expect(answer).toContain('pod/web-1\n');
    expect(answer).not.toContain('from-serve');
    for (const flags of [['--sandbox'], ['--scenario', 'rollout'], ['--as', 'bob'], ['--token', 'other']]) {
      const { stdout, stderr } = await run([...LINE, ...flags], { env });
      expect([flags, stdout.includes('from-serve'), stderr.includes('pid')]).toEqual([flags, false, false]);
    }
  });

  it('what it does not hold is asked of the cluster, which is said', async () => {
    await using _ = await served(() => ({ exitCode: 1, unserved: 'it does not hold pods' }));
    const { stdout, stderr, code } = await run(LINE, { env });
    expect([stdout, code]).toEqual([await direct(), 0]);
    expect(stderr).toBe(
      `the serve with pid ${process.pid} cannot answer this, so the cluster is asked: it does not hold pods\n`,
    );
  });

  it('a serve of another protocol version is not asked; both versions and the next step are named', async () => {
    await using _ = await served(one, { about: { record: record(), protocol: 3 } });
    const { stdout, stderr, code } = await run(LINE, { env });
    expect([stdout, code]).toEqual([await direct(), 0]);
    expect(stderr).toBe(
      `the cluster is asked instead of a running serve: the serve with pid ${process.pid} speaks protocol version 3, this program version 2 (upgrade this program, or end the other with its own 'serve stop')\n`,
    );
  });

  it('the socket of a killed serve is removed, and the cluster is asked', async () => {
    await leaveStale(serves(), identity.key);
    const { stdout, stderr, code } = await run(LINE, { env });
    expect([stdout, code]).toEqual([await direct(), 0]);
    expect(stderr).toBe('the serve with pid 1 was killed: its socket is removed, and the cluster is asked\n');
    expect(await readdir(serves())).not.toContain(identity.key);
    expect((await run(LINE, { env })).stderr).toBe('');
  });

  it('a serve that is killed in the middle of an answer is an error, after what was printed', async () => {
    const half = 'pod/half\n'.repeat(2000);
    const serve = await startProcess();
    await using cli = new Cli(LINE, { env });
    await cli.until(({ stdout }) => stdout === half, 'the first half');
    serve.kill('SIGKILL');
    expect(await cli.ended()).toMatchObject({
      code: 1,
      stdout: half,
      stderr: expect.stringMatching(
        new RegExp(`^error: the serve with pid ${serve.pid} ended before its answer was whole.*\nhint: .*--no-serve`),
      ),
    });
  });

  it('a stopped serve is waited for five seconds, then the cluster is asked', async () => {
    const serve = await startProcess();
    serve.kill('SIGSTOP');
    const [{ stdout, stderr, code }, stop] = await Promise.all([run(LINE, { env }), run(['serve', 'stop'], { env })]);
    serve.kill('SIGKILL');
    expect(stop).toMatchObject({
      code: 1,
      stderr: `error: the serve with pid ${serve.pid} has not answered within 5s\nhint: was it stopped? kill -CONT ${serve.pid} continues it, and it ends then; kill -KILL ${serve.pid} ends it at once\n`,
    });
    expect([stdout, code]).toEqual([await direct(), 0]);
    expect(stderr).toContain(`the serve with pid ${serve.pid} has not answered for 5s`);
    expect(stderr).toContain(`kill -CONT ${serve.pid}`);
  });

  it('a folder that another user could have made is not trusted, which is said with the reason', async () => {
    await using _ = await served(one);
    await chmod(serves(), 0o777);
    const { stdout, stderr, code } = await run(LINE, { env });
    expect([stdout, code]).toEqual([(await run([...LINE, '--no-serve'], { env: fixture.env })).stdout, 0]);
    expect(stderr).toBe(
      `a running serve is not used: the folder for sockets cannot be used: other users can write to ${serves()} (mode 0777)\n`,
    );
  });

  it.skipIf(process.getuid?.() !== 0)('neither is a folder of another user', async () => {
    await mkdir(serves(), { recursive: true, mode: 0o700 });
    const { chown } = await import('node:fs/promises');
    await chown(serves(), 65534, 65534);
    const { stderr, code } = await run(LINE, { env });
    expect(code).toBe(0);
    expect(stderr).toBe(
      `a running serve is not used: the folder for sockets cannot be used: ${serves()} belongs to another user (uid 65534)\n`,
    );
  });

  it('a reader that leaves early ends the question, and the serve learns it', async () => {
    let learned: Promise<unknown> | undefined;
    await using _ = await served(async (_question, outlet) => {
      learned = new Promise((resolve) => outlet.signal.addEventListener('abort', resolve, { once: true }));
      while (!outlet.signal.aborted) await outlet.write(`${'x'.repeat(1000)}\n`.repeat(60)).catch(() => {});
      return { exitCode: 0 };
    });
    await using cli = new Cli(LINE, { env });
    await cli.until(({ stdout }) => stdout.length > 0);
    cli.child.stdout?.destroy();
    expect(await cli.ended()).toMatchObject({ code: 0, stderr: '' });
    await learned;
  });

  it('Ctrl-C before the answer ends it with 130', async () => {
    let hasAsked = () => {};
    const asking = new Promise<void>((resolve) => {
      hasAsked = resolve;
    });
    await using _ = await served(async (_question, outlet) => {
      hasAsked();
      await new Promise((resolve) => outlet.signal.addEventListener('abort', resolve, { once: true }));
      return { exitCode: 0 };
    });
    await using cli = new Cli(LINE, { env });
    await asking;
    cli.kill('SIGINT');
    expect(await cli.ended()).toMatchObject({ code: 130, stdout: '' });
  });

  it('one of 50 that never reads keeps up none of the others, and keeps little in the memory of the serve', async () => {
    const text = `${'x'.repeat(99)}\n`.repeat(500);
    let most = 0;
    const isAsked = Promise.withResolvers<void>();
    await using _ = await served(async (_question, outlet, response) => {
      isAsked.resolve();
      for (let i = 0; i < 40; i++) {
        const sent = outlet.write(text);
        most = Math.max(most, response.writableLength);
        await sent.catch(() => {});
      }
      return { exitCode: 0 };
    });
    await using stuck = new Cli(LINE, { env });
    stuck.child.stdout?.pause();
    await isAsked.promise;
    // a few whole commands, and the clients of the others without a process of their own, which are cheap to start
    const [commands, clients] = await Promise.all([
      Promise.all(Array.from({ length: 6 }, () => run([...LINE], { env }))),
      Promise.all(Array.from({ length: 43 }, () => answered(env))),
    ]);
    for (const { code, stdout } of commands) expect([code, stdout.length]).toEqual([0, 40 * text.length]);
    for (const length of clients) expect(length).toBe(40 * text.length);
    expect(most).toBeLessThan(256 * 1024);
    expect(stuck.child.exitCode).toBeNull();
  });
});

/** Asks the running serve as the command does; resolves with the length of its answer. */
async function answered(of: { XDG_RUNTIME_DIR: string }): Promise<number> {
  let length = 0;
  const question = { words: ['pods'], given: {}, config: { indexes: {} }, terminal: { isTerminal: false }, env: {} };
  await askServe(servesOf(of)[0] as FoundServe, question, {
    signal: new AbortController().signal,
    clock: systemClock,
    take(text) {
      length += text.length;
    },
  });
  return length;
}

/** A serve in a process of its own, which sends half an answer. */
async function startProcess() {
  const script = path.resolve(import.meta.dirname, '../support/fake-serve-process.mjs');
  const about = JSON.stringify({ record: record() });
  const child = spawn(process.execPath, [script, JSON.stringify(identity), about], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}
