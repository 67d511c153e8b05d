import { humanDuration } from '../kit/duration.ts';
import type { EventType } from './envelope.ts';

/** What a stream's continuity is made of, as its informers report it. */
export interface ContinuityCounts {
  /** Relists after the first sync. */
  readonly relists: number;
  /** Intervals that may hide events. */
  readonly gaps: number;
  /** Watches resumed at the version where they broke off, losing nothing. */
  readonly resumed: number;
}

/** Counts what a stream showed, for the one line that ends it. */
export class StreamSummary {
  readonly #counts: Record<EventType, number> = { ADDED: 0, MODIFIED: 0, DELETED: 0 };

  count(type: EventType): void {
    this.#counts[type]++;
  }

  /** How many events were counted. */
  get total(): number {
    return this.#counts.ADDED + this.#counts.MODIFIED + this.#counts.DELETED;
  }

  /**
   * The line, without its newline: `ended by SIGINT after 5m3s: 15 events (12 ADDED, 2 MODIFIED, 1 DELETED), 1 relist, no gaps, 2 resumed watches`.
   * `why` says what ended the stream, `elapsedMs` how long it ran.
   */
  line(why: string, elapsedMs: number, { relists, gaps, resumed }: ContinuityCounts): string {
    const { ADDED, MODIFIED, DELETED } = this.#counts;
    const events =
      this.total === 0 ? 'no events' : `${many(this.total, 'event')} (${ADDED} ADDED, ${MODIFIED} MODIFIED, ${DELETED} DELETED)`;
    const continuity = [many(relists, 'relist'), many(gaps, 'gap'), many(resumed, 'resumed watch', 'resumed watches')].join(', ');
    return `${why} after ${humanDuration(elapsedMs)}: ${events}, ${continuity}`;
  }
}

function many(count: number, one: string, several = `${one}s`): string {
  if (count === 0) return `no ${several}`;
  return `${count} ${count === 1 ? one : several}`;
}
