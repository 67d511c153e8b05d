import { causesOf } from '../kit/error.ts';

/** System and undici codes that say "the connection failed", as opposed to "the server answered". */
const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETRESET',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

/**
 * Whether the connection was refused. Looks through the causes of the error. Source: apimachinery
 * util/net.IsConnectionRefused.
 */
export function isConnectionRefused(error: unknown): boolean {
  return hasCode(error, (code) => code === 'ECONNREFUSED');
}

/** Whether no connection could be made, so that nothing was sent. */
export function isNeverConnected(error: unknown): boolean {
  return hasCode(error, (code) => NEVER_CONNECTED.has(code));
}

const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * Whether the connection broke or could not be made: refused, reset, timed out, no route, no such host. False for TLS
 * and HTTP errors.
 */
export function isConnectionError(error: unknown): boolean {
  return hasCode(error, (code) => CONNECTION_CODES.has(code));
}

/** Whether the connection was silent for too long, by the system's limit or by a limit of this package. */
export function isTimeout(error: unknown): boolean {
  return hasCode(error, (code) => code === 'ETIMEDOUT');
}

/**
 * Whether the connection broke while in use. A pooled connection that the server has closed meanwhile fails this way.
 */
export function isConnectionReset(error: unknown): boolean {
  return hasCode(error, (code) => code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET');
}

function hasCode(error: unknown, matches: (code: string) => boolean): boolean {
  for (const cause of causesOf(error)) {
    const { code } = cause as { code?: unknown };
    if (typeof code === 'string' && matches(code)) return true;
  }
  return false;
}
