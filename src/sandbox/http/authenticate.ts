import { timingSafeEqual } from 'node:crypto';
import type { UserInfo } from './call.ts';

const ADMIN: UserInfo = { username: 'admin', uid: 'admin-uid', groups: ['system:masters', 'system:authenticated'] };

/**
 * Who sends a request; undefined when the server does not know. A request without credentials is the administrator's when it is
 * trusted, that is when it did not come through a socket. Impersonation is honoured: the administrator may be anybody.
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
  const groups = headers.get('impersonate-group')?.split(/,\s*/) ?? [];
  const uid = headers.get('impersonate-uid');
  return { username, ...(uid ? { uid } : {}), groups: [...groups, 'system:authenticated'] };
}
