import type { Client } from '../../client/client.ts';
import { type ClusterConfig, createConfig } from '../../client/config/cluster-config.ts';
import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import type { Transport } from '../../client/http/transport.ts';
import { loadConfig, selectedKubeconfig } from '../../client/kubeconfig.ts';
import { checkNamespaces } from '../../client/name-check.ts';
import { type Clock, systemClock } from '../../kit/clock.ts';
import type { Logger } from '../../kit/logger.ts';
import type { MetricsProvider } from '../../kit/metrics.ts';
import { FieldSelector } from '../../model/field-selector.ts';
import { LabelSelector } from '../../model/label-selector.ts';
import { isUnauthorized } from '../../model/status.ts';
import type { PlaceColumn } from '../../output/printer.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import { type FlagValues, namesOf } from '../args/flag.ts';
import { scenarioOptionsOf } from '../args/scenario-flags.ts';
import { loginFlags, type selectionFlags } from '../args/shared-flags.ts';
import type { Edges } from '../base-command.ts';
import type { Io } from '../terminal/io.ts';
import { stderrLogger } from '../terminal/logging.ts';
import { writeNotice } from '../terminal/notice.ts';
import { StatusLine } from '../terminal/status-line.ts';
import { CommandEnd } from './command-end.ts';
import { connect, discoveryStore } from './connection.ts';
import { type ConnectionFlagValues, loadOptionsOf } from './load-options.ts';
import type { ServeUse } from './serve-transport.ts';
import { spareMemory } from './spare-memory.ts';

export type ScopeFlags = Pick<FlagValues<typeof selectionFlags>, 'namespace' | 'all-namespaces'>;

/** The part of a session that belongs to the command, and not to a cluster. */
export interface CommandSession {
  readonly io: Io;
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * Aborts when the command is to end; the reason says why: SIGINT, SIGTERM, no reader of stdout any more, or the
   * argument of `end`.
   */
  readonly signal: AbortSignal;
  end(reason: unknown): void;
  /** See {@link Edges.atOnce}. */
  readonly atOnce: Set<() => void>;
  /** The columns that say in which of several clusters an object is. Default: none, because there is one. */
  readonly places?: readonly PlaceColumn[] | undefined;
  /** When it was opened, on the monotonic clock. */
  readonly startedAt: number;
  /**
   * One line on stderr, for what a person should know: further lines of it are indented. A `table` below it has lines
   * of its own.
   */
  notice(text: string, table?: string): void;
  /** How far things are, for a person who waits. */
  readonly status: StatusLine;
}

/**
 * The parts that a command works with once its flags are read. Closing it ends every request, and the sandbox it may
 * have started.
 */
export interface Session extends CommandSession, AsyncDisposable {
  readonly client: Client;
  readonly config: ClusterConfig;
  /** The name of the cluster in a command that uses several: its context. Undefined in all others. */
  readonly cluster?: string | undefined;
  /** The same error, with the name of the cluster in a command that uses several. */
  named(error: unknown): unknown;
  /** The types and names that a command line's words mean. Warnings go to stderr, or to `onWarning`. */
  resolve(words: readonly string[], onWarning?: (text: string) => void): Promise<ResourceSelection[]>;
  /**
   * A kubeconfig that leads to this very cluster; undefined where the environment does so already. It holds
   * credentials.
   */
  kubeconfig(): Promise<string | undefined>;
}

/** The sessions of a command, one for each of its clusters. Closing them ends every request. */
export interface Sessions extends CommandSession, AsyncDisposable {
  /** At least one. Several clusters are in the order of their names. */
  readonly all: readonly Session[];
  /**
   * Contexts that lead to no cluster, because an entry of the kubeconfig is missing or wrong. Only with
   * `--all-contexts`: with a list of contexts they are an error. The error names the cluster.
   */
  readonly broken: readonly { readonly cluster: string; readonly error: unknown }[];
}

/** The part of a session that asks the server. */
export interface Server {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A server, and the way to say something about its answers. */
export interface ReportingServer extends Server {
  notice(text: string): void;
}

/** A server, and how it is reached. */
export interface ConfiguredServer extends Server {
  readonly config: ClusterConfig;
}

/**
 * The namespaces that flags and context name: [''] for all, else at least one, each once. Throws `argument` for a name
 * that no namespace can have.
 */
export function namespacesOf(flags: ScopeFlags, config: ClusterConfig): string[] {
  if (flags['all-namespaces']) return [''];
  const named = [...new Set(flags.namespace ?? [])];
  checkNamespaces(named);
  return named.length > 0 ? named : [config.namespace];
}

export type SelectorFlags = Partial<Pick<FlagValues<typeof selectionFlags>, 'selector' | 'field-selector'>>;

/**
 * Throws `argument` for selectors that cannot be read, before a server is asked. Which fields are legal only the server
 * knows.
 */
export function checkSelectors(flags: SelectorFlags): void {
  LabelSelector.parse(flags.selector ?? '');
  FieldSelector.parse(flags['field-selector'] ?? '');
}

export interface SessionOptions {
  /** Whether the command answers once. */
  once?: boolean | undefined;
  metrics?: MetricsProvider | undefined;
  /** Wraps the transport, such as to see the requests. */
  through?: ((transport: Transport) => Transport) | undefined;
  /** Lets a running serve of this cluster and user answer lists and watches. Default: the cluster answers them. */
  serve?: ServeUse | undefined;
  /** Takes the place of the cluster: a recording of one. */
  instead?: ServerInstead | undefined;
}

/** A server in the place of the cluster, with a time of its own. */
export interface ServerInstead {
  readonly transport: Transport;
  readonly clock: Clock;
  /** The error of a word that means no type of it. */
  explained(error: unknown): unknown;
}

/**
 * Opens a session: on an embedded sandbox with `--sandbox`, else on the cluster of the flags and the kubeconfig. Makes
 * no request to it. With `timeout` it is ended that many ms after now. A command that answers once is also ended, with
 * an error, by a server that says nothing for 30 s (or for `--request-timeout`, if that is longer), unless `timeout`
 * sets another limit.
 */
export async function openSession(
  flags: ConnectionFlagValues & { timeout?: number | undefined },
  { io, signal, atOnce, name }: Edges,
  { once = false, metrics, through, serve, instead }: SessionOptions = {},
): Promise<Session> {
  const startedAt = systemClock.monotonic();
  const sandbox = flags.sandbox || flags.scenario !== undefined ? await startSandbox(flags) : undefined;
  const logger = stderrLogger(io, flags.v ?? 0);
  const config = instead
    ? createConfig({ server: 'https://recording.invalid' })
    : sandbox
      ? sandboxConfig(sandbox)
      : await loadConfig(loadOptionsOf(flags, io, logger));
  const ending = new CommandEnd({ io, signal, startedAt, timeout: flags.timeout });
  const connection = connect(flags, config, {
    io,
    logger,
    name,
    signal: ending.signal,
    onSilent: once && flags.timeout === undefined ? (error) => ending.end(error) : undefined,
    metrics,
    through: instead ? () => instead.transport : through,
    serve: sandbox || instead ? undefined : serve,
    discoveryStore: sandbox || instead ? undefined : discoveryStore(flags, config, io, logger),
  });
  const sparing = spareMemory();
  return {
    io,
    startedAt,
    config,
    logger,
    clock: instead?.clock ?? systemClock,
    signal: ending.signal,
    atOnce,
    end: (reason) => ending.end(reason),
    client: connection.client,
    named: (error) => error,
    resolve: (words, onWarning) =>
      connection.resolve(words, onWarning).catch((error) => refuseLogin(instead?.explained(error) ?? error, config)),
    kubeconfig: async () =>
      sandbox?.kubeconfig() ??
      (choosesConnection(flags) ? selectedKubeconfig(loadOptionsOf(flags, io, logger)) : undefined),
    notice: (text, table) => writeNotice(io, text, table),
    status: new StatusLine(io),
    async [Symbol.asyncDispose]() {
      sparing.cancel();
      ending[Symbol.dispose]();
      await connection[Symbol.asyncDispose]();
      await sandbox?.stop();
    },
  };
}

/** Throws the error; a 401 says what of the credentials has expired. */
async function refuseLogin(error: unknown, config: ClusterConfig): Promise<never> {
  if (!isUnauthorized(error)) throw error;
  const { withExpiry } = await import('../../client/auth/login-expiry.ts');
  throw await withExpiry(error, config, systemClock.now());
}

function choosesConnection(flags: ConnectionFlagValues): boolean {
  return namesOf(loginFlags).some((name) => flags[name] !== undefined);
}

async function startSandbox({
  scenario = 'rollout',
  pods,
  rate,
  seed,
  faults = '',
}: ConnectionFlagValues): Promise<Sandbox> {
  const { parseFaults, Sandbox } = await import('../../sandbox/index.ts');
  const rules = parseFaults(faults);
  const scenarioOptions = scenarioOptionsOf(scenario, { pods, rate });
  const sandbox = await Sandbox.start({ scenario, scenarioOptions, ...(seed === undefined ? {} : { seed }) });
  for (const rule of rules) sandbox.faults.add(rule);
  return sandbox;
}

function sandboxConfig(sandbox: Sandbox): ClusterConfig {
  return createConfig({
    server: sandbox.url,
    token: sandbox.token,
    namespace: sandbox.namespace,
    tls: { ca: sandbox.caPem },
  });
}
