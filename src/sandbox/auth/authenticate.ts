import { timingSafeEqual } from 'node:crypto';
import type { UserInfo } from '../api/call.ts';
import { unescaped } from '../api/route.ts';
import { ADMIN, ISSUER, type TokenKeeper } from './token-keeper.ts';

/** The sender of a request, and the user that the request acts as. */
export interface Caller {
  /** The user whose credentials the request contains. */
  readonly sender: UserInfo;
  /** The user that the request acts as: the impersonated user, or else the sender. */
  readonly user: UserInfo;
  /** The groups that the request names for the impersonated user. */
  readonly groups: readonly string[];
}

const ANONYMOUS: UserInfo = { username: 'system:anonymous', groups: ['system:unauthenticated'] };

/**
 * Identifies the caller of a request; undefined when its token is not valid. A request without credentials is from the
 * administrator when it is `trusted`, that is when it came through no socket. Any other request without credentials is
 * from system:anonymous when `anonymous` is true, and is not identified when `anonymous` is false.
 */
export function authenticate(
  headers: ReadonlyMap<string, string>,
  tokens: TokenKeeper,
  { trusted, anonymous }: { trusted: boolean; anonymous: boolean },
): Caller | undefined {
  const authorization = headers.get('authorization');
  const unknown = trusted ? ADMIN : anonymous ? ANONYMOUS : undefined;
  const sender = authorization === undefined ? unknown : bearer(authorization, tokens);
  return sender && { sender, user: impersonated(headers) ?? sender, groups: namedGroups(headers) ?? [] };
}

function bearer(authorization: string, tokens: TokenKeeper): UserInfo | undefined {
  const [scheme = '', token = ''] = authorization.split(' ', 2);
  return scheme.toLowerCase() === 'bearer' ? ownerOf(token, tokens) : undefined;
}

/**
 * The user of a token that is valid for one of the audiences; undefined when it is not valid. The default audience is
 * this server.
 */
export function ownerOf(
  token: string,
  tokens: TokenKeeper,
  audiences: readonly string[] = [ISSUER],
): UserInfo | undefined {
  const [a, b] = [Buffer.from(token), Buffer.from(tokens.accepted)];
  return a.length === b.length && timingSafeEqual(a, b) ? ADMIN : tokens.issuedTo(token, audiences);
}

function impersonated(headers: ReadonlyMap<string, string>): UserInfo | undefined {
  const username = headers.get('impersonate-user');
  if (!username) return undefined;
  const extra = extraOf(headers);
  return {
    ...userNamed(username, namedGroups(headers), headers.get('impersonate-uid')),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  };
}

function namedGroups(headers: ReadonlyMap<string, string>): string[] | undefined {
  return headers.get('impersonate-group')?.split(/,\s*/);
}

const EXTRA = 'impersonate-extra-';

/** The extra attributes of the impersonated user. Header names contain the attribute names percent-encoded. */
function extraOf(headers: ReadonlyMap<string, string>): Record<string, string[]> {
  const given = [...headers].filter(([name]) => name.startsWith(EXTRA));
  return Object.fromEntries(given.map(([name, values]) => [unescaped(name.slice(EXTRA.length)), values.split(/,\s*/)]));
}

/**
 * A user with its groups: the given ones, else for a service account those of service accounts, and always
 * system:authenticated (system:unauthenticated for system:anonymous).
 */
export function userNamed(username: string, groups: readonly string[] | undefined, uid?: string): UserInfo {
  const everybody = username === ANONYMOUS.username ? 'system:unauthenticated' : 'system:authenticated';
  const all = new Set([...(groups ?? accountGroups(username)), everybody]);
  return { username, ...(uid ? { uid } : {}), groups: [...all] };
}

function accountGroups(username: string): string[] {
  const namespace = /^system:serviceaccount:([^:]+):/.exec(username)?.[1];
  return namespace ? ['system:serviceaccounts', `system:serviceaccounts:${namespace}`] : [];
}
