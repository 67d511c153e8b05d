import type { Clock, Timer } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import { type Logger, silentLogger } from '../kit/logger.ts';
import type { ResourceVersion } from '../model/resource-version.ts';
import type { Ending } from './watch-machine.ts';

/** How a stretch of versions came to us. `initial` and `relist` are whole states; on `stream` and `resumed` every change was seen. */
export type Obtained = 'initial' | 'stream' | 'resumed' | 'relist';

/** A stretch of versions, from the one it began at to the last one it reached. */
export interface Stretch {
  readonly by: Obtained;
  readonly from: ResourceVersion;
  readonly to: ResourceVersion;
  /** Changes seen, or objects in the list. */
  readonly events: number;
  readonly bookmarks: number;
  /** Wall-clock ms. `until` is undefined while it grows. */
  readonly at: number;
  readonly until: number | undefined;
  /** Why it ended. */
  readonly ended: Ending | undefined;
}

/** Between two versions changes may have gone unseen. `to` is undefined until a relist has closed it. */
export interface Gap {
  readonly from: ResourceVersion;
  readonly to: ResourceVersion | undefined;
  readonly why: Ending;
  readonly at: number;
}

/** What an observer of continuity hears, in order, each once. */
export type ContinuityEvent = { readonly at: number; readonly scope?: string | undefined } & (
  | { readonly kind: 'synced'; readonly resourceVersion: ResourceVersion; readonly objects: number }
  /** The watch goes on where it ended: nothing was lost. `silentMs`: from the last sign of life until then. Told once it is proven. */
  | { readonly kind: 'resumed'; readonly since: ResourceVersion; readonly why: Ending; readonly silentMs: number }
  /** From here on changes may go unseen, until the relist that follows. */
  | { readonly kind: 'gap'; readonly from: ResourceVersion; readonly why: Ending }
  | {
      readonly kind: 'relisted';
      readonly from: ResourceVersion;
      readonly resourceVersion: ResourceVersion;
      readonly objects: number;
      readonly why: Ending;
    }
  /** Every fault, also those dealt with in silence. `next` is what is done about it. */
  | {
      readonly kind: 'fault';
      readonly fault: Ending;
      readonly error: unknown;
      readonly next: 'relist' | 'list' | 'resume' | 'retry' | 'probe';
    }
  /**
   * The cache did not take what the stream delivered, because a transform or an index function threw. `dropped`: those changes are not in the
   * cache and no handler heard of them. `unindexed`: they are, but each missing from an index that `error` names.
   */
  | { readonly kind: 'fault'; readonly fault: 'store'; readonly error: unknown; readonly next: Refusal; readonly changes: number }
);

/** The continuity events that have a place among a handler's notifications. Handlers hear them in their order. */
export type OrderedContinuity = Extract<ContinuityEvent, { readonly kind: 'gap' | 'relisted' }>;

/** What became of a change the cache did not take as it should. */
export type Refusal = 'dropped' | 'unindexed';

type SourceFault = ContinuityEvent & { readonly kind: 'fault'; readonly fault: Ending };

/** The reader's side of a {@link Ledger}. */
export interface Continuity {
  /** Newest last; older ones are dropped beyond a bound, the counts stay. */
  readonly stretches: readonly Stretch[];
  readonly gaps: readonly Gap[];
  readonly relists: number;
  readonly resumes: number;
  readonly gapCount: number;
  /** Changes that the cache did not take, or not under every index, because a transform or an index function threw. 0 = it shows them all. */
  readonly storeErrors: number;
  /** When the source last proved itself (list, event or bookmark), wall-clock ms; undefined before the first. */
  readonly lastSignOfLife: number | undefined;
  /** Ms since then. */
  readonly ageMs: number | undefined;
  /** The version reached, '' before the first sync. */
  readonly resourceVersion: ResourceVersion;
  /** How often the cache was held against a fresh list, and how often it was found wrong. */
  readonly verifications: number;
  readonly drifts: number;
  /** When it was last held against one, wall-clock ms. */
  readonly lastVerified: number | undefined;
}

/** A partial event as the ledger's owner states it; the ledger adds the moment. */
type Unstamped<E> = E extends unknown ? Omit<E, 'at' | 'scope'> : never;
type Unproven = { readonly since: ResourceVersion; readonly why: Ending; readonly silentMs: number };
type Growing = { -readonly [K in keyof Stretch]: Stretch[K] };
type GrowingGap = { -readonly [K in keyof Gap]: Gap[K] };

export interface LedgerOptions {
  clock: Clock;
  /** Stretches and gaps kept. Default 200. */
  keep?: number | undefined;
  /** The namespace the informer's part is limited to, passed on in events. */
  scope?: string | undefined;
  logger?: Logger | undefined;
}

/** A server that has lost its history accepts a watch and refuses it within the stream: one that is silent for so long has not refused. */
const PROOF_MS = 1000;

/** Records how each stretch of versions was obtained, so that nobody has to believe that nothing was missed. Written by the reflector alone. */
export class Ledger implements Continuity {
  readonly #clock: Clock;
  readonly #keep: number;
  readonly #scope: string | undefined;
  readonly #logger: Logger;
  readonly #observers = new Set<(event: ContinuityEvent) => void>();
  readonly #stretches: Growing[] = [];
  readonly #gaps: GrowingGap[] = [];
  #open: Growing | undefined;
  #gap: GrowingGap | undefined;
  /** A stream that was taken up, until it is known that the server had what it was asked for. */
  #unproven: Unproven | undefined;
  #proof: Timer | undefined;
  #synced = false;
  #lastSign: number | undefined;
  #resourceVersion: ResourceVersion = '';
  relists = 0;
  resumes = 0;
  gapCount = 0;
  storeErrors = 0;
  verifications = 0;
  drifts = 0;
  lastVerified: number | undefined;

  constructor({ clock, keep = 200, scope, logger = silentLogger }: LedgerOptions) {
    if (!(keep >= 1)) throw new InformerError('argument', `keep must be at least 1, not ${keep}`);
    this.#clock = clock;
    this.#keep = keep;
    this.#scope = scope;
    this.#logger = logger;
  }

  get stretches(): readonly Stretch[] {
    return this.#stretches;
  }

  get gaps(): readonly Gap[] {
    return this.#gaps;
  }

  get lastSignOfLife(): number | undefined {
    return this.#lastSign;
  }

  get ageMs(): number | undefined {
    return this.#lastSign === undefined ? undefined : this.#clock.now() - this.#lastSign;
  }

  get resourceVersion(): ResourceVersion {
    return this.#resourceVersion;
  }

  /** Calls `observer` for every event from now on, in order. What it throws is logged and goes no further. */
  observe(observer: (event: ContinuityEvent) => void): Disposable {
    this.#observers.add(observer);
    return { [Symbol.dispose]: () => this.#observers.delete(observer) };
  }

  /** The whole state was fetched. */
  synced(resourceVersion: ResourceVersion, objects: number, why: Ending = 'closed'): void {
    const from = this.#resourceVersion;
    const now = this.#sign();
    const first = !this.#synced;
    this.#synced = true;
    this.#resourceVersion = resourceVersion;
    this.#close(undefined);
    this.#append({
      by: first ? 'initial' : 'relist',
      from,
      to: resourceVersion,
      events: objects,
      bookmarks: 0,
      at: now,
      until: now,
      ended: undefined,
    });
    if (first) {
      this.#tell({ kind: 'synced', resourceVersion, objects });
      return;
    }
    this.relists++;
    const reason = this.#gap?.why ?? why;
    if (this.#gap) this.#gap.to = resourceVersion;
    this.#gap = undefined;
    this.#tell({ kind: 'relisted', from, resourceVersion, objects, why: reason });
  }

  /** A stream is open at `since`; `after` says why the one before ended, undefined for the first one after a list. */
  opened(since: ResourceVersion, after?: Ending): void {
    const silentMs = this.ageMs ?? 0;
    const now = this.#sign();
    this.#close(undefined);
    this.#open = {
      by: after ? 'resumed' : 'stream',
      from: since,
      to: since,
      events: 0,
      bookmarks: 0,
      at: now,
      until: undefined,
      ended: undefined,
    };
    this.#append(this.#open);
    if (!after) return;
    this.#unproven = { since, why: after, silentMs };
    this.#proof = this.#clock.after(PROOF_MS, () => this.#proven());
  }

  /** A batch arrived: so many changes and bookmarks, up to this version. */
  advanced(to: ResourceVersion, events: number, bookmarks: number): void {
    if (events + bookmarks > 0) this.#proven();
    this.#sign();
    this.#resourceVersion = to;
    if (!this.#open) return;
    this.#open.to = to;
    this.#open.events += events;
    this.#open.bookmarks += bookmarks;
  }

  /** The open stream is over. */
  ended(why: Ending): void {
    if (why === 'gone' || why === 'too-large') this.stop();
    this.#close(why);
  }

  /** The stream cannot be taken up again: from here to the next list changes may go unseen. */
  lost(why: Ending): void {
    if (!this.#synced || this.#gap) return;
    this.gapCount++;
    this.#gap = { from: this.#resourceVersion, to: undefined, why, at: this.#clock.now() };
    this.#gaps.push(this.#gap);
    if (this.#gaps.length > this.#keep) this.#gaps.shift();
    this.#tell({ kind: 'gap', from: this.#resourceVersion, why });
  }

  /** The cache was held against a fresh list. */
  verified(isInAgreement: boolean): void {
    this.lastVerified = this.#sign();
    this.verifications++;
    if (!isInAgreement) this.drifts++;
  }

  fault(fault: Ending, error: unknown, next: SourceFault['next']): void {
    this.#tell({ kind: 'fault', fault, error, next });
  }

  /** So many changes arrived but did not get into the cache, or not under every index. */
  refused(error: unknown, next: Refusal, changes: number): void {
    this.storeErrors += changes;
    this.#tell({ kind: 'fault', fault: 'store', error, next, changes });
  }

  /** Waits for no further proof. */
  stop(): void {
    this.#proof?.cancel();
    this.#unproven = undefined;
  }

  #proven(): void {
    const resumed = this.#unproven;
    if (!resumed) return;
    this.stop();
    this.resumes++;
    this.#tell({ kind: 'resumed', ...resumed });
  }

  #sign(): number {
    this.#lastSign = this.#clock.now();
    return this.#lastSign;
  }

  #append(stretch: Growing): void {
    this.#stretches.push(stretch);
    if (this.#stretches.length > this.#keep) this.#stretches.shift();
  }

  #close(why: Ending | undefined): void {
    this.#proven();
    if (!this.#open) return;
    this.#open.until = this.#clock.now();
    this.#open.ended = why;
    this.#open = undefined;
  }

  #tell(event: Unstamped<ContinuityEvent>): void {
    const stamped = { ...event, at: this.#clock.now(), scope: this.#scope } as ContinuityEvent;
    for (const observer of this.#observers) {
      try {
        observer(stamped);
      } catch (error) {
        this.#logger.error('an observer of continuity threw', { error });
      }
    }
  }
}
