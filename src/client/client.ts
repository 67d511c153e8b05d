import { abortable } from '../kit/abort.ts';
import { systemClock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';
import type { RandomSource } from '../kit/random.ts';
import { inheriting, surroundingsOf, withSurroundings } from '../kit/surroundings.ts';
import { checkGvr, formatGvr, type GroupVersionResource, sameGvr, type TypedGvr } from '../model/gvr.ts';
import type { UnknownObject } from '../model/object.ts';
import { servedTypesOf, withServedTypes } from '../model/served-types.ts';
import type { ClusterConfig } from './config/cluster-config.ts';
import { Discovery, type DiscoveryOptions } from './discovery/discovery.ts';
import { RestMapper } from './discovery/rest-mapper.ts';
import type { ServerVersion } from './discovery/server-version.ts';
import { createTransport, KNOWN_TRANSPORT_OPTIONS, type TransportOptions } from './http/http-transport.ts';
import { LARGEST_CREDENTIAL, LARGEST_OBJECT } from './http/limits.ts';
import { RefusedWatches } from './http/refused-watches.ts';
import { isSuccess, readWhole, statusErrorOf } from './http/response.ts';
import { ServerReturn } from './http/server-return.ts';
import { TrafficCounter, type TrafficStats } from './http/traffic.ts';
import type { Transport } from './http/transport.ts';
import { onceEach } from './http/warnings.ts';
import { checkRepresentation, KNOWN_RESOURCE_OPTIONS, ResourceApi, type ResourceApiOptions } from './resource-api.ts';

/**
 * Options of {@link createClient}. Those of the transport are refused beside a transport of the caller, but for the clock,
 * the logger, the metrics and `onWarning`. What is made from the client (informers, controllers, recorders, electors, retries …) has its clock, logger and metrics, unless it
 * is given others.
 */
export interface ClientOptions extends TransportOptions {
  /** Called once with each warning of the server, and with each short name that several types have. */
  onWarning?: TransportOptions['onWarning'];
  /** Keeps discovery between runs. Default: none. */
  discoveryStore?: DiscoveryOptions['store'];
  /** The source of random numbers. Default Math.random. */
  random?: RandomSource | undefined;
  /** The default for every {@link Client.resource}. */
  dropManagedFields?: boolean | undefined;
}

/** The traffic of the requests for one type, in one namespace or in all. */
export interface ResourceStats extends TrafficStats {
  readonly gvr: GroupVersionResource;
  readonly namespace: string | undefined;
}

/** Options of {@link Client.raw}. */
export interface RawOptions {
  signal?: AbortSignal | undefined;
  /** The Accept header. Default `application/json`. */
  accept?: string;
  /** Largest body, in bytes. */
  maxBytes?: number;
}

/** Access to one cluster. */
export interface Client extends AsyncDisposable {
  /** Undefined if the client was created from a transport. */
  readonly config: ClusterConfig | undefined;
  readonly transport: Transport;
  readonly discovery: Discovery;
  readonly mapper: RestMapper;
  /** The requests for one type. `T` is the type of its objects, as the caller declares it. It is not checked. */
  resource<T extends object>(gvr: TypedGvr<T>, options?: ResourceApiOptions): ResourceApi<T>;
  resource(gvr: GroupVersionResource, options?: ResourceApiOptions): ResourceApi;
  resource<T extends object>(gvr: GroupVersionResource, options?: ResourceApiOptions): ResourceApi<T>;
  version(options?: { signal?: AbortSignal | undefined }): Promise<ServerVersion>;
  /** Sends a GET and gives the body as text. Rejects with `decode` if it has more than `maxBytes`, default 64 MiB. */
  raw(path: string, options?: RawOptions): Promise<string>;
  /** The traffic of all apis made by {@link resource}, by type and namespace. */
  stats(): ResourceStats[];
  /** Aborts all open requests and closes all connections. `await using` calls it. */
  close(): Promise<void>;
}

/**
 * Creates a client for the server of a config, or for a transport of the caller. It does not connect by itself.
 * Throws `argument` for any other value (a kubeconfig must be loaded with `loadConfig` first) and for unknown options.
 * The error quotes no part of the value.
 * @example
 * const client = createClient(await loadConfig());
 * const pods = client.resource({ group: '', version: 'v1', resource: 'pods' }, { namespace: 'shop' });
 * const { metadata } = await pods.get('web-1');
 */
export function createClient(configOrTransport: ClusterConfig | Transport, options: ClientOptions = {}): Client {
  const { request, server, credentials } = (configOrTransport ?? {}) as Partial<ClusterConfig & Transport>;
  if (typeof request !== 'function' && (typeof server !== 'string' || typeof credentials !== 'function')) {
    throw new InformerError(
      'argument',
      `createClient takes a config or a transport, not ${kindOf(configOrTransport)}`,
      {
        hint: 'of a kubeconfig: createClient(await loadConfig({ kubeconfigText })), of its file: loadConfig({ kubeconfig: path })',
      },
    );
  }
  checkOptions('createClient', options, KNOWN_OPTIONS);
  if (typeof request === 'function') checkOverTransport(options);
  return new ClusterClient(configOrTransport, options);
}

const KNOWN_OPTIONS = {
  ...KNOWN_TRANSPORT_OPTIONS,
  discoveryStore: true,
  random: 'function',
  dropManagedFields: 'boolean',
} satisfies KnownOptionsOf<ClientOptions>;
const KNOWN_RAW_OPTIONS = { signal: 'signal', accept: 'text', maxBytes: 'number' } satisfies KnownOptionsOf<RawOptions>;

const {
  clock: _clock,
  logger: _logger,
  metrics: _metrics,
  onWarning: _onWarning,
  ...OF_TRANSPORT
} = KNOWN_TRANSPORT_OPTIONS;

/** A limit that is silently none would be found under load only. */
function checkOverTransport(options: ClientOptions): void {
  for (const name of Object.keys(OF_TRANSPORT) as (keyof typeof OF_TRANSPORT)[])
    if (options[name] !== undefined)
      throw new InformerError('argument', `createClient: ${name} has no effect on a transport that was made before`, {
        hint: 'give it to the client of the config, whose transport this is, or is over',
      });
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return value instanceof Promise
    ? 'a promise (await it)'
    : typeof value === 'object'
      ? 'any other object'
      : `a ${typeof value}`;
}

class ClusterClient implements Client {
  readonly config: ClusterConfig | undefined;
  readonly transport: Transport;
  readonly discovery: Discovery;
  readonly mapper: RestMapper;
  readonly #dropManagedFields: boolean | undefined;
  readonly #traffic = new Map<
    string,
    { gvr: GroupVersionResource; namespace: string | undefined; traffic: TrafficCounter }
  >();
  #version: Promise<ServerVersion> | undefined;
  readonly #return: ServerReturn;
  readonly #refusedWatches: RefusedWatches;

  constructor(configOrTransport: ClusterConfig | Transport, given: ClientOptions) {
    const options = inheriting(given, configOrTransport);
    withSurroundings(this, options);
    const isTransport = 'request' in configOrTransport; // checked by createClient
    const server = isTransport ? surroundingsOf(configOrTransport).server : configOrTransport.server;
    withSurroundings(configOrTransport, { ...options, server }); // for a transport that is made from this one
    this.config = isTransport ? undefined : configOrTransport;
    this.transport = isTransport ? configOrTransport : createTransport(configOrTransport, options);
    const { clock, logger, discoveryStore } = options;
    this.discovery = new Discovery(this.transport, { clock, logger, server, store: discoveryStore });
    this.mapper = new RestMapper(this.discovery, { onWarning: options.onWarning && onceEach(options.onWarning) });
    withServedTypes(this, {
      server: this.discovery.server,
      snapshot: () => this.discovery.snapshot(),
      invalidate: () => this.discovery.invalidate(),
      resolve: (word) => this.mapper.resolve(word),
    });
    const timing = { clock: clock ?? systemClock, random: options.random ?? Math.random };
    this.#return = new ServerReturn({ transport: this.transport, ...timing });
    this.#refusedWatches = new RefusedWatches(timing);
    this.#dropManagedFields = options.dropManagedFields;
  }

  resource<T extends object = UnknownObject>(
    gvr: GroupVersionResource,
    options: ResourceApiOptions = {},
  ): ResourceApi<T> {
    checkGvr('resource', gvr);
    checkOptions('resource', options, KNOWN_RESOURCE_OPTIONS);
    checkRepresentation(options.as);
    const serverVersion = (signal?: AbortSignal) => this.#versionOnce(signal);
    const traffic = this.#trafficOf(gvr, options.namespace);
    const isNamespaced = async () =>
      (await this.discovery.snapshot()).types.find((type) => sameGvr(type.gvr, gvr))?.namespaced;
    const whenReachable = (signal: AbortSignal) => this.#return.wait(signal);
    const refusedWatches = this.#refusedWatches;
    const own = {
      dropManagedFields: this.#dropManagedFields,
      serverVersion,
      isNamespaced,
      traffic,
      whenReachable,
      refusedWatches,
    };
    const api = withServedTypes(new ResourceApi<T>(this.transport, gvr, { ...own, ...options }), servedTypesOf(this));
    return withSurroundings(api, surroundingsOf(this));
  }

  stats(): ResourceStats[] {
    return [...this.#traffic.values()].map(({ gvr, namespace, traffic }) => ({ gvr, namespace, ...traffic.toJSON() }));
  }

  async version(options: { signal?: AbortSignal | undefined } = {}): Promise<ServerVersion> {
    checkOptions('version', options, { signal: 'signal' });
    const text = await this.raw('/version', { ...options, maxBytes: LARGEST_CREDENTIAL });
    try {
      return JSON.parse(text) as ServerVersion;
    } catch (cause) {
      throw new InformerError('decode', 'the answer of /version is not JSON', {
        cause,
        hint: 'is this a Kubernetes API server?',
      });
    }
  }

  #trafficOf(gvr: GroupVersionResource, namespace: string | undefined): TrafficCounter {
    const key = `${formatGvr(gvr)} ${namespace ?? ''}`;
    const known = this.#traffic.get(key) ?? { gvr, namespace, traffic: new TrafficCounter() };
    this.#traffic.set(key, known);
    return known.traffic;
  }

  /**
   * The server version, requested once for all informers: after an upgrade the older answer is still right. The signal
   * ends the wait of this caller only.
   */
  async #versionOnce(signal: AbortSignal | undefined): Promise<ServerVersion> {
    this.#version ??= this.version().catch((error) => {
      this.#version = undefined; // the next one asks again
      throw error;
    });
    return abortable(this.#version, signal);
  }

  async raw(path: string, options: RawOptions = {}): Promise<string> {
    checkOptions('raw', options, KNOWN_RAW_OPTIONS);
    const { signal, accept = 'application/json', maxBytes = LARGEST_OBJECT } = options;
    const response = await this.transport.request({ method: 'GET', path, headers: { accept }, signal });
    if (!isSuccess(response)) throw await statusErrorOf(response, { verb: 'get' });
    return (await readWhole(response.body, `the answer of ${path}`, maxBytes)).toString('utf8');
  }

  close(): Promise<void> {
    return this.transport.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
