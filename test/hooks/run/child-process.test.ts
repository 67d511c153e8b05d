import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { ChildProcessOptions } from '../../../src/hooks/run/child-process.ts';
import { runChildProcess } from '../../../src/hooks/run/child-process.ts';
import { killGroup } from '../../../src/hooks/run/process-group.ts';
import { systemClock } from '../../../src/kit/clock.ts';

function run(script: string, options: Partial<ChildProcessOptions> = {}) {
  const lines: string[] = [];
  const chunks: Buffer[] = [];
  const ended = runChildProcess('/bin/sh', {
    args: ['-c', script],
    env: { PATH: process.env.PATH ?? '' },
    input: '',
    onStdout: (chunk) => chunks.push(chunk),
    onStderrLine: (line) => lines.push(line),
    signal: new AbortController().signal,
    graceMs: 5_000,
    clock: systemClock,
    ...options,
  });
  return { ended, lines, stdout: () => Buffer.concat(chunks).toString() };
}

describe('a process that ends by itself', () => {
  it('has its exit code and its whole stdout', async () => {
    const { ended, lines, stdout } = run('cat; echo done; echo warning >&2; exit 3', { input: 'grüße\n' });
    expect(await ended).toEqual({ code: 3, signal: null });
    expect(stdout()).toBe('grüße\ndone\n');
    expect(lines).toEqual(['warning']);
  });

  it('has the signal that killed it', async () => {
    expect(await run('kill -TERM $$').ended).toMatchObject({ code: null, signal: 'SIGTERM' });
  });

  it('reports its process group, and the end of it', async () => {
    const groups: (number | undefined)[] = [];
    const { ended, stdout } = run('echo $$', { onGroup: (pid) => groups.push(pid) });
    await ended;
    expect(groups).toEqual([Number(stdout()), undefined]);
  });

  it('leaves no listener on the signal', async () => {
    const { signal } = new AbortController();
    await run('true', { signal }).ended;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

it('a very long line of stderr is cut, and says how much is missing', async () => {
  const { ended, lines } = run(`head -c 300000 /dev/zero | tr '\\0' x >&2; echo >&2; echo next >&2`);
  await ended;
  expect(lines).toEqual([`${'x'.repeat(16_384)}… (283616 more characters)`, 'next']);
});

it('a last line without an end is passed on before the end, although a child keeps the pipe open', async () => {
  const { ended, lines } = run('sleep 5 & printf unfinished >&2');
  await ended;
  expect(lines).toEqual(['unfinished']);
});

it('a command that cannot be started rejects with the error of the start', async () => {
  const { signal } = new AbortController();
  const options = {
    args: [],
    env: {},
    input: '',
    onStdout() {},
    onStderrLine() {},
    signal,
    graceMs: 1,
    clock: systemClock,
  };
  await expect(runChildProcess('/no/such/command', options)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('an aborted signal prevents the start, and its reason is the error', async () => {
  const reason = new Error('over');
  await expect(run('true', { signal: AbortSignal.abort(reason) }).ended).rejects.toBe(reason);
});

it('a signal to a process group that has ended is no error', async () => {
  let group = 0;
  await run('true', {
    onGroup: (pid) => {
      group = pid ?? group;
    },
  }).ended;
  expect(() => killGroup(group, 'SIGTERM')).not.toThrow();
});
