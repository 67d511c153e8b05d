/** What a run writes about itself into the object of its key, where the server brings all writes into an order. */
export interface JournalRecord {
  readonly key: string;
  /** The process that runs. */
  readonly replica: string;
  /** The run, unique among all processes. */
  readonly run: string;
  readonly what: 'start' | 'work' | 'end';
  /** The version of the object that the run was given; 0 if the object was gone. */
  readonly version: number;
  /** When the server's record was read, ms. */
  readonly at: number;
}

/** A key that was at work in two processes at once. */
export interface Doubled {
  readonly key: string;
  readonly text: string;
}

interface KeyState {
  /** The run that wrote last. */
  open: JournalRecord | undefined;
  /** Runs that another run followed: none of them may write again. */
  readonly over: Map<string, JournalRecord>;
  /** The version that a run which ended had been given. */
  done: number;
}

/** Runs of one key are remembered up to this number: an older one cannot write any more. */
const MOST_OVER = 200;

/**
 * Reads the records in the order of the server and finds each key that two processes had at once: after the first
 * record of a run no earlier run of that key writes any more. A process that was killed writes nothing, so it needs no
 * rule of its own.
 */
export class Journal {
  readonly doubled: Doubled[] = [];
  readonly #keys = new Map<string, KeyState>();
  readonly #seen = new Set<(record: JournalRecord) => void>();
  runs = 0;
  completed = 0;

  add(record: JournalRecord): void {
    const { key, run, what, version } = record;
    const state = this.#state(key);
    const { open } = state;
    const followed = state.over.get(run);
    if (followed) {
      const by = `${followed.replica} had begun meanwhile`;
      this.doubled.push({ key, text: `${record.replica} wrote ${what} of run ${run}, although ${by}` });
    } else if (open?.run !== run) {
      this.runs++;
      if (open) state.over.set(open.run, record);
      if (state.over.size > MOST_OVER) state.over.delete(state.over.keys().next().value ?? '');
      state.open = record;
    }
    if (what === 'end') {
      this.completed++;
      state.done = Math.max(state.done, version);
    }
    for (const see of [...this.#seen]) see(record);
  }

  /** The greatest version that a completed run was given; -1 if there was no run. */
  doneOf(key: string): number {
    return this.#state(key).done;
  }

  /** The process whose run of the key was the last. */
  replicaOf(key: string): string | undefined {
    return this.#state(key).open?.replica;
  }

  /** The keys whose last run was in this process. */
  keysOf(replica: string): string[] {
    return [...this.#keys].filter(([, { open }]) => open?.replica === replica).map(([key]) => key);
  }

  /** Calls `see` with each further record. */
  follow(see: (record: JournalRecord) => void): Disposable {
    this.#seen.add(see);
    return { [Symbol.dispose]: () => void this.#seen.delete(see) };
  }

  #state(key: string): KeyState {
    let state = this.#keys.get(key);
    if (!state) {
      state = { open: undefined, over: new Map(), done: -1 };
      this.#keys.set(key, state);
    }
    return state;
  }
}
