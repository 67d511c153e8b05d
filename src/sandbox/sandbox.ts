import { randomBytes, randomInt } from 'node:crypto';
import { dump } from 'js-yaml';
import { onAbort, scope } from '../kit/abort.ts';
import { type Clock, systemClock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import { type Random, seededRandom } from '../kit/random.ts';
import { formatGvr, type GroupVersionResource } from '../model/gvr.ts';
import { type ObjectKey, splitKey } from '../model/key.ts';
import type { UnknownObject } from '../model/object.ts';
import { ApiServer } from './api-server.ts';
import { bootstrap } from './bootstrap.ts';
import { type Cluster, timestamp } from './cluster.ts';
import { CrdController } from './crd/crd-controller.ts';
import type { ApiType } from './discovery/api-type.ts';
import { builtinTypes } from './discovery/builtin-types.ts';
import { TypeRegistry } from './discovery/type-registry.ts';
import { FaultScript } from './faults/fault-script.ts';
import { connectionError, inject } from './faults/inject.ts';
import { GarbageCollector } from './gc/garbage-collector.ts';
import { NamespaceCleaner } from './gc/namespace-cleaner.ts';
import { PodReaper } from './gc/pod-reaper.ts';
import { type Certificate, makeCertificate } from './http/certificate.ts';
import type { ApiRequest, ApiResponse } from './http/exchange.ts';
import { SocketServer } from './http/socket-server.ts';
import { RequestLog } from './request-log.ts';
import { createScenario, SCENARIO_NAMESPACE } from './scenarios/scenarios.ts';
import { ObjectStore } from './store/object-store.ts';
import { copy } from './write/copy.ts';
import { Deleter } from './write/deleter.ts';
import { WriteRequests } from './write/requests.ts';
import { Writer } from './write/writer.ts';

export interface SandboxOptions {
  /** 0, the default, picks a free port. */
  port?: number | undefined;
  /** 127.0.0.1 unless said. */
  host?: string | undefined;
  /** Makes names, uids and scenarios repeatable. Drawn at random unless said. */
  seed?: number | undefined;
  /** What moves by itself from the start, one of SCENARIO_NAMES. Nothing unless said. */
  scenario?: string | undefined;
  clock?: Clock | undefined;
  /** How many changes per type are kept for watches to resume from; 10,000 unless said. */
  historySize?: number | undefined;
  /** How often a quiet watch gets a bookmark, ms; a minute unless said. */
  bookmarkIntervalMs?: number | undefined;
  /** The bearer token clients must send; drawn at random unless said. */
  token?: string | undefined;
  /** False: no socket; requests come through {@link Sandbox.handle} alone. */
  socket?: boolean | undefined;
  /** False: plain HTTP. */
  tls?: boolean | undefined;
}

/** Where a fixture's types and objects are addressed: a GVR, or anything with apiVersion and kind. */
export type TypeReference = GroupVersionResource | { readonly apiVersion: string; readonly kind: string };

const DEFAULTS = { port: 0, host: '127.0.0.1', historySize: 10_000, bookmarkIntervalMs: 60_000, socket: true, tls: true };

/** Writes of the sandbox's own helpers are signed with this name. */
const MANAGER = 'sandbox';

/**
 * A Kubernetes API server in memory: for tests, demos, and trying things without a cluster.
 *
 * Promises: what it answers is what a kube-apiserver 1.36 answers; what it cannot do answers 501. After `stop()` no socket, timer or
 * listener is left. The injected clock is the only source of time.
 */
export class Sandbox implements AsyncDisposable {
  readonly token: string;
  /** Makes chosen requests go wrong. */
  readonly faults = new FaultScript();
  /** Every request so far, the latest last. */
  readonly requests = new RequestLog();
  readonly #options: typeof DEFAULTS;
  readonly #cluster: Cluster;
  readonly #seed: number;
  readonly #writer: Writer;
  readonly #deleter: Deleter;
  readonly #server: ApiServer;
  readonly #crds: CrdController;
  readonly #parts: Disposable[];
  #certificate: Certificate | undefined;
  #socket: SocketServer | undefined;
  #scenario: Disposable | undefined;
  #life = new AbortController();
  #stopped = false;

  private constructor(options: SandboxOptions) {
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    this.#options = { ...DEFAULTS, ...given };
    this.token = options.token ?? randomBytes(24).toString('base64url');
    this.#seed = options.seed ?? randomInt(2 ** 31);
    const random: Random = seededRandom(this.#seed);
    const { historySize, bookmarkIntervalMs } = this.#options;
    const store = new ObjectStore({ historySize });
    this.#cluster = { store, types: new TypeRegistry(builtinTypes()), clock: options.clock ?? systemClock, random };
    this.#writer = new Writer(this.#cluster);
    this.#deleter = new Deleter(this.#cluster);
    const writes = new WriteRequests(this.#cluster, this.#writer, this.#deleter);
    this.#server = new ApiServer(this.#cluster, writes, { token: this.token, bookmarkIntervalMs });
    this.#crds = new CrdController(this.#cluster, this.#writer);
    this.#parts = [
      this.#crds,
      new GarbageCollector(this.#cluster, this.#writer, this.#deleter),
      new NamespaceCleaner(this.#cluster, this.#writer, this.#deleter),
      new PodReaper(this.#cluster, this.#deleter),
    ];
    bootstrap(this.#cluster, this.#writer, timestamp(this.#cluster.clock.now()));
  }

  /** Resolves once the server answers. Rejects with the system's error when the address cannot be had. */
  static async start(options: SandboxOptions = {}): Promise<Sandbox> {
    const sandbox = new Sandbox(options);
    if (options.scenario) sandbox.startScenario(options.scenario);
    if (sandbox.#options.socket) await sandbox.#listen(sandbox.#options.port);
    return sandbox;
  }

  /** `https://127.0.0.1:PORT`; without a socket an address nobody listens on. */
  get url(): string {
    return `${this.#options.tls ? 'https' : 'http'}://${this.#server.address}`;
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
    return this.#scenario ? SCENARIO_NAMESPACE : 'default';
  }

  /** A kubeconfig with the certificate and the token in it, as YAML. Its one context is `sandbox`, in the sandbox's {@link namespace}. */
  kubeconfig(): string {
    const authority = this.caPem === '' ? {} : { 'certificate-authority-data': Buffer.from(this.caPem).toString('base64') };
    return dump({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'sandbox', cluster: { server: this.url, ...authority } }],
      users: [{ name: 'sandbox', user: { token: this.token } }],
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

  async #serve(request: ApiRequest, trusted: boolean): Promise<ApiResponse> {
    if (this.#life.signal.aborted) throw connectionError('ECONNREFUSED');
    const life = this.#life.signal;
    const fault = this.faults.take(request);
    const serve = (r: ApiRequest) => this.#server.serve(r, { trusted });
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

  /**
   * Creates the objects, or updates those that exist, with their status if they have one, under their uid and creation time if they
   * have them. Namespaces that are missing are made. Takes objects, lists of them, and kinds that a definition before them brought.
   */
  apply(objects: object | readonly object[]): UnknownObject[] {
    const all: readonly object[] = Array.isArray(objects) ? objects : [objects];
    return all.map((object) => this.#applyOne({ metadata: {}, ...copy(object) }));
  }

  #applyOne(object: UnknownObject): UnknownObject {
    const type = this.#type({ apiVersion: object.apiVersion ?? '', kind: object.kind ?? '' });
    const { store } = this.#cluster;
    const { name = '', namespace = 'default' } = object.metadata;
    const key = type.namespaced ? `${namespace}/${name}` : name;
    if (type.namespaced && !store.get('namespaces', namespace)) {
      this.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    }
    const current = name === '' ? undefined : store.get(type.storage, key);
    const metadata = { ...object.metadata, ...(type.namespaced ? { namespace } : {}), ...(current ? versionOf(current.object) : {}) };
    const write = { manager: MANAGER, fixture: true };
    const stored = current
      ? this.#writer.update(type, { ...object, metadata }, write)
      : this.#writer.create(type, { ...object, metadata }, write);
    if (type.kind === 'CustomResourceDefinition') this.#crds.establish(name);
    return copy(store.get(type.storage, stored.key)?.object ?? stored.object);
  }

  /** A copy of an object, or undefined. */
  get(type: TypeReference, key: ObjectKey): UnknownObject | undefined {
    return copy(this.#cluster.store.get(this.#type(type).storage, key)?.object);
  }

  /** Copies of all objects of a type, in key order. */
  list(type: TypeReference, options: { namespace?: string } = {}): UnknownObject[] {
    const { store } = this.#cluster;
    const prefix = options.namespace === undefined ? '' : `${options.namespace}/`;
    return store
      .collection(this.#type(type).storage)
      .list({ prefix }, store.revision)
      .map((o) => copy(o.object));
  }

  /** Deletes an object as a client would: finalizers hold it, pods wind down. Throws a 404 StatusError when there is none. */
  delete(type: TypeReference, key: ObjectKey, options: { gracePeriodSeconds?: number } = {}): void {
    const found = this.#type(type);
    const { namespace, name } = splitKey(key);
    this.#deleter.delete(found, found.namespaced ? namespace : undefined, name, options);
  }

  #type(reference: TypeReference): ApiType {
    const { types } = this.#cluster;
    const found = 'resource' in reference ? types.find(reference) : types.findKind(reference.apiVersion, reference.kind);
    if (found) return found;
    const name = 'resource' in reference ? formatGvr(reference) : `${reference.apiVersion} ${reference.kind}`;
    throw new InformerError('argument', `the sandbox serves no ${name}`, { hint: 'apply its CustomResourceDefinition first' });
  }

  /** Forgets all history: older continue tokens and, unless `watches` is false, older watches get 410 from now on. */
  compact(options: { watches?: boolean } = {}): void {
    this.#cluster.store.compact(options);
  }

  /**
   * Goes away and comes back under the same address: every connection breaks, new ones are refused for `downMs`. Objects stay;
   * history only with `keepHistory`.
   */
  async restart({ keepHistory = false, downMs = 0 }: { keepHistory?: boolean; downMs?: number } = {}): Promise<void> {
    const { port } = this.#socket ?? {};
    this.#life.abort();
    await this.#socket?.stop();
    if (downMs > 0) await this.#cluster.clock.sleep(downMs);
    if (!keepHistory) this.#cluster.store.compact();
    if (this.#stopped) return;
    this.#life = new AbortController();
    if (port !== undefined) await this.#listen(port);
  }

  /** Sets a scenario going, in place of the one before. Throws `argument` when there is none of that name. */
  startScenario(name: string): void {
    this.stopScenario();
    const { clock, store, types } = this.#cluster;
    this.#scenario = createScenario(name, {
      cluster: { clock, store, types, random: seededRandom(this.#seed + 1) },
      writer: this.#writer,
      deleter: this.#deleter,
    });
  }

  /** Everything stays as it is from now on, unless clients change it. */
  stopScenario(): void {
    this.#scenario?.[Symbol.dispose]();
    this.#scenario = undefined;
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.stopScenario();
    for (const part of this.#parts) part[Symbol.dispose]();
    this.#life.abort(STOPPED);
    await this.#socket?.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #listen(port: number): Promise<void> {
    const { host, tls } = this.#options;
    if (tls) this.#certificate ??= await makeCertificate(host, this.#cluster.clock.now());
    const serve = (request: ApiRequest) => this.#serve(request, false);
    this.#socket = await SocketServer.listen({ host, port, certificate: this.#certificate, serve });
    this.#server.address = `${host.includes(':') ? `[${host}]` : host}:${this.#socket.port}`;
  }
}

function versionOf({ metadata }: UnknownObject): { resourceVersion?: string; uid?: string } {
  const { resourceVersion, uid } = metadata;
  return { ...(resourceVersion ? { resourceVersion } : {}), ...(uid ? { uid } : {}) };
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
