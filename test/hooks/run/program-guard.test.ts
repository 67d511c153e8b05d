import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ProgramGuard } from '../../../src/hooks/run/program-guard.ts';
import type { InformerError } from '../../../src/kit/error.ts';
import { eventually, FakeClock } from '../../../src/testing/index.ts';
import { isAlive } from '../../support/process-alive.ts';

const started: number[] = [];
afterEach(() => {
  for (const pid of started.splice(0)) if (isAlive(pid)) process.kill(-pid, 'SIGKILL');
});

/** A program that ends only when it is killed, with a child process of its own; its pid and that of the child. */
async function stubborn(): Promise<[program: number, child: number]> {
  const script = `trap '' TERM; sleep 1000 & echo $!; wait`;
  const program = spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const pid = program.pid as number;
  started.push(pid);
  const [text] = await once(program.stdout as NonNullable<ChildProcess['stdout']>, 'data');
  return [pid, Number(text)];
}

function guardWith(leftMs: (() => number) | undefined) {
  const clock = new FakeClock();
  const failures: InformerError[] = [];
  const guard = new ProgramGuard({ leaseOfRun: () => leftMs, clock, onFailure: (error) => void failures.push(error) });
  return { guard, clock, failures };
}

const bothEnded = (pids: readonly number[]) => eventually(() => pids.every((pid) => !isAlive(pid)));

describe('the guard of programs', () => {
  it('kills a program and its child processes when the lease of its run is not extended', async () => {
    const { guard } = guardWith(() => 300); // the clock of this process stands still: it is as if it was frozen
    using _guard = guard;
    const pids = await stubborn();
    guard.add(pids[0]).work();
    await bothEnded(pids);
  });

  it('leaves a program alone whose lease is extended, until it is not', async () => {
    let leftMs = 60_000;
    const { guard, clock } = guardWith(() => leftMs);
    using _guard = guard;
    const kept = await stubborn();
    const ended = await stubborn();
    guard.add(kept[0]).work();
    using work = guard.add(ended[0]).work();
    leftMs = 0;
    work[Symbol.dispose](); // idle: no lease counts for it
    guard.add(ended[0]);
    await clock.advance(250);
    await bothEnded(kept);
    expect(ended.every(isAlive)).toBe(true);
  });

  it('kills all programs when its process has ended', async () => {
    const { guard } = guardWith(undefined);
    const [first, second] = [await stubborn(), await stubborn()];
    guard.add(first[0]).work();
    guard.add(second[0])[Symbol.dispose]();
    guard[Symbol.dispose]();
    await bothEnded(first);
    expect(isAlive(second[0])).toBe(true); // it was not guarded any more
  });

  it('kills a program of a process that was killed', async () => {
    const pids = await stubborn();
    const module = path.resolve(import.meta.dirname, '../../../src/hooks/run/program-guard.ts');
    const script = `
      import { ProgramGuard } from ${JSON.stringify(module)};
      new ProgramGuard({ leaseOfRun: () => undefined, clock: {}, onFailure() {} }).add(${pids[0]});
      process.kill(process.pid, 'SIGKILL');
    `;
    const owner = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
    const [, signal] = await once(owner, 'exit');
    expect(signal).toBe('SIGKILL');
    await bothEnded(pids);
  });

  it('goes on after a signal that all processes of a service get', async () => {
    let leftMs = 0;
    const { guard, failures } = guardWith(() => leftMs);
    const [first, second] = [await stubborn(), await stubborn()];
    guard.add(first[0]).work();
    await bothEnded(first); // so it runs
    process.kill(guard.pid as number, 'SIGTERM');
    leftMs = 60_000;
    guard.add(second[0]).work();
    guard[Symbol.dispose]();
    await bothEnded(second);
    expect(failures).toEqual([]);
  });

  it('says so when it has ended itself, and kills what is at work', async () => {
    const { guard, failures } = guardWith(() => 60_000);
    using _guard = guard;
    const pids = await stubborn();
    guard.add(pids[0]).work();
    process.kill(guard.pid as number, 'SIGKILL');
    await eventually(() => failures.length === 1);
    expect(failures[0]).toMatchObject({ code: 'hook', message: expect.stringContaining('has ended') });
    await bothEnded(pids);
  });
});
