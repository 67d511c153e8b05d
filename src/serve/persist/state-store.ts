import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { builtin } from '../../kit/builtin.ts';
import { oneFile } from '../../kit/one-file.ts';
import { StateFault } from './state-fault.ts';
import type { RowChanges, StoredRows } from './state-file.ts';
import type { StateAnswer, StateCall, StateThreadData } from './state-thread.ts';

const FILE = import.meta.url.endsWith('.ts') ? './state-thread.ts' : './state-thread.js';
const THREAD = new URL(oneFile?.stateThread ?? FILE, import.meta.url);

type Waiting = { resolve(answer: StateAnswer): void; reject(error: unknown): void };

/** A {@link StateFile} in a thread of its own: no call blocks. Calls are done in their order. */
export class StateStore implements AsyncDisposable {
  readonly file: string;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;
  /** Why no call is answered any more. */
  #ended: StateFault | undefined;

  private constructor(file: string, now: number) {
    this.file = file;
    this.#worker = new (builtin.threads().Worker)(THREAD, {
      workerData: { file, now } satisfies StateThreadData,
      stderr: true,
    });
    this.#worker.on('message', (answer: StateAnswer) => {
      const waiting = this.#waiting.get(answer.call);
      this.#waiting.delete(answer.call);
      if (this.#waiting.size === 0) this.#worker.unref();
      waiting?.resolve(answer);
    });
    const ended = once(this.#worker, 'exit').then(() => {
      throw new Error('its thread has ended');
    });
    ended.catch((error: unknown) => this.#fail(error));
  }

  /** Opens the file. Rejects with `StateFault`. */
  static async open(file: string, now: number): Promise<StateStore> {
    const store = new StateStore(file, now);
    try {
      await store.#answerTo(0);
      return store;
    } catch (error) {
      await store.#worker.terminate();
      throw error;
    }
  }

  /** As `StateFile.read`. */
  async read(scope: string): Promise<StoredRows | undefined> {
    return (await this.#send({ read: scope })).rows;
  }

  /** As `StateFile.write`. Resolves when the step is stored. */
  async write(scope: string, changes: RowChanges): Promise<void> {
    await this.#send({ write: scope, changes });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#send({ close: true }).catch(() => {});
    await this.#worker.terminate();
  }

  #send(call: StateCall extends infer C ? (C extends unknown ? Omit<C, 'call'> : never) : never): Promise<StateAnswer> {
    const number = ++this.#calls;
    const answer = this.#answerTo(number);
    this.#worker.postMessage({ ...call, call: number });
    return answer;
  }

  /** The thread keeps the process alive only while a call waits for it. */
  async #answerTo(call: number): Promise<StateAnswer> {
    if (this.#ended) throw this.#ended;
    this.#worker.ref();
    const answer = await new Promise<StateAnswer>((resolve, reject) => this.#waiting.set(call, { resolve, reject }));
    if (answer.fault) throw new StateFault(answer.fault.kind, this.file, answer.fault.text.slice(this.file.length + 2));
    return answer;
  }

  #fail(error: unknown): void {
    this.#ended = new StateFault('unusable', this.file, String(error), error);
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
  }
}
