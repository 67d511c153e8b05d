import { Ring } from '../../kit/ring.ts';
import type { Backlog, BacklogStep, Loss, LossListener, Waiting } from './backlog.ts';

/** Keeps the oldest. After a loss it takes nothing until half of it is free again, so that losses come in few, large pieces. */
export class DroppingBacklog<T> implements Backlog<T> {
  readonly #items = new Ring<Waiting<T> | BacklogStep>();
  readonly #limit: number;
  readonly #listener: LossListener;
  #events = 0;
  #firstStates = 0;
  #dropped = 0;
  /** Of those dropped: how many `lost` has not told yet. */
  #untold = 0;

  constructor(limit: number, listener: LossListener) {
    this.#limit = limit;
    this.#listener = listener;
  }

  get waiting(): number {
    return this.#events + this.#firstStates;
  }

  get untold(): Loss | undefined {
    return this.#untold === 0 ? undefined : { how: 'dropped', events: this.#untold };
  }

  push(item: Waiting<T>): void {
    if (isFirstState(item)) {
      this.#firstStates++;
      this.#items.push(item);
      return;
    }
    if (this.#events >= (this.#dropped > 0 ? this.#limit / 2 : this.#limit)) {
      this.#dropped++;
      this.#untold++;
      this.#listener.onLost('dropped', 1);
      return;
    }
    this.#tell();
    this.#events++;
    this.#items.push(item);
  }

  pushStep(step: BacklogStep): void {
    this.#tell();
    this.#items.push(step);
  }

  shift(): Waiting<T> | BacklogStep | undefined {
    if (this.#items.size === 0) this.#tell();
    const item = this.#items.shift();
    if (!item || typeof item === 'function') return item;
    if (isFirstState(item)) this.#firstStates--;
    else this.#events--;
    return item;
  }

  #tell(): void {
    const events = this.#dropped;
    if (events === 0) return;
    this.#dropped = 0;
    this.#items.push(() => {
      this.#untold -= events;
      return this.#listener.lost({ how: 'dropped', events });
    });
  }
}

const isFirstState = ({ change }: Waiting<unknown>) => change.cause === 'initial';
