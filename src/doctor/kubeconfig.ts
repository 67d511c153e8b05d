import { statSync } from 'node:fs';
import type { Given } from '../cli/args/argv.ts';
import { shellWord } from '../cli/args/shell-word.ts';
import type { ClusterConfig } from '../client/config/cluster-config.ts';
import { readKubeconfig } from '../client/config/kubeconfig-file.ts';
import { kubeconfigFiles, type LoadConfigOptions } from '../client/kubeconfig.ts';
import { withoutLogin } from '../kit/secret-free-text.ts';
import { type CheckResult, failed, ok, problem, skipped, warning } from './finding.ts';

/** Which kubeconfig files are read, and whether each can be. A broken one breaks all commands. */
export async function filesFound(options: LoadConfigOptions): Promise<CheckResult> {
  const files = await kubeconfigFiles(options);
  const texts: string[] = [];
  let present = 0;
  for (const file of files) {
    try {
      const { clusters, users, contexts, files: read } = await readKubeconfig([file]);
      present += read.length;
      const content = `${counted(contexts.size, 'context')}, ${counted(clusters.size, 'cluster')}, ${counted(users.size, 'user')}`;
      texts.push(`${file} (${read.length === 0 ? 'does not exist' : content})`);
    } catch (error) {
      return failed(error);
    }
  }
  const found = texts.join(', ');
  if (present === 0 && isInPod(options)) return ok(`${found}; the service account of this pod is used`);
  if (present === 0)
    return problem(
      `no kubeconfig: ${found}`,
      'name a file with --kubeconfig or KUBECONFIG, or try without a cluster: --sandbox',
    );
  const missing = files.length - present;
  if (missing > 0)
    return warning(`${found}; ${counted(missing, 'file')} of KUBECONFIG missing`, 'remove it from KUBECONFIG');
  return ok(present > 1 ? `${found}; of equal names the first file wins` : found);
}

/** Whether only the user can read the files, which contain credentials. */
export async function privacyFound(options: LoadConfigOptions): Promise<CheckResult> {
  if (process.platform === 'win32') return skipped('Windows has no modes of files');
  const files = await kubeconfigFiles(options);
  const stats = files.map((file) => ({ file, mode: statSync(file, { throwIfNoEntry: false })?.mode }));
  const open = stats.filter(({ mode }) => mode !== undefined && (mode & 0o077) !== 0);
  if (open.length === 0) return ok('only you can read them');
  const texts = open.map(({ file, mode = 0 }) => `${file} (mode 0${(mode & 0o777).toString(8)})`);
  return warning(
    `other users can read credentials in ${texts.join(', ')}`,
    `chmod 600 ${open.map(({ file }) => shellWord(file)).join(' ')}`,
  );
}

/** Which context is used and why, and where it leads. */
export async function contextFound(
  { context, cluster, user, namespace, server, proxyUrl }: ClusterConfig,
  given: Given | undefined,
  options: LoadConfigOptions,
): Promise<CheckResult> {
  const leads = [
    cluster === undefined ? '' : `cluster ${JSON.stringify(cluster)}`,
    user === undefined ? '' : `user ${JSON.stringify(user)}`,
    `namespace ${JSON.stringify(namespace)}`,
    `server ${withoutLogin(server)}`,
    proxyUrl === undefined ? '' : `through the proxy ${withoutLogin(proxyUrl)}`,
  ];
  const name = context === undefined ? 'no context' : JSON.stringify(context);
  return ok(`${name} (${await originOf(context, given, options)}): ${leads.filter(Boolean).join(', ')}`);
}

async function originOf(
  context: string | undefined,
  given: Given | undefined,
  options: LoadConfigOptions,
): Promise<string> {
  if (given) return given.origin === 'flag' ? '--context' : (given.label ?? given.origin);
  if (context === undefined) return 'flags or a service account';
  for (const file of await kubeconfigFiles(options))
    if ((await readKubeconfig([file])).currentContext !== undefined) return `current-context of ${file}`;
  return 'the service account of this pod';
}

const isInPod = ({ env = process.env }: LoadConfigOptions) => Boolean(env.KUBERNETES_SERVICE_HOST);

const counted = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`;
