import type { Worker } from 'node:worker_threads';
import { abortable, onAbort } from '../../kit/abort.ts';
import { builtin } from '../../kit/builtin.ts';
import { oneFile } from '../../kit/one-file.ts';
import { BYTES_PER_CHAR, JqLimitError, MOST_BYTES } from './jq-limits.ts';
import type { JqCall, JqReply } from './jq-thread.ts';
import { warnOf } from './jq-warning.ts';

const FILE = import.meta.url.endsWith('.ts') ? './jq-thread.ts' : './jq-thread.js';
const THREAD = new URL(oneFile?.jqThread ?? FILE, import.meta.url);

/** How many expressions run at once at most. Others wait: a serve has many askers. */
const MOST_THREADS = 4;

/** A thread that holds more than this after a call is ended, bytes. */
const MOST_KEPT = 256 * 1024 * 1024;

/** jq-web as WebAssembly, in threads: each call can be ended, and no other code waits. One thread is kept for the next call. */
export class JqThreads {
  readonly #file: string;
  readonly #turns: (() => void)[] = [];
  #running = 0;
  #idle: JqThread | undefined;

  /** `file`: the module jq-web. */
  constructor(file: string) {
    this.#file = file;
  }

  /** Rejects with jq's words, with {@link JqLimitError}, or with the signal's reason, which ends the thread. */
  async run(expression: string, texts: string, signal?: AbortSignal): Promise<string> {
    await this.#turn(signal);
    let thread: JqThread | undefined;
    let isReusable = false;
    try {
      thread = this.#idle ?? new JqThread(this.#file);
      this.#idle = undefined;
      const mostBytes = Math.max(MOST_BYTES, texts.length * BYTES_PER_CHAR);
      const reply = await thread.call({ expression, texts, mostBytes }, signal);
      isReusable = !reply.isOutOfMemory && (reply.heldBytes ?? 0) <= MOST_KEPT;
      if (reply.isOutOfMemory) throw JqLimitError.ofMemory(mostBytes);
      if (reply.text === undefined) throw new Error(reply.error);
      if (reply.remarks !== undefined) warnOf(reply.remarks);
      return reply.text;
    } finally {
      if (isReusable && !this.#idle) this.#idle = thread;
      else thread?.end();
      this.#next();
    }
  }

  /** Rejects if the package cannot be loaded. */
  async check(): Promise<void> {
    this.#idle ??= new JqThread(this.#file);
    await this.#idle.whenReady;
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#running < MOST_THREADS) {
      this.#running++;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turns.push(resolve);
    try {
      await abortable(promise, signal);
    } catch (error) {
      const at = this.#turns.indexOf(resolve);
      if (at >= 0) this.#turns.splice(at, 1);
      else this.#next(); // it came too late
      throw error;
    }
  }

  /** Passes the turn to who waits longest. */
  #next(): void {
    const next = this.#turns.shift();
    if (next) next();
    else this.#running--;
  }
}

/** One thread, for one call at a time. It keeps the process alive only during a call. */
class JqThread {
  readonly #worker: Worker;
  #waiting: PromiseWithResolvers<JqReply>;
  /** Resolves when the package is loaded. */
  readonly whenReady: Promise<unknown>;

  constructor(file: string) {
    this.#worker = new (builtin.threads().Worker)(THREAD, { workerData: file, stdout: true, stderr: true });
    this.#waiting = Promise.withResolvers();
    this.#worker.on('message', (reply: JqReply) => this.#waiting.resolve(reply));
    this.#worker.on('error', (error) => this.#waiting.reject(error));
    this.#worker.on('exit', () => this.#waiting.reject(new Error('the thread of jq has ended')));
    this.whenReady = this.#ready();
    this.whenReady.catch(() => {}); // the caller gets it
  }

  async #ready(): Promise<void> {
    const reply = await this.#reply();
    if (!reply.ready) throw new Error(reply.error);
  }

  async call(call: JqCall, signal: AbortSignal | undefined): Promise<JqReply> {
    await abortable(this.whenReady, signal);
    this.#waiting = Promise.withResolvers();
    this.#worker.postMessage(call);
    return this.#reply(signal);
  }

  end(): void {
    void this.#worker.terminate();
  }

  async #reply(signal?: AbortSignal): Promise<JqReply> {
    this.#worker.ref();
    using _ending = signal && onAbort(signal, () => this.#waiting.reject(signal.reason));
    try {
      return await this.#waiting.promise;
    } finally {
      this.#worker.unref();
    }
  }
}
