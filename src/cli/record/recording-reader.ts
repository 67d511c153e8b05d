import { writeSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import type { TransportResponse } from '../../client/http/transport.ts';
import { onAbort, scope } from '../../kit/abort.ts';
import { humanDuration } from '../../kit/duration.ts';
import { type ErrorCode, InformerError, isInformerError, messageOf } from '../../kit/error.ts';
import { killChild } from '../../kit/kill-child.ts';
import type { Edges } from '../base-command.ts';
import { ExitCode } from '../terminal/exit-codes.ts';
import { exitOf, limited, ownProcess, type ProcessLimits, REASON, readsForAnother } from './process-limits.ts';

/** The time in which a question about a recording must be answered, and the memory of the process that answers it. */
const USUAL_LIMITS = { limitMs: 30_000, mostBytes: 1024 ** 3 };
/** Processes that read at a time. Further questions wait. */
const MOST_READING = 2;

/** A question about a recording, as data. Its kind says which function answers it. */
export interface ReadingJob {
  readonly kind: string;
  readonly [name: string]: unknown;
}

/** Answers a question in the process that was started for it: pieces of text or bytes. */
export type ReadingFunction = (job: never, edges: Edges) => AsyncIterable<string | Uint8Array>;

/** The limits of a question, its process, and the question. */
type ReadingLimits = Pick<ProcessLimits, 'limitMs' | 'mostBytes'>;

/** An error as data. */
interface ReadingError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | undefined;
}

/**
 * Has questions about recordings answered by processes of their own, within limits of time and memory, so that they do
 * not hold up a program that runs. Each process answers one question and ends; it is killed when it is not waited for
 * any more.
 */
export class RecordingReader {
  readonly #env: NodeJS.ProcessEnv;
  readonly #limits: ReadingLimits;
  readonly #start: typeof ownProcess;
  #reading = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(env: NodeJS.ProcessEnv, limits: Partial<ReadingLimits> = {}, start: typeof ownProcess = ownProcess) {
    this.#env = env;
    this.#limits = { ...USUAL_LIMITS, ...limits };
    this.#start = start;
  }

  /** The text of an answer. */
  async text(job: ReadingJob, signal?: AbortSignal): Promise<string> {
    const pieces: Buffer[] = [];
    for await (const piece of this.read(job, signal)) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  }

  /**
   * An answer whose first line has the status and the headers of a response. Its turn ends with the body, or with the
   * signal: also that of a body that is not begun, or left at its first piece.
   */
  async response(job: ReadingJob, signal?: AbortSignal): Promise<TransportResponse> {
    const pieces = this.read(job, signal);
    let head = Buffer.alloc(0);
    let end = -1;
    while (end < 0) {
      const { value, done } = await pieces.next();
      if (done) throw new InformerError('store', 'the process that read the recording ended too soon');
      head = Buffer.concat([head, value]);
      end = head.indexOf('\n');
    }
    const rest = head.subarray(end + 1);
    async function* body(): AsyncGenerator<Uint8Array> {
      try {
        yield rest;
        yield* pieces;
      } finally {
        await pieces.return(undefined);
      }
    }
    signal?.addEventListener('abort', () => void pieces.return(undefined).catch(() => {}), { once: true });
    return {
      ...(JSON.parse(head.toString('utf8', 0, end)) as Pick<TransportResponse, 'status' | 'headers'>),
      body: body(),
    };
  }

  /** The pieces of an answer. Throws the error of the function, `sync` at the end of the time, `store` of the memory. */
  async *read(job: ReadingJob, signal: AbortSignal = new AbortController().signal): AsyncGenerator<Buffer> {
    signal.throwIfAborted();
    if (this.#reading >= MOST_READING) await this.#turn(signal);
    else this.#reading++;
    try {
      yield* this.#readNow(job, signal);
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#reading--;
    }
  }

  /** Resolves with the turn of a process that has ended. Rejects, and gives up the turn, when the signal aborts before. */
  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        giveUp[Symbol.dispose]();
        resolve();
      };
      const giveUp = onAbort(signal, () => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        reject(signal.reason);
      });
      this.#waiting.push(begin);
    });
  }

  async *#readNow(job: ReadingJob, signal: AbortSignal): AsyncGenerator<Buffer> {
    signal.throwIfAborted();
    const child = this.#start(this.#env, ['pipe', 'pipe', 'ignore', 'pipe']);
    using ending = scope(signal);
    const kill = () => killChild(child, 'SIGKILL');
    ending.signal.addEventListener('abort', kill, { once: true });
    const exit = exitOf(child);
    exit.catch(() => {}); // a program that cannot be started is an error below
    if (!child.stdio) await exit;
    const reason = textOf(child.stdio[REASON] as Readable);
    const input = child.stdin as Writable;
    input.on('error', () => {}); // it has ended already
    input.end(JSON.stringify({ ...this.#limits, job }));
    try {
      yield* child.stdout as AsyncIterable<Buffer>;
    } finally {
      if (!child.stdout?.readableEnded) kill(); // the answer is left: the turn ends with the process
      await exit.catch(() => {});
    }
    const [code, by] = await exit;
    signal.throwIfAborted();
    if (code !== ExitCode.ok) throw this.#errorOf(await reason, by);
  }

  #errorOf(reason: string, by: string | null): InformerError {
    const hint = 'ask about fewer objects: one namespace, one name, or a shorter time';
    if (reason === 'time')
      return new InformerError('sync', `the recording was not read within ${humanDuration(this.#limits.limitMs)}`, { hint }); // biome-ignore format: one error
    if (reason === 'memory')
      return new InformerError('store', `reading the recording needs more than ${this.#limits.mostBytes >> 20} MiB`, { hint }); // biome-ignore format: one error
    if (reason.startsWith('{')) {
      const { code, message, hint: own } = JSON.parse(reason) as ReadingError;
      return new InformerError(code, message, own === undefined ? {} : { hint: own });
    }
    return new InformerError('store', `the process that read the recording ended${by === null ? '' : ` by ${by}`}`);
  }
}

/** Answers the one question for which this process was started. It comes on stdin, the answer goes to stdout. */
export async function answerReading(
  functions: Readonly<Record<string, ReadingFunction>>,
  edges: Edges,
): Promise<ExitCode> {
  if (!readsForAnother(edges.io.env)?.isWaited) return ExitCode.failed;
  const { job, limitMs, mostBytes } = JSON.parse(await textOf(process.stdin)) as ReadingLimits & { job: ReadingJob };
  const computing = new Int32Array(new SharedArrayBuffer(4)).fill(1);
  using _ = limited({ computing, limitMs, mostBytes });
  const { stdout } = edges.io;
  const decoder = new TextDecoder();
  try {
    const answer = functions[job.kind] as ReadingFunction;
    for await (const piece of answer(job as never, edges)) {
      if (stdout.write(typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true }))) continue;
      Atomics.store(computing, 0, 0);
      await stdout.ready();
      Atomics.store(computing, 0, 1);
    }
    return ExitCode.ok;
  } catch (error) {
    const { code, hint } = isInformerError(error) ? error : { code: 'store' as const, hint: undefined };
    writeSync(REASON, JSON.stringify({ code, message: messageOf(error), hint } satisfies ReadingError));
    return ExitCode.failed;
  }
}
