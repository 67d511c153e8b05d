import { Ring } from '../kit/ring.ts';
import type { Backlog, LossListener, Step, Waiting } from './backlog.ts';

/** Keeps the oldest. After a loss it takes nothing until half of it is free again, so that losses come in few, large pieces. */
export class DroppingBacklog<T> implements Backlog<T> {
  readonly #items = new Ring<Waiting<T> | Step>();
  readonly #limit: number;
  readonly #listener: LossListener;
  #events = 0;
  #dropped = 0;

  constructor(limit: number, listener: LossListener) {
    this.#limit = limit;
    this.#listener = listener;
  }

  push(item: Waiting<T>): void {
    if (isFirstState(item)) {
      this.#items.push(item);
      return;
    }
    if (this.#events >= (this.#dropped > 0 ? this.#limit / 2 : this.#limit)) {
      this.#dropped++;
      this.#listener.onLost('dropped', 1);
      return;
    }
    this.#tell();
    this.#events++;
    this.#items.push(item);
  }

  pushStep(step: Step): void {
    this.#tell();
    this.#items.push(step);
  }

  shift(): Waiting<T> | Step | undefined {
    if (this.#items.size === 0) this.#tell();
    const item = this.#items.shift();
    if (item && typeof item !== 'function' && !isFirstState(item)) this.#events--;
    return item;
  }

  #tell(): void {
    const events = this.#dropped;
    if (events === 0) return;
    this.#dropped = 0;
    this.#items.push(() => this.#listener.lost({ how: 'dropped', events }));
  }
}

const isFirstState = ({ change }: Waiting<unknown>) => change.cause === 'initial';
