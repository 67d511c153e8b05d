import path from 'node:path';
import { parseDuration } from '../../kit/duration.ts';
import { InformerError } from '../../kit/error.ts';
import type { ClusterEntry, UserEntry } from './kubeconfig-entries.ts';

/**
 * kubectl's connection flags, with the same names. A flag that is not set leaves the value of the kubeconfig.
 * Source: cli-runtime pkg/genericclioptions/config_flags.go.
 */
export interface ConnectionFlags {
  kubeconfig?: string | undefined;
  context?: string | undefined;
  cluster?: string | undefined;
  user?: string | undefined;
  namespace?: string | undefined;
  server?: string | undefined;
  token?: string | undefined;
  username?: string | undefined;
  password?: string | undefined;
  as?: string | undefined;
  asGroup?: readonly string[] | undefined;
  asUid?: string | undefined;
  /** Items of the form `key=value`. A key may occur several times, once for each of its values. */
  asUserExtra?: readonly string[] | undefined;
  /** A number is milliseconds. A text is seconds without a unit, or a Go duration, as in kubectl. 0 = no limit. */
  requestTimeout?: string | number | undefined;
  insecureSkipTlsVerify?: boolean | undefined;
  tlsServerName?: string | undefined;
  certificateAuthority?: string | undefined;
  clientCertificate?: string | undefined;
  clientKey?: string | undefined;
}

/** The cluster with the flags applied. Source: client-go tools/clientcmd/client_config.go getCluster. */
export function withClusterFlags(cluster: ClusterEntry, flags: ConnectionFlags): ClusterEntry {
  const result = { ...cluster };
  if (flags.server !== undefined) {
    result.server = flags.server;
    delete result['tls-server-name']; // it belonged to the other server
  }
  if (flags.insecureSkipTlsVerify !== undefined) result['insecure-skip-tls-verify'] = flags.insecureSkipTlsVerify;
  if (flags.insecureSkipTlsVerify || flags.certificateAuthority) {
    delete result['certificate-authority'];
    delete result['certificate-authority-data'];
  }
  if (flags.certificateAuthority) {
    result['certificate-authority'] = path.resolve(flags.certificateAuthority);
    // a CA is named so that the server is verified
    if (!flags.insecureSkipTlsVerify) delete result['insecure-skip-tls-verify'];
  }
  if (flags.tlsServerName) result['tls-server-name'] = flags.tlsServerName;
  if (result['insecure-skip-tls-verify'] && (result['certificate-authority'] ?? result['certificate-authority-data'])) {
    throw new InformerError('config', 'specifying a root certificates file with the insecure flag is not allowed');
  }
  return result;
}

/** The user with the flags applied. A login method from a flag replaces the one in the kubeconfig. */
export function withUserFlags(user: UserEntry, flags: ConnectionFlags): UserEntry {
  if (flags.token !== undefined && (flags.username ?? flags.password) !== undefined) {
    throw new InformerError('argument', 'username/password or bearer token may be set, but not both');
  }
  const result = flags.token !== undefined || flags.username !== undefined ? withoutLogin(user) : { ...user };
  if (flags.token !== undefined) result.token = flags.token.trim();
  if (flags.username !== undefined) result.username = flags.username;
  if (flags.password !== undefined) result.password = flags.password;
  if (flags.clientCertificate) {
    delete result['client-certificate-data'];
    result['client-certificate'] = path.resolve(flags.clientCertificate);
  }
  if (flags.clientKey) {
    delete result['client-key-data'];
    result['client-key'] = path.resolve(flags.clientKey);
  }
  return withImpersonation(result, flags);
}

function withoutLogin(user: UserEntry): UserEntry {
  const {
    token: _token,
    tokenFile: _file,
    username: _name,
    password: _password,
    exec: _exec,
    'auth-provider': _provider,
    ...rest
  } = user;
  return rest;
}

function withImpersonation(user: UserEntry, { as, asUid, asGroup, asUserExtra }: ConnectionFlags): UserEntry {
  const result = { ...user };
  if (as !== undefined) result.as = as;
  if (asUid !== undefined) result['as-uid'] = asUid;
  if (asGroup !== undefined && asGroup.length > 0) result['as-groups'] = [...asGroup];
  if (asUserExtra !== undefined && asUserExtra.length > 0) result['as-user-extra'] = parseExtra(asUserExtra);
  return result;
}

function parseExtra(pairs: readonly string[]): Record<string, string[]> {
  const extra = new Map<string, string[]>();
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1)
      throw new InformerError('argument', `the extra field ${JSON.stringify(pair)} is not of the form key=value`, {
        hint: 'write it as `asUserExtra` key=value',
      });
    const key = pair.slice(0, at);
    extra.set(key, [...(extra.get(key) ?? []), pair.slice(at + 1)]);
  }
  return Object.fromEntries(extra);
}

/**
 * The time limit of one request, ms; undefined = no limit. Throws `argument` for a text that is not a duration.
 * Source: client-go tools/clientcmd/helpers.go ParseTimeout.
 */
export function requestTimeoutMsOf(value: string | number | undefined): number | undefined {
  if (value === undefined || value === '') return undefined;
  const ms = typeof value === 'number' ? value : /^\d+$/.test(value) ? Number(value) * 1000 : durationOf(value);
  return ms > 0 ? ms : undefined;
}

function durationOf(value: string): number {
  try {
    return parseDuration(value);
  } catch (cause) {
    const message =
      'Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)';
    throw new InformerError('argument', message, { cause, hint: `\`requestTimeout\` was ${JSON.stringify(value)}` });
  }
}
