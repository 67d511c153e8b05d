import type { TransportResponse } from './transport.ts';

/** How often a request is repeated after a response with Retry-After. Source: client-go rest/request.go. */
export const MOST_RETRIES = 10;
/** The longest wait. After a longer Retry-After the request is repeated earlier than the server asks. */
export const MOST_WAIT_MS = 60_000;
/** Longer waits are reported. */
export const REPORTED_WAIT_MS = 5_000;

/** The value of a Retry-After header, ms. Undefined if there is none or it is a date. */
export function retryAfterMs(headers: Readonly<Record<string, string>>): number | undefined {
  const value = headers['retry-after'];
  return value !== undefined && /^\d+$/.test(value.trim()) ? Number(value) * 1000 : undefined;
}

/** The wait that a 429 or 5xx asks for by Retry-After, ms. Source: client-go rest/with_retry.go. */
export function retryWaitMs({ status, headers }: TransportResponse): number | undefined {
  return status === 429 || status >= 500 ? retryAfterMs(headers) : undefined;
}
