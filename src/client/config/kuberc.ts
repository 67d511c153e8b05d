import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { InformerError, messageOf } from '../../kit/error.ts';
import { yamlFault } from '../../kit/secret-free-text.ts';
import { executableOf } from './executable.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Which credential plugins may run. */
export interface PluginPolicy {
  readonly kind: 'AllowAll' | 'DenyAll' | 'Allowlist';
  /** Commands, of `Allowlist`. */
  readonly allowed: readonly string[];
  /** The file that says so. */
  readonly file: string;
}

/**
 * Reads the policy for credential plugins from kubectl's preferences: `KUBERC`, else `~/.kube/kuberc`. Undefined if there
 * is no file, if it has no policy, and with `KUBERC=off`. As in kubectl, a file of the default place that cannot be read
 * counts as none, which `warn` gets; a file that KUBERC names must be readable. Rejects with `config` for a policy that
 * is not valid. Source: kubectl pkg/kuberc.
 */
export async function pluginPolicyOf(
  env: Environment,
  warn: (text: string) => void,
): Promise<PluginPolicy | undefined> {
  if (env.KUBERC === 'off' || env.KUBECTL_KUBERC?.toLowerCase() === 'false') return undefined;
  const file = env.KUBERC || path.join(env.HOME || env.USERPROFILE || homedir(), '.kube', 'kuberc');
  let preference: Preference | undefined;
  try {
    preference = await preferenceIn(file);
  } catch (cause) {
    if (env.KUBERC)
      throw new InformerError('config', `kuberc: ${messageOf(cause)}`, {
        cause,
        hint: 'correct the file that KUBERC names; KUBERC=off uses none',
      });
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT')
      warn(`kuberc: no preferences loaded from ${file}: ${messageOf(cause)}`);
    return undefined;
  }
  return preference && policyIn(preference, file);
}

/**
 * Refuses a plugin that the policy does not allow. Throws `config` with kubectl's words.
 * Source: client-go plugin/pkg/client/auth/exec updateCommandAndCheckAllowlistLocked.
 */
export function checkPluginAllowed(command: string, policy: PluginPolicy | undefined, env: Environment): void {
  if (!policy || policy.kind === 'AllowAll') return;
  const refused = (text: string) =>
    new InformerError('config', text, {
      hint: `${policy.file} decides which credential plugins may run; \`token\`, or a user without a plugin, needs none`,
    });
  if (policy.kind === 'DenyAll')
    throw refused(`plugin ${JSON.stringify(command)} not allowed: policy set to "DenyAll"`);
  const { allowed } = policy;
  const resolved = executableOf(command, env);
  if (allowed.includes(path.normalize(command)) || (resolved !== undefined && allowed.includes(resolved))) return;
  if (resolved === undefined)
    throw refused(
      `plugin path ${JSON.stringify(command)} cannot be resolved for credential plugin allowlist check: executable file not found`,
    );
  const same = allowed.filter((entry) => path.basename(entry) === path.basename(resolved));
  if (same.some((entry) => executableOf(entry, env) === resolved)) return;
  throw refused(`plugin path ${JSON.stringify(resolved)} is not permitted by the credential plugin allowlist`);
}

interface Preference {
  readonly credentialPluginPolicy?: string | null;
  readonly credentialPluginAllowlist?: readonly AllowlistEntry[] | null;
}

/** `name` is the older field. */
type AllowlistEntry = { readonly command?: string; readonly name?: string } | null;

const GROUP = 'kubectl.config.k8s.io/';

/** The first document that kubectl can use; undefined for an empty file. */
async function preferenceIn(file: string): Promise<Preference | undefined> {
  const text = await readFile(file, 'utf8');
  const yaml = await import('js-yaml');
  let documents: unknown[];
  try {
    documents = yaml.loadAll(text).filter((document) => document !== null && document !== undefined);
  } catch (cause) {
    throw new Error(yamlFault(cause));
  }
  const found = documents.find(isPreference);
  if (!found && documents.length > 0) throw new Error(`no valid preferences found in ${file}`);
  return found;
}

function isPreference(document: unknown): document is Preference {
  if (typeof document !== 'object' || document === null) return false;
  const {
    apiVersion,
    kind,
    credentialPluginPolicy: policy,
    credentialPluginAllowlist: list,
  } = document as Preference & {
    apiVersion?: unknown;
    kind?: unknown;
  };
  const isOfKubectl = typeof apiVersion === 'string' && apiVersion.startsWith(GROUP) && kind === 'Preference';
  return isOfKubectl && (policy == null || typeof policy === 'string') && (list == null || Array.isArray(list));
}

function policyIn({ credentialPluginPolicy, credentialPluginAllowlist: list }: Preference, file: string): PluginPolicy {
  const kind = credentialPluginPolicy || 'AllowAll';
  const invalid = (text: string) =>
    new InformerError('config', text, { hint: `correct credentialPluginPolicy in ${file}` });
  if (kind === 'AllowAll' || kind === 'DenyAll') {
    if (list != null)
      throw invalid(
        `misconfigured credential plugin allowlist: plugin policy is ${JSON.stringify(credentialPluginPolicy ?? '')} but allowlist is non-nil`,
      );
    return { kind, allowed: [], file };
  }
  if (kind !== 'Allowlist') throw invalid(`unknown plugin policy: ${JSON.stringify(kind)}`);
  if (list == null) throw invalid('credential plugin policy set to "Allowlist", but allowlist is unspecified');
  if (list.length === 0)
    throw invalid('credential plugin policy set to "Allowlist", but allowlist is empty; use "DenyAll" policy instead');
  const allowed = list.map((entry, i) => {
    const command = entry?.command || entry?.name;
    if (typeof command !== 'string' || command === '')
      throw invalid(`misconfigured credential plugin allowlist: empty allowlist entry #${i + 1}`);
    if (path.normalize(command) !== command)
      throw invalid(
        `non-normalized file path: ${JSON.stringify(command)} vs ${JSON.stringify(path.normalize(command))}`,
      );
    return command;
  });
  return { kind, allowed, file };
}
