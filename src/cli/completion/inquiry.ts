import type { FieldSchema } from '../../client/field-schema.ts';
import { InformerError } from '../../kit/error.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { namesOfWord } from '../../serve/client/serve-names.ts';
import { connectionRecord } from '../../serve/connection-record.ts';
import { findServe } from '../../serve/find.ts';
import { withMore } from '../args/argv.ts';
import { type ConfigFile, lookupIn, readConfigFile } from '../args/config-file.ts';
import { namesOf, valuesOf } from '../args/flag.ts';
import { connectionFlags, loginFlags, selectionFlags } from '../args/shared-flags.ts';
import type { Io } from '../terminal/io.ts';
import { type CompletedCluster, MOST_NAMES } from './completed-cluster.ts';
import type { Cursor } from './cursor.ts';

const readFlags = {
  ...connectionFlags,
  namespace: selectionFlags.namespace,
  'all-namespaces': selectionFlags['all-namespaces'],
};

/**
 * The questions of completion beyond the line itself: each is asked once, and only when it is needed. What asks a
 * cluster is loaded by the first question that needs it: it takes longer to load than all the rest.
 */
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
    const { completedCluster } = await import('./open-cluster.ts');
    return completedCluster(flags, this.#io, this.#signal);
  }

  /**
   * Names that begin with `prefix`, of a type as it is written in the line, from the running serve that the line leads
   * to by its connection record. Neither the kubeconfig is read for it, nor what asks a cluster loaded. Undefined where
   * there is no such serve, or where it does not hold the type.
   */
  async namesHeld(type: string, prefix: string): Promise<string[] | undefined> {
    const { env } = this.#io;
    try {
      const { namespace, 'all-namespaces': isEverywhere, ...flags } = await this.#flags();
      const login = Object.fromEntries(namesOf(loginFlags).map((name) => [name, flags[name]]));
      const recordOf = (parts: { readonly account: boolean }) => connectionRecord(login, env, parts);
      const serve = await findServe(env, recordOf, async () => undefined);
      const namespaces = isEverywhere ? [''] : namespace;
      return serve && (await namesOfWord(serve, type, { namespaces, prefix, limit: MOST_NAMES }, this.#signal));
    } catch {
      return undefined; // its folder is not safe, or it does not answer
    }
  }

  /**
   * The flags that say which cluster and namespaces: of the line, the environment, and the config file. Of several
   * contexts the first.
   */
  async #flags() {
    const { line, flags, command } = this.cursor;
    const config = await this.config();
    const known = flags.map(({ name }) => name);
    const { given } = withMore(line, flags, 'file', lookupIn(config, command ?? '', known));
    const values = valuesOf(readFlags, given);
    if (values.sandbox || values.scenario !== undefined)
      throw new InformerError('config', 'the sandbox of a command starts with it: there is nothing to ask yet');
    return { ...values, context: values.context?.split(',', 1)[0] };
  }

  /** Names in the kubeconfig. */
  async kubeconfig(): Promise<{ readonly contexts: string[]; readonly clusters: string[]; readonly users: string[] }> {
    const kubeconfig = this.cursor.line.given.get('kubeconfig')?.values.at(-1);
    const { listContexts } = await import('../../client/kubeconfig.ts');
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
    return words.length === 0 ? [] : (await this.cluster()).typesOf(words);
  }

  /** The fields of the types of the line. */
  async fields(): Promise<FieldSchema[]> {
    const types = await this.typesOf(this.cursor.words);
    const cluster = await this.cluster();
    const found = await Promise.all(types.map((type) => cluster.fields(type).catch(() => undefined)));
    return found.filter((schema) => schema !== undefined);
  }
}
