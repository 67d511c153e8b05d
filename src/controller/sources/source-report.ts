import type { SkippedEvent, SkipReason } from '../history/trail.ts';
import type { Source } from './source.ts';

/** The counts of one source of a controller so far. */
export interface SourceReport {
  readonly name: string;
  /** Whether its initial sync has ended. */
  readonly hasSynced: boolean;
  /** The keys that it queued. A key counts each time. */
  readonly keys: number;
  /** The events that it did not turn into a key, by the reason. */
  readonly skipped: Readonly<Record<string, number>>;
  /** When it next queues keys by itself, ms since the Unix epoch. Only timers and schedules have it. */
  readonly nextAt?: number | undefined;
}

/** The most predicates that are counted by name. */
const KEPT_NAMES = 16;

/** Counts what a source does. */
export class SourceCounts {
  readonly #source: Pick<Source, 'name' | 'nextAt'>;
  readonly #skipped: Readonly<Record<SkipReason, Map<string, number>>> = {
    predicate: new Map(),
    'no key': new Map(),
    error: new Map(),
  };
  hasSynced = false;
  keys = 0;

  constructor(source: Pick<Source, 'name' | 'nextAt'>) {
    this.#source = source;
  }

  skipped({ why, by }: SkippedEvent): void {
    const counts = this.#skipped[why];
    const name = why === 'predicate' && by !== undefined ? by : '';
    const counted = counts.has(name) || counts.size < KEPT_NAMES ? name : 'others';
    counts.set(counted, (counts.get(counted) ?? 0) + 1);
  }

  report(): SourceReport {
    const nextAt = this.#source.nextAt?.();
    return {
      name: this.#source.name,
      hasSynced: this.hasSynced,
      keys: this.keys,
      skipped: Object.fromEntries(
        Object.entries(this.#skipped).flatMap(([why, counts]) =>
          Array.from(counts, ([name, count]) => [name === '' ? why : `${why} ${name}`, count] as const),
        ),
      ),
      ...(nextAt === undefined ? {} : { nextAt }),
    };
  }
}
