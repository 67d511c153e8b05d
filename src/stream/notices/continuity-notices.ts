import type { ContinuityEvent, StoreRefusal } from '../../informer/watch/continuity-ledger.ts';
import { isMovedCollection } from '../../informer/watch/moved-collection.ts';
import { LONG_WAIT_MS } from '../../informer/watch/retry-pause.ts';
import { askedPauseMs } from '../../informer/watch/watch-fault.ts';
import type { WatchEnding } from '../../informer/watch/watch-machine.ts';
import { humanDuration } from '../../kit/duration.ts';
import { messageOf } from '../../kit/error.ts';
import { isConnectionError } from '../../model/connection-error.ts';
import { formatGroupResource } from '../../model/gvr.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { statusOf } from '../../model/status.ts';

/** Endings that belong to a healthy stream: servers end every watch after some minutes. */
const ORDINARY: ReadonlySet<WatchEnding> = new Set<WatchEnding>(['closed', 'very-short']);

/** The effect of each refusal of the store, as text. The program does not try such a change again. */
const REFUSALS: Readonly<Record<StoreRefusal, string>> = {
  dropped: 'the cache goes on without that change',
  unindexed: 'it is in the cache, but not found by that index',
};

/**
 * The notices on stderr about the connections of a command's informers. While a server is away, every informer meets
 * the same fault repeatedly: the fault is reported once, until all informers are connected again. Each gap, relist and
 * resumed watch is reported. A watch that the server ends in the ordinary way, and that is resumed at once, is not.
 */
export class ContinuityNotices {
  readonly #reported = new Set<string>();
  readonly #ill = new Set<string>();
  /** Sources that have lost their connection and were not reported to be back. */
  readonly #lost = new Set<string>();
  /** Sources with a gap that no list has closed yet. */
  readonly #gaps = new Set<string>();

  /** The text of a notice; undefined when there is nothing new to report. */
  textOf(event: ContinuityEvent, type: ResourceType): string | undefined {
    const name = formatGroupResource(type.gvr) + (event.scope ? ` in ${event.scope}` : '');
    if ('why' in event && event.why === 'changed') return undefined; // who changed the collection says so
    switch (event.kind) {
      case 'fault':
        if (event.fault === 'changed') return undefined;
        if (event.fault === 'gone' && this.#gaps.has(name)) return undefined; // the gap has its own notice
        if (event.fault === 'store') return `${name}: ${messageOf(event.error)}; ${REFUSALS[event.next]}`;
        // `waiting` follows
        if (event.fault === 'throttled' && askedPauseMs(event.error) > LONG_WAIT_MS) return undefined;
        return this.#isNews(event.error, name) ? faultText(event.error, name) : undefined;
      case 'disconnected':
        this.#lost.add(name);
        return undefined; // the fault has its own notice
      case 'resumed': {
        const wasLost = this.#lost.delete(name) || !ORDINARY.has(event.why);
        this.#recovered(name);
        return wasLost ? resumedText(event, name) : undefined;
      }
      case 'relisted':
      case 'synced':
        this.#lost.delete(name);
        this.#gaps.delete(name);
        this.#recovered(name);
        return event.kind === 'relisted' ? relistedText(event, name) : undefined;
      case 'waiting':
        return this.#isNews(event.error, name) ? waitingText(event.error, event.waitMs, name) : undefined;
      case 'gap':
        this.#gaps.add(name);
        return `${name}: changes after ${event.from} may go unseen${because(event.why)}; listing again`;
      default:
        return undefined;
    }
  }

  #isNews(error: unknown, name: string): boolean {
    this.#ill.add(name);
    const before = this.#reported.size;
    return this.#reported.add(messageOf(error)).size > before;
  }

  #recovered(name: string): void {
    this.#ill.delete(name);
    if (this.#ill.size === 0) this.#reported.clear();
  }
}

/** How long the server asked to be left alone, and how long it is. */
export function waitText(askedMs: number, waitMs: number, why: string): string {
  return `the server asks to wait ${humanDuration(askedMs)} (${why}); trying again in ${humanDuration(waitMs)}`;
}

function waitingText(error: unknown, waitMs: number, name: string): string {
  const why = [statusOf(error)?.code, messageOf(error)].filter((part) => part !== undefined);
  return `${name}: ${waitText(askedPauseMs(error), waitMs, why.join(', '))}`;
}

/** A connection is the same for every type. */
function faultText(error: unknown, name: string): string {
  if (isMovedCollection(error)) return `${name}: ${messageOf(error)}`;
  return `${isConnectionError(error) ? '' : `${name}: `}${messageOf(error)}; trying again`;
}

type Kind<K extends ContinuityEvent['kind']> = Extract<ContinuityEvent, { readonly kind: K }>;

function resumedText({ since, why, downMs, proven }: Kind<'resumed'>, name: string): string {
  return `${name}: watch resumed at ${since} after ${humanDuration(downMs)} (${why})${proven ? '; nothing was missed' : ''}`;
}

function relistedText({ objects, resourceVersion, why, from }: Kind<'relisted'>, name: string): string {
  const count = `${objects} object${objects === 1 ? '' : 's'}`;
  return `${name}: relisted ${count} at ${resourceVersion}${because(why)}; what happened since ${from} shows as its outcome`;
}

/** The reason `other` helps no reader; the fault has its own notice. */
const because = (why: WatchEnding) => (why === 'other' ? '' : ` (${why})`);
