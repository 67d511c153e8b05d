import { humanDuration } from '../kit/duration.ts';
import type { EventWord } from './envelope.ts';
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
  /** Changes that had arrived and waited for a slow reader when the stream ended. */
  unshown: number;
  /** Evaluations of filters and conditions that failed. */
  expressionErrors: number;
  /** Events whose object cannot be printed: its name and the reason were. */
  unprintable: number;
}

const WORDS = ['ADDED', 'MODIFIED', 'LEFT', 'DELETED'] as const;

/** Counts what a stream showed, for the one line that ends it. */
export class StreamSummary {
  readonly #counts: Record<EventWord, number> = { ADDED: 0, MODIFIED: 0, DELETED: 0, LEFT: 0 };

  /** Told in the line and the counts where they are not 0. */
  readonly losses: LossCounts = { dropped: 0, coalesced: 0, unshown: 0, expressionErrors: 0, unprintable: 0 };

  count(word: EventWord): void {
    this.#counts[word]++;
  }

  /** One that was counted could not be printed. */
  failed(word: EventWord): void {
    this.#counts[word]--;
    this.losses.expressionErrors++;
  }

  /** How many events were counted. */
  get total(): number {
    return WORDS.reduce((sum, word) => sum + this.#counts[word], 0);
  }

  /**
   * The line, without its newline: `ended by SIGINT after 5m3s: 14 events (12 ADDED, 2 MODIFIED), 1 relist, 1 gap, 2 resumed watches`.
   * What did not happen is left out, but that there was no gap is said. `why` says what ended the stream, `elapsedMs` how long it ran.
   */
  line(why: string, elapsedMs: number, { relists, gaps, resumed, storeErrors = 0 }: ContinuityCounts): string {
    const { dropped, coalesced, unshown, expressionErrors, unprintable } = this.losses;
    const parts = [
      this.#events(),
      some(relists, 'relist'),
      gaps === 0 ? 'no gaps' : some(gaps, 'gap'),
      some(resumed, 'resumed watch', 'resumed watches'),
      some(dropped, 'event dropped', 'events dropped'),
      some(coalesced, 'update coalesced', 'updates coalesced'),
      some(unshown, 'change unshown', 'changes unshown'),
      some(storeErrors, 'change not cached', 'changes not cached'),
      some(expressionErrors, 'expression error'),
      some(unprintable, 'unprintable object'),
    ];
    return `${why} after ${humanDuration(elapsedMs)}: ${parts.filter((text) => text !== '').join(', ')}`;
  }

  #events(): string {
    if (this.total === 0) return 'no events';
    const words = WORDS.filter((word) => this.#counts[word] > 0);
    return `${some(this.total, 'event')} (${words.map((word) => `${this.#counts[word]} ${word}`).join(', ')})`;
  }

  /** The same for machines: what an END record carries. Its events are counted by their type, which is DELETED for what left, too. */
  counts({ relists, gaps, resumed, storeErrors = 0 }: ContinuityCounts): EndCounts {
    const { LEFT, DELETED, ...counts } = this.#counts;
    return { ...counts, DELETED: DELETED + LEFT, relists, gaps, resumed, storeErrors, ...this.losses };
  }
}

/** `1 gap`, `2 gaps`; nothing for none. */
function some(count: number, one: string, several = `${one}s`): string {
  return count === 0 ? '' : `${count} ${count === 1 ? one : several}`;
}
