import type { Client } from '../client/client.ts';
import type { ClusterConfig, Credentials } from '../client/config/cluster-config.ts';
import { humanDuration } from '../kit/duration.ts';
import { withoutLogin } from '../kit/secret-free-text.ts';
import { isForbidden, isNotFound, isUnauthorized, statusOf } from '../model/status.ts';
import type { AnswerLog, ClockReading } from './answer-log.ts';
import { type CheckResult, failed, ok, problem, skipped, warning } from './finding.ts';

/** From this difference on Leases, ages and tokens suffer, ms. */
const SKEW_MS = 30_000;

/** Whether the server answers at all: name, connection, TLS, proxy. A refusal is an answer. */
export async function serverFound(client: Client, config: ClusterConfig, signal: AbortSignal): Promise<CheckResult> {
  const where = withoutLogin(config.server);
  const by = config.proxyUrl === undefined ? '' : ` through the proxy ${withoutLogin(config.proxyUrl)}`;
  try {
    const { gitVersion } = await client.version({ signal });
    return withTls(`Kubernetes ${gitVersion || 'of unknown version'} at ${where}${by}`, await config.credentials());
  } catch (error) {
    const { code = 0 } = statusOf(error) ?? {};
    if (code === 401 || code === 403) return ok(`${where}${by} answers, and does not say its version (${code})`);
    return failed(error, 'can the server be reached from here? check the address, VPN and proxy');
  }
}

function withTls(found: string, { tls }: Credentials): CheckResult {
  if (tls.rejectUnauthorized !== false) return ok(found);
  return warning(
    `${found}; its certificate is not checked, so another server could take its place`,
    'remove insecure-skip-tls-verify, and name the CA: certificate-authority in the kubeconfig, or --certificate-authority FILE',
  );
}

/** Whether this machine and the server have the same time. */
export function clockFound(reading: ClockReading | undefined): CheckResult {
  if (!reading) return skipped('the answers of the server have no Date header');
  const { aheadMs, uncertainMs } = reading;
  const ms = Math.abs(aheadMs);
  const exactness = `±${(uncertainMs / 1000).toFixed(1)}s`;
  if (ms < SKEW_MS) return ok(`the clocks agree (${(aheadMs / 1000).toFixed(1)}s, ${exactness})`);
  const text = `this machine is ${Math.round(ms / 1000)}s (${humanDuration(ms)}) ${aheadMs > 0 ? 'behind' : 'ahead of'} the server`;
  return warning(
    `${text}: Leases, ages and the expiry of tokens are wrong by that`,
    `${SET_CLOCK[process.platform] ?? 'set the clock by NTP'}, here or on the server`,
  );
}

const SET_CLOCK: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'sudo timedatectl set-ntp true',
  darwin: 'sudo sntp -sS time.apple.com',
  win32: 'w32tm /resync',
};

/** The user as the server sees it. Source: authentication/v1 SelfSubjectReview. */
export interface WhoAmI {
  readonly username?: string;
  readonly groups?: readonly string[];
}

const REVIEWS = { group: 'authentication.k8s.io', version: 'v1', resource: 'selfsubjectreviews' };

/** Whether the server accepts the credentials, and whom it takes them for. The review stores nothing. */
export async function userFound(
  client: Client,
  signal: AbortSignal,
  onUser: (user: WhoAmI) => void,
): Promise<CheckResult> {
  try {
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const { status } = await client.resource(REVIEWS).create(review, { signal });
    const user = (status as { userInfo?: WhoAmI } | undefined)?.userInfo ?? {};
    onUser(user);
    const groups = user.groups?.length ? ` (groups ${user.groups.join(', ')})` : '';
    return ok(`${user.username ?? 'a user without a name'}${groups}`);
  } catch (error) {
    if (isUnauthorized(error)) return refused(error);
    // a server before 1.28 has no such review, and all users may be asked for
    if (isNotFound(error) || isForbidden(error))
      return ok('the server accepts the credentials, and does not say whose they are');
    return failed(error);
  }
}

function refused(error: unknown): CheckResult {
  return problem(
    failed(error).found,
    'log in again with the tool that wrote the kubeconfig, or choose another user with --context or --user',
  );
}

/** Which parts of the API do not answer. */
export async function discoveryFound(client: Client): Promise<CheckResult> {
  await client.discovery.invalidate(); // what was kept may be of yesterday
  const { types, failures } = await client.discovery.snapshot();
  const groups = new Set(types.map(({ gvr }) => gvr.group)).size;
  if (failures.length === 0) return ok(`${types.length} types in ${groups} API groups`);
  const texts = failures.map(({ group, message }) => `${group} (${message})`);
  const [first = ''] = failures.map(({ group }) => group);
  const [name, version] = first.split('/');
  const service =
    version === undefined ? 'kubectl get apiservices' : `kubectl get apiservice ${version}.${name} -o yaml`;
  return warning(`${types.length} types; no answer for ${texts.join(', ')}`, `${service}; then repair or delete it`);
}

const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' };

/** Whether a namespace exists. Lists and watches of one that does not are empty, and say nothing. */
export async function namespaceFound(client: Client, name: string, signal: AbortSignal): Promise<CheckResult> {
  try {
    await client.resource(NAMESPACES, { as: 'metadata' }).get(name, { signal });
    return ok('it exists');
  } catch (error) {
    if (isForbidden(error)) return skipped('you may not read namespaces');
    if (!isNotFound(error)) return failed(error);
    return warning(
      'there is no such namespace: lists and watches of it are empty',
      `choose another with -n NAME, or kubectl create namespace ${name}`,
    );
  }
}

/** Whether API priority and fairness, or a proxy, refused requests for now. */
export function throttlingFound({ requests, throttled }: AnswerLog): CheckResult {
  if (throttled === 0) return ok(`none of ${requests} requests was answered with 429`);
  return warning(
    `${throttled} of ${requests + throttled} answers were 429 (too many requests)`,
    'ask for less at once (--qps 10 --burst 20), or see who uses the server: kubectl get flowschemas,prioritylevelconfigurations',
  );
}

export function compressionFound({ isCompressed }: AnswerLog, { disableCompression }: ClusterConfig): CheckResult {
  if (disableCompression) return ok('off, by disable-compression in the kubeconfig');
  return ok(
    isCompressed ? 'large answers are compressed (gzip)' : 'not seen; servers compress answers from 128 KiB on',
  );
}
