import { humanDuration } from '../kit/duration.ts';
import type { EventType } from './envelope.ts';
import type { EndCounts } from './markers.ts';

/** What a stream's continuity is made of, as its informers report it. */
export interface ContinuityCounts {
  /** Relists after the first sync. */
  readonly relists: number;
  /** Intervals that may hide events. */
  readonly gaps: number;
  /** Watches resumed at the version where they broke off, losing nothing. */
  readonly resumed: number;
  /** Changes that a cache did not take. */
  readonly storeErrors?: number | undefined;
}

/** What of a stream was not shown for other reasons than its rules. */
export interface LossCounts {
  /** Events left out, and updates merged into others, for a slow reader. */
  dropped: number;
  coalesced: number;
  /** Evaluations of filters and conditions that failed. */
  expressionErrors: number;
}

/** Counts what a stream showed, for the one line that ends it. */
export class StreamSummary {
  readonly #counts: Record<EventType, number> = { ADDED: 0, MODIFIED: 0, DELETED: 0 };

  /** Told in the line and the counts where they are not 0. */
  readonly losses: LossCounts = { dropped: 0, coalesced: 0, expressionErrors: 0 };

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
  line(why: string, elapsedMs: number, { relists, gaps, resumed, storeErrors = 0 }: ContinuityCounts): string {
    const { ADDED, MODIFIED, DELETED } = this.#counts;
    const events =
      this.total === 0 ? 'no events' : `${many(this.total, 'event')} (${ADDED} ADDED, ${MODIFIED} MODIFIED, ${DELETED} DELETED)`;
    const continuity = [many(relists, 'relist'), many(gaps, 'gap'), many(resumed, 'resumed watch', 'resumed watches')].join(', ');
    const { dropped, coalesced, expressionErrors } = this.losses;
    const troubles = [
      dropped > 0 ? `${many(dropped, 'event')} dropped` : '',
      coalesced > 0 ? `${many(coalesced, 'update')} coalesced` : '',
      storeErrors > 0 ? `${many(storeErrors, 'change')} not cached` : '',
      expressionErrors > 0 ? `${many(expressionErrors, 'expression error')}` : '',
    ].filter((text) => text !== '');
    return `${why} after ${humanDuration(elapsedMs)}: ${[events, continuity, ...troubles].join(', ')}`;
  }

  /** The same for machines: what an END record carries. */
  counts({ relists, gaps, resumed, storeErrors = 0 }: ContinuityCounts): EndCounts {
    return { ...this.#counts, relists, gaps, resumed, storeErrors, ...this.losses };
  }
}

function many(count: number, one: string, several = `${one}s`): string {
  if (count === 0) return `no ${several}`;
  return `${count} ${count === 1 ? one : several}`;
}
