import type { ObjectKey } from '../../model/key.ts';
import type { CachedObject, EventCause, ResourceEvent } from '../resource-event.ts';

/** A reason why a key was queued. */
export interface ReconcileCause {
  /**
   * The event that led to the run. `requeue`: the key's own requeueAfter is due. `released`: {@link Controller.release}
   * was called for the parked key. `manual`: {@link Controller.enqueue} was called. `schedule`: a time of a schedule
   * came.
   */
  readonly reason: 'added' | 'updated' | 'deleted' | 'generic' | 'schedule' | 'requeue' | 'released' | 'manual';
  /** How the event became known. */
  readonly via?: EventCause;
  /** The source of the event: a resource type, or the name of a timer. */
  readonly source?: string;
  /** The object of the event, if it is not the reconciled object. */
  readonly key?: ObjectKey;
  /** The object's version in the event; in the latest one of several events. */
  readonly resourceVersion?: string;
  /** The number of events that this cause combines. */
  readonly count: number;
}

/** The cause of one event. */
export type EventOrigin = Omit<ReconcileCause, 'count'>;

/** The causes of a key since its last run, and what is known of the object's states. */
export interface Gathered {
  readonly causes: readonly ReconcileCause[];
  /** How often a cause was dropped, because there were too many different ones. */
  readonly dropped: number;
  /** The state of the object before the first change, if it is known. */
  readonly before: CachedObject | undefined;
  /** The last known state of the object, if it was deleted. */
  readonly gone: CachedObject | undefined;
  /** Whether there was a change. A resync or a timer is none. */
  readonly hasChange: boolean;
}

/** One event, as a source reports it for a key. */
export interface CauseNote {
  readonly cause: EventOrigin;
  readonly before?: CachedObject | undefined;
  readonly gone?: CachedObject | undefined;
  readonly isChange: boolean;
  /** The event itself, if there is one. */
  readonly event?: ResourceEvent | undefined;
  /** All keys that the event led to. */
  readonly keys?: readonly ObjectKey[] | undefined;
}

/** The cause that an event is. `isOwn`: the event is about the reconciled object. */
export function originOf({ type, key, cause, object }: ResourceEvent, source: string, isOwn: boolean): EventOrigin {
  const resourceVersion = object?.metadata.resourceVersion;
  // absent fields are left out, without the cost of spreading for each event
  const origin: { -readonly [K in keyof EventOrigin]: EventOrigin[K] } = { reason: type, via: cause, source };
  if (!isOwn) origin.key = key;
  if (resourceVersion !== undefined) origin.resourceVersion = resourceVersion;
  return origin;
}

/** The most different causes that are kept for one key. */
const KEPT_CAUSES = 16;

interface Page {
  readonly causes: Map<string, ReconcileCause>;
  dropped: number;
  before: CachedObject | undefined;
  gone: CachedObject | undefined;
  hasChange: boolean;
}

/**
 * The causes of each waiting key. The queue keeps a key once; this keeps the events that led to it, for the reconciler.
 * It keeps at most 16 different causes for a key and counts the others. An entry exists from the first event to the
 * run.
 */
export class CauseBook {
  readonly #pages = new Map<ObjectKey, Page>();

  note(key: ObjectKey, { cause, before, gone, isChange }: CauseNote): void {
    const page = this.#pageOf(key);
    page.before ??= before;
    page.gone = gone ?? page.gone;
    page.hasChange ||= isChange;
    addCause(page, { ...cause, count: 1 });
  }

  hasChange(key: ObjectKey): boolean {
    return this.#pages.get(key)?.hasChange === true;
  }

  /** The causes that have gathered for a key. */
  causesOf(key: ObjectKey): readonly ReconcileCause[] {
    return [...(this.#pages.get(key)?.causes.values() ?? [])];
  }

  /** Returns what has gathered for a key, and forgets it. */
  take(key: ObjectKey): Gathered {
    const page = this.#pages.get(key);
    this.#pages.delete(key);
    if (!page) return { causes: [], dropped: 0, before: undefined, gone: undefined, hasChange: false };
    return { ...page, causes: [...page.causes.values()] };
  }

  /** Puts back what a failed run had taken, before whatever has gathered since. It does not count as a new change. */
  giveBack(key: ObjectKey, gathered: Gathered): void {
    const page = this.#pageOf(key);
    const since = [...page.causes.values()];
    page.causes.clear();
    page.dropped += gathered.dropped;
    page.before = gathered.before ?? page.before;
    page.gone ??= gathered.gone;
    for (const cause of [...gathered.causes, ...since]) addCause(page, cause);
  }

  forget(key: ObjectKey): void {
    this.#pages.delete(key);
  }

  clear(): void {
    this.#pages.clear();
  }

  #pageOf(key: ObjectKey): Page {
    let page = this.#pages.get(key);
    if (!page) {
      page = { causes: new Map(), dropped: 0, before: undefined, gone: undefined, hasChange: false };
      this.#pages.set(key, page);
    }
    return page;
  }
}

function addCause(page: Page, cause: ReconcileCause): void {
  const id = `${cause.reason} ${cause.via} ${cause.source} ${cause.key}`;
  const known = page.causes.get(id);
  if (known) page.causes.set(id, { ...cause, count: known.count + cause.count });
  else if (page.causes.size < KEPT_CAUSES) page.causes.set(id, cause);
  else page.dropped++;
}
