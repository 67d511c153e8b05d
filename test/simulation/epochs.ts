/** A version, and the history to which it belongs. */
export interface Position {
  readonly epoch: number;
  readonly version: number;
}

/**
 * The histories of a server, one after the other. A replaced history begins a new epoch. It contains everything of an
 * earlier one up to the version of its snapshot, or nothing when the server was wiped. Versions compare only within an
 * epoch.
 */
export class Epochs {
  readonly #origins: (Position | undefined)[] = [undefined];

  /** The current epoch. */
  get current(): number {
    return this.#origins.length - 1;
  }

  /** Begins an epoch: the server returns with its state at `origin`, or empty. */
  begin(origin: Position | undefined): void {
    this.#origins.push(origin && this.home(origin));
  }

  /** The position with the epoch in which the version was created. */
  home({ epoch, version }: Position): Position {
    const origin = this.#origins[epoch];
    return origin && version <= origin.version ? this.home({ epoch: origin.epoch, version }) : { epoch, version };
  }

  /**
   * Whether an epoch's history contains everything up to a position. A watch that continues there has missed nothing.
   */
  includes(epoch: number, position: Position): boolean {
    if (epoch === position.epoch) return true;
    const origin = this.#origins[epoch];
    return origin !== undefined && position.version <= origin.version && this.includes(origin.epoch, position);
  }
}

/** Whether one position came before another in time. */
export const isBefore = (a: Position, b: Position): boolean =>
  a.epoch < b.epoch || (a.epoch === b.epoch && a.version < b.version);
