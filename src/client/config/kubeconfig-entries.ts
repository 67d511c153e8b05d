import { InformerError } from '../../kit/error.ts';

/**
 * The fields of a kubeconfig cluster that this program uses, with the names of the file.
 * Source: client-go tools/clientcmd/api/v1 Cluster.
 */
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

/** A user of a kubeconfig. Source: client-go tools/clientcmd/api/v1 AuthInfo. */
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

/** The exec section of a user. Source: client-go tools/clientcmd/api/v1 ExecConfig. */
export interface ExecEntry {
  command?: string;
  args?: string[];
  env?: { name?: string; value?: string }[];
  apiVersion?: string;
  installHint?: string;
  provideClusterInfo?: boolean;
  interactiveMode?: string;
}

/** A context of a kubeconfig. Source: client-go tools/clientcmd/api/v1 Context. */
export interface ContextEntry {
  cluster?: string;
  user?: string;
  namespace?: string;
}

/** Reads a value that was parsed from YAML. Throws `config`; the message begins with `at`, the place of the fault. */
type Read = (value: unknown, at: string) => unknown;

/** Reads a text. A number is refused and not converted, because YAML has already changed a value such as `0123`. */
const text: Read = (value, at) => {
  if (value === null) return '';
  if (typeof value !== 'string') throw fault(`${at} must be a string (quote it)`);
  return value;
};

const flag: Read = (value, at) => {
  if (typeof value !== 'boolean') throw fault(`${at} must be true or false`);
  return value;
};

/** Reads base64. It may have line breaks. */
const data: Read = (value, at) => {
  const bare = (text(value, at) as string).replaceAll(/[\r\n]/g, '');
  if (bare.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(bare)) throw fault(`${at} is not base64`);
  return bare;
};

const anything: Read = (value) => value;

function listOf(read: Read): Read {
  return (value, at) => {
    if (!Array.isArray(value)) throw fault(`${at} must be a list`);
    return value.map((item, i) => read(item, `${at}[${i}]`));
  };
}

function mapOf(read: Read): Read {
  return (value, at) =>
    Object.fromEntries(Object.entries(mapping(value, at)).map(([key, item]) => [key, read(item, `${at}.${key}`)]));
}

/** Reads a mapping. Only known fields are kept, and of these only fields with a value (neither null nor ''). */
function fields(known: Readonly<Record<string, Read>>): Read {
  return (value, at) => {
    const result: Record<string, unknown> = {};
    for (const [field, item] of Object.entries(mapping(value, at))) {
      const read = Object.hasOwn(known, field) ? known[field] : undefined;
      const kept = item === undefined || item === null || item === '' ? undefined : read?.(item, `${at}: ${field}`);
      if (kept !== undefined) result[field] = kept;
    }
    return result;
  };
}

function mapping(value: unknown, at: string): object {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw fault(`${at} must be a mapping`);
  return value;
}

const cluster = fields({
  server: text,
  'tls-server-name': text,
  'insecure-skip-tls-verify': flag,
  'certificate-authority': text,
  'certificate-authority-data': data,
  'proxy-url': text,
  'disable-compression': flag,
  extensions: listOf(anything),
});

const exec = fields({
  command: text,
  args: listOf(text),
  env: listOf(fields({ name: text, value: text })),
  apiVersion: text,
  installHint: text,
  provideClusterInfo: flag,
  interactiveMode: text,
});

const user = fields({
  'client-certificate': text,
  'client-certificate-data': data,
  'client-key': text,
  'client-key-data': data,
  token: text,
  tokenFile: text,
  as: text,
  'as-uid': text,
  'as-groups': listOf(text),
  'as-user-extra': mapOf(listOf(text)),
  username: text,
  password: text,
  'auth-provider': fields({ name: text, config: mapOf(text) }),
  exec,
  extensions: listOf(anything),
});

const context = fields({ cluster: text, user: text, namespace: text, extensions: listOf(anything) });

/**
 * Readers of the entries of a kubeconfig. As in kubectl, a field of a wrong type is refused with `config`, and an
 * unknown field is ignored. Source: client-go tools/clientcmd/api/v1 types.go.
 */
export const readCluster = cluster as (value: unknown, at: string) => ClusterEntry;
export const readUser = user as (value: unknown, at: string) => UserEntry;
export const readContext = context as (value: unknown, at: string) => ContextEntry;
export const readTextEntry = text as (value: unknown, at: string) => string;

function fault(text: string): InformerError {
  return new InformerError('config', text);
}
