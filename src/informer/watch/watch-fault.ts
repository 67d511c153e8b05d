import { isInformerError } from '../../kit/error.ts';
import { isConnectionError } from '../../model/connection-error.ts';
import {
  isExpired,
  isGone,
  isInternalError,
  isNotFound,
  isThrottled,
  isTooLargeResourceVersion,
  StatusError,
  statusOf,
} from '../../model/status.ts';
import { isDrift } from '../verifier.ts';
import { isReplacedHistory } from './history.ts';
import { isMovedCollection } from './moved-collection.ts';
import { isResyncFailure } from './resync-timer.ts';
import { isIdleWatch } from './watch-connection.ts';

/**
 * What went wrong, as far as the machine needs to tell it apart:
 * `gone` the version is too old · `too-large` the server has not reached it · `replaced` the server's history is another one ·
 * `moved` the source has gone over to another collection · `throttled` 429 · `connection` no connection, or it broke, or a proxy in front had no server · `broken` the answer broke off ·
 * `idle` nothing came for too long · `internal` the server's InternalError · `missing` 404 · `invalid` the request itself is refused ·
 * `drift` the cache was found wrong · `resync` the store could not resync · `other` everything else.
 */
export type WatchFault =
  | 'gone'
  | 'too-large'
  | 'replaced'
  | 'moved'
  | 'throttled'
  | 'connection'
  | 'broken'
  | 'idle'
  | 'internal'
  | 'missing'
  | 'invalid'
  | 'drift'
  | 'resync'
  | 'other';

/** Names the fault in an error. Total: what nobody knows is `other`. */
export function classify(error: unknown): WatchFault {
  if (isIdleWatch(error)) return 'idle';
  if (isDrift(error)) return 'drift';
  if (isReplacedHistory(error)) return 'replaced';
  if (isMovedCollection(error)) return 'moved';
  if (isResyncFailure(error)) return 'resync';
  if (isExpired(error) || isGone(error)) return 'gone';
  if (isTooLargeResourceVersion(error)) return 'too-large';
  if (isThrottled(error)) return 'throttled';
  if (isInternalError(error)) return 'internal';
  if (isNotFound(error)) return 'missing';
  if (INVALID.has(statusOf(error)?.code ?? 0)) return 'invalid';
  if (isConnectionError(error) || isServerAway(error)) return 'connection';
  return isInformerError(error, 'transport') && !statusOf(error) ? 'broken' : 'other';
}

/** Codes of a server that will not take the request as it is, however often it comes. */
const INVALID: ReadonlySet<number> = new Set([400, 405, 406, 415, 422]);

/** How long the server asked to be left alone, ms; 0 when it did not. */
export function askedPauseMs(error: unknown): number {
  for (let e = error; e instanceof Error; e = e.cause) if (e instanceof StatusError) return e.retryAfterMs ?? 0;
  return 0;
}

/** 502 and 503 are what stands in front of an API server answers while it restarts: nothing was said about our version. */
function isServerAway(error: unknown): boolean {
  const code = statusOf(error)?.code;
  return code === 502 || code === 503;
}
