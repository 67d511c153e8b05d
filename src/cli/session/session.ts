import { type Client, type ClientOptions, createClient } from '../../client/client.ts';
import { type ClusterConfig, createConfig } from '../../client/config/cluster-config.ts';
import { type DiscoveryStore, diskDiscoveryStore } from '../../client/discovery/discovery-store.ts';
import { type ResourceSelection, resolveResourceArgs } from '../../client/discovery/resource-args.ts';
import { isRequestTimeout } from '../../client/http/http-exchange.ts';
import { createTransport } from '../../client/http/http-transport.ts';
import { OneShotSilence } from '../../client/http/one-shot-silence.ts';
import type { Transport } from '../../client/http/transport.ts';
import { loadConfig, selectedKubeconfig } from '../../client/kubeconfig.ts';
import { abortable, onAbort } from '../../kit/abort.ts';
import { type Clock, systemClock } from '../../kit/clock.ts';
import { InformerError, isInformerError } from '../../kit/error.ts';
import type { Logger } from '../../kit/logger.ts';
import type { MetricsProvider } from '../../kit/metrics.ts';
import { keepYoungGenerationSmall } from '../../kit/young-generation.ts';
import { FieldSelector } from '../../model/field-selector.ts';
import { LabelSelector } from '../../model/label-selector.ts';
import { statusOf } from '../../model/status.ts';
import { continued } from '../../output/escape.ts';
import { VERSION } from '../../package.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import { type FlagValues, namesOf } from '../args/flag.ts';
import { scenarioOptionsOf } from '../args/scenario-flags.ts';
import { loginFlags, type selectionFlags } from '../args/shared-flags.ts';
import type { Edges } from '../base-command.ts';
import { requestTimeoutError } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { stderrLogger } from '../terminal/logging.ts';
import { writeNotice } from '../terminal/notice.ts';
import { StatusLine } from '../terminal/status-line.ts';
import { StreamEnd } from '../terminal/stream-ending.ts';
import { cacheFolderOf } from './cache-folder.ts';
import { waitText } from './continuity-notices.ts';
import { type ConnectionFlagValues, loadOptionsOf } from './load-options.ts';
import { checkNames, checkNamespaces } from './name-check.ts';
import { type ServeUse, throughServeOf } from './serve-transport.ts';

export type ScopeFlags = Pick<FlagValues<typeof selectionFlags>, 'namespace' | 'all-namespaces'>;

/**
 * What a command works with once its flags are read. Closing it ends every request, and the sandbox it may have
 * started.
 */
export interface Session extends AsyncDisposable {
  readonly io: Io;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly client: Client;
  readonly config: ClusterConfig;
  /**
   * Aborts when the command is to end; the reason says why: SIGINT, SIGTERM, no reader of stdout any more, or the
   * argument of `end`.
   */
  readonly signal: AbortSignal;
  end(reason: unknown): void;
  /** See {@link Edges.atOnce}. */
  readonly atOnce: Set<() => void>;
  /** The types and names that a command line's words mean. */
  resolve(words: readonly string[]): Promise<ResourceSelection[]>;
  /**
   * A kubeconfig that leads to this very cluster; undefined where the environment does so already. It holds
   * credentials.
   */
  kubeconfig(): Promise<string | undefined>;
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
  /** Gets the requests. */
  metrics?: MetricsProvider | undefined;
  /** Wraps the transport, such as to see the requests. */
  through?: ((transport: Transport) => Transport) | undefined;
  /** Lets a running serve of this cluster and user answer lists and watches. Default: the cluster answers them. */
  serve?: ServeUse | undefined;
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
  { once = false, metrics, through, serve }: SessionOptions = {},
): Promise<Session> {
  const startedAt = systemClock.monotonic();
  keepYoungGenerationSmall();
  const sandbox = flags.sandbox || flags.scenario !== undefined ? await startSandbox(flags) : undefined;
  const logger = stderrLogger(io, flags.v ?? 0);
  const config = sandbox ? sandboxConfig(sandbox) : await loadConfig(loadOptionsOf(flags, io, logger));
  const ending = new AbortController();
  const silence = once && flags.timeout === undefined ? silenceOf(config, (error) => ending.abort(error)) : undefined;
  const options: ClientOptions = {
    observer: silence,
    metrics,
    logger,
    clock: systemClock,
    userAgent: `kubectl-informer/${VERSION} (${process.platform}/${process.arch})`,
    qps: flags.qps,
    burst: flags.burst,
    onWarning: (text) => io.stderr.write(`Warning: ${continued(text)}\n`),
    onThrottled: ({ path, status, askedMs, waitMs }) =>
      io.stderr.write(`${waitText(askedMs, waitMs, `${status}, ${continued(path)}`)}\n`),
    discoveryStore: sandbox ? undefined : discoveryStore(flags, config, io, logger),
  };
  const wrap = through ?? (serve && !sandbox ? throughServeOf(config, io, serve) : undefined);
  const client = createClient(wrap ? wrap(createTransport(config, options)) : config, options);
  const following = [signal, io.stdout.closed].map((each) => onAbort(each, () => ending.abort(each.reason)));
  if (flags.timeout !== undefined) {
    following.push(
      systemClock.after(flags.timeout - (systemClock.monotonic() - startedAt), () =>
        ending.abort(new StreamEnd('timeout')),
      ),
    );
  }
  return {
    io,
    startedAt,
    config,
    client,
    logger,
    clock: systemClock,
    signal: ending.signal,
    atOnce,
    end: (reason) => ending.abort(reason),
    async resolve(words) {
      const selections = await abortable(resolveResourceArgs(words, client.mapper), ending.signal).catch((error) =>
        noTypes(error, config),
      );
      await checkNames(selections, client, name, ending.signal);
      return selections;
    },
    kubeconfig: async () =>
      sandbox?.kubeconfig() ??
      (choosesConnection(flags) ? selectedKubeconfig(loadOptionsOf(flags, io, logger)) : undefined),
    notice: (text, table) => writeNotice(io, text, table),
    status: new StatusLine(io),
    async [Symbol.asyncDispose]() {
      for (const each of following) each[Symbol.dispose]();
      silence?.[Symbol.dispose]();
      await client.close();
      await sandbox?.stop();
    },
  };
}

/** How long a command that answers once waits for the next byte of a server. */
const GIVE_UP_MS = 30_000;

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
  if (!(error instanceof StreamEnd)) throw error;
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

function discoveryStore(flags: ConnectionFlagValues, config: ClusterConfig, io: Io, logger: Logger): DiscoveryStore {
  return diskDiscoveryStore({
    directory: cacheFolderOf(flags, io),
    server: config.server,
    clock: systemClock,
    logger,
    onDamaged: (text) => io.stderr.write(`Warning: ${continued(text)}\n`),
  });
}
