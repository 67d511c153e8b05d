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

/** The connection was refused, or a refusal is among its causes. Source: apimachinery util/net.IsConnectionRefused. */
export function isConnectionRefused(error: unknown): boolean {
  return hasCode(error, (code) => code === 'ECONNREFUSED');
}

/** The connection broke or could not be made: refused, reset, timed out, no route, no such host. TLS and HTTP errors are not. */
export function isConnectionError(error: unknown): boolean {
  return hasCode(error, (code) => CONNECTION_CODES.has(code));
}

/** Nothing came on the connection for too long: what the system, or a limit, makes of silence. */
export function isTimeout(error: unknown): boolean {
  return hasCode(error, (code) => code === 'ETIMEDOUT');
}

/** The connection broke off in use: what happens to a pooled connection the server has closed meanwhile. */
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
