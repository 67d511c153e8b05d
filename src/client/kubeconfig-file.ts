import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { InformerError, messageOf } from '../kit/error.ts';

/** The fields of a kubeconfig cluster that we use; names as in the file. Source: client-go tools/clientcmd/api/v1 Cluster. */
export interface ClusterEntry {
  server?: string;
  'certificate-authority'?: string;
  'certificate-authority-data'?: string;
  'insecure-skip-tls-verify'?: boolean;
  'tls-server-name'?: string;
  'proxy-url'?: string;
  'disable-compression'?: boolean;
  extensions?: { name?: string; extension?: unknown }[];
}

/** Source: client-go tools/clientcmd/api/v1 AuthInfo. */
export interface UserEntry {
  token?: string;
  tokenFile?: string;
  username?: string;
  password?: string;
  'client-certificate'?: string;
  'client-certificate-data'?: string;
  'client-key'?: string;
  'client-key-data'?: string;
  as?: string;
  'as-uid'?: string;
  'as-groups'?: string[];
  'as-user-extra'?: Record<string, string[]>;
  exec?: ExecEntry;
  'auth-provider'?: { name?: string; config?: Record<string, string> };
}

/** Source: client-go tools/clientcmd/api/v1 ExecConfig. */
export interface ExecEntry {
  command?: string;
  args?: string[] | null;
  env?: { name: string; value: string }[] | null;
  apiVersion?: string;
  installHint?: string;
  provideClusterInfo?: boolean;
  interactiveMode?: string;
}

/** Source: client-go tools/clientcmd/api/v1 Context. */
export interface ContextEntry {
  cluster?: string;
  user?: string;
  namespace?: string;
}

/** Several kubeconfig files as one. Paths in it are absolute. */
export interface Kubeconfig {
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
  readonly currentContext: string | undefined;
  /** The files that were found, in the order in which they were read. */
  readonly files: readonly string[];
}

/**
 * Reads files and merges them as kubectl does: a missing file is skipped, the first entry of a name wins whole,
 * and the first file that sets a current context sets it. Throws `config` on a file that cannot be read or understood.
 * Source: client-go tools/clientcmd/loader.go.
 */
export async function readKubeconfig(files: readonly string[]): Promise<Kubeconfig> {
  const found: Kubeconfig[] = [];
  for (const file of files) {
    const text = await readIfPresent(file);
    if (text !== undefined) found.push(await parseKubeconfig(text, path.resolve(file)));
  }
  return {
    clusters: firstWins(found.map((f) => f.clusters)),
    users: firstWins(found.map((f) => f.users)),
    contexts: firstWins(found.map((f) => f.contexts)),
    currentContext: found.map((f) => f.currentContext).find(Boolean),
    files: found.flatMap((f) => f.files),
  };
}

/** One file's text; `file` is its absolute path, against whose directory the paths inside are resolved. */
export async function parseKubeconfig(text: string, file: string): Promise<Kubeconfig> {
  const document = await parseYaml(text, file);
  const directory = path.dirname(file);
  const entries = <T extends object>(list: string, item: string, field: string, resolve: (entry: T) => T) =>
    named<T>(document[list], { list, item, file, field }, resolve);
  return {
    clusters: entries<ClusterEntry>('clusters', 'cluster', 'cluster', (c) => resolvePaths(c, ['certificate-authority'], directory)),
    users: entries<UserEntry>('users', 'user', 'user', (u) => resolveUser(u, directory)),
    contexts: entries<ContextEntry>('contexts', 'context', 'context', (c) => c),
    currentContext: textOrNothing(document['current-context']),
    files: [file],
  };
}

async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new InformerError('config', `error loading config file "${file}": ${messageOf(cause)}`, { cause });
  }
}

async function parseYaml(text: string, file: string): Promise<Record<string, unknown>> {
  const { load } = await import('js-yaml');
  try {
    const document: unknown = text.trim() === '' ? {} : load(text);
    if (document === null || document === undefined) return {};
    if (typeof document === 'object' && !Array.isArray(document)) return document as Record<string, unknown>;
  } catch (cause) {
    throw new InformerError('config', `error loading config file "${file}": ${messageOf(cause)}`, { cause });
  }
  throw new InformerError('config', `error loading config file "${file}": it is not a kubeconfig`);
}

interface Where {
  list: string;
  item: string;
  field: string;
  file: string;
}

function named<T extends object>(value: unknown, where: Where, resolve: (entry: T) => T): Map<string, T> {
  const result = new Map<string, T>();
  if (value === undefined || value === null) return result;
  if (!Array.isArray(value)) throw malformed(where, `${where.list} must be a list`);
  value.forEach((element: unknown, i) => {
    const { name, [where.field]: entry } = (element ?? {}) as Record<string, unknown>;
    if (typeof name !== 'string') throw malformed(where, `${where.list}[${i}].name must be a string`);
    if (result.has(name)) throw malformed(where, `duplicate name "${name}" in list ${where.list}`);
    result.set(name, resolve(checked<T>(entry, { ...where, item: `${where.item} "${name}"` })));
  });
  return result;
}

/** Fields that hold anything but text. A number where text belongs (`token: 0123`) is refused: YAML has changed it already. */
const NOT_TEXT = new Set([
  'insecure-skip-tls-verify',
  'disable-compression',
  'as-groups',
  'as-user-extra',
  'exec',
  'auth-provider',
  'extensions',
]);

function checked<T extends object>(entry: unknown, where: Where): T {
  if (entry === undefined || entry === null) return {} as T;
  if (typeof entry !== 'object' || Array.isArray(entry)) throw malformed(where, `${where.item} must be a mapping`);
  const kept = Object.entries(entry).filter(([, value]) => value !== null && value !== '');
  for (const [field, value] of kept) {
    if (!NOT_TEXT.has(field) && typeof value !== 'string') throw malformed(where, `${where.item}: ${field} must be a string (quote it)`);
  }
  return Object.fromEntries(kept) as T;
}

function resolveUser(user: UserEntry, directory: string): UserEntry {
  const resolved = resolvePaths(user, ['tokenFile', 'client-certificate', 'client-key'], directory);
  const command = resolved.exec?.command;
  if (!resolved.exec || !command || !/[/\\]/.test(command)) return resolved; // a bare name is looked up on PATH
  return { ...resolved, exec: { ...resolved.exec, command: path.resolve(directory, command) } };
}

function resolvePaths<T extends object>(entry: T, fields: (keyof T)[], directory: string): T {
  const resolved = { ...entry };
  for (const field of fields) {
    const value = resolved[field];
    if (typeof value === 'string') resolved[field] = path.resolve(directory, value) as T[keyof T] & string;
  }
  return resolved;
}

function firstWins<T>(maps: readonly ReadonlyMap<string, T>[]): Map<string, T> {
  return new Map(maps.toReversed().flatMap((map) => [...map]));
}

function textOrNothing(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function malformed({ file }: Where, what: string): InformerError {
  return new InformerError('config', `error loading config file "${file}": ${what}`);
}
