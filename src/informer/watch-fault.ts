import { isInformerError } from '../kit/error.ts';
import { isConnectionError } from '../model/connection-error.ts';
import { isExpired, isGone, isInternalError, isThrottled, isTooLargeResourceVersion, StatusError, statusOf } from '../model/status.ts';
import { isDrift } from './verifier.ts';
import { isIdleWatch } from './watch-connection.ts';

/**
 * What went wrong, as far as the machine needs to tell it apart:
 * `gone` the version is too old · `too-large` the server has not reached it · `throttled` 429 · `connection` no connection, or it broke, or a
 * proxy in front had no server · `idle` nothing came for too long · `internal` the server's InternalError · `drift` the cache was found wrong ·
 * `other` everything else.
 */
export type Fault = 'gone' | 'too-large' | 'throttled' | 'connection' | 'broken' | 'idle' | 'internal' | 'drift' | 'other';

/** Names the fault in an error. Total: what nobody knows is `other`. */
export function classify(error: unknown): Fault {
  if (isIdleWatch(error)) return 'idle';
  if (isDrift(error)) return 'drift';
  if (isExpired(error) || isGone(error)) return 'gone';
  if (isTooLargeResourceVersion(error)) return 'too-large';
  if (isThrottled(error)) return 'throttled';
  if (isInternalError(error)) return 'internal';
  if (isConnectionError(error) || isServerAway(error)) return 'connection';
  return isInformerError(error, 'transport') && !statusOf(error) ? 'broken' : 'other';
}

/** How long the server asked to be left alone, ms; 0 when it did not. */
export function retryAfterMs(error: unknown): number {
  for (let e = error; e instanceof Error; e = e.cause) if (e instanceof StatusError) return e.retryAfterMs ?? 0;
  return 0;
}

/** 502 and 503 are what stands in front of an API server answers while it restarts: nothing was said about our version. */
function isServerAway(error: unknown): boolean {
  const code = statusOf(error)?.code;
  return code === 502 || code === 503;
}
