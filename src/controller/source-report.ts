import type { Source } from './source.ts';
import type { SkippedEvent } from './trail.ts';

/** What one source of a controller did so far. */
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

/** The most different reasons that are counted. */
const KEPT_REASONS = 16;

/** Counts what a source does. */
export class SourceCounts {
  readonly #source: Pick<Source, 'name' | 'nextAt'>;
  readonly #skipped = new Map<string, number>();
  hasSynced = false;
  keys = 0;

  constructor(source: Pick<Source, 'name' | 'nextAt'>) {
    this.#source = source;
  }

  skipped({ why, by }: SkippedEvent): void {
    const reason = why === 'predicate' ? `predicate ${by}` : why;
    const isKept = this.#skipped.has(reason) || this.#skipped.size < KEPT_REASONS;
    const counted = isKept ? reason : 'other predicates';
    this.#skipped.set(counted, (this.#skipped.get(counted) ?? 0) + 1);
  }

  report(): SourceReport {
    const nextAt = this.#source.nextAt?.();
    return {
      name: this.#source.name,
      hasSynced: this.hasSynced,
      keys: this.keys,
      skipped: Object.fromEntries(this.#skipped),
      ...(nextAt === undefined ? {} : { nextAt }),
    };
  }
}
