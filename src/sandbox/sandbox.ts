import { randomInt } from 'node:crypto';
import { dump } from 'js-yaml';
import { onAbort, scope } from '../kit/abort.ts';
import { type Clock, systemClock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';
import { type Random, seededRandom } from '../kit/random.ts';
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
import type { ScenarioOptions } from './scenarios/scenario.ts';
import { createScenario, type RunningScenario } from './scenarios/scenarios.ts';
import { copiesOnRead } from './seed/copies-on-read.ts';
import type { TypeReference } from './seed/fixtures.ts';
import { type Certificate, makeCertificate } from './server/certificate.ts';
import { type InProcessOptions, type InProcessTransport, inProcessTransport } from './server/in-process.ts';
import { RequestLog } from './server/request-log.ts';
import { SocketServer } from './server/socket-server.ts';
import { SkewedClock } from './skewed-clock.ts';
import { copy } from './types/copy.ts';

export interface SandboxOptions {
  /** 0, the default, picks a free port. */
  port?: number | undefined;
  /** 127.0.0.1 unless said. */
  host?: string | undefined;
  /** Makes names, uids and scenarios repeatable. Drawn at random unless said. */
  seed?: number | undefined;
  /** What moves by itself from the start, one of SCENARIO_NAMES. Nothing unless said. */
  scenario?: string | undefined;
  /** How large and how fast that is. */
  scenarioOptions?: ScenarioOptions | undefined;
  clock?: Clock | undefined;
  /** How many changes per type are kept for watches to resume from; 10,000 unless said. */
  historySize?: number | undefined;
  /** How long changes are kept for watches, and states for continue tokens, ms; five minutes unless said, Infinity = for good. */
  historyMs?: number | undefined;
  /** How often a quiet watch gets a bookmark, ms; a minute unless said. */
  bookmarkIntervalMs?: number | undefined;
  /** The bearer token clients must send; drawn at random unless said. */
  token?: string | undefined;
  /** How long a token is taken, ms; for good unless said. */
  tokenLifetimeMs?: number | undefined;
  /**
   * True: roles and bindings hold for whoever sends a request, by the token it carries; a request without one is system:anonymous. Without
   * it they hold for those alone who are impersonated, and every token may do everything.
   */
  rbac?: boolean | undefined;
  /** False: no socket; requests come through {@link Sandbox.handle} alone. */
  socket?: boolean | undefined;
  /** False: plain HTTP. */
  tls?: boolean | undefined;
}

const KNOWN_OPTIONS = {
  port: 'number',
  host: 'text',
  seed: 'number',
  scenario: 'text',
  scenarioOptions: true, // checked where the scenario begins
  clock: true,
  historySize: 'number',
  historyMs: 'number',
  bookmarkIntervalMs: 'number',
  token: 'text',
  tokenLifetimeMs: 'number',
  rbac: 'boolean',
  socket: 'boolean',
  tls: 'boolean',
} satisfies KnownOptionsOf<SandboxOptions>;
const KNOWN_TOKEN_OWNER = { user: 'text', groups: 'list', uid: 'text', lifetimeMs: 'number' } satisfies KnownOptionsOf<TokenOwner>;
const KNOWN_TRANSPORT_OPTIONS = { seed: 'number', chunkBytes: true, token: 'text' } satisfies KnownOptionsOf<InProcessOptions>;

/** What {@link Sandbox.snapshot} gives and {@link Sandbox.restore} takes; also of another sandbox. */
export interface SandboxSnapshot {
  /** The revision of the latest write in it. */
  readonly resourceVersion: string;
}

const STORED = new WeakMap<SandboxSnapshot, ControlPlaneSnapshot>();

interface RestartOptions {
  readonly keepHistory?: boolean | undefined;
  readonly downMs?: number | undefined;
  /** What the server comes back with, if not with what it had. */
  readonly replaced?: ControlPlaneSnapshot | 'wiped' | undefined;
}

/** For whom {@link Sandbox.tokenFor} makes a token. */
export interface TokenOwner {
  readonly user: string;
  readonly groups?: readonly string[] | undefined;
  readonly uid?: string | undefined;
  readonly lifetimeMs?: number | undefined;
}

const DEFAULTS = {
  port: 0,
  host: '127.0.0.1',
  historySize: 10_000,
  historyMs: 300_000,
  bookmarkIntervalMs: 60_000,
  tokenLifetimeMs: Number.POSITIVE_INFINITY,
  rbac: false,
  socket: true,
  tls: true,
};

/**
 * A Kubernetes API server in memory: for tests, demos, and trying things without a cluster.
 *
 * Promises: what it answers is what a kube-apiserver 1.36 answers; what it cannot do answers 501. After `stop()` no socket, timer or
 * listener is left. The injected clock is the only source of time.
 */
export class Sandbox implements AsyncDisposable {
  /** Makes chosen requests go wrong. */
  readonly faults = new FaultScript();
  /** Every request so far, the latest last. */
  readonly requests = new RequestLog();
  readonly #options: typeof DEFAULTS & { readonly clock?: Clock };
  readonly #clock: SkewedClock;
  readonly #tokens: TokenKeeper;
  #controlPlane: ControlPlane;
  readonly #seed: number;
  readonly #random: Random;
  #certificate: Certificate | undefined;
  #socket: SocketServer | undefined;
  #scenario: RunningScenario | undefined;
  #restarting: Promise<void> | undefined;
  #life = new AbortController();
  /** Aborts when the sandbox stops for good; `#life` does at every restart too. */
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
    const { historySize, historyMs, bookmarkIntervalMs, rbac } = this.#options;
    const store = { historySize, historyMs, clock: this.#clock };
    return new ControlPlane({ clock: this.#clock, random: this.#random, store, tokens: this.#tokens, rbac, bookmarkIntervalMs, snapshot });
  }

  get #cluster(): Cluster {
    return this.#controlPlane.backend.cluster;
  }

  /** Resolves once the server answers. Rejects with the system's error when the address cannot be had, with `argument` for unknown options. */
  static async start(options: SandboxOptions = {}): Promise<Sandbox> {
    checkOptions('Sandbox.start', options, KNOWN_OPTIONS);
    const sandbox = new Sandbox(options);
    if (options.scenario) sandbox.startScenario(options.scenario, options.scenarioOptions);
    if (sandbox.#options.socket) await sandbox.#listen(sandbox.#options.port);
    return sandbox;
  }

  /** The bearer token clients must send: the latest, even when it has expired. */
  get token(): string {
    return this.#tokens.token;
  }

  /**
   * A token for a user or a service account (`system:serviceaccount:NAMESPACE:NAME`), whether there is one or not; good for `lifetimeMs`,
   * for good unless said. Everybody is in system:authenticated, service accounts in their groups too, unless others are given.
   */
  tokenFor(owner: TokenOwner): string {
    checkOptions('tokenFor', owner, KNOWN_TOKEN_OWNER);
    const { user, groups, uid, lifetimeMs = Number.POSITIVE_INFINITY } = owner;
    return this.#tokens.issue(userNamed(user, groups, uid), lifetimeMs);
  }

  /** `https://127.0.0.1:PORT`; without a socket an address nobody listens on. */
  get url(): string {
    return `${this.#options.tls ? 'https' : 'http'}://${this.#controlPlane.server.address}`;
  }

  /** The certificate clients must trust, PEM; '' when there is none. */
  get caPem(): string {
    return this.#certificate?.cert ?? '';
  }

  get seed(): number {
    return this.#seed;
  }

  /** The revision of the latest write: the resourceVersion of a list made now. */
  get resourceVersion(): string {
    return String(this.#cluster.store.revision);
  }

  /** Where something is to be seen: the scenario's namespace, else `default`. */
  get namespace(): string {
    return this.#scenario?.namespace ?? 'default';
  }

  /**
   * A kubeconfig with the certificate and the token in it, as YAML: the administrator's unless said. Its one context is `sandbox`, in the
   * sandbox's {@link namespace}.
   */
  kubeconfig(options: { token?: string } = {}): string {
    checkOptions('kubeconfig', options, { token: 'text' });
    const { token = this.token } = options;
    const authority = this.caPem === '' ? {} : { 'certificate-authority-data': Buffer.from(this.caPem).toString('base64') };
    return dump({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'sandbox', cluster: { server: this.url, ...authority } }],
      users: [{ name: 'sandbox', user: { token } }],
      contexts: [{ name: 'sandbox', context: { cluster: 'sandbox', user: 'sandbox', namespace: this.namespace } }],
      'current-context': 'sandbox',
    });
  }

  /**
   * Answers a request in-process, as the socket would. A request without an Authorization header is the administrator's.
   * Rejects only where a real connection would break: by a fault, while restarting, after `stop()`.
   */
  handle(request: ApiRequest): Promise<ApiResponse> {
    return this.#serve(request, true);
  }

  /** A client's way in without a socket, over {@link handle}: what a client is made of instead of a configuration. */
  transport(options: InProcessOptions = {}): InProcessTransport {
    checkOptions('transport', options, KNOWN_TRANSPORT_OPTIONS);
    return inProcessTransport((request) => this.#dated(request, true), { ...options, seed: options.seed ?? this.#seed });
  }

  /** As HTTP has it, with the moment of the answer by the server's clock. */
  async #dated(request: ApiRequest, trusted: boolean): Promise<ApiResponse> {
    const response = await this.#serve(request, trusted);
    return { ...response, headers: { ...response.headers, date: new Date(this.#clock.now()).toUTCString() } };
  }

  async #serve(request: ApiRequest, trusted: boolean): Promise<ApiResponse> {
    if (this.#life.signal.aborted) throw connectionError('ECONNREFUSED');
    const life = this.#life.signal;
    const fault = this.faults.take(request);
    if (fault && isIncident(fault)) return this.#befall(fault, request, trusted);
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

  async #befall(incident: Incident, request: ApiRequest, trusted: boolean): Promise<ApiResponse> {
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
   * Creates the objects, or updates those that exist, with their status if they have one, under their uid and creation time if they
   * have them. Namespaces that are missing are made. Takes objects, lists of them, and kinds that a definition before them brought.
   */
  apply(objects: object | readonly object[]): UnknownObject[] {
    const all: readonly object[] = Array.isArray(objects) ? objects : [objects];
    return copiesOnRead(all.map((object) => this.#controlPlane.fixtures.apply({ metadata: {}, ...copy(object) }).object));
  }

  /** A copy of an object, or undefined. */
  get(type: TypeReference, key: ObjectKey): UnknownObject | undefined {
    return this.#controlPlane.fixtures.get(type, key);
  }

  /** Copies of all objects of a type, in key order. */
  list(type: TypeReference, options: { namespace?: string } = {}): UnknownObject[] {
    checkOptions('list', options, { namespace: 'text' });
    return this.#controlPlane.fixtures.list(type, options);
  }

  /** Deletes an object as a client would: finalizers hold it, pods wind down. Throws a 404 StatusError when there is none. */
  delete(type: TypeReference, key: ObjectKey, options: { gracePeriodSeconds?: number } = {}): void {
    checkOptions('delete', options, { gracePeriodSeconds: 'number' });
    this.#controlPlane.fixtures.delete(type, key, options);
  }

  /** Forgets all history: older continue tokens and, unless `watches` is false, older watches get 410 from now on. */
  compact(options: { watches?: boolean } = {}): void {
    checkOptions('compact', options, { watches: 'boolean' });
    this.#cluster.store.compact(options);
  }

  /**
   * Goes away and comes back under the same address: every connection breaks, new ones are refused for `downMs`. Objects stay;
   * history only with `keepHistory`. Resolves when it is back; one that is under way already is waited for.
   */
  restart(options: { keepHistory?: boolean; downMs?: number } = {}): Promise<void> {
    checkOptions('restart', options, { keepHistory: 'boolean', downMs: 'number' });
    return this.#restartOnce(options);
  }

  /** All that is stored at this moment, for {@link restore}. */
  snapshot(): SandboxSnapshot {
    const snapshot: SandboxSnapshot = { resourceVersion: this.resourceVersion };
    STORED.set(snapshot, this.#controlPlane.snapshot());
    return snapshot;
  }

  /**
   * Restarts with the state of an earlier moment, as when a backup is restored: versions go on from the one of then, and what happened since
   * is unknown. Tokens and the certificate stay; a scenario ends. A restart that is under way is waited for, and nothing is restored.
   */
  restore(snapshot: SandboxSnapshot, options: { downMs?: number } = {}): Promise<void> {
    checkOptions('restore', options, { downMs: 'number' });
    const { downMs = 0 } = options;
    const stored = STORED.get(snapshot);
    if (stored === undefined) throw new InformerError('argument', 'restore takes what snapshot() of a sandbox returned');
    return this.#restartOnce({ downMs, replaced: stored });
  }

  /** As {@link restore}, with what a cluster that was just made has: versions start again, and every object gets another uid. */
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

  /** The server's time of day is ahead by so much from now on, behind if negative: its Date header, and the times it writes. 0 puts it right. */
  skewClock(ms: number): void {
    this.#clock.skewMs = ms;
  }

  /** The present token is answered 401 from now on, until {@link rotateToken}. Requests in-process without credentials go on. */
  expireToken(): void {
    this.#tokens.expire();
  }

  /** Issues a new token and returns it; the one before is not taken any more. Kubeconfigs written before keep the old one. */
  rotateToken(): string {
    return this.#tokens.rotate();
  }

  /**
   * Moves the clock on by `ms` and lets everything happen that is due by then. Throws `argument` unless the sandbox was started on a clock
   * that is moved by hand, as `FakeClock` of kubectl-informer/testing.
   */
  async advance(ms: number): Promise<void> {
    const { clock } = this.#options;
    if (clock && 'advance' in clock && typeof clock.advance === 'function') return void (await clock.advance(ms));
    throw new InformerError('argument', 'this sandbox runs on a clock that moves by itself', { hint: 'start it with a FakeClock' });
  }

  /** Sets a scenario going, in place of the one before. Throws `argument` when there is none of that name, or an option cannot be. */
  startScenario(name: string, options: ScenarioOptions = {}): void {
    this.stopScenario();
    const { backend } = this.#controlPlane;
    const world = { ...backend, cluster: { ...backend.cluster, random: seededRandom(this.#seed + 1) } };
    this.#scenario = createScenario(name, world, options);
  }

  /** Everything stays as it is from now on, unless clients change it. */
  stopScenario(): void {
    this.#scenario?.[Symbol.dispose]();
    this.#scenario = undefined;
  }

  async stop(): Promise<void> {
    if (this.#end.signal.aborted) return;
    this.#end.abort();
    this.stopScenario();
    this.#controlPlane[Symbol.dispose]();
    this.#life.abort(STOPPED);
    await this.#socket?.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #listen(port: number): Promise<void> {
    const { host, tls } = this.#options;
    if (tls) this.#certificate ??= await makeCertificate(host, this.#cluster.clock.now());
    const serve = (request: ApiRequest) => this.#dated(request, false);
    this.#socket = await SocketServer.listen({ host, port, certificate: this.#certificate, serve });
    this.#controlPlane.server.address = `${host.includes(':') ? `[${host}]` : host}:${this.#socket.port}`;
  }
}

/** Why a server went away: in good order, its streams end; in a restart they break. */
const STOPPED = 'stopped';

/** A body that ends or breaks when the server goes away, and tells when it is done with. */
async function* alive(body: AsyncIterable<Uint8Array>, life: AbortSignal, release: () => void): AsyncGenerator<Uint8Array, void, void> {
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
