import { builtin } from '../../kit/builtin.ts';
import type { ClusterEntry, UserEntry } from './kubeconfig-entries.ts';

export interface ClusterAndUser {
  readonly server: string;
  readonly proxyUrl: string | undefined;
  readonly cluster: ClusterEntry;
  readonly userName: string;
  readonly user: UserEntry;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The variables by which the login plugins of clouds choose an account. Of a secret's name there is none. */
export const LOGIN_VARIABLES = [
  'AWS_PROFILE',
  'AWS_DEFAULT_PROFILE',
  'AWS_CONFIG_FILE',
  'AWS_SHARED_CREDENTIALS_FILE',
  'AWS_ROLE_ARN',
  'AWS_ACCESS_KEY_ID',
  'CLOUDSDK_CONFIG',
  'CLOUDSDK_ACTIVE_CONFIG_NAME',
  'CLOUDSDK_CORE_ACCOUNT',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'AZURE_CONFIG_DIR',
  'AZURE_CLIENT_ID',
  'AZURE_TENANT_ID',
  'DIGITALOCEAN_CONTEXT',
  'OCI_CLI_PROFILE',
] as const;

/**
 * A hash of where a config leads, and as whom: of the address, CA, TLS name and proxy of the server, and of the user's
 * name, login method and impersonation. Two configs with the same hash may share a cache. It reads no file, runs no
 * plugin, and no credential can be found from it: a token is one of its parts, a password and keys are none.
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
    isPlugin ? LOGIN_VARIABLES.map((name) => env[name]) : [],
    [user.as, user['as-uid'], user['as-groups'], user['as-user-extra']],
  ];
  return hashOf(parts);
}

/** A hash of values that JSON can express. */
export function hashOf(parts: unknown): string {
  return builtin.crypto().createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
