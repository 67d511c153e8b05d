import { humanDuration } from '../kit/duration.ts';
import type { EventWord } from './envelope.ts';
import type { EndCounts } from './markers.ts';

/** The continuity of a stream in numbers, from its informers. */
export interface ContinuityCounts {
  /** Relists after the initial sync. */
  readonly relists: number;
  /** Intervals in which events may be missing. */
  readonly gaps: number;
  /** Watches that were resumed at the version at which they ended, without a loss. */
  readonly resumed: number;
  /** Changes that a cache could not store. */
  readonly storeErrors?: number | undefined;
}

/** Counts of the events that a stream did not show, except for its filters. */
export interface LossCounts {
  /** Events that were left out because the reader was slow. */
  dropped: number;
  /** Updates that were merged into later ones because the reader was slow. */
  coalesced: number;
  /** Changes that had arrived and waited for a slow reader when the stream ended. */
  unshown: number;
  /** Evaluations of filters and conditions that failed. */
  expressionErrors: number;
  /** Events whose object cannot be printed; they were shown with its name and the reason. */
  unprintable: number;
}

const WORDS = ['ADDED', 'MODIFIED', 'LEFT', 'DELETED'] as const;

/** The words for the events of a stream in its last line. */
export interface SummaryWords {
  /** One of them, such as `event`; more of them have an `s`. */
  readonly one: string;
  /** Each kind, such as `ADDED`. */
  readonly kinds: Readonly<Record<EventWord, string>>;
}

const EVENT_WORDS: SummaryWords = {
  one: 'event',
  kinds: { ADDED: 'ADDED', MODIFIED: 'MODIFIED', LEFT: 'LEFT', DELETED: 'DELETED' },
};

/** Counts the events that a stream shows, for its last line and its END record. */
export class StreamSummary {
  readonly #words: SummaryWords;
  readonly #counts: Record<EventWord, number> = { ADDED: 0, MODIFIED: 0, DELETED: 0, LEFT: 0 };

  /** The line has those that are not 0; the END record has all of them. */
  readonly losses: LossCounts = { dropped: 0, coalesced: 0, unshown: 0, expressionErrors: 0, unprintable: 0 };

  constructor(words: SummaryWords = EVENT_WORDS) {
    this.#words = words;
  }

  count(word: EventWord): void {
    this.#counts[word]++;
  }

  /** Takes back the count of an event that was not printed. */
  uncount(word: EventWord): void {
    this.#counts[word]--;
  }

  /** Takes back the count of an event that could not be printed, and counts an expression error. */
  failed(word: EventWord): void {
    this.uncount(word);
    this.losses.expressionErrors++;
  }

  /** The number of events that were counted. */
  get total(): number {
    return WORDS.reduce((sum, word) => sum + this.#counts[word], 0);
  }

  /**
   * The last line, without its newline:
   * `ended by SIGINT after 5m3s: 14 events (12 ADDED, 2 MODIFIED), 1 relist, 1 gap, 2 resumed watches`.
   * Counts of 0 are left out, except `no events` and `no gaps`. `why` names what ended the stream; `elapsedMs` is its
   * duration.
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
    const { one, kinds } = this.#words;
    if (this.total === 0) return `no ${one}s`;
    const words = WORDS.filter((word) => this.#counts[word] > 0);
    return `${some(this.total, one)} (${words.map((word) => `${this.#counts[word]} ${kinds[word]}`).join(', ')})`;
  }

  /** The counts of the END record. LEFT events are counted as DELETED, which is their type. */
  counts({ relists, gaps, resumed, storeErrors = 0 }: ContinuityCounts): EndCounts {
    const { LEFT, DELETED, ...counts } = this.#counts;
    return { ...counts, DELETED: DELETED + LEFT, relists, gaps, resumed, storeErrors, ...this.losses };
  }
}

/** `1 gap`, `2 gaps`; '' for 0. */
function some(count: number, one: string, several = `${one}s`): string {
  return count === 0 ? '' : `${count} ${count === 1 ? one : several}`;
}
