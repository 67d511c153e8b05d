import { abortable } from '../../kit/abort.ts';
import { Backoff } from '../../kit/backoff.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import type { Logger } from '../../kit/logger.ts';
import { nearest } from '../../kit/nearest.ts';
import type { KubeObject } from '../../model/object.ts';
import { ownerReferencesOf } from '../../model/owner-references.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { ServedTypes } from '../../model/served-types.ts';
import { type Enqueuer, enqueueOwner, type OwnerType, ownerGroupOf } from './enqueue.ts';
import type { SourceContext } from './source.ts';

/** The times between two questions, while the kind is not served and after an answer that failed. */
const ASK_AGAIN = { initialMs: 1_000, factor: 2, capMs: 30_000, jitter: 0 };
/** After this many answers that failed, the owners are taken as they are written. */
const MOST_FAILURES = 5;

/** Asks the server of a source for the type of its owners. */
export class ServedOwner {
  readonly #owner: OwnerType;
  readonly #served: ServedTypes;
  #missing: InformerError | undefined;

  constructor(owner: OwnerType, served: ServedTypes) {
    this.#owner = owner;
    this.#served = served;
  }

  /** The kind that the server does not serve, with the nearest one; undefined if it does. */
  get missing(): InformerError | undefined {
    return this.#missing;
  }

  /**
   * Resolves with the owners in the scope that the server knows. Waits for a type that is not served, as an informer
   * waits for its own, because its CRD may come later. Takes the owners as they are written if the types cannot be read.
   */
  async find({ signal, clock, logger }: Pick<SourceContext, 'signal' | 'clock' | 'logger'>): Promise<OwnerType> {
    const backoff = new Backoff(ASK_AGAIN);
    for (let asked = 1, failures = 0; ; asked++) {
      try {
        const { group, kind } = this.#owner;
        const types = await this.#types(signal);
        const type = types.find((each) => each.kind === kind && each.gvr.group === group);
        if (type) {
          this.#missing = undefined;
          return { ...this.#owner, namespaced: type.namespaced };
        }
        if (asked > 1 && !this.#missing) {
          this.#missing = notServed(this.#owner, types);
          const { message: error, hint } = this.#missing;
          logger.warn('the owners of a source are not known', { error, hint });
        }
      } catch (error) {
        signal.throwIfAborted();
        if (++failures === MOST_FAILURES) {
          logger.warn('the owners of a source are taken as enqueueOwner names them', { error: messageOf(error) });
          return this.#owner;
        }
      }
      // the first answer may be an old one
      if (asked > 1) await clock.sleep(backoff.next(clock.monotonic()), { signal });
      await this.#served.invalidate();
    }
  }

  async #types(signal: AbortSignal): Promise<readonly ResourceType[]> {
    const { group } = this.#owner;
    const { types, failures } = await abortable(this.#served.snapshot(), signal);
    const isUnread = (part: string) =>
      part === (group || 'core') || part.startsWith(`${group}/`) || (part === 'apis' && group !== '');
    const unread = failures.find((failure) => isUnread(failure.group));
    if (unread) throw new InformerError('discovery', `the types of ${unread.group} could not be read`);
    return types;
  }
}

function notServed({ group, kind }: OwnerType, types: readonly ResourceType[]): InformerError {
  const ofGroup = types.filter((type) => type.gvr.group === group).map((type) => type.kind);
  const [near] = nearest(kind, ofGroup);
  const other = types.find((type) => type.kind === kind);
  const meant = near ?? (other && `${kind} of ${other.gvr.group || 'the core group'}`);
  const where = group === '' ? 'the core group' : `the group ${group}`;
  return new InformerError('discovery', `the server serves no kind ${kind} in ${where}`, {
    hint: meant ? `did you mean ${meant}?` : 'it is looked for again: its CRD may come later',
  });
}

/** The most kinds that a line names. */
const MOST_SEEN = 5;

/**
 * Queues owners, and names once that the objects of a source have owners of other types only: as a warning where no
 * server said that the type exists.
 */
export function namingOthers(
  owner: OwnerType,
  { logger, isServed }: { logger: Logger; isServed: boolean },
): { readonly enqueue: Enqueuer<KubeObject>; readonly synced: () => void } {
  const { group, kind } = owner;
  const enqueue = enqueueOwner(owner);
  const seen = new Map<string, string>();
  let isSynced = false;
  let isDone = false;
  const name = () => {
    if (isDone || !isSynced || seen.size === 0) return;
    isDone = true;
    const [near] = nearest(kind, seen.values());
    const hint = near === kind ? 'is the group right?' : near && `did you mean ${near}?`;
    const fields = { group, kind, seen: [...seen.keys()].join(', '), hint };
    logger[isServed ? 'info' : 'warn']('no object of a source has an owner of the type of enqueueOwner', fields);
  };
  return {
    synced() {
      isSynced = true;
      name();
    },
    enqueue(event) {
      const keys = [...enqueue(event)];
      if (isDone) return keys;
      isDone = keys.length > 0;
      for (const ref of event.object ? ownerReferencesOf(event.object) : []) {
        const type = [ref.kind, ownerGroupOf(ref.apiVersion)].filter(Boolean).join('.');
        if (seen.size < MOST_SEEN) seen.set(type, ref.kind);
      }
      name();
      return keys;
    },
  };
}
