import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { accountOf } from '../client/config/same-cluster-and-user.ts';

/** The connection flags of a command line, by name, without the namespace. */
export type ConnectionWords = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

type Environment = Readonly<Record<string, string | undefined>>;

/** Flags whose values are secrets: they are written nowhere. */
const SECRET_FLAGS = ['token', 'password', 'username'];
/** Flags that name files. */
const FILE_FLAGS = ['certificate-authority', 'client-certificate', 'client-key'];

/**
 * The facts that lead to a cluster and a user, without reading the kubeconfig: the kubeconfig files (path, size, times
 * of change, inode), the connection flags, and the variables that choose an account. Two commands with the same record
 * have the same config, so the second needs no YAML to find the serve that the first started. Undefined if a flag is a
 * secret. Without `account`, which takes longer than all the rest, it fits only a serve of any account.
 */
export function connectionRecord(
  flags: ConnectionWords,
  env: Environment,
  { account = true }: { readonly account?: boolean } = {},
): string | undefined {
  if (SECRET_FLAGS.some((name) => flags[name] !== undefined)) return undefined;
  const given = Object.entries(flags)
    .filter(([name, value]) => name !== 'kubeconfig' && value !== undefined)
    .map(([name, value]) => [name, FILE_FLAGS.includes(name) ? path.resolve(String(value)) : value])
    .sort();
  const variables = VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
  const files = kubeconfigFiles(flags.kubeconfig, env).map(stampOf);
  return JSON.stringify({ files, given, variables, account: account ? accountOf(env) : '' });
}

/** Variables that choose the server where no file does, and the way to it. */
const VARIABLES = [
  'KUBERNETES_SERVICE_HOST',
  'KUBERNETES_SERVICE_PORT',
  'HTTPS_PROXY',
  'https_proxy',
  'HTTP_PROXY',
  'http_proxy',
  'NO_PROXY',
  'no_proxy',
];

/** As `loadConfig` finds them. */
function kubeconfigFiles(kubeconfig: ConnectionWords[string], env: Environment): string[] {
  if (typeof kubeconfig === 'string' && kubeconfig !== '') return [kubeconfig];
  const list = env.KUBECONFIG?.split(path.delimiter).filter(Boolean);
  if (list?.length) return [...new Set(list)];
  return [path.join(env.HOME || env.USERPROFILE || homedir(), '.kube', 'config')];
}

function stampOf(file: string): readonly unknown[] {
  const at = path.resolve(file);
  const found = statSync(at, { throwIfNoEntry: false });
  return found ? [at, found.size, found.mtimeMs, found.ctimeMs, found.ino] : [at];
}
