import { type Client, createClient } from '../../client/client.ts';
import type { ClusterConfig } from '../../client/config/cluster-config.ts';
import { Discovery } from '../../client/discovery/discovery.ts';
import type { DiscoverySnapshot } from '../../client/discovery/discovery-snapshot.ts';
import { type DiscoveryStore, diskDiscoveryStore } from '../../client/discovery/discovery-store.ts';
import { resolveResourceArgs } from '../../client/discovery/resource-args.ts';
import { RestMapper } from '../../client/discovery/rest-mapper.ts';
import { type FieldSchema, loadFieldSchema } from '../../client/field-schema.ts';
import { keptAnswers } from '../../client/kept-answers.ts';
import { loadConfig } from '../../client/kubeconfig.ts';
import { columnsServed } from '../../client/table-columns.ts';
import { abortable } from '../../kit/abort.ts';
import { systemClock } from '../../kit/clock.ts';
import { silentLogger } from '../../kit/logger.ts';
import type { TableColumn } from '../../model/cells.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { VERSION } from '../../package.ts';
import {
  type IndexValuesRequest,
  type NameScope,
  namesFromServe,
  valuesFromServe,
} from '../../serve/client/serve-names.ts';
import { type FoundServe, serveWithKey } from '../../serve/find.ts';
import { serveIdentity } from '../../serve/folder-key.ts';
import { cacheFolderOf } from '../session/cache-folder.ts';
import { type ConnectionFlagValues, loadOptionsOf } from '../session/load-options.ts';
import type { Io } from '../terminal/io.ts';
import { type CompletedCluster, MOST_NAMES } from './completed-cluster.ts';
import type { Candidate } from './completions.ts';

/** The objects of one page. */
const PAGE = 500;

/**
 * The cluster that these flags lead to. Rejects with `config` if they lead to none. Nothing is written to the cluster,
 * and nothing to stderr.
 */
export async function completedCluster(
  flags: ConnectionFlagValues,
  io: Io,
  signal: AbortSignal,
): Promise<CompletedCluster> {
  const options = loadOptionsOf(flags, io, silentLogger);
  const config = await loadConfig({ ...options, interactive: false, onPluginOutput: () => {} });
  const client = createClient(config, {
    logger: silentLogger,
    onWarning: () => {},
    userAgent: `kubectl-informer/${VERSION} (${process.platform}/${process.arch}) completion`,
  });
  return new Cluster({ client, config, io, signal, folder: cacheFolderOf(flags, io) });
}

interface Parts {
  readonly client: Client;
  readonly config: ClusterConfig;
  readonly io: Io;
  readonly signal: AbortSignal;
  readonly folder: string;
}

class Cluster implements CompletedCluster {
  readonly #parts: Parts;
  readonly #store: DiscoveryStore;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#store = diskDiscoveryStore({
      directory: parts.folder,
      server: parts.config.server,
      clock: systemClock,
      logger: silentLogger,
      maxAgeMs: Number.POSITIVE_INFINITY,
    });
  }

  get namespace(): string {
    return this.#parts.config.namespace;
  }

  types(): Promise<DiscoverySnapshot> {
    return this.#typesBy(this.#store);
  }

  freshTypes(): Promise<DiscoverySnapshot> {
    return this.#typesBy({ ...this.#store, load: async () => undefined });
  }

  #typesBy(store: DiscoveryStore): Promise<DiscoverySnapshot> {
    const { client, signal } = this.#parts;
    const discovery = new Discovery(client.transport, { clock: systemClock, logger: silentLogger, store });
    return abortable(discovery.snapshot(), signal);
  }

  async typesOf(words: readonly string[]): Promise<ResourceType[]> {
    const mapper = knownTypes(await this.types());
    try {
      return (await resolveResourceArgs(words, mapper)).map(({ type }) => type);
    } catch {
      return [];
    }
  }

  async names(type: ResourceType, scope: NameScope): Promise<string[]> {
    const { signal } = this.#parts;
    const serve = this.#serve();
    const kept =
      serve && (await namesFromServe(serve, type, { ...scope, limit: MOST_NAMES }, signal).catch(() => undefined));
    if (kept) return kept;
    const found = new Set<string>();
    const namespaces = type.namespaced ? scope.namespaces : [''];
    await Promise.all(namespaces.map((namespace) => this.#list(type, namespace, scope.prefix, found)));
    return [...found];
  }

  /** Adds names, page by page. When the time is up, those that were found are the answer. */
  async #list(type: ResourceType, namespace: string, prefix: string, found: Set<string>): Promise<void> {
    const { client, signal } = this.#parts;
    const api = client.resource(type.gvr, { as: 'metadata', ...(namespace === '' ? {} : { namespace }) });
    let next: string | undefined;
    try {
      do {
        const page = await api.list({ limit: PAGE, continue: next }, { signal });
        for (const { metadata } of page.items) if (metadata.name?.startsWith(prefix)) found.add(metadata.name);
        next = page.continue;
      } while (next && found.size < MOST_NAMES);
    } catch (error) {
      if (found.size === 0) throw error;
    }
  }

  columns(type: ResourceType): Promise<readonly TableColumn[] | undefined> {
    const { client, config, signal } = this.#parts;
    return abortable(columnsServed(type, type.namespaced ? config.namespace : undefined, { client, signal }), signal);
  }

  async values(asked: IndexValuesRequest): Promise<Candidate[]> {
    const serve = this.#serve();
    return serve ? await valuesFromServe(serve, { ...asked, limit: MOST_NAMES }, this.#parts.signal) : [];
  }

  #serve(): FoundServe | undefined {
    const { config, io } = this.#parts;
    try {
      return serveWithKey(io.env, serveIdentity(config).key);
    } catch {
      return undefined; // its folder is not safe
    }
  }

  fields({ gvr: { group, version }, kind }: ResourceType): Promise<FieldSchema | undefined> {
    const { client, config, folder, signal } = this.#parts;
    const raw = keptAnswers(client, { folder, server: config.server, clock: systemClock });
    return abortable(loadFieldSchema({ raw }, { group, version, kind }, signal), signal);
  }
}

/** A mapper that asks no server. */
function knownTypes(snapshot: DiscoverySnapshot): RestMapper {
  return new RestMapper({ snapshot: async () => snapshot, isFresh: () => true, invalidate: async () => {} });
}
