import type { DiscoverySnapshot } from '../../client/discovery/discovery-snapshot.ts';
import { resolveResourceArgs } from '../../client/discovery/resource-args.ts';
import { RestMapper } from '../../client/discovery/rest-mapper.ts';
import type { FieldSchema } from '../../client/field-schema.ts';
import { listContexts } from '../../client/kubeconfig.ts';
import { InformerError } from '../../kit/error.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { withMore } from '../args/argv.ts';
import { type ConfigFile, lookupIn, readConfigFile } from '../args/config-file.ts';
import { valuesOf } from '../args/flag.ts';
import { connectionFlags, selectionFlags } from '../args/shared-flags.ts';
import type { Io } from '../terminal/io.ts';
import { type CompletedCluster, completedCluster } from './cluster.ts';
import type { Cursor } from './cursor.ts';

const readFlags = {
  ...connectionFlags,
  namespace: selectionFlags.namespace,
  'all-namespaces': selectionFlags['all-namespaces'],
};

/** The questions of completion beyond the line itself: each is asked once, and only when it is needed. */
export class Inquiry {
  readonly cursor: Cursor;
  readonly #io: Io;
  readonly #signal: AbortSignal;
  #config: Promise<ConfigFile> | undefined;
  #cluster: Promise<CompletedCluster> | undefined;

  constructor(cursor: Cursor, io: Io, signal: AbortSignal) {
    this.cursor = cursor;
    this.#io = io;
    this.#signal = signal;
  }

  /** The user's config file. */
  config(): Promise<ConfigFile> {
    const named = this.cursor.line.given.get('config')?.values.at(-1);
    this.#config ??= readConfigFile(named, this.#io.env);
    return this.#config;
  }

  /** The cluster of the line. With several contexts on it, that of the first. Rejects for a sandbox, which has none yet. */
  cluster(): Promise<CompletedCluster> {
    this.#cluster ??= this.#open();
    return this.#cluster;
  }

  async #open(): Promise<CompletedCluster> {
    const flags = await this.#flags();
    if (flags.sandbox || flags.scenario !== undefined)
      throw new InformerError('config', 'the sandbox of a command starts with it: there is nothing to ask yet');
    const { context } = flags;
    const first = context?.includes(',') ? context.split(',', 1)[0] : context;
    return completedCluster({ ...flags, context: first }, this.#io, this.#signal);
  }

  /** The flags that say which cluster and namespaces: of the line, the environment, and the config file. */
  async #flags() {
    const { line, flags, command } = this.cursor;
    const config = await this.config();
    const known = flags.map(({ name }) => name);
    const { given } = withMore(line, flags, 'file', lookupIn(config, command ?? '', known));
    return valuesOf(readFlags, given);
  }

  /** Names in the kubeconfig. */
  async kubeconfig(): Promise<{ readonly contexts: string[]; readonly clusters: string[]; readonly users: string[] }> {
    const kubeconfig = this.cursor.line.given.get('kubeconfig')?.values.at(-1);
    const { names, clusters, users } = await listContexts({ kubeconfig, env: this.#io.env });
    return { contexts: names, clusters, users };
  }

  /** The namespaces of the line; [''] = all. */
  async namespaces(): Promise<string[]> {
    const flags = await this.#flags();
    if (flags['all-namespaces']) return [''];
    const named = flags.namespace ?? [];
    return named.length > 0 ? named : [(await this.cluster()).namespace];
  }

  /** The types that the words name, as far as they are known; none for words that are unfinished or wrong. */
  async typesOf(words: readonly string[]): Promise<ResourceType[]> {
    if (words.length === 0) return [];
    const mapper = knownTypes(await (await this.cluster()).types());
    try {
      return (await resolveResourceArgs(words, mapper)).map(({ type }) => type);
    } catch {
      return [];
    }
  }

  /** The fields of the types of the line. */
  async fields(): Promise<FieldSchema[]> {
    const types = await this.typesOf(this.cursor.words);
    const cluster = await this.cluster();
    const found = await Promise.all(types.map((type) => cluster.fields(type).catch(() => undefined)));
    return found.filter((schema) => schema !== undefined);
  }
}

/** A mapper that asks no server. */
function knownTypes(snapshot: DiscoverySnapshot): RestMapper {
  return new RestMapper({ snapshot: async () => snapshot, isFresh: () => true, invalidate: async () => {} });
}
