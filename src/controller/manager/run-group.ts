import { type Scope, saysAborted, scope } from '../../kit/abort.ts';
import { isLeadingWork, markLeading } from '../election/leading-work.ts';
import type { Runnable } from './runnable.ts';

/** Called when a runnable fails. `isEnding`: its signal had aborted before. */
export type OnFailure = (name: string, error: unknown, isEnding: boolean) => void;

/** Runnables that start and end together. One that is added later starts at once. */
export class RunGroup {
  readonly #onFailure: OnFailure;
  readonly #waiting: { name: string; runnable: Runnable }[] = [];
  readonly #running = new Map<string, Promise<void>>();
  #scope: Scope | undefined;

  constructor(onFailure: OnFailure) {
    this.#onFailure = onFailure;
  }

  add(name: string, runnable: Runnable): void {
    if (this.#scope) this.#run(name, runnable, this.#scope.signal);
    else this.#waiting.push({ name, runnable });
  }

  /** Starts all. They end when `parent` aborts, or by {@link stop}. */
  start(parent?: AbortSignal): void {
    this.#scope = scope(parent);
    if (parent && isLeadingWork(parent)) markLeading(this.#scope.signal);
    for (const { name, runnable } of this.#waiting.splice(0)) this.#run(name, runnable, this.#scope.signal);
  }

  /** The signal of the group; undefined before its start. */
  get signal(): AbortSignal | undefined {
    return this.#scope?.signal;
  }

  /** The names of those that have not ended. */
  get running(): string[] {
    return [...this.#running.keys()];
  }

  async #ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  /** Asks all to end, and resolves when they have. */
  async stop(reason?: unknown): Promise<void> {
    this.#waiting.length = 0;
    this.#scope?.abort(reason);
    await this.#ended();
    this.#scope?.[Symbol.dispose]();
  }

  #run(name: string, runnable: Runnable, signal: AbortSignal): void {
    const run = Promise.resolve()
      .then(() => runnable.run(signal))
      .then(
        () => {},
        (error) => {
          if (!saysAborted(error, signal)) this.#onFailure(name, error, signal.aborted);
        },
      )
      .then(() => void this.#running.delete(name));
    this.#running.set(name, run);
  }
}
