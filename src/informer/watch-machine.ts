import type { ResourceVersion } from '../model/resource-version.ts';
import type { Life } from './watch-connection.ts';
import type { Fault } from './watch-fault.ts';

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
  /** To do: read the open stream to its end. */
  | { readonly kind: 'following'; readonly since: ResourceVersion; readonly past: Past }
  /** To do: ask whether the server's history reaches `since` at all. */
  | { readonly kind: 'probing'; readonly since: ResourceVersion };

/** What the streams before this one were like. */
export interface Past {
  /** The last stream ended within a second. */
  readonly hasty: boolean;
  /** Streams in a row on which nothing at all came until they were taken for dead. */
  readonly silences: number;
}

/** How a stream or a request came to its end. */
export type Ending = 'closed' | 'very-short' | Fault;

/** What came of doing what a state says. `at` is the version reached. */
export type Outcome =
  | { readonly kind: 'synced'; readonly at: ResourceVersion }
  | { readonly kind: 'opened' }
  | { readonly kind: 'probed' }
  | { readonly kind: 'ended'; readonly at: ResourceVersion; readonly life: Life }
  | {
      readonly kind: 'failed';
      readonly at: ResourceVersion;
      readonly fault: Fault;
      readonly error: unknown;
      readonly life: Life;
      /** The window for retrying internal errors is still open. */
      readonly internalRetry?: boolean;
    };

export interface Step {
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
/** client-go would open streaming lists for ever against a server that never finishes one; after this many LIST has its turn. */
const MOST_EARLY_ENDS = 5;
const FRESH: Past = { hasty: false, silences: 0 };

/** The state in which an attempt begins. */
export function start(since: ResourceVersion | undefined, rules: Rules): WatchState {
  return rules.streaming ? { kind: 'streaming', since, tries: 0 } : { kind: 'listing', since };
}

/**
 * Says what comes next. Pure and total: no clock, no connection, no memory but its arguments.
 * Source: client-go tools/cache/reflector.go (listAndWatch, watchList, watch). Where it departs from it: a broken connection, a 502 or a 503
 * never costs a relist; what client-go repeats without end and without pause is repeated once, then paused for; silence is noticed.
 */
export function decide(state: WatchState, outcome: Outcome, rules: Rules): Step {
  switch (state.kind) {
    case 'streaming':
      return afterStreaming(state, outcome);
    case 'listing':
      return afterListing(state, outcome, rules);
    case 'listed':
      return afterOpening(state, outcome, rules);
    case 'following':
      return afterFollowing(state, outcome, rules);
    case 'probing':
      return afterProbing(state, outcome, rules);
  }
}

function afterStreaming(state: WatchState & { kind: 'streaming' }, outcome: Outcome): Step {
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
function endedEarly(state: WatchState & { kind: 'streaming' }, life: Life, why: Ending): Step {
  const { since, tries } = state;
  if (tries + 1 >= MOST_EARLY_ENDS) return { ...go({ kind: 'listing', since }, why), tell: 'log' };
  const pause = tries === 0 && life.events > 0 ? 'none' : 'backoff';
  return { ...go({ kind: 'streaming', since, tries: tries + 1 }, why), pause, tell: 'log' };
}

function afterListing(state: WatchState & { kind: 'listing' }, outcome: Outcome, rules: Rules): Step {
  if (outcome.kind === 'synced') return go({ kind: 'listed', since: outcome.at, past: FRESH });
  if (outcome.kind !== 'failed') return fail(state.since, 'other', rules);
  const lost = outcome.fault === 'gone' || outcome.fault === 'too-large';
  if (lost && state.since !== '') return { ...go({ kind: 'listing', since: '' }, outcome.fault), tell: 'log' };
  return fail(state.since, outcome.fault, rules);
}

function afterOpening(state: WatchState & { kind: 'listed' }, outcome: Outcome, rules: Rules): Step {
  const { since, past } = state;
  if (outcome.kind === 'opened') return go({ kind: 'following', since, past });
  if (outcome.kind !== 'failed') return fail(since, 'other', rules);
  if (outcome.fault !== 'throttled' && outcome.fault !== 'connection') return fail(since, outcome.fault, rules);
  const after = state.after ?? outcome.fault;
  return { next: { kind: 'listed', since, after, past }, pause: 'backoff', tell: 'log', why: outcome.fault };
}

function afterFollowing(state: WatchState & { kind: 'following' }, outcome: Outcome, rules: Rules): Step {
  if (outcome.kind === 'ended') {
    if (isVeryShort(outcome.life)) return relist(outcome.at, 'very-short', rules);
    return resume(state, outcome, 'closed');
  }
  if (outcome.kind !== 'failed') return relist(state.since, 'other', rules);
  switch (outcome.fault) {
    case 'throttled':
      return { ...resume(state, outcome, 'throttled'), pause: 'backoff', tell: 'log' };
    case 'connection':
    case 'broken':
      return { ...resume(state, outcome, outcome.fault), tell: 'log' };
    case 'idle':
      return afterSilence(state, outcome);
    case 'drift': // only the most recent state will do, and nothing is wrong with the server
      return { ...go(start('', rules), 'drift'), tell: 'log' };
    case 'internal':
      return outcome.internalRetry ? { ...resume(state, outcome, 'internal'), tell: 'log' } : relist(outcome.at, 'internal', rules);
    default:
      return relist(outcome.at, outcome.fault, rules);
  }
}

/**
 * A silent stream is dead or, after the server lost its history, waits for a version that is years away: a watch in the future is
 * accepted and stays quiet. One silence is resumed; when the next stream is as silent, the server is asked.
 */
function afterSilence(state: WatchState & { kind: 'following' }, outcome: Outcome & { kind: 'failed' }): Step {
  const silences = outcome.life.events > 0 ? 1 : state.past.silences + 1;
  if (silences > 1) return { ...go({ kind: 'probing', since: outcome.at }, 'idle'), tell: 'log' };
  return { ...go({ kind: 'listed', since: outcome.at, after: 'idle', past: { hasty: false, silences } }, 'idle'), tell: 'log' };
}

function afterProbing(state: WatchState & { kind: 'probing' }, outcome: Outcome, rules: Rules): Step {
  const lost = outcome.kind === 'failed' && (outcome.fault === 'too-large' || outcome.fault === 'gone');
  if (lost) return { ...go(start('', rules), outcome.fault), tell: 'log' };
  return go({ kind: 'listed', since: state.since, after: 'idle', past: FRESH });
}

/** Opens the next watch where this one ended: at once the first time, after a pause when streams keep ending within a second. */
function resume(state: WatchState & { kind: 'following' }, outcome: { at: ResourceVersion; life: Life }, after: Ending): Step {
  const hasty = outcome.life.ms < VERY_SHORT_WATCH_MS;
  const next: WatchState = { kind: 'listed', since: outcome.at, after, past: { hasty, silences: 0 } };
  return { next, pause: hasty && state.past.hasty ? 'backoff' : 'none', tell: 'nobody', why: after };
}

/** Ends the attempt without calling it failed. */
function relist(since: ResourceVersion, why: Ending, rules: Rules): Step {
  return { next: start(since, rules), pause: 'backoff', tell: 'log', why };
}

/** Ends the attempt as failed. */
function fail(since: ResourceVersion | undefined, why: Ending, rules: Rules): Step {
  return { next: start(since, rules), pause: 'backoff', tell: 'handler', why };
}

function go(next: WatchState, why: Step['why'] = 'ok'): Step {
  return { next, pause: 'none', tell: 'nobody', why };
}

function isVeryShort(life: Life): boolean {
  return life.ms < VERY_SHORT_WATCH_MS && life.events === 0;
}
