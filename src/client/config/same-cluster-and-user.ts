import { builtin } from '../../kit/builtin.ts';
import { NO_ACCOUNT } from './account-variables.ts';
import { executableOf } from './executable.ts';
import type { ClusterEntry, UserEntry } from './kubeconfig-entries.ts';

export interface ClusterAndUser {
  readonly server: string;
  readonly proxyUrl: string | undefined;
  readonly cluster: ClusterEntry;
  readonly userName: string;
  readonly user: UserEntry;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A hash of all variables by which a login plugin may choose an account. Nothing can be read from it. */
export function accountOf(env: ClusterAndUser['env']): string {
  const all = Object.entries(env).filter(([name, value]) => value !== undefined && !NO_ACCOUNT.test(name));
  return hashOf(all.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * A hash of where a config leads, and as whom: of the address, CA, TLS name and proxy of the server, and of the user's
 * name, login method and impersonation. Two configs with the same hash may share a cache. It reads no file (it looks
 * where a plugin is), runs no plugin, and no credential can be read from it: a token is one of its parts, as are the
 * variables that a plugin may read; a password and keys of the kubeconfig are none.
 */
export function clusterIdentity({ server, proxyUrl, cluster, userName, user, env }: ClusterAndUser): string {
  const isPlugin = user.exec !== undefined || user['auth-provider'] !== undefined;
  const parts = [
    server,
    proxyUrl,
    cluster['certificate-authority-data'] ?? cluster['certificate-authority'],
    cluster['tls-server-name'],
    cluster['insecure-skip-tls-verify'] === true,
    userName,
    user.tokenFile ?? user.token,
    user.username,
    user['client-certificate-data'] ?? user['client-certificate'],
    user.exec && [user.exec.command, user.exec.args, user.exec.env],
    user['auth-provider'] && [
      user['auth-provider'].name,
      user['auth-provider'].config?.['idp-issuer-url'],
      user['auth-provider'].config?.['client-id'],
    ],
    isPlugin ? [accountOf(env), user.exec && executableOf(user.exec.command ?? '', env)] : [],
    [user.as, user['as-uid'], user['as-groups'], user['as-user-extra']],
  ];
  return hashOf(parts);
}

/** A hash of values that JSON can express. */
export function hashOf(parts: unknown): string {
  return builtin.crypto().createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
