import { timingSafeEqual } from 'node:crypto';
import type { UserInfo } from './call.ts';

const ADMIN: UserInfo = { username: 'admin', uid: 'admin-uid', groups: ['system:masters', 'system:authenticated'] };

/**
 * Who sends a request; undefined when the server does not know. A request without credentials is the administrator's when it is
 * trusted, that is when it did not come through a socket. Impersonation is honoured: the administrator may be anybody, with the rights of that user.
 */
export function authenticate(headers: ReadonlyMap<string, string>, token: string, trusted: boolean): UserInfo | undefined {
  const authorization = headers.get('authorization');
  const known = authorization === undefined ? trusted : isToken(authorization, token);
  return known ? impersonated(headers) : undefined;
}

function isToken(authorization: string, token: string): boolean {
  const [scheme = '', given = ''] = authorization.split(' ', 2);
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return scheme.toLowerCase() === 'bearer' && a.length === b.length && timingSafeEqual(a, b);
}

function impersonated(headers: ReadonlyMap<string, string>): UserInfo {
  const username = headers.get('impersonate-user');
  if (!username) return ADMIN;
  const groups = headers.get('impersonate-group')?.split(/,\s*/) ?? groupsOf(username);
  const uid = headers.get('impersonate-uid');
  const everybody = username === 'system:anonymous' ? 'system:unauthenticated' : 'system:authenticated';
  return { username, ...(uid ? { uid } : {}), groups: [...groups, everybody] };
}

/** A service account belongs to all of its namespace and all there are, unless other groups are asked for. */
function groupsOf(username: string): string[] {
  const namespace = /^system:serviceaccount:([^:]+):/.exec(username)?.[1];
  return namespace ? ['system:serviceaccounts', `system:serviceaccounts:${namespace}`] : [];
}
