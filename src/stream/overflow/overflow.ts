import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import type { GateTarget } from '../change-gate.ts';
import type { ObjectChange } from '../envelope.ts';
import type { Backlog, BacklogStep, Loss, LossListener } from './backlog.ts';
import { CoalescingBacklog } from './coalescing-backlog.ts';
import { DroppingBacklog } from './dropping-backlog.ts';

/**
 * What a stream does when its reader is slower than the events. `block`: nothing is read from the server until the reader has caught up;
 * nothing is lost. `coalesce`: only the latest state of each object waits. `drop`: what does not fit into a bounded buffer is not shown.
 */
export type OverflowPolicy = 'block' | 'coalesce' | 'drop';

export const overflowPolicies: readonly OverflowPolicy[] = ['block', 'coalesce', 'drop'];

export interface OverflowOptions {
  readonly policy: OverflowPolicy;
  /** With `drop`: how many events may wait. Default 1000. The first state waits outside of it: it is never dropped. */
  readonly limit?: number | undefined;
}

export interface OutletOptions<T extends GateTarget> extends LossListener {
  /** A promise while the reader has no room. */
  readonly write: (change: ObjectChange, target: T, receivedMs: number) => void | Promise<void>;
  readonly clock: Pick<Clock, 'now' | 'yield'>;
  /** Hears what a write threw; the next one follows. */
  readonly onError: (error: unknown) => void;
}

const DEFAULT_LIMIT = 1000;

/** So many writes in a row that nobody had to wait for give way to the rest of the process. */
const SLICE = 1000;

/** Lets changes out to a reader at its pace without ever holding up where they come from. Order is kept, per object and between what stays. */
export class Outlet<T extends GateTarget> {
  readonly #options: OutletOptions<T>;
  readonly #backlog: Backlog<T>;
  #isBusy = false;

  /** Throws `argument` for a limit that is none. `block` needs no outlet. */
  constructor({ policy, limit = DEFAULT_LIMIT }: OverflowOptions, options: OutletOptions<T>) {
    if (!(limit >= 1)) throw new InformerError('argument', `limit must be at least 1, not ${limit}`);
    this.#options = options;
    this.#backlog = policy === 'drop' ? new DroppingBacklog<T>(limit, options) : new CoalescingBacklog<T>(options);
  }

  /** Changes that wait for the reader. */
  get waiting(): number {
    return this.#backlog.waiting;
  }

  /** What was lost and has not been told by `lost` yet. */
  get untold(): Loss | undefined {
    return this.#backlog.untold;
  }

  change(change: ObjectChange, target: T): void {
    const receivedMs = this.#options.clock.now();
    if (this.#isBusy) this.#backlog.push({ change, target, receivedMs });
    else this.#begin(() => this.#options.write(change, target, receivedMs));
  }

  /** Something that is to happen behind everything let out so far, and is never lost. */
  step(run: BacklogStep): void {
    if (this.#isBusy) this.#backlog.pushStep(run);
    else this.#begin(run);
  }

  /** Resolves when all that was let out so far has been written. */
  reached(): Promise<void> {
    return new Promise((resolve) => this.step(resolve));
  }

  /** In the usual case the reader has room, and no promise is made. */
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
