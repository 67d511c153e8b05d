import { readFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { InformerError, messageOf, withoutCall } from '../../kit/error.ts';
import type { CredentialHeaders, LoginMethod, TlsMaterial } from '../config/cluster-config.ts';
import type { ClusterEntry, UserEntry } from '../config/kubeconfig-entries.ts';

/**
 * The auth provider that this program implements itself. client-node's KubeConfig sends no client secret, and after
 * its first refresh it refreshes for every request.
 */
export const OIDC = 'oidc';

/** A cluster and a user of a kubeconfig, with flags applied. */
export interface Identity {
  readonly clusterName: string;
  readonly userName: string;
  /** The cluster; its `server` is always set. */
  readonly cluster: ClusterEntry & { server: string };
  readonly user: UserEntry;
}

/** The login method that the server sees. `isByFlag`: a flag of the command line gives it. */
export function loginOf({ user }: Identity, isByFlag: boolean): LoginMethod {
  if (isByFlag) return { kind: 'flag' };
  if (user.exec) return { kind: 'exec', of: user.exec.command };
  if (user['auth-provider']) return { kind: 'provider', of: user['auth-provider'].name };
  if (user.username) return { kind: 'password' };
  if (user.token) return { kind: 'token' };
  if (user.tokenFile) return { kind: 'token-file', of: user.tokenFile };
  return user['client-certificate'] || user['client-certificate-data'] ? { kind: 'certificate' } : { kind: 'none' };
}

/** Whether the user logs in with an auth provider that only client-node supports. */
export function needsKubeConfig({ user }: Identity): boolean {
  return user['auth-provider'] !== undefined && user['auth-provider'].name !== OIDC;
}

/**
 * The headers and TLS material of CA, client certificate, token and password. Files are read at each call. Inline data
 * is preferred to a file, as in kubectl. The result is that of client-node's KubeConfig, without the tenth of a second
 * and the 25 MB that its import costs. Rejects with `config` if a file cannot be read.
 * Source: client-go tools/clientcmd/client_config.go.
 */
export async function plainCredentials({
  cluster,
  user,
}: Identity): Promise<{ headers: CredentialHeaders; tls: TlsMaterial }> {
  const [ca, cert, key] = await Promise.all([
    dataOrFile(cluster['certificate-authority-data'], cluster['certificate-authority'], 'certificate-authority'),
    dataOrFile(user['client-certificate-data'], user['client-certificate'], 'client-certificate'),
    dataOrFile(user['client-key-data'], user['client-key'], 'client-key'),
  ]);
  const tls: TlsMaterial = {
    ...(ca ? { ca } : {}),
    ...(cert ? { cert } : {}),
    ...(key ? { key } : {}),
    ...(cluster['tls-server-name'] ? { servername: cluster['tls-server-name'] } : {}),
    ...(cluster['insecure-skip-tls-verify'] ? { rejectUnauthorized: false } : {}),
  };
  return { headers: identification(user), tls };
}

function identification({ token, tokenFile, username, password = '' }: UserEntry): CredentialHeaders {
  if (username) return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
  return token && tokenFile === undefined ? { authorization: `Bearer ${token.trim()}` } : {};
}

/** The decoded data or the content of the file. The flag of a field has the same name, which the hint uses. */
async function dataOrFile(
  data: string | undefined,
  file: string | undefined,
  field: string,
): Promise<Buffer | undefined> {
  if (data) return Buffer.from(data, 'base64');
  try {
    return file ? await readFile(file) : undefined;
  } catch (cause) {
    throw new InformerError('config', `unable to read ${field} ${file}: ${withoutCall(messageOf(cause))}`, {
      cause,
      hint: `--${field} names another file; without the flag it is the ${field} of the kubeconfig`,
    });
  }
}

/**
 * client-node's KubeConfig for this cluster and user. It always has a user, because without one it would ignore CA and
 * TLS server name. It has no exec section, token file or OIDC provider, which {@link CredentialSource} handles, and no
 * proxy, which the transport handles.
 */
export async function kubeConfigOf({ cluster, user }: Identity): Promise<KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const { exec: _exec, tokenFile: _tokenFile, as: _as, 'auth-provider': provider, ...rest } = user;
  const others = provider?.name === OIDC ? {} : { 'auth-provider': provider };
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(
    JSON.stringify({
      'current-context': 'selected',
      contexts: [{ name: 'selected', context: { cluster: 'selected', user: 'selected' } }],
      clusters: [
        { name: 'selected', cluster: asKubeConfigTakesIt(dataBeforeFile(cluster, ['certificate-authority'])) },
      ],
      users: [{ name: 'selected', user: dataBeforeFile({ ...rest, ...others }, ['client-certificate', 'client-key']) }],
    }),
  );
  return kubeConfig;
}

/** KubeConfig accepts a plain http server only with `insecure-skip-tls-verify`. */
function asKubeConfigTakesIt({ 'proxy-url': _proxy, ...cluster }: ClusterEntry): ClusterEntry {
  return cluster.server?.startsWith('http:') ? { ...cluster, 'insecure-skip-tls-verify': true } : cluster;
}

/** Removes a file beside inline data: kubectl uses the data, KubeConfig would use the file. */
function dataBeforeFile<T extends object>(entry: T, files: string[]): T {
  const shadowed = files.filter((file) => `${file}-data` in entry);
  return Object.fromEntries(Object.entries(entry).filter(([field]) => !shadowed.includes(field))) as T;
}

/** The headers and TLS material that KubeConfig gives for its user. It reads files at each call. */
export async function providerCredentials(
  kubeConfig: KubeConfig,
): Promise<{ headers: CredentialHeaders; tls: TlsMaterial }> {
  const options: RequestOptions = {};
  await kubeConfig.applyToHTTPSOptions(options);
  return { headers: headersIn(options), tls: tlsIn(options) };
}

function headersIn({ headers, auth }: RequestOptions): CredentialHeaders {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) result[name.toLowerCase()] = String(value).trim();
  if (auth) result.authorization = `Basic ${Buffer.from(auth).toString('base64')}`;
  return result;
}

const TLS_FIELDS = ['ca', 'cert', 'key', 'pfx', 'passphrase', 'servername', 'rejectUnauthorized'] as const;

function tlsIn(options: RequestOptions): TlsMaterial {
  return Object.fromEntries(
    TLS_FIELDS.filter((field) => options[field] !== undefined).map((field) => [field, options[field]]),
  );
}
