import { getEventListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isTerminal, StopError } from '../../../src/controller/reconciler.ts';
import type { HookRequest } from '../../../src/hooks/hook.ts';
import type { ExecHookOptions } from '../../../src/hooks/run/exec.ts';
import { createExecHook } from '../../../src/hooks/run/exec.ts';
import type { Logger } from '../../../src/kit/logger.ts';
import { createLogger } from '../../../src/kit/logger.ts';
import { eventually } from '../../../src/testing/eventually.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hooks-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

let scripts = 0;
/** Writes an executable script. Without an interpreter line it is one for /bin/sh. */
async function script(body: string): Promise<string> {
  const path = join(dir, `hook-${++scripts}`);
  await writeFile(path, body.startsWith('#!') ? body : `#!/bin/sh\n${body}\n`);
  await chmod(path, 0o755);
  return path;
}

/** Writes a script that is not executable. */
const plain = (body: string) => script(body).then((path) => chmod(path, 0o644).then(() => path));

const request: HookRequest = {
  version: 1,
  key: 'shop/web',
  gvr: 'apps/v1/deployments',
  object: { metadata: { name: 'web', namespace: 'shop' }, spec: { replicas: 3 } },
  changed: ['.spec.replicas'],
  causes: [{ reason: 'updated', via: 'watch', count: 2 }],
  attempt: 3,
  snapshots: {},
};

function recordingLogger() {
  const lines: string[] = [];
  const logger: Logger = createLogger((_, message, { key, line }) => lines.push(`${message} ${key}: ${line}`)).child({
    key: 'shop/web',
  });
  return { lines, logger };
}

async function run(
  body: string,
  options: Partial<ExecHookOptions> = {},
  { signal = new AbortController().signal, about = request } = {},
) {
  const { lines, logger } = recordingLogger();
  const hook = createExecHook({ command: await script(body), env: process.env, ...options });
  const reply = await hook.run(about, { signal, logger });
  return { reply, lines };
}

const until = (condition: () => boolean | Promise<boolean>) => eventually(condition, { everyMs: 5, timeoutMs: 15_000 });

/** Whether a process runs. A process that has ended and waits to be reaped does not. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe('the request', () => {
  it('is one line of JSON on stdin', async () => {
    const { reply } = await run(`#!${process.execPath}
      let text = '';
      process.stdin.on('data', (d) => (text += d)).on('end', () => console.log(JSON.stringify({ lines: text.split('\\n').length, got: JSON.parse(text) })));
    `);
    expect(reply).toEqual({ lines: 2, got: request });
  });

  it('is in environment variables too', async () => {
    const { reply } = await run(
      `printf '{"v":"%s %s %s %s %s %s"}\\n' "$INFORMER_KEY" "$INFORMER_NAMESPACE" "$INFORMER_NAME" "$INFORMER_GVR" "$INFORMER_ATTEMPT" "$INFORMER_DELETED"`,
    );
    expect(reply).toEqual({ v: 'shop/web shop web apps/v1/deployments 3 false' });
    const gone = await run(`printf '{"v":"%s"}\\n' "$INFORMER_DELETED"`, {}, { about: { ...request, object: null } });
    expect(gone.reply).toEqual({ v: 'true' });
  });

  it('may be ignored: a large one to a hook that closes its stdin is no error', async () => {
    const about = { ...request, snapshots: { big: [{ metadata: { name: 'x'.repeat(4_000_000) } }] } };
    const { reply } = await run(`exec <&-; echo '{"requeueAfter":"1s"}'`, {}, { about });
    expect(reply).toEqual({ requeueAfter: '1s' });
  });

  it('may determine the arguments', async () => {
    const { reply } = await run(`printf '{"v":"%s"}\\n' "$*"`, {
      args: ({ key, attempt }) => ['--key', key, `${attempt}`],
    });
    expect(reply).toEqual({ v: '--key shop/web 3' });
  });
});

describe('the environment', () => {
  it('has only allowed variables, and leads to no credentials', async () => {
    const env = {
      PATH: process.env.PATH,
      HOME: '/home/me',
      TZ: 'UTC',
      INFORMER_MODE: 'x',
      AWS_SECRET_ACCESS_KEY: 's',
      KUBECONFIG: '/k',
      NPM_TOKEN: 't',
    };
    const { reply } = await run(
      `printf '{"v":"%s"}\\n' "$(env | sed 's/=.*//' | grep -v -e '^_$' -e '^PWD$' -e '^SHLVL$' | sort | tr '\\n' ' ')$KUBECONFIG"`,
      { env },
    );
    expect(reply).toEqual({
      v: 'HOME INFORMER_ATTEMPT INFORMER_DELETED INFORMER_GVR INFORMER_KEY INFORMER_MODE INFORMER_NAME INFORMER_NAMESPACE KUBECONFIG PATH TZ /dev/null',
    });
  });

  it('has the credentials with passCredentials, and the KUBECONFIG of the program if there is one', async () => {
    const env = { PATH: process.env.PATH, AWS_PROFILE: 'a', KUBECONFIG: '/k', NPM_TOKEN: 't' };
    const { reply } = await run(`printf '{"v":"%s %s %s"}\\n' "$AWS_PROFILE" "$KUBECONFIG" "$NPM_TOKEN"`, {
      env,
      passCredentials: true,
      credentials: { KUBECONFIG: '/tmp/sandbox' },
    });
    expect(reply).toEqual({ v: 'a /tmp/sandbox ' });
  });
});

describe('exit codes', () => {
  it('64 stops the controller, with the last line of stderr', async () => {
    const ended = run('echo "no such database" >&2; exit 64');
    await expect(ended).rejects.toThrow(StopError);
    await expect(ended).rejects.toThrow(/^hook hook-\d+ exited with 64: no such database$/);
  });

  it('65 is permanent', async () => {
    const error = await run('exit 65').catch((e) => e);
    expect(isTerminal(error)).toBe(true);
  });

  it.each([1, 75, 127])('%i means a retry', async (code) => {
    const error = await run(`exit ${code}`).catch((e) => e);
    expect(error).toMatchObject({
      code: 'hook',
      message: expect.stringContaining(`exited with ${code}`),
      exitCode: code,
    });
    expect(isTerminal(error) || error instanceof StopError).toBe(false);
  });

  it('an end by a signal means a retry', async () => {
    await expect(run('kill -9 $$')).rejects.toThrow('was ended by SIGKILL');
  });

  it('the reply of a failed hook is ignored', async () => {
    await expect(run(`echo '{"actions":[]}'; exit 1`)).rejects.toThrow('exited with 1');
  });
});

describe('a hook that cannot be started', () => {
  it.each([
    ['does not exist', async () => join(dir, 'absent'), /ENOENT/, 'check the path'],
    [
      'is not on PATH',
      async () => 'ecno-no-such-program',
      /^cannot run hook ecno-no-such-program: it is not on PATH$/,
      'check the spelling; a file of this folder is written ./ecno-no-such-program',
    ],
    ['is not executable', () => plain('true'), /EACCES/, 'make it executable: chmod +x'],
    [
      'names an interpreter that does not exist',
      () => script('#!/no/such/interpreter -x\n'),
      /its interpreter \/no\/such\/interpreter was not found/,
      'correct the first line of the script',
    ],
    [
      'was saved with CR LF line ends',
      () => script('#!/bin/sh\r\necho hello\r\n'),
      /its interpreter \/bin\/sh was not found/,
      'its lines end with CR LF: save it with LF line ends',
    ],
  ])('because it %s stops the controller with a hint', async (_, make, message, hint) => {
    const hook = createExecHook({ command: await make(), env: process.env });
    const ended = hook.run(request, { signal: new AbortController().signal, logger: recordingLogger().logger });
    await expect(ended).rejects.toThrow(StopError);
    await expect(ended).rejects.toMatchObject({ message: expect.stringMatching(message), hint });
  });

  it.each([
    ['is gone', (path: string) => rm(path), 'check the path'],
    ['lost its permission', (path: string) => chmod(path, 0o644), 'make it executable: chmod +x'],
  ])('any more, because it %s, is retried', async (_, change, hint) => {
    const path = await script('true');
    const hook = createExecHook({ command: path, env: process.env });
    const context = { signal: new AbortController().signal, logger: recordingLogger().logger };
    await hook.run(request, context);
    await change(path);
    const error = await hook.run(request, context).catch((e) => e);
    expect(error).toMatchObject({ code: 'hook', hint });
    expect(error).not.toBeInstanceOf(StopError);
    expect(isTerminal(error)).toBe(false);
  });

  it('because its arguments are too long is permanent', async () => {
    const error = await run('true', { args: ['x'.repeat(3_000_000)] }).catch((e) => e);
    expect(error).toMatchObject({ message: expect.stringContaining('its arguments are too long') });
    expect(isTerminal(error)).toBe(true);
  });
});

describe('what a hook prints', () => {
  async function printed(body: string) {
    const shown: [string, string][] = [];
    const { logger } = recordingLogger();
    const hook = createExecHook({ command: await script(body), env: process.env });
    const onOutput = (line: string, stream: string) => shown.push([stream, line]);
    const running = hook.run(request, { signal: new AbortController().signal, logger, onOutput });
    return { shown, running };
  }

  it('is passed on while it runs, and a line that may be the reply only when it is none', async () => {
    const gate = join(dir, `gate-${++scripts}`);
    const { shown, running } = await printed(
      `echo one; echo '{"seen":1}'; echo '{"requeueAfter":"1s"}'; while [ ! -e ${gate} ]; do sleep 0.01; done`,
    );
    await until(() => shown.length === 2);
    expect(shown).toEqual([
      ['stdout', 'one'],
      ['stdout', '{"seen":1}'],
    ]);
    await writeFile(gate, '');
    expect(await running).toEqual({ requeueAfter: '1s' });
    expect(shown).toHaveLength(2);
  });

  it('is passed on when the run fails, too', async () => {
    const { shown, running } = await printed('echo begun; printf unfinished; echo why >&2; exit 1');
    await expect(running).rejects.toThrow('exited with 1: why');
    expect(shown).toEqual(
      expect.arrayContaining([
        ['stdout', 'begun'],
        ['stdout', 'unfinished'],
        ['stderr', 'why'],
      ]),
    );
  });

  it('is limited: of a flood a part is shown, and how much was left out', async () => {
    const { shown, running } = await printed('i=0; while [ $i -lt 3000 ]; do echo $i >&2; i=$((i+1)); done');
    await running;
    const counts = shown.map(([, line]) => Number(/^… (\d+) lines? left out$/.exec(line)?.[1] ?? 1));
    expect(shown.length).toBeLessThan(1_000);
    expect(counts.reduce((sum, count) => sum + count)).toBe(3_000);
  });

  it('that looks like a reply and is not last is warned of', async () => {
    const entries: string[] = [];
    const logger = createLogger((level, message) => entries.push(`${level}: ${message}`));
    const command = await script(`echo '{"actions":[]}'; echo done`);
    const hook = createExecHook({ command, env: process.env });
    expect(await hook.run(request, { signal: new AbortController().signal, logger })).toBeUndefined();
    expect(entries).toEqual(['warn: a line that looks like a reply is not the last line on stdout, and is not used']);
  });
});

it('stderr is logged line by line with the key, a last line without an end too', async () => {
  const { lines } = await run(`printf 'one\\ntwo\\r\\nthree' >&2`);
  expect(lines).toEqual(['hook stderr shop/web: one', 'hook stderr shop/web: two', 'hook stderr shop/web: three']);
});

it('a hook that prints endlessly is stopped', async () => {
  await expect(run('yes', { graceMs: 100 })).rejects.toThrow('printed more than');
});

it('a remaining child process is not waited for, although it keeps the pipes open', async () => {
  const { reply } = await run(`sleep 30 & echo "{\\"pid\\":$!}"`);
  const { pid } = reply as { pid: number };
  expect(isAlive(pid)).toBe(true);
  process.kill(pid, 'SIGKILL');
});

describe('an abort', () => {
  /** Starts a hook, and waits until it has written the pids of itself and its children. */
  async function started(body: string, pidCount: number, graceMs: number) {
    const file = join(dir, `pids-${++scripts}`);
    const abort = new AbortController();
    const ended = run(`pids=${file}\n${body}`, { graceMs }, { signal: abort.signal });
    ended.catch(() => {});
    const pids = async () => (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean).map(Number);
    await until(async () => (await pids()).length === pidCount);
    return { abort, ended, pids: await pids() };
  }

  it('ends the whole process group, and rejects with the reason when the group has ended', async () => {
    const { abort, ended, pids } = await started('sleep 30 & echo $! >> $pids; echo $$ >> $pids; wait', 2, 5000);
    abort.abort(new Error('took too long'));
    await expect(ended).rejects.toThrow('took too long');
    await until(() => !pids.some(isAlive));
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
  });

  it('leaves a hook its grace to end gracefully', async () => {
    const { abort, ended, pids } = await started(
      `trap 'echo bye > ${join(dir, 'bye')}; exit 0' TERM; echo $$ >> $pids; while :; do sleep 0.01; done`,
      1,
      5000,
    );
    abort.abort(new Error('took too long'));
    await expect(ended).rejects.toThrow('took too long');
    expect(await readFile(join(dir, 'bye'), 'utf8')).toBe('bye\n');
    await until(() => !pids.some(isAlive));
  });

  it('kills a leader and children that ignore it, after the grace', async () => {
    const deaf = `trap '' TERM; (trap '' TERM; while :; do sleep 0.05; done) & echo $! >> $pids; echo $$ >> $pids; while :; do sleep 0.05; done`;
    const { abort, ended, pids } = await started(deaf, 2, 100);
    abort.abort(new Error('took too long'));
    await expect(ended).rejects.toThrow('took too long');
    await until(() => !pids.some(isAlive));
  });

  it('kills children that outlive a leader that obeyed it', async () => {
    const body = `(trap '' TERM; while :; do sleep 0.05; done) & echo $! >> $pids; echo $$ >> $pids; wait`;
    const { abort, ended, pids } = await started(body, 2, 100);
    abort.abort(new Error('took too long'));
    await expect(ended).rejects.toThrow('took too long');
    await until(() => !pids.some(isAlive));
  });

  it('kills children that outlive it without its pipes', async () => {
    const body = `(trap '' TERM; while :; do sleep 0.05; done) </dev/null >/dev/null 2>&1 & echo $! >> $pids; echo $$ >> $pids; wait`;
    const { abort, ended, pids } = await started(body, 2, 60_000);
    abort.abort(new Error('took too long'));
    await expect(ended).rejects.toThrow('took too long');
    await until(() => !pids.some(isAlive));
  });

  it('before the start prevents the start', async () => {
    await expect(
      run(`touch ${join(dir, 'ran')}`, {}, { signal: AbortSignal.abort(new Error('over')) }),
    ).rejects.toThrow('over');
    await expect(readFile(join(dir, 'ran'))).rejects.toThrow('ENOENT');
  });
});

it('kill ends all active runs at once', async () => {
  const file = join(dir, 'kill-pid');
  const hook = createExecHook({
    command: await script(`echo $$ > ${file}; while :; do sleep 0.05; done`),
    env: process.env,
  });
  const ended = hook.run(request, { signal: new AbortController().signal, logger: recordingLogger().logger });
  ended.catch(() => {});
  await until(async () => (await readFile(file, 'utf8').catch(() => '')).trim() !== '');
  hook.kill?.();
  await expect(ended).rejects.toThrow('was ended by SIGKILL');
});
