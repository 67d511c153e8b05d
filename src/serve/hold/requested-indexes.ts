import type { Clock } from '../../kit/clock.ts';
import type { IndexDefinition } from '../../query/index/index-definition.ts';
import { indexersOf } from '../../query/index/stored-index.ts';
import type { ServedCache } from './served-cache.ts';

/** Indexes that are kept because questions named them, of all types together. */
const MOST_ASKED = 64;

interface RequestedIndex {
  readonly informer: ServedCache['informer'];
  readonly key: string;
  readonly built: Promise<void>;
  lastAsked: number;
}

/**
 * The indexes that questions name. Each is kept from the first question on, within a limit: then the one that was not
 * asked for the longest time is dropped. An index is built in steps beside other work.
 */
export class RequestedIndexes {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #isDeclared: (key: string) => boolean;
  readonly #asked = new Map<string, RequestedIndex>();

  /** Indexes that were declared for the serve are never dropped. */
  constructor(clock: Clock, signal: AbortSignal, isDeclared: (key: string) => boolean) {
    this.#clock = clock;
    this.#signal = signal;
    this.#isDeclared = isDeclared;
  }

  /**
   * A question names these indexes of these caches. Resolves when they are built: a scan meanwhile would read every
   * object, as the index does.
   */
  async asked(
    definitions: readonly IndexDefinition[],
    caches: readonly Pick<ServedCache, 'informer'>[],
  ): Promise<void> {
    for (const { informer } of caches) for (const definition of definitions) this.#askedFor(informer, definition);
    const building = caches.flatMap(({ informer }) =>
      definitions.map(({ key }) => this.#asked.get(`${informer.name} ${key}`)?.built),
    );
    while (this.#asked.size > MOST_ASKED) this.#dropOldest();
    await Promise.allSettled(building);
  }

  #askedFor(informer: ServedCache['informer'], definition: IndexDefinition): void {
    const { key } = definition;
    const id = `${informer.name} ${key}`;
    const known = this.#asked.get(id);
    if (known?.informer === informer) {
      known.lastAsked = this.#clock.monotonic();
      return;
    }
    const indexers = indexersOf([definition], (each) => informer.lister.hasIndex(each));
    if (Object.keys(indexers).length === 0) return;
    const built = informer.buildIndexers(indexers as never, this.#signal);
    built.catch(() => this.#asked.delete(id)); // the next question tries it again; until then it is scanned
    this.#asked.set(id, { informer, key, built, lastAsked: this.#clock.monotonic() });
  }

  #dropOldest(): void {
    const [id, { informer, key, built }] = [...this.#asked].reduce((a, b) => (b[1].lastAsked < a[1].lastAsked ? b : a));
    this.#asked.delete(id);
    void built.then(
      () => {
        if (!this.#isDeclared(key)) informer.removeIndexers([key]);
      },
      () => {},
    );
  }
}
