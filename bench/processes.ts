import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A program to measure. */
export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** What one run of a program took. CPU time is user and system time of the process and its threads. */
export interface Usage {
  readonly wallMs: number;
  /** Undefined where the system does not report it. */
  readonly cpuMs: number | undefined;
  readonly peakRssMb: number | undefined;
  /** From the start to the first byte on stdout. */
  readonly firstByteMs: number | undefined;
  readonly code: number | null;
  /** It was killed: it took too long, or had said everything and did not end. */
  readonly stalled: boolean;
  /** How often what was to be counted came on stdout. */
  readonly counted: number;
  /** The beginning of stdout, and of stderr. */
  readonly stdout: string;
  readonly stderr: string;
}

export interface MeasureOptions {
  /** What to count on stdout. Default: ends of lines. */
  readonly count?: string | undefined;
  /** Runs of the program in one measurement, for those that take only a moment; figures are for one. */
  readonly times?: number | undefined;
  /** The program is ended when this number has been counted: how a watch ends. */
  readonly until?: number | undefined;
  /** When this number has been counted the program has printed everything, and should end soon. */
  readonly complete?: number | undefined;
  /** It is killed after so long, ms. Default ten minutes. */
  readonly timeoutMs?: number | undefined;
}

const GNU_TIME = '/usr/bin/time';
const REPEAT = 'i=0; while [ $i -lt "$0" ]; do "$@" >/dev/null || exit; i=$((i+1)); done';
const KEPT = 4096;
/**
 * Node may lock itself up when it exits, https://github.com/nodejs/node/issues/54918; a program that ends takes no
 * longer than this.
 */
const ENDING_MS = 5_000;

/**
 * Runs a program to its end. The kernel's own figures where there is GNU time (a small process between, so that ours do
 * not count); else samples.
 */
export async function measureProcess(command: Command, options: MeasureOptions = {}): Promise<Usage> {
  const { times = 1 } = options;
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
  const figures = path.join(folder, 'figures');
  const hasTime = existsSync(GNU_TIME) && options.until === undefined;
  try {
    const words =
      times > 1
        ? ['sh', '-c', REPEAT, String(times), command.command, ...command.args]
        : [command.command, ...command.args];
    const [first, ...rest] = hasTime ? [GNU_TIME, '-o', figures, '-f', '%U %S %M', ...words] : words;
    // A group of its own, so that ending it ends the program and not only a launcher between.
    const child = spawn(first as string, rest, {
      env: environment(command, folder),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const run = await followed(child, options);
    const [user, system, peak] = hasTime ? figuresIn(figures) : [];
    const sampled = run.sampled;
    return {
      wallMs: run.wallMs / times,
      cpuMs: user === undefined || system === undefined ? sampled?.cpuMs : ((user + system) * 1000) / times,
      peakRssMb: peak === undefined ? sampled?.peakRssMb : (peak * 1024) / 1e6,
      firstByteMs: run.firstByteMs,
      code: run.code,
      stalled: run.stalled,
      counted: run.counted,
      stdout: run.stdout,
      stderr: run.stderr,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A program that should have said something by now says nothing. */
const SILENCE_MS = 20_000;

export interface Idle {
  readonly rssMb: number | undefined;
}

/**
 * The memory of a program that waits: some time after it last said something. Undefined where the system does not
 * report it.
 */
export async function measureIdle(command: Command, { settleMs = 1500, lines = 0 } = {}): Promise<Idle> {
  const child = spawn(command.command, [...command.args], {
    env: environment(command),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let seen = 0;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await new Promise<void>((resolve) => {
    if (lines === 0) resolve();
    setTimeout(resolve, SILENCE_MS).unref();
    child.once('exit', () => resolve());
    child.stdout?.on('data', (chunk: Buffer) => {
      seen += countIn(chunk, '\n');
      if (seen >= lines) resolve();
    });
  });
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  const rssMb = child.exitCode === null && seen >= lines ? statusMb(child.pid, 'VmRSS') : undefined;
  child.kill('SIGKILL');
  await exited;
  return { rssMb };
}

/** When each line of a program's output was read, ms of `process.hrtime`; the program is ended after `count` lines. */
export async function lineTimes(command: Command, lines: number, timeoutMs: number): Promise<number[]> {
  const child = spawn(command.command, [...command.args], {
    env: environment(command),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const times: number[] = [];
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  child.stdout?.on('data', (chunk: Buffer) => {
    const at = Number(process.hrtime.bigint()) / 1e6;
    for (let n = countIn(chunk, '\n'); n > 0; n--) times.push(at);
    if (times.length >= lines) child.kill('SIGKILL');
  });
  await exited;
  clearTimeout(timer);
  return times;
}

function environment({ env }: Command, home = tmpdir()): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: home, NO_COLOR: '1', ...env };
}

interface Followed extends Omit<Usage, 'cpuMs' | 'peakRssMb'> {
  readonly sampled: { cpuMs: number; peakRssMb: number } | undefined;
}

async function followed(
  child: ChildProcess,
  { count = '\n', until, complete, timeoutMs = 600_000 }: MeasureOptions,
): Promise<Followed> {
  const from = performance.now();
  const counter = new Counter(count);
  let firstByteMs: number | undefined;
  let stdout = '';
  let stderr = '';
  let sampled: Followed['sampled'];
  const sample = () => {
    sampled = usageOf(child.pid) ?? sampled;
  };
  const sampler = setInterval(sample, 100);
  let stalled = false;
  const stall = () => {
    stalled = true;
    endGroup(child);
  };
  let timer = setTimeout(stall, timeoutMs);
  child.stdout?.on('data', (chunk: Buffer) => {
    firstByteMs ??= performance.now() - from;
    if (stdout.length < KEPT) stdout += chunk.subarray(0, KEPT).toString('latin1');
    counter.take(chunk);
    if (complete !== undefined && counter.count >= complete) {
      clearTimeout(timer);
      timer = setTimeout(stall, ENDING_MS);
    }
    if (until === undefined || counter.count < until) return;
    sample();
    endGroup(child);
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    if (stderr.length < KEPT) stderr += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('close', resolve).once('error', reject),
  );
  const wallMs = performance.now() - from;
  clearInterval(sampler);
  clearTimeout(timer);
  return { wallMs, firstByteMs, code, stalled, counted: counter.count, stdout, stderr, sampled };
}

function endGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
}

/** Counts a word in a stream of chunks, also where it is cut. */
class Counter {
  readonly #word: string;
  #tail = Buffer.alloc(0);
  count = 0;

  constructor(word: string) {
    this.#word = word;
  }

  take(chunk: Buffer): void {
    const all = this.#tail.length === 0 ? chunk : Buffer.concat([this.#tail, chunk]);
    this.count += countIn(all, this.#word);
    const kept = this.#word.length - 1;
    this.#tail = kept === 0 ? this.#tail : Buffer.from(all.subarray(Math.max(0, all.length - kept)));
  }
}

function countIn(bytes: Buffer, word: string): number {
  let found = 0;
  for (let at = bytes.indexOf(word); at >= 0; at = bytes.indexOf(word, at + word.length)) found++;
  return found;
}

function figuresIn(file: string): number[] {
  const last = readFileSync(file, 'utf8').trim().split('\n').at(-1) ?? '';
  return last.split(' ').map(Number);
}

const TICK_MS = 10;

/** CPU time of a running process so far, ms. Undefined where the system does not report it. */
export const cpuMsOf = (pid: number | undefined): number | undefined => usageOf(pid)?.cpuMs;

/** Source: proc(5), stat fields utime and stime, status field VmHWM. */
function usageOf(pid: number | undefined): Followed['sampled'] {
  const peakRssMb = statusMb(pid, 'VmHWM');
  if (peakRssMb === undefined) return undefined;
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return { cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS, peakRssMb };
  } catch {
    return undefined;
  }
}

function statusMb(pid: number | undefined, field: 'VmRSS' | 'VmHWM'): number | undefined {
  const bytes = statusBytes(pid, field);
  return bytes === undefined ? undefined : bytes / 1e6;
}

/** Memory of a process, bytes; undefined where the system does not report it. Source: proc(5). */
export function statusBytes(pid: number | undefined, field: 'VmRSS' | 'VmHWM'): number | undefined {
  try {
    const kilobytes = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}
