/** A version, and the history that it is counted in. */
export interface Position {
  readonly epoch: number;
  readonly version: number;
}

/**
 * The histories that a server has had, one after the other. A replaced history is a new epoch: it has everything of an earlier one up to the
 * version of the snapshot it came from, or nothing when the server was wiped. Versions compare within an epoch only.
 */
export class Epochs {
  readonly #origins: (Position | undefined)[] = [undefined];

  /** The epoch of now. */
  get current(): number {
    return this.#origins.length - 1;
  }

  /** The server comes back with what it had at `origin`, or with nothing of all that. */
  begin(origin: Position | undefined): void {
    this.#origins.push(origin && this.home(origin));
  }

  /** The epoch in which a version was made. */
  home({ epoch, version }: Position): Position {
    const origin = this.#origins[epoch];
    return origin && version <= origin.version ? this.home({ epoch: origin.epoch, version }) : { epoch, version };
  }

  /** Whether everything up to a position is a part of an epoch's history too: what continues there has missed nothing. */
  includes(epoch: number, position: Position): boolean {
    if (epoch === position.epoch) return true;
    const origin = this.#origins[epoch];
    return origin !== undefined && position.version <= origin.version && this.includes(origin.epoch, position);
  }
}

/** Whether one position came before another in time. */
export const isBefore = (a: Position, b: Position): boolean => a.epoch < b.epoch || (a.epoch === b.epoch && a.version < b.version);
