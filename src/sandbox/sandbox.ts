import { randomInt } from 'node:crypto';
import { onAbort, scope } from '../kit/abort.ts';
import { makeSignedCertificate, type SignedCertificate } from '../kit/certificate.ts';
import { type Clock, systemClock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';
import { type RandomSource, seededRandom } from '../kit/random.ts';
import { withSurroundings } from '../kit/surroundings.ts';
import type { ObjectKey } from '../model/key.ts';
import type { UnknownObject } from '../model/object.ts';
import type { ApiRequest, ApiResponse } from './api/exchange.ts';
import { userNamed } from './auth/authenticate.ts';
import { TokenKeeper } from './auth/token-keeper.ts';
import type { Cluster } from './cluster.ts';
import { ControlPlane, type ControlPlaneSnapshot } from './control-plane.ts';
import { type Incident, isIncident } from './faults/fault.ts';
import { FaultScript } from './faults/fault-script.ts';
import { connectionError, inject } from './faults/inject.ts';
import { featuresOf } from './feature-gates.ts';
import type { ScenarioOptions } from './scenarios/scenario.ts';
import { createScenario, type RunningScenario } from './scenarios/scenarios.ts';
import { copiesOnRead } from './seed/copies-on-read.ts';
import type { TypeReference } from './seed/fixtures.ts';
import { type InProcessOptions, type InProcessTransport, inProcessTransport } from './server/in-process.ts';
import { sandboxKubeconfig } from './server/kubeconfig.ts';
import { RequestLog } from './server/request-log.ts';
import { SocketServer } from './server/socket-server.ts';
import { SkewedClock } from './skewed-clock.ts';
import { KEPT_HISTORY } from './store/event-log.ts';
import type { StoredObject } from './store/stored-object.ts';
import { copy } from './types/copy.ts';
import type { WebhookService } from './webhook-call.ts';

/** Options of {@link Sandbox.start}. */
export interface SandboxOptions {
  /** The port to listen on. Default: 0, which picks a free port. */
  port?: number | undefined;
  /** The address to listen on. Default: 127.0.0.1. */
  host?: string | undefined;
  /** The seed of names, uids and scenarios: the same seed gives the same ones. Default: a random seed. */
  seed?: number | undefined;
  /**
   * The scenario that runs from the start, one of SCENARIO_NAMES. Default: no scenario, so nothing changes by itself.
   */
  scenario?: string | undefined;
  /** The size and the speed of the scenario. */
  scenarioOptions?: ScenarioOptions | undefined;
  /** The only source of time. Default: the system's clock. */
  clock?: Clock | undefined;
  /** How many changes of each type are kept for watches to resume from. Default: 10,000. */
  historySize?: number | undefined;
  /**
   * How long changes are kept for watches, and states for continue tokens, ms. Infinity keeps them without limit.
   * Default: five minutes.
   */
  historyMs?: number | undefined;
  /** How often a quiet watch gets a bookmark, ms. Default: one minute. */
  bookmarkIntervalMs?: number | undefined;
  /** The bearer token of the administrator. Default: a random token. */
  token?: string | undefined;
  /** How long a token of the administrator is accepted, ms. Default: Infinity, so it does not expire. */
  tokenLifetimeMs?: number | undefined;
  /**
   * True: roles and bindings restrict every user. The token of a request says who its user is; a request without a
   * token is from system:anonymous. False, the default: every token may do everything, and only impersonated users are
   * restricted.
   */
  rbac?: boolean | undefined;
  /**
   * Features of a server that are off unless they are named here, as kube-apiserver's `--feature-gates` names them. An
   * unknown name throws `argument`.
   */
  featureGates?: Readonly<Record<string, boolean>> | undefined;
  /**
   * False: the sandbox opens no socket; requests come through {@link Sandbox.handle} and {@link Sandbox.transport}
   * only.
   */
  socket?: boolean | undefined;
  /** False: plain HTTP instead of HTTPS. */
  tls?: boolean | undefined;
  /**
   * Where the service of a webhook answers: `127.0.0.1:8443`. Undefined, the default for every service: it is not there,
   * and the webhook fails.
   */
  resolveService?: ((service: WebhookService) => string | undefined) | undefined;
}

const KNOWN_OPTIONS = {
  port: 'number',
  host: 'text',
  seed: 'number',
  scenario: 'text',
  scenarioOptions: true, // checked where the scenario begins
  clock: 'clock',
  historySize: 'number',
  historyMs: 'number',
  bookmarkIntervalMs: 'number',
  token: 'text',
  tokenLifetimeMs: 'number',
  rbac: 'boolean',
  featureGates: true, // checked where they are read
  socket: 'boolean',
  tls: 'boolean',
  resolveService: 'function',
} satisfies KnownOptionsOf<SandboxOptions>;
const KNOWN_TOKEN_OWNER = {
  user: 'text',
  groups: 'list',
  uid: 'text',
  lifetimeMs: 'number',
} satisfies KnownOptionsOf<TokenOwner>;
const KNOWN_TRANSPORT_OPTIONS = {
  seed: 'number',
  chunkBytes: true,
  token: 'text',
} satisfies KnownOptionsOf<InProcessOptions>;

/** The state of a sandbox, made by {@link Sandbox.snapshot} for {@link Sandbox.restore} of this or another sandbox. */
export interface SandboxSnapshot {
  /** The revision of the latest write in it. */
  readonly resourceVersion: string;
}

const STORED = new WeakMap<SandboxSnapshot, ControlPlaneSnapshot>();

interface RestartOptions {
  readonly keepHistory?: boolean | undefined;
  readonly downMs?: number | undefined;
  /** The state that the server comes back with. Absent: the state that it had. */
  readonly replaced?: ControlPlaneSnapshot | 'wiped' | undefined;
}

/** The user of a token that {@link Sandbox.tokenFor} issues. */
export interface TokenOwner {
  readonly user: string;
  readonly groups?: readonly string[] | undefined;
  readonly uid?: string | undefined;
  readonly lifetimeMs?: number | undefined;
}

const DEFAULTS = {
  port: 0,
  host: '127.0.0.1',
  ...KEPT_HISTORY,
  bookmarkIntervalMs: 60_000,
  tokenLifetimeMs: Number.POSITIVE_INFINITY,
  rbac: false,
  socket: true,
  tls: true,
  resolveService: (_service: WebhookService): string | undefined => undefined,
};

/**
 * A Kubernetes API server in memory: for tests, for demos, and for trying things without a cluster.
 *
 * Promises: it answers as a kube-apiserver 1.36 does, and answers 501 to what it does not implement. After `stop()` no
 * socket, timer or listener is left. The injected clock is the only source of time.
 * @example
 * await using sandbox = await Sandbox.start();
 * sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'shop' } });
 * const client = createClient(sandbox.transport());
 * await client.resource({ group: '', version: 'v1', resource: 'configmaps' }, { namespace: 'shop' }).get('a');
 */
export class Sandbox implements AsyncDisposable {
  /** Faults for chosen requests. */
  readonly faults = new FaultScript();
  /** The requests so far, the latest last. It keeps the latest ones: see {@link RequestLog}. */
  readonly requests = new RequestLog();
  readonly #options: typeof DEFAULTS & Pick<SandboxOptions, 'clock' | 'featureGates'>;
  readonly #clock: SkewedClock;
  readonly #tokens: TokenKeeper;
  #controlPlane: ControlPlane;
  readonly #seed: number;
  readonly #random: RandomSource;
  #certificate: SignedCertificate | undefined;
  #socket: SocketServer | undefined;
  #scenario: RunningScenario | undefined;
  #restarting: Promise<void> | undefined;
  #life = new AbortController();
  /** Aborts when the sandbox stops. `#life` aborts at every restart too. */
  readonly #end = new AbortController();

  private constructor(options: SandboxOptions) {
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    this.#options = { ...DEFAULTS, ...given };
    this.#clock = new SkewedClock(options.clock ?? systemClock);
    this.#tokens = new TokenKeeper(this.#clock, this.#options.tokenLifetimeMs, options.token);
    this.#seed = options.seed ?? randomInt(2 ** 31);
    this.#random = seededRandom(this.#seed);
    this.#controlPlane = this.#createControlPlane();
  }

  #createControlPlane(snapshot?: ControlPlaneSnapshot): ControlPlane {
    const { historySize, historyMs, bookmarkIntervalMs, rbac, featureGates, resolveService } = this.#options;
    const store = { historySize, historyMs, clock: this.#clock };
    return new ControlPlane({
      clock: this.#clock,
      random: this.#random,
      features: featuresOf(featureGates),
      store,
      tokens: this.#tokens,
      resolveService,
      rbac,
      bookmarkIntervalMs,
      snapshot,
    });
  }

  get #cluster(): Cluster {
    return this.#controlPlane.backend.cluster;
  }

  /**
   * Starts a sandbox. Resolves when it answers requests. Rejects with the system's error when it cannot listen on the
   * address, with `argument` for unknown options.
   */
  static async start(options: SandboxOptions = {}): Promise<Sandbox> {
    checkOptions('Sandbox.start', options, KNOWN_OPTIONS);
    const sandbox = new Sandbox(options);
    if (options.scenario) sandbox.startScenario(options.scenario, options.scenarioOptions);
    if (sandbox.#options.socket) await sandbox.#listen(sandbox.#options.port);
    return sandbox;
  }

  /** The latest token of the administrator, also when it has expired. */
  get token(): string {
    return this.#tokens.token;
  }

  /**
   * Issues a token for a user or a service account (`system:serviceaccount:NAMESPACE:NAME`). The account need not
   * exist. The token is accepted for `lifetimeMs`; by default it does not expire. Without `groups` the user is in
   * system:authenticated, and a service account is also in the groups of service accounts.
   */
  tokenFor(owner: TokenOwner): string {
    checkOptions('tokenFor', owner, KNOWN_TOKEN_OWNER);
    const { user, groups, uid, lifetimeMs = Number.POSITIVE_INFINITY } = owner;
    return this.#tokens.issue(userNamed(user, groups, uid), lifetimeMs);
  }

  /** The base URL, such as `https://127.0.0.1:PORT`. Without a socket it is an address that does not answer. */
  get url(): string {
    return `${this.#options.tls ? 'https' : 'http'}://${this.#controlPlane.server.address}`;
  }

  /** The certificate of the authority that clients must trust, as PEM; '' without TLS or without a socket. */
  get caPem(): string {
    return this.#certificate?.ca ?? '';
  }

  get seed(): number {
    return this.#seed;
  }

  /** The revision of the latest write: the resourceVersion of a list at this moment. */
  get resourceVersion(): string {
    return String(this.#cluster.store.revision);
  }

  /** The namespace with objects to look at: that of the scenario, else `default`. */
  get namespace(): string {
    return this.#scenario?.namespace ?? 'default';
  }

  /**
   * A kubeconfig as YAML, with the certificate and a token. Default: the token of the administrator. Its one context is
   * `sandbox`, in the {@link namespace} of the sandbox.
   */
  kubeconfig(options: { token?: string } = {}): string {
    checkOptions('kubeconfig', options, { token: 'text' });
    const { token = this.token } = options;
    return sandboxKubeconfig({ url: this.url, caPem: this.caPem, token, namespace: this.namespace });
  }

  /**
   * Answers a request in this process, as the socket does. A request without an Authorization header is the
   * administrator's. Rejects only where a real connection would break: by a fault, during a restart, after `stop()`.
   */
  handle(request: ApiRequest): Promise<ApiResponse> {
    return this.#serve(request, true);
  }

  /**
   * A transport to the sandbox without a socket, over {@link handle}. A client is created from it instead of from a
   * kubeconfig.
   */
  transport(options: InProcessOptions = {}): InProcessTransport {
    checkOptions('transport', options, KNOWN_TRANSPORT_OPTIONS);
    const transport = inProcessTransport((request) => this.#dated(request, true), {
      ...options,
      seed: options.seed ?? this.#seed,
    });
    // a client over the socket knows the server by its URL
    return withSurroundings(transport, { server: this.#options.socket ? this.url : this.#controlPlane });
  }

  /** Answers a request with a Date header, in the time of the server's clock. */
  async #dated(request: ApiRequest, trusted: boolean): Promise<ApiResponse> {
    const response = await this.#serve(request, trusted);
    return { ...response, headers: { ...response.headers, date: new Date(this.#clock.now()).toUTCString() } };
  }

  async #serve(request: ApiRequest, trusted: boolean): Promise<ApiResponse> {
    if (this.#life.signal.aborted) throw connectionError('ECONNREFUSED');
    const life = this.#life.signal;
    const fault = this.faults.take(request);
    if (fault && isIncident(fault)) return this.#carryOut(fault, request, trusted);
    const serve = (r: ApiRequest) => this.#controlPlane.server.serve(r, { trusted });
    const linked = scope(life);
    const gone = request.signal ? onAbort(request.signal, () => linked.abort()) : undefined;
    const release = () => {
      gone?.[Symbol.dispose]();
      linked[Symbol.dispose]();
    };
    try {
      const followed = { ...request, signal: linked.signal };
      const response = await (fault ? inject(fault, followed, serve, this.#cluster.clock) : serve(followed));
      this.requests.add(request, response.status);
      return { ...response, body: alive(response.body, life, release) };
    } catch (error) {
      release();
      throw error;
    }
  }

  async #carryOut(incident: Incident, request: ApiRequest, trusted: boolean): Promise<ApiResponse> {
    if (incident.kind === 'restart') {
      const { kind: _, wiped, ...how } = incident;
      void (wiped ? this.wipe({ downMs: how.downMs ?? 0 }) : this.restart(how));
      throw connectionError('ECONNRESET');
    }
    if (incident.kind === 'skew') this.skewClock(incident.ms);
    else this.expireToken();
    return this.#serve(request, trusted);
  }

  /**
   * Creates objects, and changes those that exist, as `kubectl apply --server-side --force-conflicts` does: fields that
   * an earlier apply set and that are absent now are removed; fields that only others set stay, also items of lists with
   * keys; a field that others set differently is overwritten. The field manager is `sandbox`.
   *
   * A given status replaces the stored one, and a new object keeps a given uid and creation time. Missing namespaces are
   * created. Accepts an object or an array of objects; a definition in the array may come before objects of its kind.
   * Returns copies. Throws a StatusError for what a server would refuse. {@link put} replaces whole objects.
   */
  apply(objects: object | readonly object[]): UnknownObject[] {
    return this.#written(objects, (object) => this.#controlPlane.fixtures.apply(object));
  }

  /**
   * Creates objects, and replaces those that exist, as `kubectl replace` does: the spec, labels, annotations and
   * finalizers are then the given ones. Only the status stays when none is given. What {@link apply} says about status,
   * uid, namespaces, arrays, copies and errors holds here too.
   */
  put(objects: object | readonly object[]): UnknownObject[] {
    return this.#written(objects, (object) => this.#controlPlane.fixtures.put(object));
  }

  #written(objects: object | readonly object[], write: (object: UnknownObject) => StoredObject): UnknownObject[] {
    const all: readonly object[] = Array.isArray(objects) ? objects : [objects];
    return copiesOnRead(all.map((object) => write({ metadata: {}, ...copy(object) }).object));
  }

  /** A copy of an object; undefined when it does not exist. */
  get(type: TypeReference, key: ObjectKey): UnknownObject | undefined {
    return this.#controlPlane.fixtures.get(type, key);
  }

  /** Copies of all objects of a type, in key order. */
  list(type: TypeReference, options: { namespace?: string } = {}): UnknownObject[] {
    checkOptions('list', options, { namespace: 'text' });
    return this.#controlPlane.fixtures.list(type, options);
  }

  /**
   * Deletes an object as a request of a client does: finalizers and the grace period of a pod delay the deletion.
   * Throws a StatusError with 404 when the object does not exist.
   */
  delete(type: TypeReference, key: ObjectKey, options: { gracePeriodSeconds?: number } = {}): void {
    checkOptions('delete', options, { gracePeriodSeconds: 'number' });
    this.#controlPlane.fixtures.delete(type, key, options);
  }

  /**
   * Forgets all history. From now on older continue tokens get 410, and older watches too unless `watches` is false.
   */
  compact(options: { watches?: boolean } = {}): void {
    checkOptions('compact', options, { watches: 'boolean' });
    this.#cluster.store.compact(options);
  }

  /**
   * Restarts the server under the same address: every connection breaks, and new ones are refused for `downMs`. Objects
   * are kept; history is kept only with `keepHistory`. Resolves when the server is back. During a restart it waits for
   * that one instead of starting another.
   */
  restart(options: { keepHistory?: boolean; downMs?: number } = {}): Promise<void> {
    checkOptions('restart', options, { keepHistory: 'boolean', downMs: 'number' });
    return this.#restartOnce(options);
  }

  /** The present state of all objects, for {@link restore}. */
  snapshot(): SandboxSnapshot {
    const snapshot: SandboxSnapshot = { resourceVersion: this.resourceVersion };
    STORED.set(snapshot, this.#controlPlane.snapshot());
    return snapshot;
  }

  /**
   * Restarts with the state of a snapshot, as a cluster that is restored from a backup: versions continue from that of
   * the snapshot, and later changes are unknown. Tokens and the certificate are kept; a scenario ends. During a restart
   * it waits for that one and restores nothing. Throws `argument` for a value that `snapshot()` did not return.
   */
  restore(snapshot: SandboxSnapshot, options: { downMs?: number } = {}): Promise<void> {
    checkOptions('restore', options, { downMs: 'number' });
    const { downMs = 0 } = options;
    const stored = STORED.get(snapshot);
    if (stored === undefined)
      throw new InformerError('argument', 'restore takes what snapshot() of a sandbox returned');
    return this.#restartOnce({ downMs, replaced: stored });
  }

  /**
   * Restarts as {@link restore} does, with the objects of a new cluster: versions begin at the start, and every object
   * has another uid.
   */
  wipe(options: { downMs?: number } = {}): Promise<void> {
    checkOptions('wipe', options, { downMs: 'number' });
    const { downMs = 0 } = options;
    return this.#restartOnce({ downMs, replaced: 'wiped' });
  }

  #restartOnce(options: RestartOptions): Promise<void> {
    this.#restarting ??= this.#restart(options).finally(() => {
      this.#restarting = undefined;
    });
    return this.#restarting;
  }

  async #restart({ keepHistory = false, downMs = 0, replaced }: RestartOptions): Promise<void> {
    const { port } = this.#socket ?? {};
    this.#life.abort();
    await this.#socket?.stop();
    if (downMs > 0) await this.#cluster.clock.sleep(downMs, { signal: this.#end.signal }).catch(() => {});
    if (this.#end.signal.aborted) return;
    if (replaced) this.#replace(replaced === 'wiped' ? undefined : replaced);
    else if (!keepHistory) this.#cluster.store.compact();
    this.#life = new AbortController();
    if (port !== undefined) await this.#listen(port);
  }

  #replace(snapshot: ControlPlaneSnapshot | undefined): void {
    this.stopScenario();
    const { address } = this.#controlPlane.server;
    this.#controlPlane[Symbol.dispose]();
    this.#controlPlane = this.#createControlPlane(snapshot);
    this.#controlPlane.server.address = address;
  }

  /**
   * Sets how far the server's time of day is ahead, in ms (negative: behind). It shows in the Date header and in the
   * times that the server writes. 0 sets the time right.
   */
  skewClock(ms: number): void {
    this.#clock.skewMs = ms;
  }

  /**
   * Makes the administrator's token expire: it gets 401 until {@link rotateToken}. Requests in this process without
   * credentials still succeed.
   */
  expireToken(): void {
    this.#tokens.expire();
  }

  /**
   * Issues a new token of the administrator and returns it. The token before is no longer accepted; kubeconfigs that
   * were written before still contain it.
   */
  rotateToken(): string {
    return this.#tokens.rotate();
  }

  /**
   * Moves the clock forward by `ms`, and runs everything that is due by then. Throws `argument` unless the sandbox was
   * started with a FakeClock, of kubectl-informer/testing.
   */
  async advance(ms: number): Promise<void> {
    const { clock } = this.#options;
    if (clock && 'advance' in clock && typeof clock.advance === 'function') return void (await clock.advance(ms));
    throw new InformerError('argument', 'this sandbox runs on a clock that moves by itself', {
      hint: 'start it with a FakeClock',
    });
  }

  /**
   * Starts a scenario, in place of the one before. Throws `argument` for an unknown name or an option that is not
   * valid.
   */
  startScenario(name: string, options: ScenarioOptions = {}): void {
    this.stopScenario();
    const { backend } = this.#controlPlane;
    const world = { ...backend, cluster: { ...backend.cluster, random: seededRandom(this.#seed + 1) } };
    this.#scenario = createScenario(name, world, options);
  }

  /** Ends the scenario. Its objects stay as they are. */
  stopScenario(): void {
    this.#scenario?.[Symbol.dispose]();
    this.#scenario = undefined;
  }

  /** Ends the sandbox for good. The bodies of open requests end gracefully. `await using` calls it. */
  async close(): Promise<void> {
    if (this.#end.signal.aborted) return;
    this.#end.abort();
    this.stopScenario();
    this.#controlPlane[Symbol.dispose]();
    this.#life.abort(STOPPED);
    await this.#socket?.stop();
  }

  /** The same as {@link close}. */
  stop(): Promise<void> {
    return this.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #listen(port: number): Promise<void> {
    const { host, tls } = this.#options;
    if (tls) this.#certificate ??= makeSignedCertificate(host, this.#cluster.clock.now());
    const serve = (request: ApiRequest) => this.#dated(request, false);
    this.#socket = await SocketServer.listen({ host, port, certificate: this.#certificate, serve });
    this.#controlPlane.server.address = `${host.includes(':') ? `[${host}]` : host}:${this.#socket.port}`;
  }
}

/** The reason of the abort when the sandbox stops: bodies end gracefully then. In a restart they break. */
const STOPPED = 'stopped';

/** A body that ends or breaks when the server goes away, and that calls `release` at its end. */
async function* alive(
  body: AsyncIterable<Uint8Array>,
  life: AbortSignal,
  release: () => void,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    for await (const chunk of body) {
      if (life.aborted) break;
      yield chunk;
    }
    if (life.aborted && life.reason !== STOPPED) throw connectionError('ECONNRESET');
  } finally {
    release();
  }
}
