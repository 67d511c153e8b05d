import { abortable } from '../kit/abort.ts';
import { InformerError } from '../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';
import {
  checkShard,
  placeOf,
  SHARDED_KEYS,
  type Shard,
  type ShardedKey,
  type ShardedObject,
  shardRanges,
} from './shard.ts';

/** The parts of a {@link ShardSet} at one time. It does not change. */
export interface ShardParts {
  /** Grows with each change. */
  readonly generation: number;
  /** In their order, each once. */
  readonly indexes: readonly number[];
  /** The `shardSelector` of these parts; undefined when they are all of them, or none, and by `name`. */
  readonly selector: string | undefined;
  /** Whether an object is in one of these parts. */
  has(object: ShardedObject): boolean;
}

/** Options of a {@link ShardSet}. */
export interface ShardSetOptions extends Pick<Shard, 'of' | 'by'> {
  /** The parts to begin with. Default: none. */
  readonly indexes?: Iterable<number> | undefined;
}

const KNOWN_OPTIONS = {
  of: 'number',
  by: SHARDED_KEYS,
  indexes: true,
} satisfies KnownOptionsOf<ShardSetOptions>;

/**
 * Some of the parts of a collection, which may become others while informers read them. Each change makes an informer
 * list what it now has.
 */
export class ShardSet {
  readonly of: number;
  readonly by: ShardedKey;
  readonly #listeners = new Set<() => void>();
  readonly #readers = new Map<object, number>();
  readonly #waiting = new Set<() => void>();
  #selection: ShardParts;

  /** Throws `argument` for a part that does not exist. */
  constructor(options: ShardSetOptions) {
    checkOptions('ShardSet', options, KNOWN_OPTIONS);
    const { of, by = 'uid', indexes = [] } = options;
    checkShard({ index: 0, of, by });
    this.of = of;
    this.by = by;
    this.#selection = this.#select(indexes, 0);
  }

  get selection(): ShardParts {
    return this.#selection;
  }

  /** The part of an object, whether it is in the set or not. */
  indexOf(object: ShardedObject): number {
    return placeOf(object, this);
  }

  /** Replaces the parts. Does nothing if they are the same. Throws `argument` for one that does not exist. */
  change(indexes: Iterable<number>): void {
    const next = this.#select(indexes, this.#selection.generation + 1);
    if (next.indexes.join() === this.#selection.indexes.join()) return;
    this.#selection = next;
    for (const listener of [...this.#listeners]) listener();
  }

  /**
   * Registers one that reads these parts. The result is called with the generation whose list it has passed on
   * completely.
   */
  reader(): (generation: number) => void {
    const reader = {};
    this.#readers.set(reader, -1);
    return (generation) => {
      this.#readers.set(reader, generation);
      for (const check of [...this.#waiting]) check();
    };
  }

  /** Resolves when every reader has passed on what the set has now. Rejects with the signal's reason. */
  async whenRead(signal: AbortSignal): Promise<void> {
    const { generation } = this.#selection;
    const read = Promise.withResolvers<void>();
    const check = () => {
      if ([...this.#readers.values()].every((reached) => reached >= generation)) read.resolve();
    };
    this.#waiting.add(check);
    try {
      check();
      await abortable(read.promise, signal);
    } finally {
      this.#waiting.delete(check);
    }
  }

  /** Calls the listener after each change. It must not throw. */
  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  #select(given: Iterable<number>, generation: number): ShardParts {
    const indexes = [...new Set(given)].sort((a, b) => a - b);
    for (const index of indexes) checkShard({ index, of: this.of, by: this.by });
    if (indexes.length > MOST_INDEXES)
      throw new InformerError('argument', `a set of shards has at most ${MOST_INDEXES}, not ${indexes.length}`);
    const parts = new Set(indexes);
    const isPart = indexes.length > 0 && indexes.length < this.of;
    return {
      generation,
      indexes,
      selector: isPart && this.by !== 'name' ? shardRanges(indexes, this) : undefined,
      has: (object) => parts.size === this.of || (parts.size > 0 && parts.has(this.indexOf(object))),
    };
  }
}

/** Each run of parts is a range in the address of a request, which has a limit. */
const MOST_INDEXES = 1024;
