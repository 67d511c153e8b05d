import type { ResourceVersion } from '../../model/resource-version.ts';
import type { Life } from './watch-connection.ts';
import type { WatchFault } from './watch-fault.ts';

/**
 * The state of a reflector. `since` is the version up to which the cache is known to be right: undefined when nothing
 * has been synced yet, '' when the position is lost and only the most recent state will do.
 */
export type WatchState =
  /** Next: open a streaming list and collect it. `tries` counts streams in a row that ended too early. */
  | { readonly kind: 'streaming'; readonly since: ResourceVersion | undefined; readonly tries: number }
  /** Next: LIST. */
  | { readonly kind: 'listing'; readonly since: ResourceVersion | undefined }
  /**
   * Next: take what has become a part of the collection at `since`, and remove what has left it. `after` is why the
   * watch before ended: `changed`, or an earlier ending whose check is still to come.
   */
  | { readonly kind: 'merging'; readonly since: ResourceVersion; readonly after: WatchEnding; readonly past: Past }
  /** Next: open a watch at `since`. `after` is why the one before ended, undefined right after a LIST. */
  | {
      readonly kind: 'listed';
      readonly since: ResourceVersion;
      readonly after?: WatchEnding | undefined;
      readonly past: Past;
    }
  /** Next: with the watch open, check whether the server's history is the one that `since` belongs to. */
  | { readonly kind: 'verifying'; readonly since: ResourceVersion; readonly after: WatchEnding; readonly past: Past }
  /** Next: read the open stream to its end. */
  | { readonly kind: 'following'; readonly since: ResourceVersion; readonly past: Past }
  /** Next: check whether the collection still exists, after a watch of it was answered 404. */
  | { readonly kind: 'probing'; readonly since: ResourceVersion; readonly after: WatchEnding; readonly past: Past };

/** The events since the last list. */
export interface Past {
  /** Whether the last stream ended within a second. */
  readonly hasty: boolean;
  /** Whether a stream has ended within a second and without an event, and none since then has done well. */
  readonly wasEmpty: boolean;
  /** The number of streams in a row that the server ended with an error before any event came. */
  readonly strikes: number;
  /** How often in a row the whole collection was answered 404. */
  readonly misses: number;
  /** Whether no stream since the last list has brought an event. */
  readonly isFresh: boolean;
}

/** How a stream or a request ended. `restart`: it belonged to an earlier run of the program. */
export type WatchEnding = 'closed' | 'very-short' | 'restart' | WatchFault;

/** The result of the action of a state. `at` is the version reached. */
export type Outcome =
  | { readonly kind: 'synced'; readonly at: ResourceVersion }
  | { readonly kind: 'opened' }
  /** The cache is that of the changed collection. */
  | { readonly kind: 'merged' }
  /** The check of `verifying` found no other history, or could not be made. */
  | { readonly kind: 'verified' }
  /** The collection exists. */
  | { readonly kind: 'probed' }
  | { readonly kind: 'ended'; readonly at: ResourceVersion; readonly life: Life }
  | {
      readonly kind: 'failed';
      readonly at: ResourceVersion;
      readonly fault: WatchFault;
      readonly error: unknown;
      readonly life: Life;
      /** Whether the window for retrying internal errors is still open. */
      readonly internalRetry?: boolean;
    };

export interface WatchStep {
  readonly next: WatchState;
  /** Whether a back-off delay comes before `next`. */
  readonly pause: 'none' | 'backoff';
  /**
   * Who gets the report: `handler` when an attempt failed (client-go's watch error handler), `log` when the reflector
   * handles it by itself.
   */
  readonly report: 'handler' | 'log' | 'none';
  readonly why: WatchEnding | 'ok';
}

export interface Rules {
  /** Whether relists begin with a streaming list. */
  readonly streaming: boolean;
}

/** A stream shorter than this without an event shows that the position is wrong, ms. Source: client-go reflector.go. */
const VERY_SHORT_WATCH_MS = 1000;
/** A stream that lasted this long did well, even without an event, ms. */
const LONG_WATCH_MS = 5000;
/** A collection is gone after this many answers of 404 in a row, to watch and list, with a pause between. */
const MOST_MISSES = 5;
/** After this many streaming lists that ended early, LIST is tried. client-go would try streaming lists without end. */
const MOST_EARLY_ENDS = 5;
const FRESH: Past = { hasty: false, wasEmpty: false, strikes: 0, misses: 0, isFresh: true };

/** The state in which an attempt starts. */
export function start(since: ResourceVersion | undefined, rules: Rules): WatchState {
  return rules.streaming ? { kind: 'streaming', since, tries: 0 } : { kind: 'listing', since };
}

/** The state in which a reflector with a stored state starts. Its version is checked as after any other break. */
export function startAt(since: ResourceVersion): WatchState {
  return { kind: 'listed', since, after: 'restart', past: { ...FRESH, isFresh: false } };
}

/**
 * Decides what comes next. Pure and total: uses no clock, no connection and no memory but its arguments.
 * A version is given up only when the server refuses it (410, too large), when its history is proven to be another one,
 * when the source reads another collection, when the collection stays away, or when two streams in a row fail at it
 * without an event, or end at once and empty. After any other ending the watch resumes at the version.
 * Source: client-go tools/cache/reflector.go (listAndWatch, watchList, watch), which relists in many more cases, and
 * pauses before each.
 */
export function decide(state: WatchState, outcome: Outcome, rules: Rules): WatchStep {
  // asked for here, so nothing is wrong with the server
  if (outcome.kind === 'failed' && outcome.fault === 'changed')
    return { ...go(afterChange(state, outcome, rules), 'changed'), report: 'log' };
  switch (state.kind) {
    case 'streaming':
      return afterStreaming(state, outcome);
    case 'listing':
      return afterListing(state, outcome, rules);
    case 'merging':
      return afterMerging(state, outcome, rules);
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

/** Whether a stream did well. Pauses then start small again. */
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
        return { ...go(state, outcome.fault), pause: 'backoff', report: 'log' };
      case 'gone':
      case 'too-large': // once at the most recent state, without a pause; if the server refuses even that, upstream would spin
        return {
          ...go({ kind: 'streaming', since: '', tries }, outcome.fault),
          pause: since === '' ? 'backoff' : 'none',
          report: 'log',
        };
      case 'broken':
        return endedEarly(state, outcome.life, 'broken');
      default:
        return { ...go(list, outcome.fault), report: 'log' };
    }
  }
  if (outcome.kind === 'ended')
    return isVeryShort(outcome.life)
      ? { ...go(list, 'very-short'), report: 'log' }
      : endedEarly(state, outcome.life, 'closed');
  return go(list);
}

/** The stream ended before the end of the initial events. Its objects are dropped, and the request is repeated. */
function endedEarly(state: WatchState & { kind: 'streaming' }, life: Life, why: WatchEnding): WatchStep {
  const { since, tries } = state;
  if (tries + 1 >= MOST_EARLY_ENDS) return { ...go({ kind: 'listing', since }, why), report: 'log' };
  const pause = tries === 0 && life.events > 0 ? 'none' : 'backoff';
  return { ...go({ kind: 'streaming', since, tries: tries + 1 }, why), pause, report: 'log' };
}

function afterListing(state: WatchState & { kind: 'listing' }, outcome: Outcome, rules: Rules): WatchStep {
  if (outcome.kind === 'synced') return go({ kind: 'listed', since: outcome.at, past: FRESH });
  if (outcome.kind !== 'failed') return fail(state.since, 'other', rules);
  const lost = outcome.fault === 'gone' || outcome.fault === 'too-large';
  if (lost && state.since !== '') return { ...go({ kind: 'listing', since: '' }, outcome.fault), report: 'log' };
  return fail(state.since, outcome.fault, rules);
}

/** A cache that is right up to a version needs the difference only. */
function afterChange(state: WatchState, { at }: Outcome & { kind: 'failed' }, rules: Rules): WatchState {
  if (state.kind === 'streaming' || state.kind === 'listing') return start('', rules);
  if (state.kind === 'listed' && state.after === 'restart') return start('', rules);
  const since = state.kind === 'following' ? at : state.since;
  const before = state.kind === 'following' ? undefined : state.after;
  const after = isOrdinary(before) ? 'changed' : before;
  return { kind: 'merging', since, after, past: { ...state.past, isFresh: false } };
}

function afterMerging(state: WatchState & { kind: 'merging' }, outcome: Outcome, rules: Rules): WatchStep {
  const { since, after, past } = state;
  if (outcome.kind === 'merged') return go({ kind: 'listed', since, after, past });
  return { ...go(start('', rules), 'changed'), report: 'log' };
}

/** Whether a watch that follows such an ending needs no check of the server's history. */
export const isOrdinary = (after: WatchEnding | undefined): after is 'closed' | 'changed' | undefined =>
  after === undefined || after === 'closed' || after === 'changed';

function afterOpening(state: WatchState & { kind: 'listed' }, outcome: Outcome, rules: Rules): WatchStep {
  const { since, after, past } = state;
  if (outcome.kind === 'opened') {
    return go(isOrdinary(after) ? { kind: 'following', since, past } : { kind: 'verifying', since, after, past });
  }
  if (outcome.kind !== 'failed') return fail(since, 'other', rules);
  const { fault } = outcome;
  const now = isOrdinary(after) ? fault : after;
  if (after === 'restart' && (fault === 'gone' || fault === 'too-large' || fault === 'invalid'))
    return { ...go(start('', rules), fault), report: 'log' }; // a version that was stored long ago, or elsewhere
  switch (fault) {
    case 'gone':
    case 'too-large':
      return { ...fail(since, fault, rules), pause: after === undefined ? 'backoff' : 'none' };
    case 'invalid':
      return fail(since, fault, rules);
    case 'moved':
      return { ...go(start('', rules), fault), report: 'log' };
    case 'missing':
      return { ...go({ kind: 'probing', since, after: now, past }, fault), report: 'handler' };
    default: {
      const report = fault === 'connection' || fault === 'throttled' ? 'log' : 'handler';
      return { next: { kind: 'listed', since, after: now, past }, pause: 'backoff', report, why: fault };
    }
  }
}

function afterVerifying(state: WatchState & { kind: 'verifying' }, outcome: Outcome, rules: Rules): WatchStep {
  const { since, past } = state;
  if (outcome.kind === 'failed' && isGivenUp(outcome.fault))
    return { ...go(start('', rules), outcome.fault), report: 'log' };
  return go({ kind: 'following', since, past });
}

function afterFollowing(state: WatchState & { kind: 'following' }, outcome: Outcome, rules: Rules): WatchStep {
  if (outcome.kind === 'ended') {
    if (!isVeryShort(outcome.life)) return resume(state, outcome, 'closed');
    // Some servers answer so when a version is too old. Only the most recent state will do then.
    if (state.past.wasEmpty) return relist('', 'very-short', rules);
    return { ...resume(state, outcome, 'very-short'), report: 'log' };
  }
  if (outcome.kind !== 'failed') return relist(state.since, 'other', rules);
  const { fault, at, life } = outcome;
  switch (fault) {
    case 'throttled':
      return { ...resume(state, outcome, fault), pause: 'backoff', report: 'log' };
    case 'connection':
    case 'broken':
    case 'idle':
      return { ...resume(state, outcome, fault), report: 'log' };
    case 'drift': // only the most recent state will do, and the server itself is fine
    case 'replaced':
    case 'moved':
      return { ...go(start('', rules), fault), report: 'log' };
    case 'gone':
    case 'too-large': // without a pause, unless the version of a new list is refused as well
      return { ...relist(at, fault, rules), pause: state.past.isFresh && !didWell(life) ? 'backoff' : 'none' };
    case 'resync':
      return relist(at, fault, rules);
    default:
      return outcome.internalRetry
        ? { ...resume(state, outcome, fault), report: 'log' }
        : afterError(state, outcome, rules);
  }
}

/**
 * The server ended the stream with an error that says nothing about versions. An error that the version causes comes
 * again at once.
 */
function afterError(
  state: WatchState & { kind: 'following' },
  outcome: Outcome & { kind: 'failed' },
  rules: Rules,
): WatchStep {
  const strikes = outcome.life.events > 0 ? 1 : state.past.strikes + 1;
  if (strikes > 1) return relist(outcome.at, outcome.fault, rules);
  const past: Past = { ...pastOf(state, outcome.life, outcome.fault), strikes };
  return {
    next: { kind: 'listed', since: outcome.at, after: outcome.fault, past },
    pause: 'backoff',
    report: 'log',
    why: outcome.fault,
  };
}

function afterProbing(state: WatchState & { kind: 'probing' }, outcome: Outcome, rules: Rules): WatchStep {
  const { since, after, past } = state;
  const again = (misses: number, why: WatchEnding): WatchStep => {
    return { next: { kind: 'listed', since, after, past: { ...past, misses } }, pause: 'backoff', report: 'none', why };
  };
  if (outcome.kind !== 'failed') return again(0, 'missing');
  if (isGivenUp(outcome.fault)) return { ...go(start('', rules), outcome.fault), report: 'log' };
  if (outcome.fault !== 'missing') return again(past.misses, outcome.fault);
  return past.misses + 1 >= MOST_MISSES ? relist(since, 'missing', rules) : again(past.misses + 1, 'missing');
}

/**
 * Opens the next watch where this one ended: at once the first time, after a pause when streams keep ending within a
 * second.
 */
function resume(
  state: WatchState & { kind: 'following' },
  outcome: { at: ResourceVersion; life: Life },
  after: WatchEnding,
): WatchStep {
  const past = pastOf(state, outcome.life, after);
  const next: WatchState = { kind: 'listed', since: outcome.at, after, past };
  return { next, pause: past.hasty && state.past.hasty ? 'backoff' : 'none', report: 'none', why: after };
}

function pastOf({ past }: { past: Past }, life: Life, why: WatchEnding): Past {
  const didBring = life.events > 0;
  return {
    hasty: life.ms < VERY_SHORT_WATCH_MS,
    wasEmpty: why === 'very-short' || (past.wasEmpty && !didWell(life)),
    strikes: didBring ? 0 : past.strikes,
    misses: 0,
    isFresh: past.isFresh && !didBring,
  };
}

/** Whether a fault makes the version useless. */
function isGivenUp(fault: WatchFault): boolean {
  return fault === 'replaced' || fault === 'moved' || fault === 'too-large' || fault === 'gone';
}

/** Ends the attempt without counting it as failed. */
function relist(since: ResourceVersion, why: WatchEnding, rules: Rules): WatchStep {
  return { next: start(since, rules), pause: 'backoff', report: 'log', why };
}

/** Ends the attempt and counts it as failed. */
function fail(since: ResourceVersion | undefined, why: WatchEnding, rules: Rules): WatchStep {
  return { next: start(since, rules), pause: 'backoff', report: 'handler', why };
}

function go(next: WatchState, why: WatchStep['why'] = 'ok'): WatchStep {
  return { next, pause: 'none', report: 'none', why };
}

export function isVeryShort(life: Life): boolean {
  return life.ms < VERY_SHORT_WATCH_MS && life.events === 0;
}
