import path from 'node:path';
import type { HookStream } from '../hooks/hook.ts';
import { runChildProcess } from '../hooks/run/child-process.ts';
import { LineReader } from '../hooks/run/line-reader.ts';
import { OutputLimit } from '../hooks/run/output-limit.ts';
import { killGroup } from '../hooks/run/process-group.ts';
import type { GuardedProgram, ProgramGuard } from '../hooks/run/program-guard.ts';
import type { Clock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import type { HookFile } from './find-hooks.ts';
import type { RunFiles } from './run-files.ts';

export interface HookProcessOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Ends the programs when this process cannot. */
  readonly guard: ProgramGuard | undefined;
  readonly onLine: (hook: string, line: string, stream: HookStream) => void;
}

/** The time between SIGTERM and SIGKILL, ms. */
const GRACE_MS = 5_000;

/** Starts hooks, each in its own folder, and shows what they print. */
export class HookProcesses {
  readonly #options: HookProcessOptions;
  readonly #groups = new Set<number>();

  constructor(options: HookProcessOptions) {
    this.#options = options;
  }

  /** Runs a hook to its end. Rejects with its last line on stderr if its exit code is not 0, and with the signal's reason. */
  async run({ name, file }: HookFile, { env }: RunFiles, signal: AbortSignal): Promise<void> {
    const { clock, guard, onLine } = this.#options;
    let last = '';
    using stdout = new OutputLimit((line) => onLine(name, line, 'stdout'), clock);
    using stderr = new OutputLimit((line) => onLine(name, line, 'stderr'), clock);
    const reader = new LineReader({ onLine: (line) => stdout.line(line) });
    let group: number | undefined;
    let guarded: GuardedProgram | undefined;
    const end = await runChildProcess(file, {
      args: [],
      env: { ...this.#options.env, ...env },
      cwd: path.dirname(file),
      input: '',
      signal,
      graceMs: GRACE_MS,
      clock,
      onStdout: (chunk) => reader.push(chunk),
      onStderrLine: (line) => {
        last = line.trim() === '' ? last : line;
        stderr.line(line);
      },
      onGroup: (pid) => {
        if (group !== undefined) this.#groups.delete(group);
        guarded?.[Symbol.dispose]();
        group = pid;
        if (pid === undefined) return;
        this.#groups.add(pid);
        guarded = guard?.add(pid);
        guarded?.work();
      },
    }).finally(() => reader.end());
    if (end.code === 0) return;
    const how = end.code === null ? `was ended by ${end.signal}` : `exited with ${end.code}`;
    throw new InformerError('hook', `the hook ${name} ${how}${last === '' ? '' : `: ${last}`}`);
  }

  /** Ends all that run at once. */
  kill(): void {
    for (const pid of this.#groups) killGroup(pid, 'SIGKILL');
  }
}
