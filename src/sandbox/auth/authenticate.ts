import { timingSafeEqual } from 'node:crypto';
import type { UserInfo } from '../api/call.ts';
import { unescaped } from '../api/route.ts';
import { ADMIN, ISSUER, type TokenKeeper } from './token-keeper.ts';

/** Who sends a request, and as whom. */
export interface Caller {
  /** Whose credentials came with it. */
  readonly sender: UserInfo;
  /** As whom it is to be carried out: the sender, unless somebody else is impersonated. */
  readonly user: UserInfo;
  /** The groups the impersonated user is to be in, as far as the request names them. */
  readonly groups: readonly string[];
}

const ANONYMOUS: UserInfo = { username: 'system:anonymous', groups: ['system:unauthenticated'] };

/**
 * Who sends a request; undefined when the server does not know. A request without credentials is the administrator's when it is
 * trusted, that is when it did not come through a socket; otherwise nobody's, or `anonymous` where that is somebody.
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

/** Whose token it is, if it is for one of these audiences: this server, unless others are named. */
export function ownerOf(token: string, tokens: TokenKeeper, audiences: readonly string[] = [ISSUER]): UserInfo | undefined {
  const [a, b] = [Buffer.from(token), Buffer.from(tokens.taken)];
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

/** Whatever else is said of the user, by names that are escaped as in a URL. */
function extraOf(headers: ReadonlyMap<string, string>): Record<string, string[]> {
  const given = [...headers].filter(([name]) => name.startsWith(EXTRA));
  return Object.fromEntries(given.map(([name, values]) => [unescaped(name.slice(EXTRA.length)), values.split(/,\s*/)]));
}

/** A user with the groups everybody is in; a service account is also in those of its kind, unless groups are given. */
export function userNamed(username: string, groups: readonly string[] | undefined, uid?: string): UserInfo {
  const everybody = username === ANONYMOUS.username ? 'system:unauthenticated' : 'system:authenticated';
  const all = new Set([...(groups ?? accountGroups(username)), everybody]);
  return { username, ...(uid ? { uid } : {}), groups: [...all] };
}

function accountGroups(username: string): string[] {
  const namespace = /^system:serviceaccount:([^:]+):/.exec(username)?.[1];
  return namespace ? ['system:serviceaccounts', `system:serviceaccounts:${namespace}`] : [];
}
