import type { ResourceVersion } from '../../model/resource-version.ts';
import type { Life } from './watch-connection.ts';
import type { WatchFault } from './watch-fault.ts';

/**
 * Where a reflector is. `since` is the version up to which the cache is known to be right: undefined when nothing has been synced yet,
 * '' when the position is lost and only the most recent state will do.
 */
export type WatchState =
  /** To do: open a streaming list and collect it. `tries` counts streams in a row that ended too early. */
  | { readonly kind: 'streaming'; readonly since: ResourceVersion | undefined; readonly tries: number }
  /** To do: LIST. */
  | { readonly kind: 'listing'; readonly since: ResourceVersion | undefined }
  /** To do: open a watch at `since`. `after` is why the one before ended, undefined right after a LIST. */
  | { readonly kind: 'listed'; readonly since: ResourceVersion; readonly after?: Ending | undefined; readonly past: Past }
  /** To do: with the watch open, ask whether the server's history is the one that `since` belongs to. */
  | { readonly kind: 'verifying'; readonly since: ResourceVersion; readonly after: Ending; readonly past: Past }
  /** To do: read the open stream to its end. */
  | { readonly kind: 'following'; readonly since: ResourceVersion; readonly past: Past }
  /** To do: ask whether the collection is still there, after a watch of it was answered 404. */
  | { readonly kind: 'probing'; readonly since: ResourceVersion; readonly after: Ending; readonly past: Past };

/** What happened since the last list. */
export interface Past {
  /** The last stream ended within a second. */
  readonly hasty: boolean;
  /** Streams in a row that the server ended with an error before anything came. */
  readonly strikes: number;
  /** How often in a row the whole collection was answered 404. */
  readonly misses: number;
  /** No stream since the last list has brought anything. */
  readonly isFresh: boolean;
}

/** How a stream or a request came to its end. */
export type Ending = 'closed' | 'very-short' | WatchFault;

/** What came of doing what a state says. `at` is the version reached. */
export type Outcome =
  | { readonly kind: 'synced'; readonly at: ResourceVersion }
  | { readonly kind: 'opened' }
  /** The question of `verifying` has been answered, or could not be. */
  | { readonly kind: 'verified' }
  /** The collection is there. */
  | { readonly kind: 'probed' }
  | { readonly kind: 'ended'; readonly at: ResourceVersion; readonly life: Life }
  | {
      readonly kind: 'failed';
      readonly at: ResourceVersion;
      readonly fault: WatchFault;
      readonly error: unknown;
      readonly life: Life;
      /** The window for retrying internal errors is still open. */
      readonly internalRetry?: boolean;
    };

export interface WatchStep {
  readonly next: WatchState;
  /** Whether a back-off delay comes before `next`. */
  readonly pause: 'none' | 'backoff';
  /** Who hears of it: `handler` when an attempt failed (client-go's watch error handler), `log` when the reflector deals with it. */
  readonly tell: 'handler' | 'log' | 'nobody';
  readonly why: Ending | 'ok';
}

export interface Rules {
  /** Relists begin with a streaming list. */
  readonly streaming: boolean;
}

/** A stream that lasted less than this with no event says that something is wrong with the position. Source: client-go reflector.go. */
export const VERY_SHORT_WATCH_MS = 1000;
/** A stream that lasted this long did well, even if nothing came. */
const LONG_WATCH_MS = 5000;
/** A collection that is answered 404 so often in a row, by watch and list, with a pause between, is gone. */
const MOST_MISSES = 5;
/** client-go would open streaming lists for ever against a server that never finishes one; after this many LIST has its turn. */
const MOST_EARLY_ENDS = 5;
const FRESH: Past = { hasty: false, strikes: 0, misses: 0, isFresh: true };

/** The state in which an attempt begins. */
export function start(since: ResourceVersion | undefined, rules: Rules): WatchState {
  return rules.streaming ? { kind: 'streaming', since, tries: 0 } : { kind: 'listing', since };
}

/**
 * Says what comes next. Pure and total: no clock, no connection, no memory but its arguments.
 *
 * A version is given up only when the server refuses it (410, too large), when its history is proven to be another one, when the source
 * has gone over to another collection, when the collection stays away, or when a stream at it fails twice with nothing between. Everything else is resumed at the version.
 * Source: client-go tools/cache/reflector.go (listAndWatch, watchList, watch), which relists in many more cases, and pauses before each.
 */
export function decide(state: WatchState, outcome: Outcome, rules: Rules): WatchStep {
  switch (state.kind) {
    case 'streaming':
      return afterStreaming(state, outcome);
    case 'listing':
      return afterListing(state, outcome, rules);
    case 'listed':
      return afterOpening(state, outcome, rules);
    case 'verifying':
      return afterVerifying(state, outcome, rules);
    case 'following':
      return afterFollowing(state, outcome, rules);
    case 'probing':
      return afterProbing(state, outcome, rules);
  }
}

/** Whether a stream did what it is for: then pauses begin small again. */
export function didWell({ events, ms }: Life): boolean {
  return events > 0 || ms >= LONG_WATCH_MS;
}

function afterStreaming(state: WatchState & { kind: 'streaming' }, outcome: Outcome): WatchStep {
  const { since, tries } = state;
  const list: WatchState = { kind: 'listing', since };
  if (outcome.kind === 'synced') return go({ kind: 'following', since: outcome.at, past: FRESH });
  if (outcome.kind === 'failed') {
    switch (outcome.fault) {
      case 'throttled':
      case 'connection':
        return { ...go(state, outcome.fault), pause: 'backoff', tell: 'log' };
      case 'gone':
      case 'too-large': // once at the most recent state, at once; if even that is refused, upstream would spin
        return { ...go({ kind: 'streaming', since: '', tries }, outcome.fault), pause: since === '' ? 'backoff' : 'none', tell: 'log' };
      case 'broken':
        return endedEarly(state, outcome.life, 'broken');
      default:
        return { ...go(list, outcome.fault), tell: 'log' };
    }
  }
  if (outcome.kind === 'ended')
    return isVeryShort(outcome.life) ? { ...go(list, 'very-short'), tell: 'log' } : endedEarly(state, outcome.life, 'closed');
  return go(list);
}

/** The end of the initial events was not reached: what was collected is worth nothing, the request is repeated. */
function endedEarly(state: WatchState & { kind: 'streaming' }, life: Life, why: Ending): WatchStep {
  const { since, tries } = state;
  if (tries + 1 >= MOST_EARLY_ENDS) return { ...go({ kind: 'listing', since }, why), tell: 'log' };
  const pause = tries === 0 && life.events > 0 ? 'none' : 'backoff';
  return { ...go({ kind: 'streaming', since, tries: tries + 1 }, why), pause, tell: 'log' };
}

function afterListing(state: WatchState & { kind: 'listing' }, outcome: Outcome, rules: Rules): WatchStep {
  if (outcome.kind === 'synced') return go({ kind: 'listed', since: outcome.at, past: FRESH });
  if (outcome.kind !== 'failed') return fail(state.since, 'other', rules);
  const lost = outcome.fault === 'gone' || outcome.fault === 'too-large';
  if (lost && state.since !== '') return { ...go({ kind: 'listing', since: '' }, outcome.fault), tell: 'log' };
  return fail(state.since, outcome.fault, rules);
}

function afterOpening(state: WatchState & { kind: 'listed' }, outcome: Outcome, rules: Rules): WatchStep {
  const { since, after, past } = state;
  if (outcome.kind === 'opened') {
    const isOrdinary = after === undefined || after === 'closed';
    return go(isOrdinary ? { kind: 'following', since, past } : { kind: 'verifying', since, after, past });
  }
  if (outcome.kind !== 'failed') return fail(since, 'other', rules);
  const { fault } = outcome;
  const now = after === undefined || after === 'closed' ? fault : after;
  switch (fault) {
    case 'gone':
    case 'too-large':
      return { ...fail(since, fault, rules), pause: after === undefined ? 'backoff' : 'none' };
    case 'invalid':
      return fail(since, fault, rules);
    case 'moved':
      return { ...go(start('', rules), fault), tell: 'log' };
    case 'missing':
      return { ...go({ kind: 'probing', since, after: now, past }, fault), tell: 'handler' };
    default: {
      const tell = fault === 'connection' || fault === 'throttled' ? 'log' : 'handler';
      return { next: { kind: 'listed', since, after: now, past }, pause: 'backoff', tell, why: fault };
    }
  }
}

function afterVerifying(state: WatchState & { kind: 'verifying' }, outcome: Outcome, rules: Rules): WatchStep {
  const { since, past } = state;
  if (outcome.kind === 'failed' && isGivenUp(outcome.fault)) return { ...go(start('', rules), outcome.fault), tell: 'log' };
  return go({ kind: 'following', since, past });
}

function afterFollowing(state: WatchState & { kind: 'following' }, outcome: Outcome, rules: Rules): WatchStep {
  if (outcome.kind === 'ended') {
    if (isVeryShort(outcome.life)) return { ...resume(state, outcome, 'very-short'), tell: 'log' };
    return resume(state, outcome, 'closed');
  }
  if (outcome.kind !== 'failed') return relist(state.since, 'other', rules);
  const { fault, at, life } = outcome;
  switch (fault) {
    case 'throttled':
      return { ...resume(state, outcome, fault), pause: 'backoff', tell: 'log' };
    case 'connection':
    case 'broken':
    case 'idle':
      return { ...resume(state, outcome, fault), tell: 'log' };
    case 'drift': // only the most recent state will do, and nothing is wrong with the server
    case 'replaced':
    case 'moved':
      return { ...go(start('', rules), fault), tell: 'log' };
    case 'gone':
    case 'too-large': // at once, unless the list just had is refused as well
      return { ...relist(at, fault, rules), pause: state.past.isFresh && !didWell(life) ? 'backoff' : 'none' };
    case 'resync':
      return relist(at, fault, rules);
    default:
      return outcome.internalRetry ? { ...resume(state, outcome, fault), tell: 'log' } : afterError(state, outcome, rules);
  }
}

/** The server ended the stream with an error that says nothing of versions. What the version itself brings about comes again at once. */
function afterError(state: WatchState & { kind: 'following' }, outcome: Outcome & { kind: 'failed' }, rules: Rules): WatchStep {
  const strikes = outcome.life.events > 0 ? 1 : state.past.strikes + 1;
  if (strikes > 1) return relist(outcome.at, outcome.fault, rules);
  const past: Past = { ...pastOf(state, outcome.life), strikes };
  return { next: { kind: 'listed', since: outcome.at, after: outcome.fault, past }, pause: 'backoff', tell: 'log', why: outcome.fault };
}

function afterProbing(state: WatchState & { kind: 'probing' }, outcome: Outcome, rules: Rules): WatchStep {
  const { since, after, past } = state;
  const again = (misses: number, why: Ending): WatchStep => {
    return { next: { kind: 'listed', since, after, past: { ...past, misses } }, pause: 'backoff', tell: 'nobody', why };
  };
  if (outcome.kind !== 'failed') return again(0, 'missing');
  if (isGivenUp(outcome.fault)) return { ...go(start('', rules), outcome.fault), tell: 'log' };
  if (outcome.fault !== 'missing') return again(past.misses, outcome.fault);
  return past.misses + 1 >= MOST_MISSES ? relist(since, 'missing', rules) : again(past.misses + 1, 'missing');
}

/** Opens the next watch where this one ended: at once the first time, after a pause when streams keep ending within a second. */
function resume(state: WatchState & { kind: 'following' }, outcome: { at: ResourceVersion; life: Life }, after: Ending): WatchStep {
  const past = pastOf(state, outcome.life);
  const next: WatchState = { kind: 'listed', since: outcome.at, after, past };
  return { next, pause: past.hasty && state.past.hasty ? 'backoff' : 'none', tell: 'nobody', why: after };
}

function pastOf({ past }: { past: Past }, life: Life): Past {
  const didBring = life.events > 0;
  return {
    hasty: life.ms < VERY_SHORT_WATCH_MS,
    strikes: didBring ? 0 : past.strikes,
    misses: 0,
    isFresh: past.isFresh && !didBring,
  };
}

/** Whether the version is of no use any more. */
function isGivenUp(fault: WatchFault): boolean {
  return fault === 'replaced' || fault === 'moved' || fault === 'too-large' || fault === 'gone';
}

/** Ends the attempt without calling it failed. */
function relist(since: ResourceVersion, why: Ending, rules: Rules): WatchStep {
  return { next: start(since, rules), pause: 'backoff', tell: 'log', why };
}

/** Ends the attempt as failed. */
function fail(since: ResourceVersion | undefined, why: Ending, rules: Rules): WatchStep {
  return { next: start(since, rules), pause: 'backoff', tell: 'handler', why };
}

function go(next: WatchState, why: WatchStep['why'] = 'ok'): WatchStep {
  return { next, pause: 'none', tell: 'nobody', why };
}

function isVeryShort(life: Life): boolean {
  return life.ms < VERY_SHORT_WATCH_MS && life.events === 0;
}
