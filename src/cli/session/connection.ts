import { type Client, type ClientOptions, createClient } from '../../client/client.ts';
import type { ClusterConfig } from '../../client/config/cluster-config.ts';
import { type DiscoveryStore, diskDiscoveryStore } from '../../client/discovery/discovery-store.ts';
import { type ResourceSelection, resolveResourceArgs } from '../../client/discovery/resource-args.ts';
import { RestMapper } from '../../client/discovery/rest-mapper.ts';
import { isRequestTimeout } from '../../client/http/http-exchange.ts';
import { createTransport } from '../../client/http/http-transport.ts';
import { GIVE_UP_MS, OneShotSilence } from '../../client/http/one-shot-silence.ts';
import type { Transport } from '../../client/http/transport.ts';
import { onceEach } from '../../client/http/warnings.ts';
import { checkNames } from '../../client/name-check.ts';
import { abortable } from '../../kit/abort.ts';
import { systemClock } from '../../kit/clock.ts';
import { InformerError, isInformerError } from '../../kit/error.ts';
import type { Logger } from '../../kit/logger.ts';
import type { MetricsProvider } from '../../kit/metrics.ts';
import { statusOf } from '../../model/status.ts';
import { continued } from '../../output/escape.ts';
import { VERSION } from '../../package.ts';
import { waitText } from '../../stream/notices/continuity-notices.ts';
import { requestTimeoutError } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { StreamEnd } from '../terminal/stream-ending.ts';
import { cacheFolderOf } from './cache-folder.ts';
import { clusterText } from './cluster-error.ts';
import type { ConnectionFlagValues } from './load-options.ts';
import { type ServeUse, throughServeOf } from './serve-transport.ts';

export interface ConnectionOptions {
  readonly io: Io;
  readonly logger: Logger;
  /** The command's words. */
  readonly name: string;
  /** Ends the requests by which types are resolved. */
  readonly signal: AbortSignal;
  /** Called when the server says nothing for too long. Absent = it may take its time. */
  readonly onSilent?: ((error: InformerError) => void) | undefined;
  readonly metrics?: MetricsProvider | undefined;
  readonly through?: ((transport: Transport) => Transport) | undefined;
  readonly serve?: ServeUse | undefined;
  readonly discoveryStore: DiscoveryStore | undefined;
  /** The name of the cluster, which warnings and types get. Undefined for the only one of a command. */
  readonly cluster?: string | undefined;
}

/** The client of one cluster, and what its types are called. Closing it ends every request. */
export interface Connection extends AsyncDisposable {
  readonly client: Client;
  /** The types and names that a command line's words mean in this cluster. `onWarning` gets kubectl's warnings. */
  resolve(words: readonly string[], onWarning?: (text: string) => void): Promise<ResourceSelection[]>;
}

/** Creates the client of a cluster for a command. Makes no request to it. */
export function connect(
  flags: ConnectionFlagValues,
  config: ClusterConfig,
  { io, logger, name, signal, onSilent, metrics, through, serve, discoveryStore, cluster }: ConnectionOptions,
): Connection {
  const silence = onSilent && silenceOf(config, onSilent);
  const about = cluster === undefined ? '' : `${clusterText(cluster)}: `;
  const own: ClientOptions = {
    metrics,
    logger,
    clock: systemClock,
    onWarning: (text) => io.stderr.write(`Warning: ${continued(about + text)}\n`),
    discoveryStore,
  };
  const options: ClientOptions = {
    ...own,
    observer: silence,
    userAgent: `kubectl-informer/${VERSION} (${process.platform}/${process.arch})`,
    qps: flags.qps,
    burst: flags.burst,
    onThrottled: ({ path, status, askedMs, waitMs }) =>
      io.stderr.write(`${continued(about)}${waitText(askedMs, waitMs, `${status}, ${continued(path)}`)}\n`),
  };
  const wrap = through ?? (serve ? throughServeOf(config, io, serve, about) : undefined);
  const client = wrap ? createClient(wrap(createTransport(config, options)), own) : createClient(config, options);
  return {
    client,
    async resolve(words, onWarning) {
      const mapper = onWarning ? new RestMapper(client.discovery, { onWarning: onceEach(onWarning) }) : client.mapper;
      const selections = await abortable(resolveResourceArgs(words, mapper), signal).catch((error) =>
        noTypes(error, config),
      );
      await checkNames(selections, client, name, signal);
      if (cluster === undefined) return selections;
      return selections.map((selection) => ({ ...selection, type: { ...selection.type, cluster } }));
    },
    async [Symbol.asyncDispose]() {
      silence?.[Symbol.dispose]();
      await client.close();
    },
  };
}

function silenceOf(
  { server, requestTimeoutMs = 0 }: ClusterConfig,
  onSilent: (error: InformerError) => void,
): OneShotSilence {
  const limitMs = Math.max(GIVE_UP_MS, requestTimeoutMs);
  const error = new InformerError('sync', `${server} has not sent a byte for ${limitMs / 1000}s`, {
    hint: 'is it the right server, and does a proxy on the way work? --timeout sets how long to wait instead',
  });
  return new OneShotSilence({ clock: systemClock, limitMs, onSilent: () => onSilent(error) });
}

function noTypes(error: unknown, { server }: ClusterConfig): never {
  if (isRequestTimeout(error)) throw requestTimeoutError(error);
  if (isInformerError(error, 'discovery') && !statusOf(error)) throw withCrdHint(error);
  if (!(error instanceof StreamEnd && error.kind === 'timeout')) throw error;
  throw new InformerError('sync', `${server} did not list its types within --timeout`, {
    cause: error,
    hint: 'can the server be reached? a longer --timeout waits longer, --request-timeout limits each request',
  });
}

/** A type that is not like any other may be one whose definition is still to come. */
function withCrdHint(error: InformerError): InformerError {
  const { message, hint = '' } = error;
  if (hint.startsWith('Did you mean')) return error;
  const own = hint === '' ? '' : `${hint}; `;
  return new InformerError('discovery', message, {
    cause: error,
    hint: `${own}--wait-for-crd waits for a type whose definition is to come`,
  });
}

/** Keeps what a server serves between runs. */
export function discoveryStore(
  flags: ConnectionFlagValues,
  config: ClusterConfig,
  io: Io,
  logger: Logger,
): DiscoveryStore {
  return diskDiscoveryStore({
    directory: cacheFolderOf(flags, io),
    server: config.server,
    clock: systemClock,
    logger,
    onDamaged: (text) => io.stderr.write(`Warning: ${continued(text)}\n`),
  });
}
