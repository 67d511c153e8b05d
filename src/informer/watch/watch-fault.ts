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
import { isReplacedHistory } from './history-check.ts';
import { isChangedCollection, isMovedCollection } from './moved-collection.ts';
import { isResyncFailure } from './store-resync.ts';
import { isIdleWatch } from './watch-connection.ts';

/**
 * The kinds of error that the watch machine distinguishes:
 * `gone` the version is too old · `too-large` the server has not reached the version · `replaced` the server's history
 * is another one · `moved` the source reads another collection now · `changed` it reads other objects of its collection
 * now · `throttled` 429 · `connection` no connection, a broken one, or a proxy without a server behind it · `broken` the
 * answer broke off · `idle` nothing came for too long · `internal` the server's InternalError · `missing` 404 ·
 * `invalid` the server refuses the request itself · `drift` the cache was wrong · `resync` the store could not resync ·
 * `other` any other error.
 */
export type WatchFault =
  | 'gone'
  | 'too-large'
  | 'replaced'
  | 'moved'
  | 'changed'
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

/** The kind of an error; `other` for an unknown one. Never throws. */
export function classify(error: unknown): WatchFault {
  if (isIdleWatch(error)) return 'idle';
  if (isDrift(error)) return 'drift';
  if (isReplacedHistory(error)) return 'replaced';
  if (isChangedCollection(error)) return 'changed';
  if (isMovedCollection(error)) return 'moved';
  if (isResyncFailure(error)) return 'resync';
  if (isExpired(error) || isGone(error)) return 'gone';
  if (isTooLargeResourceVersion(error)) return 'too-large';
  if (isThrottled(error)) return 'throttled';
  if (isInternalError(error)) return 'internal';
  if (isNotFound(error)) return 'missing';
  if (INVALID.has(statusOf(error)?.code)) return 'invalid';
  if (isConnectionError(error) || isServerAway(error)) return 'connection';
  return isInformerError(error, 'transport') && !statusOf(error) ? 'broken' : 'other';
}

/** Codes with which a server refuses a request that it will never accept. */
const INVALID: ReadonlySet<number | undefined> = new Set([400, 405, 406, 415, 422]);

/** The pause that the server asked for, ms; 0 when it asked for none. */
export function askedPauseMs(error: unknown): number {
  for (let e = error; e instanceof Error; e = e.cause) if (e instanceof StatusError) return e.retryAfterMs ?? 0;
  return 0;
}

/** A proxy in front of a restarting API server answers 502 or 503, which says nothing about our version. */
function isServerAway(error: unknown): boolean {
  const code = statusOf(error)?.code;
  return code === 502 || code === 503;
}
