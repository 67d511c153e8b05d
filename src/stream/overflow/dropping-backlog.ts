import { Ring } from '../../kit/ring.ts';
import type { Backlog, BacklogStep, Loss, LossListener, Waiting } from './backlog.ts';

/**
 * A backlog that keeps the oldest changes, at most `limit`, and drops the newer ones. After a loss it takes no change
 * until half of it is free again, so that there are few, large losses. Changes of the initial list do not count and are
 * never dropped.
 */
export class DroppingBacklog<T> implements Backlog<T> {
  readonly #items = new Ring<Waiting<T> | BacklogStep>();
  readonly #limit: number;
  readonly #listener: LossListener;
  #events = 0;
  #initial = 0;
  #dropped = 0;
  /** The number of dropped changes that no call of `lost` has reported yet. */
  #unreported = 0;

  constructor(limit: number, listener: LossListener) {
    this.#limit = limit;
    this.#listener = listener;
  }

  get waiting(): number {
    return this.#events + this.#initial;
  }

  get unreported(): Loss | undefined {
    return this.#unreported === 0 ? undefined : { how: 'dropped', events: this.#unreported };
  }

  push(item: Waiting<T>): void {
    if (isInitial(item)) {
      this.#initial++;
      this.#items.push(item);
      return;
    }
    if (this.#events >= (this.#dropped > 0 ? this.#limit / 2 : this.#limit)) {
      this.#dropped++;
      this.#unreported++;
      this.#listener.onLost('dropped', 1);
      return;
    }
    this.#queueReport();
    this.#events++;
    this.#items.push(item);
  }

  pushStep(step: BacklogStep): void {
    this.#queueReport();
    this.#items.push(step);
  }

  shift(): Waiting<T> | BacklogStep | undefined {
    if (this.#items.size === 0) this.#queueReport();
    const item = this.#items.shift();
    if (!item || typeof item === 'function') return item;
    if (isInitial(item)) this.#initial--;
    else this.#events--;
    return item;
  }

  #queueReport(): void {
    const events = this.#dropped;
    if (events === 0) return;
    this.#dropped = 0;
    this.#items.push(() => {
      this.#unreported -= events;
      return this.#listener.lost({ how: 'dropped', events });
    });
  }
}

const isInitial = ({ change }: Waiting<unknown>) => change.cause === 'initial';
