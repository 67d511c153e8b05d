import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/kit/clock.ts';
import { type ControlSocket, openControlSocket } from '../../src/ops/control-socket.ts';
import type { ProgramDescription } from '../../src/ops/program-folder.ts';
import { askProgram, type RunningProgram, runningPrograms } from '../../src/ops/running-programs.ts';
import { start } from '../support/controller.ts';

let folder: string;
let env: { XDG_RUNTIME_DIR: string };
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'ops-'));
  env = { XDG_RUNTIME_DIR: folder };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const about = (name: string, started = '2026-01-01T00:00:00.000Z'): ProgramDescription => ({
  version: 1,
  pid: process.pid,
  name,
  type: 'pods',
  server: 'https://10.0.0.1:6443',
  context: 'prod',
  identity: 'cluster and user',
  namespaces: ['shop'],
  started,
});

async function open(name: string, started?: string): Promise<ControlSocket> {
  const { controller } = await start({ reconcile: async () => undefined });
  const program = {
    controllers: [controller],
    objects: [undefined],
    informers: [],
    metrics: undefined,
    liveChecks: [],
    readyChecks: [],
    clock: systemClock,
    staleAfterMs: 60_000,
    ending: undefined,
  };
  return openControlSocket(program, about(name, started), env);
}

const runFolder = () => path.join(folder, 'kubectl-informer', 'run');

describe('the socket of a running program', () => {
  it('is found by other commands of the user, oldest program first, and answers them', async () => {
    await using _later = await open('b.sh', '2026-01-02T00:00:00.000Z');
    await using _first = await open('a.sh');
    const running = await runningPrograms(env);
    expect(running.map((each) => each.about)).toEqual([about('a.sh'), about('b.sh', '2026-01-02T00:00:00.000Z')]);
    const queue = await askProgram(running[0] as RunningProgram, { path: '/debug/queue' }, systemClock);
    expect([queue.status, JSON.parse(queue.body).controllers[0].controller.name]).toEqual([200, 'pods']);
    const dropped = await askProgram(
      running[0] as RunningProgram,
      { path: '/queue/drop', method: 'POST', body: '{"keys":["shop/x"]}' },
      systemClock,
    );
    expect(JSON.parse(dropped.body)).toMatchObject({ results: [{ key: 'shop/x', ok: false }] });
  });

  it('changes 10,000 keys in one request, however long their names are, and says of more that they are too many', async () => {
    await using _socket = await open('a.sh');
    const [program] = await runningPrograms(env);
    const drop = (keys: readonly string[]) => {
      const request = { path: '/queue/drop', method: 'POST', body: JSON.stringify({ keys }) } as const;
      return askProgram(program as RunningProgram, request, systemClock);
    };
    const keys = Array.from({ length: 10_000 }, (_, i) => `${'n'.repeat(60)}/${String(i).padStart(250, 'x')}`);
    const { status, body } = await drop(keys);
    expect([status, JSON.parse(body).results.length]).toEqual([200, 10_000]);
    expect(await drop([...keys, 'shop/x'])).toMatchObject({
      status: 400,
      body: expect.stringContaining('at most 10000'),
    });
  }, 30_000);

  it.skipIf(process.platform === 'win32')('is open to its user only, whatever the umask is', async () => {
    const before = process.umask(0);
    try {
      await using socket = await open('a.sh');
      const modes = [socket.path, path.dirname(socket.path), runFolder(), path.dirname(runFolder())].map(async (each) =>
        ((await stat(each)).mode & 0o777).toString(8),
      );
      expect(await Promise.all(modes)).toEqual(['600', '700', '700', '700']);
      expect(((await stat(path.join(path.dirname(socket.path), 'about.json'))).mode & 0o777).toString(8)).toBe('600');
    } finally {
      process.umask(before);
    }
  });

  it('is removed when it is disposed, and at once where there is no time to wait', async () => {
    const first = await open('a.sh');
    const second = await open('b.sh');
    await first[Symbol.asyncDispose]();
    expect((await runningPrograms(env)).map((each) => each.about.name)).toEqual(['b.sh']);
    second.removeNow();
    expect(await readdir(runFolder())).toEqual([]);
    await second[Symbol.asyncDispose]();
  });

  it.skipIf(process.platform === 'win32')(
    'is refused in a folder that others can write or have put there',
    async () => {
      const parent = path.join(folder, 'kubectl-informer');
      await mkdir(parent);
      await chmod(parent, 0o777);
      await expect(open('a.sh')).rejects.toMatchObject({
        code: 'config',
        hint: expect.stringContaining('XDG_RUNTIME_DIR'),
      });
      await rm(parent, { recursive: true });
      await mkdir(path.join(folder, 'elsewhere'));
      await symlink(path.join(folder, 'elsewhere'), parent);
      await expect(open('a.sh')).rejects.toThrow(`${parent} is a link`);
    },
  );

  it.skipIf(process.platform === 'win32')('is refused, with the limit, where its path would be too long', async () => {
    env = { XDG_RUNTIME_DIR: path.join(folder, 'x'.repeat(100)) };
    await mkdir(env.XDG_RUNTIME_DIR);
    await expect(open('a.sh')).rejects.toThrow('has at most 103 bytes');
  });
});

const SOURCE = pathToFileURL(path.resolve(import.meta.dirname, '../../src/ops/control-socket.ts')).href;

/** Another process that opens a socket of its own, named killed.sh, and prints when it has. */
async function otherProgram(): Promise<ChildProcess> {
  const description = { ...about('killed.sh'), pid: 0 };
  const script = `
    import { openControlSocket } from ${JSON.stringify(SOURCE)};
    const program = { controllers: [], objects: [], informers: [], liveChecks: [], readyChecks: [], clock: {}, staleAfterMs: 1 };
    await openControlSocket(program, { ...${JSON.stringify(description)}, pid: process.pid }, ${JSON.stringify(env)});
    process.stdout.write('open');`;
  const options = ['--input-type=module', '--disable-warning=ExperimentalWarning', '--eval', script];
  const child = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

describe.skipIf(process.platform === 'win32')('what other programs left behind', () => {
  it('is recognised when they were killed, and removed', async () => {
    await using _alive = await open('alive.sh');
    const child = await otherProgram();
    expect((await runningPrograms(env)).map((each) => each.about.pid)).toContain(child.pid);
    const left = (await readdir(runFolder())).find((name) => name.startsWith(`${child.pid}-`)) ?? '';
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(await readdir(path.join(runFolder(), left))).toEqual(['about.json', 'socket']);
    expect((await runningPrograms(env)).map((each) => each.about.name)).toEqual(['alive.sh']);
    expect(await readdir(runFolder())).not.toContain(left);
  });

  it('is removed by the next program that starts, which leaves what runs and what starts alone', async () => {
    await using alive = await open('alive.sh');
    const child = await otherProgram();
    const stopped = await otherProgram();
    using _killed = { [Symbol.dispose]: () => void stopped.kill('SIGKILL') }; // also where an expectation fails
    stopped.kill('SIGSTOP');
    child.kill('SIGKILL');
    await once(child, 'close');
    await mkdir(path.join(runFolder(), `.new-${child.pid}-ab`));
    await mkdir(path.join(runFolder(), `.new-${stopped.pid}-cd`));
    await using next = await open('next.sh');
    const others = (await readdir(runFolder())).filter((name) => !name.startsWith(`${stopped.pid}-`));
    const own = [alive, next].map(({ path: socket }) => path.basename(path.dirname(socket)));
    expect(others.sort()).toEqual([`.new-${stopped.pid}-cd`, ...own].sort());
    expect((await runningPrograms(env)).map(({ about }) => about.pid)).toContain(stopped.pid);
  });

  it('is removed where a program ended before it listened, and left alone while it starts', async () => {
    await using _alive = await open('alive.sh');
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'close');
    await mkdir(path.join(runFolder(), `.new-${child.pid}-ab`));
    await mkdir(path.join(runFolder(), `.new-${process.pid}-cd`));
    await runningPrograms(env);
    expect((await readdir(runFolder())).filter((name) => name.startsWith('.'))).toEqual([`.new-${process.pid}-cd`]);
  });

  it('a program that is stopped is listed, and an error says that it does not answer', async () => {
    const child = await otherProgram();
    child.kill('SIGSTOP');
    const [program] = await runningPrograms(env);
    const clock = { ...systemClock, after: (_: number, run: () => void) => systemClock.after(0, run) };
    await expect(askProgram(program as RunningProgram, { path: '/readyz' }, clock)).rejects.toMatchObject({
      code: 'transport',
      message: expect.stringContaining('killed.sh'),
      hint: expect.stringContaining('kill -CONT'),
    });
    child.kill('SIGKILL');
    await once(child, 'close');
  });
});
