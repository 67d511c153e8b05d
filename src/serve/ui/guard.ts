import { builtin } from '../../kit/builtin.ts';

/** The headers of a request that say who sends it. */
export interface UiCaller {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  /** `sec-fetch-site`, which browsers set and pages cannot. */
  readonly site?: string | undefined;
  readonly authorization?: string | undefined;
}

export interface GuardRefusal {
  readonly status: 401 | 403;
  readonly error: string;
  readonly hint: string;
}

const OPEN_THE_URL = 'open the whole URL that serve --ui printed, with the part after #';

/**
 * Why a request from elsewhere is refused; undefined for one from this page. Another page in the same browser can reach
 * loopback: under a name of its own (then Host is that name), or from its own origin (then Origin or Sec-Fetch-Site say
 * so).
 */
export function foreignCaller({ host, origin, site }: UiCaller, port: number): GuardRefusal | undefined {
  const names = ['127.0.0.1', 'localhost', '[::1]'];
  const own = port === 80 ? names : names.map((name) => `${name}:${port}`); // browsers leave the usual port out
  if (host === undefined || !own.includes(host.toLowerCase()))
    return { status: 403, error: 'this page answers to localhost only', hint: OPEN_THE_URL };
  if (origin !== undefined && origin !== `http://${host}`)
    return { status: 403, error: 'the request comes from a page of another origin', hint: OPEN_THE_URL };
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return { status: 403, error: 'the request comes from a page of another site', hint: OPEN_THE_URL };
  return undefined;
}

/** Refuses a request without the token, or with another one. The time that it takes does not depend on the token. */
export function wrongToken({ authorization }: UiCaller, token: string): GuardRefusal | undefined {
  const given = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1];
  if (given === undefined) return { status: 401, error: 'the token is missing', hint: OPEN_THE_URL };
  const { createHash, timingSafeEqual } = builtin.crypto();
  const digest = (text: string) => createHash('sha256').update(text).digest();
  if (timingSafeEqual(digest(given), digest(token))) return undefined;
  return {
    status: 401,
    error: 'the token is not the one of this serve',
    hint: `${OPEN_THE_URL}; a serve that starts again prints another one`,
  };
}
