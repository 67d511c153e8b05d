import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import type { ObjectChange } from '../envelope.ts';
import type { GateTarget } from '../filter-gate.ts';
import type { Backlog, BacklogStep, Loss, LossListener } from './backlog.ts';
import { CoalescingBacklog } from './coalescing-backlog.ts';
import { DroppingBacklog } from './dropping-backlog.ts';

/**
 * The behaviour of a stream whose reader is slower than the events.
 *
 * - `block`: reads nothing from the server until the reader has caught up. Nothing is lost.
 * - `coalesce`: keeps only the latest state of each object for the reader.
 * - `drop`: does not show the events that do not fit into a bounded buffer.
 */
export type OverflowPolicy = 'block' | 'coalesce' | 'drop';

export const overflowPolicies: readonly OverflowPolicy[] = ['block', 'coalesce', 'drop'];

export interface OverflowOptions {
  readonly policy: OverflowPolicy;
  /**
   * With `drop`: at most this number of events wait. Default 1000. The initial list does not count and is never
   * dropped.
   */
  readonly limit?: number | undefined;
}

export interface OutletOptions<T extends GateTarget> extends LossListener {
  /** Writes a change. Returns a promise if the reader has no room; it resolves when there is room again. */
  readonly write: (change: ObjectChange, target: T, receivedMs: number) => void | Promise<void>;
  readonly clock: Pick<Clock, 'now' | 'yield'>;
  /** Called with the error of a write that failed. The next write follows. */
  readonly onError: (error: unknown) => void;
}

const DEFAULT_LIMIT = 1000;

/** After this number of writes in a row that did not wait, the event loop runs once. */
const SLICE = 1000;

/**
 * Passes changes to a reader at the speed of the reader, and never makes the source of the changes wait. The changes of
 * an object keep their order, and so do the changes that are neither merged nor dropped.
 */
export class Outlet<T extends GateTarget> {
  readonly #options: OutletOptions<T>;
  readonly #backlog: Backlog<T>;
  #isBusy = false;

  /** Throws `argument` for a limit below 1. With the policy `block` no outlet is needed. */
  constructor({ policy, limit = DEFAULT_LIMIT }: OverflowOptions, options: OutletOptions<T>) {
    if (!(limit >= 1)) throw new InformerError('argument', `limit must be at least 1, not ${limit}`);
    this.#options = options;
    this.#backlog = policy === 'drop' ? new DroppingBacklog<T>(limit, options) : new CoalescingBacklog<T>(options);
  }

  /** The number of changes that wait for the reader. */
  get waiting(): number {
    return this.#backlog.waiting;
  }

  /** The losses that `lost` has not reported yet. */
  get unreported(): Loss | undefined {
    return this.#backlog.unreported;
  }

  /** Writes a change, or keeps it until the reader has room. */
  change(change: ObjectChange, target: T): void {
    const receivedMs = this.#options.clock.now();
    if (this.#isBusy) this.#backlog.push({ change, target, receivedMs });
    else this.#begin(() => this.#options.write(change, target, receivedMs));
  }

  /** Runs an action after everything that was passed so far. It is never lost. */
  step(run: BacklogStep): void {
    if (this.#isBusy) this.#backlog.pushStep(run);
    else this.#begin(run);
  }

  /** Resolves when everything that was passed so far has been written. */
  reached(): Promise<void> {
    return new Promise((resolve) => this.step(resolve));
  }

  /** Runs one write. Usually the reader has room, and then no promise is created. */
  #begin(run: BacklogStep): void {
    const pending = this.#attempt(run);
    if (!pending) return;
    this.#isBusy = true;
    void this.#drain(pending);
  }

  async #drain(first: Promise<void>): Promise<void> {
    await first;
    for (let count = 1; ; count++) {
      const item = this.#backlog.shift();
      if (!item) break;
      const pending = this.#attempt(
        typeof item === 'function' ? item : () => this.#options.write(item.change, item.target, item.receivedMs),
      );
      if (pending) await pending;
      else if (count % SLICE === 0) await this.#options.clock.yield();
    }
    this.#isBusy = false;
  }

  #attempt(run: BacklogStep): Promise<void> | undefined {
    try {
      const result = run();
      return result instanceof Object && 'then' in result ? result.catch(this.#options.onError) : undefined;
    } catch (error) {
      this.#options.onError(error);
      return undefined;
    }
  }
}
