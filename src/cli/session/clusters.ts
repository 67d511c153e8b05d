import type { ClusterConfig } from '../../client/config/cluster-config.ts';
import { type LoadConfigOptions, loadConfig, selectedKubeconfig } from '../../client/kubeconfig.ts';
import { systemClock } from '../../kit/clock.ts';
import type { Logger } from '../../kit/logger.ts';
import { CLUSTER } from '../../output/cluster-column.ts';
import type { Edges } from '../base-command.ts';
import { SeveralErrors } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { stderrLogger } from '../terminal/logging.ts';
import { writeNotice } from '../terminal/notice.ts';
import { StatusLine } from '../terminal/status-line.ts';
import { asksForClusters, type ClusterFlagValues, checkClusterFlags, contextsOf } from './cluster-choice.ts';
import { clusterLine, inCluster } from './cluster-error.ts';
import { CommandEnd } from './command-end.ts';
import { connect, discoveryStore } from './connection.ts';
import { loadOptionsOf } from './load-options.ts';
import { type CommandSession, openSession, type Session, type SessionOptions, type Sessions } from './session.ts';
import { spareMemory } from './spare-memory.ts';

/**
 * One cluster of several. Its notices begin with its name. Its `signal` follows that of the command; `end` ends this
 * cluster only. Its types have the name of the cluster.
 */
export interface ClusterSession extends Session {
  readonly cluster: string;
}

/** The sessions of a command that uses several clusters. */
export interface Clusters extends Sessions {
  readonly all: readonly ClusterSession[];
}

/**
 * Opens a session for each context that `--context a,b,c` or `--all-contexts` names. Makes no request, and runs no
 * credential plugin. Two contexts of one cluster are two clusters here.
 *
 * Rejects with `argument` for flags that make no sense for several clusters, and with `config` for a context that does
 * not exist or cannot be used. A context of `--all-contexts` that cannot be used is in `broken`; when all are, it
 * rejects.
 *
 * A command that answers once ends a cluster, with an error, whose server says nothing for 30 s, and not the others.
 */
export async function openClusters(
  flags: ClusterFlagValues & { timeout?: number | undefined },
  { io, signal, atOnce, name }: Edges,
  { once = false, metrics, serve }: Pick<SessionOptions, 'once' | 'metrics' | 'serve'> = {},
): Promise<Clusters> {
  const startedAt = systemClock.monotonic();
  checkClusterFlags(flags);
  const logger = stderrLogger(io, flags.v ?? 0);
  const { usable, broken } = await configsOf(flags, io, logger);
  const ending = new CommandEnd({ io, signal, startedAt, timeout: flags.timeout });
  const command: CommandSession = {
    io,
    clock: systemClock,
    logger,
    startedAt,
    places: [CLUSTER],
    atOnce,
    signal: ending.signal,
    end: (reason) => ending.end(reason),
    notice: (text, table) => writeNotice(io, text, table),
    status: new StatusLine(io),
  };
  const isImpatient = once && flags.timeout === undefined;
  const all = usable.map((context) => openCluster(flags, context, { command, name, isImpatient, metrics, serve }));
  const sparing = spareMemory();
  return {
    ...command,
    all,
    broken,
    async [Symbol.asyncDispose]() {
      sparing.cancel();
      ending[Symbol.dispose]();
      await Promise.all(all.map((each) => each[Symbol.asyncDispose]()));
    },
  };
}

/** Opens the sessions of a command that takes one cluster or several: see {@link openSession}, {@link openClusters}. */
export async function openSessions(
  flags: ClusterFlagValues & { timeout?: number | undefined },
  edges: Edges,
  options: SessionOptions = {},
): Promise<Sessions> {
  if (asksForClusters(flags)) return await openClusters(flags, edges, options);
  const session = await openSession(flags, edges, options);
  return { ...session, all: [session], broken: [] };
}

/** A context with what its kubeconfig says of it. */
interface UsableContext {
  readonly cluster: string;
  readonly config: ClusterConfig;
  readonly logger: Logger;
  readonly options: LoadConfigOptions;
}

async function configsOf(flags: ClusterFlagValues, io: Io, logger: Logger) {
  const usable: UsableContext[] = [];
  const broken: Sessions['broken'][number][] = [];
  for (const cluster of await contextsOf(flags, io)) {
    const own = logger.child({ cluster });
    // several plugins that ask at once could not be distinguished
    const options = { ...loadOptionsOf(flags, io, own), context: cluster, interactive: false };
    try {
      usable.push({ cluster, options, logger: own, config: await loadConfig(options) });
    } catch (cause) {
      const error = inCluster(cluster, cause);
      if (!flags['all-contexts']) throw error;
      broken.push({ cluster, error });
    }
  }
  if (usable.length === 0) throw SeveralErrors.of(broken.map(({ error }) => error));
  return { usable, broken };
}

interface OpenOptions extends Pick<SessionOptions, 'metrics' | 'serve'> {
  readonly command: CommandSession;
  /** The command's words. */
  readonly name: string;
  /** The cluster is ended when its server says nothing. */
  readonly isImpatient: boolean;
}

function openCluster(
  flags: ClusterFlagValues,
  { cluster, config, logger, options }: UsableContext,
  { command, name, isImpatient, metrics, serve }: OpenOptions,
): ClusterSession {
  const { io } = command;
  const own = new AbortController();
  const named = (error: unknown) => inCluster(cluster, error);
  const end = (reason: unknown) => own.abort(named(reason));
  const signal = AbortSignal.any([command.signal, own.signal]);
  const connection = connect(flags, config, {
    io,
    logger,
    name,
    signal,
    cluster,
    onSilent: isImpatient ? end : undefined,
    metrics,
    serve,
    discoveryStore: discoveryStore(flags, config, io, logger),
  });
  return {
    ...command,
    cluster,
    config,
    logger,
    signal,
    end,
    named,
    client: connection.client,
    resolve: (words, onWarning) => connection.resolve(words, onWarning),
    kubeconfig: () => selectedKubeconfig(options),
    notice: (text, table) => command.notice(clusterLine(cluster, text), table),
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}
