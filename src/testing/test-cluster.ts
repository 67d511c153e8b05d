import { type Client, createClient } from '../client/client.ts';
import type { Transport } from '../client/http/transport.ts';
import { loadConfig } from '../client/kubeconfig.ts';
import { AccessRecord } from '../hooks/access/observed-access.ts';
import { isFixedName, shownAccess } from '../hooks/access/program-access.ts';
import { type Access, observedTransport } from '../hooks/access/request-access.ts';
import { InformerError } from '../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';
import { formatGroupVersion, parseGroupVersion, parseGvr } from '../model/gvr.ts';
import type { UnknownObject } from '../model/object.ts';
import { isAlreadyExists, isNotFound } from '../model/status.ts';
import { Sandbox, type SandboxOptions } from '../sandbox/index.ts';
import { eventually } from './eventually.ts';

/** Options of {@link startTestCluster}. */
export interface TestClusterOptions {
  /** The kubeconfig file of a cluster to test on. Default: that of the variable TEST_KUBECONFIG. Empty: a sandbox. */
  kubeconfig?: string | undefined;
  /** The sandbox, if one is used. Default: without a socket. */
  sandbox?: SandboxOptions | undefined;
  /**
   * A file to which `programClient` writes what its requests need, for `reconcile rbac --observed`. A namespace that
   * `namespace` made stands for any. Leases, Secrets and definitions elsewhere are meant by their names.
   */
  observe?: string | undefined;
}

/** A cluster for a test. What it created goes when it is disposed. */
export interface TestCluster extends AsyncDisposable {
  /** The cluster in words, for the report of a test: `a sandbox`, or `https://10.0.0.1:6443`. */
  readonly name: string;
  /** Undefined on another cluster. */
  readonly sandbox: Sandbox | undefined;
  /** For the test itself: it may do everything that the kubeconfig may. */
  readonly client: Client;
  /** A client for the program under test. With `as` it is that user, so that RBAC decides: `system:serviceaccount:a:b`. */
  programClient(options?: { as?: string | undefined }): Client;
  /** Creates a namespace with a name of its own. */
  namespace(prefix?: string): Promise<string>;
  /** Creates objects, or replaces those of their names. It waits until the types of a definition are served. */
  install(...objects: readonly UnknownObject[]): Promise<void>;
}

const NAMESPACES = parseGvr('v1/namespaces');

/**
 * Starts a cluster for tests: a sandbox, or the cluster of TEST_KUBECONFIG. `name` says which it is.
 * @example
 * await using cluster = await startTestCluster();
 * t.diagnostic(`tested on ${cluster.name}`);
 * await cluster.install(shops.definition);
 */
export async function startTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  checkOptions('startTestCluster', options, KNOWN_OPTIONS);
  const { kubeconfig = process.env.TEST_KUBECONFIG, observe: file } = options;
  const config = kubeconfig ? await loadConfig({ kubeconfig }) : undefined;
  const sandbox = config ? undefined : await Sandbox.start({ socket: false, ...options.sandbox });
  const client = createClient(config ?? (sandbox as Sandbox).transport());
  const failed = (error: Error) => {
    throw error;
  };
  const record = file === undefined ? undefined : new AccessRecord(file, failed, { keepsNames: true });
  const own = new Set<string>();
  const undo: (() => Promise<unknown>)[] = [];
  const clients: Client[] = [];

  const programClient = ({ as }: { as?: string | undefined } = {}): Client => {
    const transport = as === undefined ? client.transport : impersonating(client.transport, as);
    const observe = record && ((access: Access) => shownAccess(access, own).forEach((each) => void record.add(each)));
    const made = createClient(observe ? observedTransport(transport, observe, isFixedName) : transport);
    clients.push(made);
    return made;
  };
  const install = async (object: UnknownObject): Promise<void> => {
    const { apiVersion = '', kind = '', metadata } = object;
    const type = await client.mapper.typeOfKind({ ...parseGroupVersion(apiVersion), kind });
    if (!type) throw new InformerError('discovery', `the cluster serves no ${apiVersion} ${kind}`);
    const api = client.resource(type.gvr, type.namespaced ? { namespace: metadata.namespace ?? 'default' } : {});
    const { name = '' } = metadata;
    try {
      await api.create(object);
      undo.push(() => api.delete(name).catch(ignoringNotFound));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const { resourceVersion, deletionTimestamp } = (await api.get(name)).metadata;
      if (deletionTimestamp) throw new InformerError('sync', `${kind} ${name} of an earlier run is being deleted`);
      await api.update({ ...object, metadata: { ...metadata, ...(resourceVersion ? { resourceVersion } : {}) } });
    }
    if (kind === 'CustomResourceDefinition') await served(client, object);
  };
  return {
    name: config ? config.server : 'a sandbox',
    sandbox,
    client,
    programClient,
    async namespace(prefix = 'test-') {
      const { metadata } = await client.resource(NAMESPACES).create({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { generateName: prefix },
      });
      const { name = '' } = metadata;
      own.add(name);
      undo.push(() => client.resource(NAMESPACES).delete(name).catch(ignoringNotFound));
      return name;
    },
    async install(...objects) {
      for (const object of objects) await eventually(() => install(object).then(() => true), { timeoutMs: 30_000 });
    },
    async [Symbol.asyncDispose]() {
      for (const step of undo.reverse()) await step();
      for (const each of clients) await each.close();
      await client.close();
      await sandbox?.stop();
    },
  };
}

const KNOWN_OPTIONS = {
  kubeconfig: 'text',
  sandbox: 'object',
  observe: 'text',
} as const satisfies KnownOptionsOf<TestClusterOptions>;

function ignoringNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

/** Waits until each served version of a definition can be listed: a server serves them a moment later. */
async function served(client: Client, { spec }: UnknownObject): Promise<void> {
  const { group, names, versions } = spec as {
    group: string;
    names: { plural: string };
    versions: { name: string; served?: boolean }[];
  };
  for (const { name, served: isServed } of versions) {
    if (isServed === false) continue;
    const path = `/apis/${formatGroupVersion({ group, version: name })}`;
    const isListed = (text: string) =>
      (JSON.parse(text) as { resources: { name: string }[] }).resources.some((each) => each.name === names.plural);
    await eventually(() => client.raw(path).then(isListed), { timeoutMs: 30_000 });
  }
  await client.discovery.invalidate();
}

function impersonating(transport: Transport, user: string): Transport {
  return {
    request: (request) => transport.request({ ...request, headers: { ...request.headers, 'impersonate-user': user } }),
    close: async () => {},
  };
}
