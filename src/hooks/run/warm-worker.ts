import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { onAbort } from '../../kit/abort.ts';
import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import type { HookStream } from '../hook.ts';
import { REPLY_KEYS } from '../reply.ts';
import { OUTPUT_DRAIN_MS, release, waitAtMost } from './child-process.ts';
import { exitError, type ProcessEnd } from './hook-exit.ts';
import { LineReader, LONGEST_LINE } from './line-reader.ts';
import { ProcessGroup } from './process-group.ts';
import type { GuardedProgram, ProgramGuard } from './program-guard.ts';
import { parseObject } from './reply-reader.ts';

export interface WarmWorkerOptions {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd?: string | undefined;
  /** The hook's name in messages. */
  name: string;
  graceMs: number;
  clock: Clock;
  guard?: ProgramGuard | undefined;
  /** Called with each line that is no reply and belongs to no request. */
  onStrayLine(line: string, stream: HookStream): void;
  /** Called when the worker breaks the protocol in a way that no request suffers from. */
  onStrayReply(what: string): void;
}

export interface WarmRun {
  readonly signal: AbortSignal;
  /** Called with each line that the worker prints beside the reply. */
  onLine(line: string, stream: HookStream): void;
}

/** The worker ended by itself, with 0 and without a sign that it had read the request: it can be sent again. */
export class RequestUnread extends InformerError {
  override readonly name = 'RequestUnread';
}

type Outcome = { readonly reply: object } | { readonly error: unknown };

interface Active {
  readonly id: string;
  readonly run: WarmRun;
  readonly settle: (outcome: Outcome) => void;
  isSettled: boolean;
  hasPrinted: boolean;
  lastLine: string;
}

/** The longest reply. */
const MOST_REPLY = 16 * 1024 * 1024;
const MOST_PAST = 100;
const ONE_LINE_HINT = 'in warm mode a reply is one line of JSON with the id of its request: {"id":"7","actions":[]}';

/**
 * One process that answers many requests: a line of JSON on its stdin for each request, a line of JSON on its stdout
 * for each reply. It has one request at a time.
 *
 * A reply has the `id` of its request, so that no reply is ever used for another request. A second reply to a request
 * is ignored. A process that breaks the protocol otherwise is ended, and its request fails: it replies without an id or
 * to a request that it was not sent, or prints a line that begins with `{` and is no JSON object. Every other line is
 * passed on, also JSON.
 */
export class WarmWorker {
  readonly #options: WarmWorkerOptions;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #group: ProcessGroup;
  readonly #guarded: GuardedProgram | undefined;
  readonly #stdout: LineReader;
  readonly #stderr: LineReader;
  #active: Active | undefined;
  /** The ids of the last requests that it answered. */
  readonly #past: string[] = [];
  #isObjectLine = false;
  #isUsable = true;
  #isEnding = false;
  #hasBroken = false;
  #answered = 0;
  /** Resolves when the process has ended, with what is left of its group. */
  readonly ended: Promise<ProcessEnd>;

  /** Starts a process. Rejects with the spawn error if that is not possible. */
  static async start(options: WarmWorkerOptions): Promise<WarmWorker> {
    const child = spawn(options.command, options.args, {
      cwd: options.cwd,
      env: options.env,
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    const exited = new Promise<void>((resolve, reject) => child.once('exit', () => resolve()).once('error', reject));
    if (child.pid === undefined) await exited; // it was not started: this rejects
    return new WarmWorker(child, exited, options);
  }

  private constructor(child: ChildProcessWithoutNullStreams, exited: Promise<void>, options: WarmWorkerOptions) {
    this.#options = options;
    this.#child = child;
    this.#group = new ProcessGroup(child, options.clock, options.graceMs);
    this.#guarded = child.pid === undefined ? undefined : options.guard?.add(child.pid);
    this.#stdout = new LineReader({
      onLine: (line) => this.#line(line),
      mostOf: (first) => {
        this.#isObjectLine = first === '{';
        return this.#isObjectLine ? MOST_REPLY : LONGEST_LINE;
      },
    });
    this.#stderr = new LineReader({ onLine: (line) => this.#show(line, 'stderr') });
    child.stdin.on('error', () => {}); // EPIPE: the process has ended, or closed its stdin
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    child.stderr.on('data', (chunk: Buffer) => this.#stderr.push(chunk));
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    this.ended = this.#finish(exited, closed);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Whether it ended by itself or broke the protocol, and nothing asked it to end. */
  get hasFailed(): boolean {
    return this.#hasBroken || !this.#isEnding;
  }

  /** The number of its replies. */
  get answered(): number {
    return this.#answered;
  }

  /** Whether it can take a request: it runs, keeps to the protocol, and has read the requests before. */
  get isUsable(): boolean {
    return this.#isUsable && !this.#active && this.#child.stdin.writableLength === 0;
  }

  /**
   * Sends a request, and resolves with the reply, without its `id`. Rejects if the process ends, breaks the protocol,
   * or if the signal aborts; in the last two cases the process group has ended by then.
   */
  async request(id: string, text: string, run: WarmRun): Promise<object> {
    const outcome = new Promise<Outcome>((settle) => {
      this.#active = { id, run, settle, isSettled: false, hasPrinted: false, lastLine: '' };
    });
    using _abort = onAbort(run.signal, () => this.#fail(run.signal.reason));
    using _work = this.#guarded?.work();
    this.#child.stdin.write(`${text}\n`);
    const settled = await outcome;
    // lines of stderr that were printed before the reply may come after it
    for (let turn = 0; turn < 2; turn++) await this.#options.clock.yield();
    this.#active = undefined;
    if ('reply' in settled) return settled.reply;
    if (!this.#isUsable) await this.ended;
    throw settled.error;
  }

  /** Ends it gracefully: closes its stdin, and ends the process group if it still runs after the grace. */
  async close(): Promise<void> {
    this.#isUsable = false;
    this.#isEnding = true;
    this.#child.stdin.end();
    const { clock, graceMs } = this.#options;
    await waitAtMost(
      this.ended.then(() => {}),
      graceMs,
      clock,
    );
    this.#end();
    await this.ended;
  }

  /** Kills the process group at once. */
  kill(): void {
    this.#isEnding = true;
    this.#group.kill();
  }

  #end(reason?: unknown): void {
    this.#isUsable = false;
    this.#isEnding = true;
    this.#group.endFor(reason);
  }

  #read(chunk: Buffer): void {
    this.#stdout.push(chunk);
    if (this.#isObjectLine && this.#stdout.isCut) this.#breach('it printed more than 16 MiB on one line');
  }

  #line(line: string): void {
    const text = line.trim();
    if (text === '') return;
    const object = text.startsWith('{') && this.#isUsable ? this.#objectOf(text) : undefined;
    if (object && 'id' in object) this.#reply(object);
    else if (object && Object.keys(object).every((key) => REPLY_KEYS.includes(key)))
      this.#breach(
        `its reply${this.#active ? ` to the request ${this.#active.id}` : ''} has no id: a reply repeats the id of its request`,
      );
    else this.#show(line, 'stdout');
  }

  #objectOf(text: string): object | undefined {
    const object = parseObject(text);
    if (!object) this.#breach(`the hook's reply is not one line of JSON: ${text.slice(0, 200)}`);
    return object;
  }

  #reply({ id, ...reply }: { id?: unknown }): void {
    const active = this.#active?.isSettled === false ? this.#active : undefined;
    if (active && String(id) === active.id) {
      this.#answered++;
      this.#past.push(active.id);
      if (this.#past.length > MOST_PAST) this.#past.shift();
      this.#settle({ reply });
    } else if (this.#past.includes(String(id)))
      this.#options.onStrayReply(`it replied once more to the request ${String(id)}; this is ignored`);
    else this.#breach(`it replied to a request ${String(id).slice(0, 100)} that it was not sent`);
  }

  #show(line: string, stream: HookStream): void {
    const active = this.#active;
    if (!active) {
      this.#options.onStrayLine(line, stream);
      return;
    }
    active.hasPrinted = true;
    if (stream === 'stderr' && line.trim() !== '') active.lastLine = line;
    active.run.onLine(line, stream);
  }

  #settle(outcome: Outcome): void {
    if (!this.#active) return;
    this.#active.isSettled = true;
    this.#active.settle(outcome);
  }

  /** Ends the worker, and fails its request. */
  #fail(error: unknown): void {
    this.#end(error);
    this.#settle({ error });
  }

  #breach(what: string): void {
    if (!this.#isUsable) return;
    this.#hasBroken = !this.#isEnding;
    if (!this.#active || this.#active.isSettled) this.#options.onStrayReply(`${what}; it is ended`);
    this.#fail(new InformerError('hook', `hook ${this.#options.name}: ${what}`, { hint: ONE_LINE_HINT }));
  }

  async #finish(exited: Promise<void>, closed: Promise<void>): Promise<ProcessEnd> {
    await exited;
    this.#isUsable = false;
    await waitAtMost(closed, OUTPUT_DRAIN_MS, this.#options.clock);
    this.#stdout.end();
    this.#stderr.end();
    this.#group.kill(); // its child processes belong to it
    this.#guarded?.[Symbol.dispose]();
    release(this.#child);
    const end = { code: this.#child.exitCode, signal: this.#child.signalCode };
    if (this.#active) this.#settle({ error: this.#endError(end, this.#active) });
    return end;
  }

  #endError(end: ProcessEnd, { hasPrinted, lastLine }: Active): InformerError {
    const { name } = this.#options;
    if (end.code === 0 && !hasPrinted) return new RequestUnread('hook', `hook ${name} ended before it replied`);
    return exitError(name, end, lastLine, ' before it replied');
  }
}
