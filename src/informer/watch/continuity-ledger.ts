import { Bell } from '../../kit/bell.ts';
import type { Clock, Timer } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { defaultLogger, type Logger } from '../../kit/logger.ts';
import { notify } from '../../kit/user-callback.ts';
import { isTimeout } from '../../model/connection-error.ts';
import type { ResourceVersion } from '../../model/resource-version.ts';
import type { WatchEnding } from './watch-machine.ts';

/**
 * How a stretch of versions was obtained. `initial` and `relist` are whole states. `restored` is a state that an
 * earlier run of the program has stored. On `stream` and `resumed` every change was seen.
 */
export type StretchOrigin = 'initial' | 'restored' | 'stream' | 'resumed' | 'relist';

/** A stretch of versions, from the first one to the last one reached. */
export interface Stretch {
  readonly by: StretchOrigin;
  readonly from: ResourceVersion;
  readonly to: ResourceVersion;
  /** The number of changes seen, or of objects in the list. */
  readonly events: number;
  readonly bookmarks: number;
  /** The start and the end, wall-clock ms. `until` is undefined while the stretch grows. */
  readonly at: number;
  readonly until: number | undefined;
  /** The reason why it ended. */
  readonly ended: WatchEnding | undefined;
}

/** A gap: changes between the two versions may be missing. `to` is undefined until a relist has closed the gap. */
export interface Gap {
  readonly from: ResourceVersion;
  readonly to: ResourceVersion | undefined;
  readonly why: WatchEnding;
  readonly at: number;
}

/** An event for observers of continuity. Each is reported once, in order. */
export type ContinuityEvent = { readonly at: number; readonly scope?: string | undefined } & (
  | { readonly kind: 'synced'; readonly resourceVersion: ResourceVersion; readonly objects: number }
  /**
   * The cache begins with a state that an earlier run has stored, and that was last current at `storedAt`, wall-clock
   * ms. `resumed` follows, with `why: 'restart'`, or `gap` and `relisted`.
   */
  | {
      readonly kind: 'restored';
      readonly resourceVersion: ResourceVersion;
      readonly objects: number;
      readonly storedAt: number;
    }
  /** A cache that was restored has been compared with the server for the first time, and agrees. */
  | { readonly kind: 'verified' }
  /**
   * No watch is open. The stream broke, or it ended normally and the first attempt to open the next one failed, or the
   * server ends each new one at once and empty (`very-short`).
   * Reported once in an outage; `connected` ends it. `from` is the last version seen, `error` the latest cause.
   */
  | {
      readonly kind: 'disconnected';
      readonly from: ResourceVersion;
      readonly why: WatchEnding;
      readonly error: unknown;
      /** When the stream ended. For a stream that fell silent, when its last byte came. */
      readonly disconnectedAt: number;
    }
  /**
   * A watch is open again after a `disconnected`. It continues at `since`, or after a relist, which is reported first.
   * `proven` has the same meaning as in `resumed`; after a relist it is false, because there is nothing to prove.
   */
  | ({ readonly kind: 'connected'; readonly by: 'resume' | 'relist'; readonly proven: boolean } & Reconnection)
  /**
   * The next watch continues where the last one ended, also after a normal end by the server. `proven`: the server has
   * shown, by its version and by an event or bookmark in order, that its history reaches back to `since`, so nothing
   * was missed. Otherwise nothing is known yet.
   */
  | ({ readonly kind: 'resumed'; readonly proven: boolean } & Reconnection)
  /** A resumed watch is proven now: nothing was missed since `since`. */
  | { readonly kind: 'proven'; readonly since: ResourceVersion }
  /** From here on changes may be missed, until the relist that follows. */
  | { readonly kind: 'gap'; readonly from: ResourceVersion; readonly why: WatchEnding }
  | {
      readonly kind: 'relisted';
      readonly from: ResourceVersion;
      readonly resourceVersion: ResourceVersion;
      readonly objects: number;
      readonly why: WatchEnding;
    }
  /**
   * The server asked, by Retry-After, for a wait of more than 5 s. The next attempt comes after `waitMs`, which is at
   * most a minute.
   */
  | { readonly kind: 'waiting'; readonly error: unknown; readonly waitMs: number }
  /** Any fault, also one that is repaired at once. `next` is what the reflector does about it. */
  | {
      readonly kind: 'fault';
      readonly fault: WatchEnding;
      readonly error: unknown;
      readonly next: 'relist' | 'list' | 'resume' | 'retry' | 'probe';
    }
  /**
   * The cache did not store changes of the stream, because a transform or an index function threw. `dropped`: the
   * changes are not in the cache, and no handler got them. `unindexed`: they are in the cache, but missing from an
   * index that `error` names.
   */
  | {
      readonly kind: 'fault';
      readonly fault: 'store';
      readonly error: unknown;
      readonly next: StoreRefusal;
      readonly changes: number;
    }
);

/** One outage of a watch. Moments are wall-clock ms; `downMs` is measured on the monotonic clock. */
export interface Reconnection {
  /** The version at which the watch continues. */
  readonly since: ResourceVersion;
  /** Why the watch before it ended. */
  readonly why: WatchEnding;
  /** When the old stream ended. For a stream that fell silent, when its last byte came. */
  readonly disconnectedAt: number;
  /** When the new stream was opened. */
  readonly reconnectedAt: number;
  /** From the end of the old stream to the opening of the new one, ms. */
  readonly downMs: number;
}

/** Whether a watch is open. Moments are wall-clock ms. */
export type ConnectionState =
  /** No watch has been open yet. `why` and `error` are the latest failure, absent before the first one. */
  | { readonly state: 'connecting'; readonly since: number; readonly why?: WatchEnding; readonly error?: unknown }
  | { readonly state: 'connected'; readonly since: number }
  /** `why` and `error` are the latest failure; `from` is the last version seen. */
  | {
      readonly state: 'disconnected';
      readonly since: number;
      readonly from: ResourceVersion;
      readonly why: WatchEnding;
      readonly error: unknown;
    };

/** The continuity events that handlers get, in order with their notifications. */
export type OrderedContinuity = Extract<
  ContinuityEvent,
  { readonly kind: 'gap' | 'relisted' | 'disconnected' | 'connected' }
>;

const ORDERED: ReadonlySet<string> = new Set<OrderedContinuity['kind']>([
  'gap',
  'relisted',
  'disconnected',
  'connected',
]);

export const isOrdered = (event: ContinuityEvent): event is OrderedContinuity => ORDERED.has(event.kind);

/** The effect on a change that the cache could not store completely. */
export type StoreRefusal = 'dropped' | 'unindexed';

/** A fault of a source that has not been repaired. */
export type SourceFault = ContinuityEvent & { readonly kind: 'fault'; readonly fault: WatchEnding };

/** The reader's side of a {@link ContinuityLedger}. */
export interface Continuity {
  /** The stretches, newest last. Old ones are dropped beyond a limit; the counts stay. */
  readonly stretches: readonly Stretch[];
  readonly gaps: readonly Gap[];
  readonly relists: number;
  readonly resumes: number;
  readonly gapCount: number;
  /** Whether a watch is open, since when, and why not. */
  readonly connection: ConnectionState;
  /**
   * The number of changes that the cache did not store, or not under every index, because a transform or an index
   * function threw. 0: the cache shows all changes.
   */
  readonly storeErrors: number;
  /**
   * When the server last gave a sign of life (list, event or bookmark), wall-clock ms; undefined before the first one.
   */
  readonly lastSignOfLife: number | undefined;
  /** The time since `lastSignOfLife`, ms. */
  readonly ageMs: number | undefined;
  /** The version reached; '' before the first sync. */
  readonly resourceVersion: ResourceVersion;
  /** How often the cache was compared with a fresh list, and how often it was wrong. */
  readonly verifications: number;
  readonly drifts: number;
  /** When the cache was last compared, wall-clock ms. */
  readonly lastVerified: number | undefined;
}

/** An event without the parts that the ledger adds. */
type Unstamped<E> = E extends unknown ? Omit<E, 'at' | 'scope'> : never;
/** A moment on both clocks. */
type Moment = { readonly now: number; readonly monotonic: number };
/** The end of a stream that has no successor yet. */
type Break = {
  readonly moment: Moment;
  readonly from: ResourceVersion;
  why: WatchEnding;
  error: unknown;
  isReported: boolean;
};
/** A watch that the server accepted and that has brought no event yet. */
type Opening = {
  readonly since: ResourceVersion;
  readonly after: WatchEnding;
  readonly moment: Moment;
  readonly isVerified: boolean;
};
type Growing = { -readonly [K in keyof Stretch]: Stretch[K] };
type GrowingGap = { -readonly [K in keyof Gap]: Gap[K] };

/** Options of {@link ContinuityLedger}. */
export interface LedgerOptions {
  clock: Clock;
  /** The number of stretches and gaps to keep. Default 200. */
  keep?: number | undefined;
  /** The namespace of this part of the informer, passed on in events. */
  scope?: string | undefined;
  logger?: Logger | undefined;
}

/**
 * How long to wait before a resumed watch is reported, ms. A server that has lost its history accepts a watch and
 * refuses it within the stream, usually at once. So the watch is reported after its first event or after this time. No
 * refusal until then proves nothing.
 */
const SETTLE_MS = 1000;

/** Endings that leave the server within reach. They are an outage only when the next attempt fails. */
const WITHIN_REACH: ReadonlySet<WatchEnding> = new Set<WatchEnding>([
  'closed',
  'very-short',
  'gone',
  'too-large',
  'replaced',
  'moved',
  'changed',
  'drift',
  'resync',
]);
/** Whether a stream ended by silence, which is noticed late. */
const isSilence = (why: WatchEnding, error: unknown) => why === 'idle' || (why === 'connection' && isTimeout(error));

/** Endings with which the server has refused the version. */
const REFUSED: ReadonlySet<WatchEnding> = new Set<WatchEnding>(['gone', 'too-large']);

/**
 * A record of how each stretch of versions was obtained, so that a claim about missed changes can be checked. Only the
 * reflector writes to it.
 */
export class ContinuityLedger implements Continuity {
  readonly #clock: Clock;
  readonly #keep: number;
  readonly #scope: string | undefined;
  readonly #logger: Logger;
  readonly #observers = new Set<(event: ContinuityEvent) => void>();
  readonly #signs = new Bell();
  readonly #stretches: Growing[] = [];
  readonly #gaps: GrowingGap[] = [];
  #open: Growing | undefined;
  #gap: GrowingGap | undefined;
  #break: Break | undefined;
  #opening: Opening | undefined;
  #settling: Timer | undefined;
  /** The start of a resumed stream that has not been proven. */
  #unproven: ResourceVersion | undefined;
  /** Why the state is fetched again, although nothing may have been missed. */
  #doubt: WatchEnding | undefined;
  #connection: Extract<ConnectionState, { state: 'connecting' | 'connected' }>;
  #synced = false;
  #lastSign: number | undefined;
  /** The same on the monotonic clock: a clock that is set back makes no cache younger. */
  #signedAt: number | undefined;
  /** When the open stream last brought a byte, or was opened, or the list before it arrived. */
  #lastByte: Moment | undefined;
  #resourceVersion: ResourceVersion = '';
  relists = 0;
  resumes = 0;
  gapCount = 0;
  storeErrors = 0;
  verifications = 0;
  drifts = 0;
  lastVerified: number | undefined;

  constructor({ clock, keep = 200, scope, logger = defaultLogger }: LedgerOptions) {
    if (!(keep >= 1)) throw new InformerError('argument', `keep must be at least 1, not ${keep}`);
    this.#clock = clock;
    this.#keep = keep;
    this.#scope = scope;
    this.#logger = logger;
    this.#connection = { state: 'connecting', since: clock.now() };
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
    return this.#signedAt === undefined ? undefined : this.#clock.monotonic() - this.#signedAt;
  }

  get resourceVersion(): ResourceVersion {
    return this.#resourceVersion;
  }

  get connection(): ConnectionState {
    const broken = this.#break;
    if (!broken?.isReported) return this.#connection;
    const { moment, from, why, error } = broken;
    return { state: 'disconnected', since: moment.now, from, why, error };
  }

  /** Calls `observer` for every event from now on, in order. Errors that it throws are logged. */
  observe(observer: (event: ContinuityEvent) => void): Disposable {
    this.#observers.add(observer);
    return { [Symbol.dispose]: () => this.#observers.delete(observer) };
  }

  /** Resolves at the next sign of life. Rejects with the signal's reason. */
  whenSign(signal: AbortSignal): Promise<void> {
    return this.#signs.wait(signal);
  }

  /**
   * Records that the server accepts watches and brings nothing. The outage counts from the end of the last stream that
   * did; the next list shows whether changes may be missing.
   */
  doubted(why: WatchEnding, error: unknown): void {
    if (!this.#synced || this.#gap) return;
    this.#doubt = why;
    this.#disconnected(why, error);
  }

  /**
   * Records that a whole state has arrived, which is not stored yet. It proves that nothing is missing when it is at our
   * version and `agrees` with the cache.
   */
  listed(resourceVersion: ResourceVersion, agrees: () => boolean): void {
    const doubt = this.#doubt;
    this.#doubt = undefined;
    if (doubt && !(resourceVersion === this.#resourceVersion && agrees())) this.lost(doubt);
  }

  /** Records that the whole state was stored. */
  synced(resourceVersion: ResourceVersion, objects: number, why: WatchEnding = 'closed'): void {
    const from = this.#resourceVersion;
    const now = this.#sign();
    this.#lastByte = this.#moment();
    const first = !this.#synced;
    this.#synced = true;
    this.#break ??= { moment: this.#moment(), from: resourceVersion, why, error: undefined, isReported: false };
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
      this.#report({ kind: 'synced', resourceVersion, objects });
      return;
    }
    if (!this.#gap && from === resourceVersion) return; // nothing has happened meanwhile
    this.relists++;
    const reason = this.#gap?.why ?? why;
    if (this.#gap) this.#gap.to = resourceVersion;
    this.#gap = undefined;
    this.#report({ kind: 'relisted', from, resourceVersion, objects, why: reason });
  }

  /** Records that the cache begins with a stored state, which was last current at `at`, wall-clock ms. */
  restored({ resourceVersion, at }: { resourceVersion: ResourceVersion; at: number }, objects: number): void {
    const { now, monotonic } = this.#moment();
    const stored = Math.min(at, now);
    const moment = { now: stored, monotonic: monotonic - (now - stored) };
    this.#synced = true;
    this.#lastSign = stored;
    this.#signedAt = moment.monotonic;
    this.#resourceVersion = resourceVersion;
    this.#break = { moment, from: resourceVersion, why: 'restart', error: undefined, isReported: false };
    this.#append({
      by: 'restored',
      from: '',
      to: resourceVersion,
      events: objects,
      bookmarks: 0,
      at: now,
      until: now,
      ended: undefined,
    });
    this.#report({ kind: 'restored', resourceVersion, objects, storedAt: stored });
  }

  /** Records that a restored cache was compared with the server, and agrees with it. */
  confirmed(): void {
    this.verified(true);
    this.#report({ kind: 'verified' });
  }

  /** Records that the first attempt to connect begins. */
  started(): void {
    if (this.#connection.state === 'connecting') this.#connection = { state: 'connecting', since: this.#clock.now() };
  }

  /**
   * Records that a stream is open at `since`. `after` is why the one before ended; undefined for the first one after a
   * list. `isVerified`: the server was asked, and its history reaches `since`.
   */
  opened(since: ResourceVersion, after?: WatchEnding, isVerified = false): void {
    const moment = this.#moment();
    this.#lastByte = moment;
    this.#open = {
      by: after ? 'resumed' : 'stream',
      from: since,
      to: since,
      events: 0,
      bookmarks: 0,
      at: moment.now,
      until: undefined,
      ended: undefined,
    };
    this.#append(this.#open);
    if (!after) {
      this.#connected('relist', { since, why: this.#break?.why ?? 'closed', moment });
      return;
    }
    this.#opening = { since, after, moment, isVerified };
    this.#settling = this.#clock.after(SETTLE_MS, () => this.#settle(false));
  }

  /** Records that the open stream has brought an event or bookmark, in order. Called before it is delivered. */
  arrived(): void {
    const since = this.#unproven;
    this.#unproven = undefined;
    if (this.#opening) this.#settle(this.#opening.isVerified);
    else if (since !== undefined) this.#report({ kind: 'proven', since });
  }

  /** Records a batch of changes and bookmarks, up to the version `to`. */
  advanced(to: ResourceVersion, events: number, bookmarks: number): void {
    if (events + bookmarks > 0) this.arrived();
    this.#sign();
    this.#lastByte = this.#moment();
    this.#resourceVersion = to;
    if (!this.#open) return;
    this.#open.to = to;
    this.#open.events += events;
    this.#open.bookmarks += bookmarks;
  }

  /**
   * Records that the open stream is over. A stream that ends before it has settled was no connection, and the outage
   * before it continues. A stream that fell silent ended when its last byte came.
   */
  ended(why: WatchEnding, error?: unknown): void {
    const isOutage = this.#opening !== undefined && this.#break !== undefined;
    const moment = (isSilence(why, error) && this.#lastByte) || this.#moment();
    this.stop();
    this.#close(why, moment);
    if (!isOutage) this.#break = { moment, from: this.#resourceVersion, why, error, isReported: false };
    if (!WITHIN_REACH.has(why)) this.#disconnected(why, error);
  }

  /** Records that an attempt to connect failed. A pause comes before the next one. */
  attemptFailed(why: WatchEnding, error: unknown): void {
    if (this.#connection.state === 'connecting') this.#connection = { ...this.#connection, why, error };
    if (!REFUSED.has(why)) this.#disconnected(why, error);
  }

  /** Records that the stream cannot be resumed. Until the next list, changes may be missed. */
  lost(why: WatchEnding): void {
    if (!this.#synced || this.#gap) return;
    this.gapCount++;
    this.#gap = { from: this.#resourceVersion, to: undefined, why, at: this.#clock.now() };
    this.#gaps.push(this.#gap);
    if (this.#gaps.length > this.#keep) this.#gaps.shift();
    this.#report({ kind: 'gap', from: this.#resourceVersion, why });
  }

  /** Records that the cache was compared with a fresh list. */
  verified(isInAgreement: boolean): void {
    this.lastVerified = this.#sign();
    this.verifications++;
    if (!isInAgreement) this.drifts++;
  }

  /** Records that the server asked for a pause. */
  waiting(error: unknown, waitMs: number): void {
    this.#report({ kind: 'waiting', error, waitMs });
  }

  fault(fault: WatchEnding, error: unknown, next: SourceFault['next']): void {
    this.#report({ kind: 'fault', fault, error, next });
  }

  /** Records changes that arrived and that the cache did not store, or not under every index. */
  refused(error: unknown, next: StoreRefusal, changes: number): void {
    this.storeErrors += changes;
    this.#report({ kind: 'fault', fault: 'store', error, next, changes });
  }

  /** Stops reports about the stream that was opened last. */
  stop(): void {
    this.#settling?.cancel();
    this.#opening = undefined;
    this.#unproven = undefined;
  }

  #disconnected(why: WatchEnding, error: unknown): void {
    const broken = this.#break;
    if (!broken) return;
    broken.why = why;
    broken.error = error;
    if (broken.isReported) return;
    broken.isReported = true;
    this.#report({ kind: 'disconnected', from: broken.from, why, error, disconnectedAt: broken.moment.now });
  }

  #settle(isProven: boolean): void {
    const opening = this.#opening;
    if (!opening) return;
    this.stop();
    const { since, after, moment, isVerified } = opening;
    const reconnection = this.#connected('resume', { since, why: after, moment }, isProven);
    this.resumes++;
    if (!isProven && isVerified) this.#unproven = since;
    this.#report({ kind: 'resumed', ...reconnection, proven: isProven });
  }

  #connected(
    by: 'resume' | 'relist',
    { since, why, moment }: { since: ResourceVersion; why: WatchEnding; moment: Moment },
    proven = false,
  ): Reconnection {
    const broken = this.#break;
    const from = broken?.moment ?? moment;
    const downMs = moment.monotonic - from.monotonic;
    const reconnection: Reconnection = { since, why, disconnectedAt: from.now, reconnectedAt: moment.now, downMs };
    this.#break = undefined;
    this.#connection = { state: 'connected', since: moment.now };
    if (broken?.isReported) this.#report({ kind: 'connected', by, proven, ...reconnection });
    return reconnection;
  }

  #moment(): Moment {
    return { now: this.#clock.now(), monotonic: this.#clock.monotonic() };
  }

  #sign(): number {
    this.#lastSign = this.#clock.now();
    this.#signedAt = this.#clock.monotonic();
    this.#signs.wake();
    return this.#lastSign;
  }

  #append(stretch: Growing): void {
    this.#stretches.push(stretch);
    if (this.#stretches.length > this.#keep) this.#stretches.shift();
  }

  #close(why: WatchEnding | undefined, { now } = this.#moment()): void {
    if (!this.#open) return;
    this.#open.until = now;
    this.#open.ended = why;
    this.#open = undefined;
  }

  #report(event: Unstamped<ContinuityEvent>): void {
    const stamped = { ...event, at: this.#clock.now(), scope: this.#scope } as ContinuityEvent;
    for (const observer of this.#observers) {
      notify('an observer of continuity', observer, this.#logger, stamped);
    }
  }
}
