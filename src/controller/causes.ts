import type { ObjectKey } from '../model/key.ts';
import type { CachedObject, EventCause } from './resource-event.ts';

/** Why a key was queued. */
export interface ReconcileCause {
  /** What happened; `requeue` = its own requeueAfter came due, `released` = let go from the parked ones, `manual` = asked for by hand. */
  readonly reason: 'added' | 'updated' | 'deleted' | 'generic' | 'requeue' | 'released' | 'manual';
  /** By which way it became known. */
  readonly via?: EventCause;
  /** Which source told it: a resource type, or a timer's name. */
  readonly source?: string;
  /** The object it happened to, where that is another than the one reconciled. */
  readonly key?: ObjectKey;
  /** The version it had then; of several events the latest. */
  readonly resourceVersion?: string;
  /** How many events fell together in this one. */
  readonly count: number;
}

/** What has gathered for a key since its last run. */
export interface Gathered {
  readonly causes: readonly ReconcileCause[];
  /** Kinds of causes beyond those kept. */
  readonly dropped: number;
  /** The state of the object before the first of the changes, if one is known. */
  readonly before: CachedObject | undefined;
  /** The last known state of the object, if it was deleted. */
  readonly gone: CachedObject | undefined;
  /** Whether anything changed, as opposed to being looked at again. */
  readonly hasChange: boolean;
}

export interface Note {
  readonly cause: Omit<ReconcileCause, 'count'>;
  readonly before?: CachedObject | undefined;
  readonly gone?: CachedObject | undefined;
  readonly isChange: boolean;
}

/** Different causes kept for one key. */
const KEPT_CAUSES = 16;

interface Page {
  readonly causes: Map<string, ReconcileCause>;
  dropped: number;
  before: CachedObject | undefined;
  gone: CachedObject | undefined;
  hasChange: boolean;
}

/**
 * Keeps why each waiting key was queued, so that events which fall together in the queue are not lost to the reconciler.
 * Bounded: at most 16 different causes for a key, the rest counted; an entry lives only from the first event to the run.
 */
export class CauseBook {
  readonly #pages = new Map<ObjectKey, Page>();

  note(key: ObjectKey, { cause, before, gone, isChange }: Note): void {
    const page = this.#pageOf(key);
    page.before ??= before;
    page.gone = gone ?? page.gone;
    page.hasChange ||= isChange;
    addCause(page, { ...cause, count: 1 });
  }

  hasChange(key: ObjectKey): boolean {
    return this.#pages.get(key)?.hasChange ?? false;
  }

  /** Hands over what has gathered and starts anew. */
  take(key: ObjectKey): Gathered {
    const page = this.#pages.get(key);
    this.#pages.delete(key);
    if (!page) return { causes: [], dropped: 0, before: undefined, gone: undefined, hasChange: false };
    return { ...page, causes: [...page.causes.values()] };
  }

  /** Puts back what a failed run had taken: it comes before whatever has gathered since, and is no new change. */
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
