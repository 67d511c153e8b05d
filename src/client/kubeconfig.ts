import { stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type Clock, systemClock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';
import { defaultLogger, type Logger } from '../kit/logger.ts';
import { nearest } from '../kit/nearest.ts';
import { withoutLogin } from '../kit/secret-free-text.ts';
import { notify } from '../kit/user-callback.ts';
import { withoutEnd } from '../kit/without-end.ts';
import { type Identity, loginOf } from './auth/base-credentials.ts';
import { CredentialSource } from './auth/credentials.ts';
import type { ClusterConfig, CredentialRequest, Credentials, LoginMethod } from './config/cluster-config.ts';
import {
  type ConnectionFlags,
  requestTimeoutMsOf,
  withClusterFlags,
  withUserFlags,
} from './config/connection-flags.ts';
import { inClusterKubeconfig } from './config/in-cluster.ts';
import type { ClusterEntry, ContextEntry, UserEntry } from './config/kubeconfig-entries.ts';
import { type Kubeconfig, parseKubeconfig, readKubeconfig, readKubeconfigObject } from './config/kubeconfig-file.ts';
import { replaceTokens } from './config/kubeconfig-tokens.ts';
import { checkLogin } from './config/login-check.ts';
import { clusterIdentity } from './config/same-cluster-and-user.ts';
import { proxyFromEnvironment } from './http/proxy-environment.ts';

/** Options of {@link loadConfig}: kubectl's flags, a kubeconfig, and the environment. */
export interface LoadConfigOptions extends ConnectionFlags {
  /**
   * The text of a kubeconfig, YAML or JSON. It replaces files and the service account of a pod. Paths in it are
   * relative to the working directory.
   */
  kubeconfigText?: string | undefined;
  /** A kubeconfig as an object with the fields of the file. It replaces files and the service account of a pod. */
  kubeconfigObject?: object | undefined;
  /**
   * The environment, default that of the process. KUBECONFIG, HOME, the in-cluster variables and the proxy variables
   * are read from it, and exec plugins get it.
   */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  clock?: Clock | undefined;
  logger?: Logger | undefined;
  /** Whether an exec plugin may use standard input to ask the user. Default false. */
  interactive?: boolean | undefined;
  /** Called with the output of exec plugins on stderr. */
  onPluginOutput?: ((text: string) => void) | undefined;
  /** The folder of the service account in a pod; for tests. */
  serviceAccountDir?: string | undefined;
}

const KNOWN_OPTIONS = {
  kubeconfig: true,
  kubeconfigText: true,
  kubeconfigObject: true,
  context: 'text',
  cluster: 'text',
  user: 'text',
  namespace: 'text',
  server: 'text',
  token: 'text',
  username: 'text',
  password: 'text',
  as: 'text',
  asGroup: 'list',
  asUid: 'text',
  asUserExtra: 'list',
  requestTimeout: true,
  insecureSkipTlsVerify: 'boolean',
  tlsServerName: 'text',
  certificateAuthority: 'text',
  clientCertificate: 'text',
  clientKey: 'text',
  env: true,
  clock: 'clock',
  logger: 'logger',
  interactive: 'boolean',
  onPluginOutput: 'function',
  serviceAccountDir: 'text',
} satisfies KnownOptionsOf<LoadConfigOptions>;

/**
 * Finds the server and the user as kubectl does: flags, applied to the kubeconfig (`kubeconfig`, else KUBECONFIG, else
 * ~/.kube/config), or else the service account of the pod. `kubeconfigText` and `kubeconfigObject` replace all of
 * these. Does not connect, and runs no plugin.
 *
 * Rejects with `argument` for an unknown option, which could choose another cluster, and for a text in place of a path.
 * Rejects with `config` if there is no usable configuration; the hint says which places were searched.
 * @example
 * const client = createClient(await loadConfig({ context: 'staging' }));
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<ClusterConfig> {
  checkOptions('loadConfig', options, KNOWN_OPTIONS);
  const selection = await select(options);
  const { cluster, clusterName, user, userName } = selection.identity;
  const env = options.env ?? process.env;
  const proxyUrl = cluster['proxy-url'] ?? proxyFromEnvironment(cluster.server, env);
  const { logger = defaultLogger } = options;
  const source = new CredentialSource(selection.identity, {
    clock: options.clock ?? systemClock,
    logger,
    env,
    interactive: options.interactive ?? false,
    onPluginOutput: (text) => notify('onPluginOutput', options.onPluginOutput, logger, text),
    reload: async () => (await select(options)).identity,
    persist: (replacements) => replaceTokens(selection.files, replacements),
  });
  return new LoadedConfig(
    {
      server: cluster.server,
      namespace: options.namespace ?? selection.namespace ?? 'default',
      context: selection.context,
      cluster: clusterName || undefined,
      user: userName || undefined,
      login: loginOf(selection.identity, options.token !== undefined || options.username !== undefined),
      proxyUrl,
      requestTimeoutMs: requestTimeoutMsOf(options.requestTimeout),
      disableCompression: cluster['disable-compression'] === true,
      identity: clusterIdentity({ server: cluster.server, proxyUrl, cluster, userName, user, env }),
    },
    source,
  );
}

/**
 * A kubeconfig in JSON with only the selected cluster and user, for another program that shall use the same cluster.
 * It contains their secrets. Rejects as {@link loadConfig} does.
 */
export async function selectedKubeconfig(options: LoadConfigOptions = {}): Promise<string> {
  const { identity, namespace } = await select(options);
  const name = 'selected';
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    contexts: [{ name, context: { cluster: name, user: name, namespace: options.namespace ?? namespace } }],
    clusters: [{ name, cluster: identity.cluster }],
    users: [{ name, user: identity.user }],
  });
}

/** The contexts, clusters and users of the kubeconfig, by name, and its current context. */
export async function listContexts(
  options: LoadConfigOptions = {},
): Promise<{ current: string | undefined; names: string[]; clusters: string[]; users: string[] }> {
  const kubeconfig = await readKubeconfig(await kubeconfigFiles(options));
  return {
    current: kubeconfig.currentContext,
    names: [...kubeconfig.contexts.keys()],
    clusters: [...kubeconfig.clusters.keys()],
    users: [...kubeconfig.users.keys()],
  };
}

class LoadedConfig implements ClusterConfig {
  readonly server: string;
  readonly namespace: string;
  readonly context: string | undefined;
  readonly cluster: string | undefined;
  readonly user: string | undefined;
  readonly login: LoginMethod | undefined;
  readonly proxyUrl: string | undefined;
  readonly requestTimeoutMs: number | undefined;
  readonly disableCompression: boolean;
  readonly identity: string | undefined;
  readonly #source: CredentialSource;

  constructor(facts: Omit<ClusterConfig, 'credentials'>, source: CredentialSource) {
    this.server = facts.server;
    this.namespace = facts.namespace;
    this.context = facts.context;
    this.cluster = facts.cluster;
    this.user = facts.user;
    this.login = facts.login;
    this.proxyUrl = facts.proxyUrl;
    this.requestTimeoutMs = facts.requestTimeoutMs;
    this.disableCompression = facts.disableCompression;
    this.identity = facts.identity;
    this.#source = source;
  }

  credentials(request?: CredentialRequest): Promise<Credentials> {
    return this.#source.get(request);
  }
}

interface Selection {
  readonly identity: Identity;
  readonly context: string | undefined;
  readonly namespace: string | undefined;
  /** The kubeconfig files that exist. */
  readonly files: readonly string[];
}

async function select(options: LoadConfigOptions): Promise<Selection> {
  const given = await givenKubeconfig(options);
  const files = given ? given.files.slice() : await kubeconfigFiles(options);
  const fromFiles = given ?? (await readKubeconfig(files));
  const kubeconfig = !given && isEmpty(fromFiles) ? ((await inClusterKubeconfig(options)) ?? fromFiles) : fromFiles;
  if (given && isEmpty(given) && options.server === undefined)
    throw new InformerError('config', `there is no cluster in ${given.files[0]}`);
  const [contextName, context] = contextOf(kubeconfig, options, files);
  const clusterName = options.cluster ?? context.cluster ?? '';
  const userName = options.user ?? context.user ?? '';
  const cluster = withClusterFlags(clusterOf(kubeconfig, clusterName, options), options);
  const user = withUserFlags(userOf(kubeconfig, userName, options), options);
  checkLogin(user, userName);
  const server = serverUrl(cluster, clusterName);
  const identity = { clusterName, userName, cluster: { ...cluster, server }, user };
  return { identity, context: contextName, namespace: context.namespace, files: given ? [] : fromFiles.files };
}

/** The kubeconfig given as text or object. Its errors quote no part of it. */
async function givenKubeconfig({
  kubeconfig,
  kubeconfigText,
  kubeconfigObject,
}: LoadConfigOptions): Promise<Kubeconfig | undefined> {
  const given = Object.entries({ kubeconfig, kubeconfigText, kubeconfigObject }).filter(
    ([, value]) => value !== undefined,
  );
  if (given.length > 1)
    throw new InformerError('argument', `only one of ${given.map(([name]) => name).join(' and ')} can be given`);
  if (kubeconfigText !== undefined) {
    if (typeof kubeconfigText !== 'string')
      throw new InformerError('argument', 'kubeconfigText must be a text', { hint: OBJECT_HINT });
    return parseKubeconfig(kubeconfigText, 'kubeconfigText');
  }
  if (kubeconfigObject === undefined) return undefined;
  if (typeof kubeconfigObject !== 'object' || kubeconfigObject === null || Array.isArray(kubeconfigObject)) {
    throw new InformerError('argument', 'kubeconfigObject must be an object with the fields of a kubeconfig', {
      hint: TEXT_HINT,
    });
  }
  if (typeof (kubeconfigObject as { exportConfig?: unknown }).exportConfig === 'function') {
    throw new InformerError(
      'argument',
      "kubeconfigObject is a KubeConfig of @kubernetes/client-node, whose fields are not a kubeconfig's",
      {
        hint: 'pass its text: { kubeconfigText: config.exportConfig() }',
      },
    );
  }
  return readKubeconfigObject(kubeconfigObject, 'kubeconfigObject');
}

const TEXT_HINT = 'a text goes into kubeconfigText, the path of a file into kubeconfig';
const OBJECT_HINT = 'an object goes into kubeconfigObject, the path of a file into kubeconfig';

/** The files to read: the option `kubeconfig`, which must exist; else the KUBECONFIG list; else the file in the home. */
export async function kubeconfigFiles({ kubeconfig, env = process.env }: LoadConfigOptions): Promise<string[]> {
  if (kubeconfig && (typeof kubeconfig !== 'string' || /[\r\n]|^\s*[{]|^apiVersion:/.test(kubeconfig))) {
    throw new InformerError('argument', 'kubeconfig must be the path of a file, and this value cannot be one', {
      hint: TEXT_HINT,
    });
  }
  if (kubeconfig) {
    await stat(kubeconfig).catch((cause) => {
      throw new InformerError('config', `stat ${kubeconfig}: no such file or directory`, {
        cause,
        hint: 'give an existing file to `kubeconfig`',
      });
    });
    return [kubeconfig];
  }
  const list = env.KUBECONFIG?.split(path.delimiter).filter(Boolean) ?? [];
  if (list.length > 0) return [...new Set(list)];
  return [path.join(env.HOME || env.USERPROFILE || os.homedir(), '.kube', 'config')];
}

function isEmpty({ clusters, users, contexts, currentContext }: Kubeconfig): boolean {
  return clusters.size + users.size + contexts.size === 0 && currentContext === undefined;
}

function contextOf(
  kubeconfig: Kubeconfig,
  options: LoadConfigOptions,
  files: string[],
): [string | undefined, ContextEntry] {
  const name = options.context ?? kubeconfig.currentContext;
  if (name !== undefined) {
    const context = kubeconfig.contexts.get(name);
    if (!context)
      throw new InformerError('config', `context "${name}" does not exist`, {
        hint: unknownContextHint(name, kubeconfig),
      });
    return [name, context];
  }
  if (options.server !== undefined || options.cluster !== undefined) return [undefined, {}];
  if (isEmpty(kubeconfig)) throw nothingFound(files, kubeconfig.files);
  throw new InformerError('config', `no current context is set in ${kubeconfig.files.join(', ')}`, {
    hint: contextsHint(kubeconfig),
  });
}

function unknownContextHint(name: string, kubeconfig: Kubeconfig): string {
  const hint = contextsHint(kubeconfig);
  const areContexts = name.includes(',') && name.split(',').every((each) => kubeconfig.contexts.has(each.trim()));
  if (areContexts) return `only watch and query take several contexts; ${hint}`;
  const [near] = nearest(name, kubeconfig.contexts.keys(), 1);
  return near === undefined ? hint : `did you mean ${JSON.stringify(near)}? ${hint}`;
}

function contextsHint({ contexts, files }: Kubeconfig): string {
  if (contexts.size === 0)
    return `there are no contexts in ${files.join(', ') || 'any kubeconfig'}; \`server\` URL connects without one`;
  return `choose one with \`context\`: ${[...contexts.keys()].join(', ')}`;
}

function nothingFound(files: readonly string[], found: readonly string[]): InformerError {
  if (found.length > 0) {
    const [names, are] = [found.join(', '), found.length > 1 ? 'are' : 'is'];
    return new InformerError('config', `no cluster to connect to: ${names} ${are} empty`, {
      hint: 'name another file with `kubeconfig` or KUBECONFIG, or try without a cluster: `kubectl-informer/sandbox`',
    });
  }
  return new InformerError('config', 'no cluster to connect to: no kubeconfig was found, and this is not a pod', {
    hint: `looked for ${files.join(', ')} and a service account; name a file with \`kubeconfig\`, or try without a cluster: \`kubectl-informer/sandbox\``,
  });
}

function clusterOf({ clusters, files }: Kubeconfig, name: string, { server }: ConnectionFlags): ClusterEntry {
  const cluster = clusters.get(name);
  if (cluster) return cluster;
  if (server !== undefined) return {};
  throw new InformerError('config', `no server found for cluster "${name}"`, {
    hint: `it is not among the clusters of ${files.join(', ')}`,
  });
}

function userOf({ users, files }: Kubeconfig, name: string, flags: ConnectionFlags): UserEntry {
  const user = users.get(name);
  if (user) return user;
  if (name === '' || flags.token !== undefined || flags.username !== undefined || flags.clientCertificate !== undefined)
    return {};
  throw new InformerError('config', `auth info "${name}" does not exist`, {
    hint: `it is not among the users of ${files.join(', ')}`,
  });
}

/** The URL of a server; without a scheme it is https if there are TLS settings. Source: client-go rest/url_utils.go. */
function serverUrl(cluster: ClusterEntry, clusterName: string): string {
  const { server } = cluster;
  if (!server)
    throw new InformerError('config', `no server found for cluster "${clusterName}"`, {
      hint: 'set it in the kubeconfig or give `server` URL',
    });
  const secure =
    cluster['certificate-authority'] ?? cluster['certificate-authority-data'] ?? cluster['insecure-skip-tls-verify'];
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(server)?.[1]?.toLowerCase() ?? 'https';
  if (scheme !== 'https' && scheme !== 'http') {
    throw new InformerError('config', `unsupported protocol scheme "${scheme}" of the server`, {
      hint: 'write it as https://host:port',
    });
  }
  const text = /^https?:\/\//i.test(server) ? server : `${secure ? 'https' : 'http'}://${server}`;
  try {
    const url = new URL(text);
    return `${url.origin}${withoutEnd(url.pathname, '/')}`;
  } catch {
    // no cause: it quotes the text, which may have a password
    throw new InformerError('config', `server ${JSON.stringify(withoutLogin(server))} is not a URL`, {
      hint: 'write it as https://host:port',
    });
  }
}
