import { InformerError } from '../../kit/error.ts';
import type { CredentialHeaders } from '../config/cluster-config.ts';
import type { UserEntry } from '../config/kubeconfig-entries.ts';

/**
 * The headers that impersonate a user. Throws `config` if there is a group, uid or extra value, but no user.
 * Source: client-go transport/round_trippers.go.
 */
export function impersonationHeaders(user: UserEntry, userName: string): CredentialHeaders {
  const { as, 'as-uid': uid, 'as-groups': groups = [], 'as-user-extra': extra = {} } = user;
  if (!as) {
    if (!uid && groups.length === 0 && Object.keys(extra).length === 0) return {};
    throw new InformerError(
      'config',
      `requesting uid, groups or user-extra for ${userName} without impersonating a user`,
      {
        hint: 'name the user too: `as` NAME',
      },
    );
  }
  return {
    'impersonate-user': as,
    ...(uid ? { 'impersonate-uid': uid } : {}),
    ...(groups.length > 0 ? { 'impersonate-group': groups } : {}),
    ...Object.fromEntries(Object.entries(extra).map(([key, values]) => [`impersonate-extra-${escaped(key)}`, values])),
  };
}

/** Percent-encodes the characters of a key that a header name may not have, such as a slash. */
function escaped(key: string): string {
  return key.replaceAll(/[^!#$&'*+\-.^_`|~0-9A-Za-z]/gu, (illegal) =>
    [...Buffer.from(illegal)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}
