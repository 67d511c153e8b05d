import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { InformerError, messageOf } from '../../kit/error.ts';
import {
  type ClusterEntry,
  type ContextEntry,
  readCluster,
  readContext,
  readTextEntry,
  readUser,
  type UserEntry,
} from './kubeconfig-entries.ts';
import { KUBECONFIG_HINT, parseKubeconfigYaml } from './kubeconfig-yaml.ts';

/** The merged content of one or more kubeconfig files. All paths are absolute. */
export interface Kubeconfig {
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
  readonly currentContext: string | undefined;
  /** The files that exist, in the order in which they were read. */
  readonly files: readonly string[];
}

/**
 * Reads files and merges them as kubectl does. A missing file is skipped. Of several entries with the same name, the
 * first is used as a whole. The current context is that of the first file that sets one.
 * Rejects with `config` if a file cannot be read or is not a valid kubeconfig.
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

/** Parses the text of one file. `file` is its absolute path; relative paths in it are resolved against its folder. */
export async function parseKubeconfig(text: string, file: string): Promise<Kubeconfig> {
  return readKubeconfigObject(await parseKubeconfigYaml(text, file), file);
}

/** Reads a kubeconfig from a parsed document. Throws `config` for content that is not valid. */
export function readKubeconfigObject(document: unknown, file: string): Kubeconfig {
  const directory = path.dirname(file);
  try {
    const fields = topLevel(document);
    return {
      clusters: named(fields, 'clusters', 'cluster', (c, at) =>
        resolvePaths(readCluster(c, at), ['certificate-authority'], directory),
      ),
      users: named(fields, 'users', 'user', (u, at) => resolveUser(readUser(u, at), directory)),
      contexts: named(fields, 'contexts', 'context', readContext),
      currentContext: readTextEntry(fields['current-context'] ?? null, 'current-context') || undefined,
      files: [file],
    };
  } catch (fault) {
    throw new InformerError('config', `error loading config file "${file}": ${messageOf(fault)}`, {
      hint: KUBECONFIG_HINT,
    });
  }
}

async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    const isFolder = (cause as NodeJS.ErrnoException).code === 'EISDIR';
    throw new InformerError(
      'config',
      `error loading config file "${file}": ${isFolder ? 'it is a folder' : messageOf(cause)}`,
      {
        ...(isFolder ? {} : { cause }),
        hint: KUBECONFIG_HINT,
      },
    );
  }
}

function topLevel(document: unknown): Record<string, unknown> {
  if (document === undefined || document === null) return {};
  if (typeof document !== 'object' || Array.isArray(document))
    throw new InformerError('config', 'it is not a kubeconfig');
  const { kind, apiVersion } = document as Record<string, unknown>;
  if ((kind ?? 'Config') === 'Config' && (apiVersion ?? 'v1') === 'v1') return document as Record<string, unknown>;
  throw new InformerError(
    'config',
    `it is not a kubeconfig but ${JSON.stringify(kind ?? 'Config')} of version ${JSON.stringify(apiVersion ?? 'v1')}`,
  );
}

/** Reads one of the lists of named entries. The name of an entry without one is ''. */
function named<T>(
  fields: Record<string, unknown>,
  list: string,
  field: string,
  read: (entry: unknown, at: string) => T,
): Map<string, T> {
  const result = new Map<string, T>();
  const value = fields[list];
  if (value === undefined || value === null) return result;
  if (!Array.isArray(value)) throw new InformerError('config', `${list} must be a list`);
  value.forEach((element: unknown, i) => {
    const { name: given, [field]: entry } = (element ?? {}) as Record<string, unknown>;
    const name = readTextEntry(given ?? null, `${list}[${i}].name`);
    if (result.has(name)) throw new InformerError('config', `duplicate name "${name}" in list ${list}`);
    result.set(name, read(entry, `${field} "${name}"`));
  });
  return result;
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
