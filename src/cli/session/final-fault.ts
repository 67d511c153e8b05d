import { causesOf, isInformerError } from '../../kit/error.ts';
import { isExpired, isGone, isThrottled, statusOf } from '../../model/status.ts';

/** How often an initial list may break off before the command gives up. */
const MOST_TRIES = 5;

/** Codes of Node that say that there is no such server, or not the one we trust. */
const NO_SERVER =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EPROTO|CERT_.*|ERR_(TLS|SSL|OSSL)_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*|UNABLE_TO_.*)$/;

/**
 * Whether trying again cannot help: the server refuses, or there is none. A list that broke off is tried again a few
 * times.
 */
export function isFinal(error: unknown, tries: number): boolean {
  const { code } = statusOf(error) ?? {};
  if (code !== undefined)
    return code >= 400 && code < 500 && code !== 408 && !isThrottled(error) && !isExpired(error) && !isGone(error);
  return tries >= MOST_TRIES || [...causesOf(error)].some(saysNoServer);
}

function saysNoServer(error: unknown): boolean {
  if (isInformerError(error, 'config') || isInformerError(error, 'credentials')) return true;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && NO_SERVER.test(code);
}
