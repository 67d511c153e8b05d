import { readFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { InformerError, messageOf } from '../../kit/error.ts';
import type { CredentialHeaders, Login, TlsMaterial } from '../config/cluster-config.ts';
import type { ClusterEntry, UserEntry } from '../config/kubeconfig-entries.ts';

/** The auth-provider that is ours: KubeConfig knows no client secret, and after its first refresh it refreshes for every request. */
export const OIDC = 'oidc';

/** One cluster and one user of a kubeconfig, flags applied. */
export interface Identity {
  readonly clusterName: string;
  readonly userName: string;
  /** Its `server` is set. */
  readonly cluster: ClusterEntry & { server: string };
  readonly user: UserEntry;
}

/** What the server goes by to know the user. */
export function loginOf({ user }: Identity, isByFlag: boolean): Login {
  if (isByFlag) return { kind: 'flag' };
  if (user.exec) return { kind: 'exec', of: user.exec.command };
  if (user['auth-provider']) return { kind: 'provider', of: user['auth-provider'].name };
  if (user.username) return { kind: 'password' };
  if (user.token) return { kind: 'token' };
  if (user.tokenFile) return { kind: 'token-file', of: user.tokenFile };
  return user['client-certificate'] || user['client-certificate-data'] ? { kind: 'certificate' } : { kind: 'none' };
}

/** Whether the user logs in by a provider that only client-node speaks. */
export function needsKubeConfig({ user }: Identity): boolean {
  return user['auth-provider'] !== undefined && user['auth-provider'].name !== OIDC;
}

/**
 * What certificates, CA, token and basic auth make of a request, files read anew: the same as KubeConfig makes of them, without the
 * tenth of a second and the 25 MB that loading it costs every command. Of inline data and a file the data counts, as for kubectl.
 * Source: client-go tools/clientcmd/client_config.go.
 */
export async function plainCredentials({ cluster, user }: Identity): Promise<{ headers: CredentialHeaders; tls: TlsMaterial }> {
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

/** The field's flag has its name, so that one sentence names both. */
async function dataOrFile(data: string | undefined, file: string | undefined, field: string): Promise<Buffer | undefined> {
  if (data) return Buffer.from(data, 'base64');
  try {
    return file ? await readFile(file) : undefined;
  } catch (cause) {
    throw new InformerError('config', `unable to read ${field} ${file}: ${essenceOf(cause)}`, {
      cause,
      hint: `--${field} names another file; without the flag it is the ${field} of the kubeconfig`,
    });
  }
}

/** What a system error says, without its code and call. */
const essenceOf = (cause: unknown) => messageOf(cause).replace(/^E[A-Z]+: (.+), \w+( '.*')?$/, '$1');

/**
 * client-node's KubeConfig for exactly this cluster and user.
 * It always has a user (without one it would leave out CA and TLS server name), but no exec section, token file or OIDC provider (ours),
 * and no proxy (the transport's).
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
      clusters: [{ name: 'selected', cluster: asKubeConfigTakesIt(dataBeforeFile(cluster, ['certificate-authority'])) }],
      users: [{ name: 'selected', user: dataBeforeFile({ ...rest, ...others }, ['client-certificate', 'client-key']) }],
    }),
  );
  return kubeConfig;
}

/** For a plain http server it wants the flag too. */
function asKubeConfigTakesIt({ 'proxy-url': _proxy, ...cluster }: ClusterEntry): ClusterEntry {
  return cluster.server?.startsWith('http:') ? { ...cluster, 'insecure-skip-tls-verify': true } : cluster;
}

/** Of inline data and a file, kubectl takes the data; KubeConfig would take the file. */
function dataBeforeFile<T extends object>(entry: T, files: string[]): T {
  const shadowed = files.filter((file) => `${file}-data` in entry);
  return Object.fromEntries(Object.entries(entry).filter(([field]) => !shadowed.includes(field))) as T;
}

/** What KubeConfig makes of its user now: it reads files anew each time. */
export async function providerCredentials(kubeConfig: KubeConfig): Promise<{ headers: CredentialHeaders; tls: TlsMaterial }> {
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
  return Object.fromEntries(TLS_FIELDS.filter((field) => options[field] !== undefined).map((field) => [field, options[field]]));
}
