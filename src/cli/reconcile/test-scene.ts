import type { Client } from '../../client/client.ts';
import type { Transport, TransportRequest, TransportResponse } from '../../client/http/transport.ts';
import { isTerminal, type ReconcileRequest } from '../../controller/reconciler.ts';
import { type Fixture, isSent } from '../../hooks/fixtures/fixtures.ts';
import type { Hook } from '../../hooks/hook.ts';
import { type Action, parseReply } from '../../hooks/reply.ts';
import { TriggerFilter } from '../../hooks/triggers/trigger-filter.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { silentLogger } from '../../kit/logger.ts';
import type { GroupVersionResource } from '../../model/gvr.ts';
import { keyOf, type ObjectKey, splitKey } from '../../model/key.ts';
import type { UnknownObject } from '../../model/object.ts';
import { ContinuityReporter } from '../outage/continuity-reporter.ts';
import { runTargets } from '../session/refusals.ts';
import type { Session } from '../session/session.ts';
import type { LoadedHook } from './hook-loading.ts';
import { type HookRuns, reconcilerOf } from './hook-run.ts';
import type { ReconcilePlan } from './reconcile-plan.ts';
import { type ReconcileTargets, targetsOf } from './targets.ts';

export interface SceneServer {
  apply(objects: object | readonly object[]): UnknownObject[];
  get(type: { apiVersion: string; kind: string }, key: ObjectKey): UnknownObject | undefined;
  list(type: GroupVersionResource): UnknownObject[];
  delete(type: { apiVersion: string; kind: string }, key: ObjectKey): void;
  /** Breaks all connections, and forgets the history of watches. */
  restart(): Promise<void>;
  transport(options?: { chunkBytes?: number }): Transport;
  /** A kubeconfig that leads to it. */
  kubeconfig(): string;
  stop(): Promise<void>;
}

/** The handling of requests that write. */
export interface WriteGate {
  /** Called before a write is sent. It may answer in place of the server, or throw. */
  before?(init: TransportRequest): TransportResponse | undefined;
  after?(): void;
}

/** The transport, with a gate for writes. */
export function gatedTransport(inner: Transport, gate: () => WriteGate | undefined): Transport {
  return {
    close: () => inner.close(),
    async request(init) {
      if (init.method === 'GET' || init.path.includes('dryRun=')) return await inner.request(init);
      const answer = gate()?.before?.(init);
      if (answer) return answer;
      const response = await inner.request(init);
      gate()?.after?.();
      return response;
    },
  };
}

/** The result of a run of the hook. */
export interface SceneRun {
  readonly actions: readonly Action[];
  readonly requeueAfterMs: number | undefined;
  readonly error: string | undefined;
  readonly isParked: boolean;
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  readonly attempt?: number | undefined;
  /** How the run's cause became known. */
  readonly via?: 'initial' | 'watch' | 'relist' | undefined;
}

export interface SceneOptions {
  readonly server: SceneServer;
  readonly session: Session;
  readonly plan: ReconcilePlan;
  readonly fixture: Fixture;
  /** Shows a line that the hook printed. */
  readonly show: (key: ObjectKey, line: string) => void;
}

/** How long the caches may take to show what is on the server, ms. */
const CATCH_UP_MS = 30_000;

/** Something under test, and a server with the objects of a fixture. */
export interface TestScene extends AsyncDisposable {
  readonly server: SceneServer;
  /** The keys that run where the fixture names none. */
  readonly keys: readonly ObjectKey[];
  /** The reconciled type; undefined where there is none. */
  readonly type: GroupVersionResource | undefined;
  /** Calls `call` once, when the hook begins its next run. */
  whenHookBegins(call: () => Promise<void>): void;
  /** Runs a key. Never rejects for what the hook does. */
  run(key: ObjectKey, options?: RunOptions): Promise<SceneRun>;
  /** See {@link storedObjects}. */
  objects(options?: { withEvents?: boolean }): Promise<UnknownObject[]>;
}

/** A hook, a server with the objects of a fixture, and the caches in between. */
export class Scene implements TestScene {
  readonly server: SceneServer;
  readonly #session: Session;
  readonly #targets: ReconcileTargets;
  readonly #reporter: ContinuityReporter;
  readonly #runs: HookRuns;
  readonly #running: Promise<void>;
  readonly #seen: { actions: readonly Action[] };
  readonly #gone: UnknownObject | undefined;
  /** Called when a run of the hook begins. */
  readonly #onHook: { call?: (() => Promise<void>) | undefined };

  private constructor(scene: SceneOptions) {
    const { server, session, plan, show } = scene;
    const seen: { actions: readonly Action[] } = { actions: [] };
    const onHook: { call?: (() => Promise<void>) | undefined } = {};
    this.#reporter = new ContinuityReporter({ ...session, notice: () => {} }, () => []);
    this.#targets = targetsOf(session, plan, this.#reporter);
    const filter = new TriggerFilter({
      rules: plan.filters.rules,
      target: this.#targets.primary,
      finalizer: plan.finalizer,
      clock: session.clock,
      onError: () => {},
      onRemark: () => {},
    });
    const hook = watchedHook(plan.hook, seen, onHook, show);
    const surroundings = { ...this.#targets, filter, client: session.client };
    this.#runs = reconcilerOf(session, { ...plan, hook }, surroundings, undefined, undefined);
    this.#running = runTargets(this.#targets.all, session).catch(() => {});
    this.server = server;
    this.#session = session;
    this.#seen = seen;
    this.#onHook = onHook;
    this.#gone = scene.fixture.old;
  }

  static async open(scene: SceneOptions): Promise<Scene> {
    const opened = new Scene(scene);
    await opened.caughtUp();
    const { old } = scene.fixture;
    if (old) scene.server.delete(old as never, keyOf(old));
    await opened.caughtUp();
    return opened;
  }

  get type(): GroupVersionResource {
    return this.#targets.primary.type.gvr;
  }

  /** The keys of the reconciled type, in their order. */
  get keys(): ObjectKey[] {
    return [...this.#targets.primary.informer.lister.keys()].sort();
  }

  /** Calls `call` once, when the hook begins its next run. */
  whenHookBegins(call: () => Promise<void>): void {
    this.#onHook.call = call;
  }

  /** Runs the key once, and once more if the first run only added the finalizer. Never rejects for what the hook does. */
  async run(key: ObjectKey, options: RunOptions = {}): Promise<SceneRun> {
    this.#seen.actions = [];
    const { attempt = 1, signal = this.#session.signal } = options;
    const gone = this.#gone !== undefined && keyOf(this.#gone) === key ? this.#gone : undefined;
    const request: ReconcileRequest = {
      key,
      ...splitKey(key),
      causes: [{ reason: gone ? 'deleted' : 'added', via: options.via ?? 'initial', count: 1 }],
      droppedCauses: 0,
      attempt,
      before: undefined,
      gone: gone as never,
    };
    try {
      const result = await this.#runs.reconcile(request, { signal, logger: silentLogger });
      await this.caughtUp();
      if (result?.keepCauses) return await this.run(key, options);
      return { ...this.#seen, requeueAfterMs: result?.requeueAfterMs, error: undefined, isParked: false };
    } catch (error) {
      this.#session.signal.throwIfAborted();
      await this.caughtUp();
      return { ...this.#seen, requeueAfterMs: undefined, error: messageOf(error), isParked: isTerminal(error) };
    }
  }

  /** Resolves when every cache shows what is on the server. */
  async caughtUp(): Promise<void> {
    const { clock, signal } = this.#session;
    const endsAt = clock.monotonic() + CATCH_UP_MS;
    while (!this.#targets.all.every((target) => this.#isCurrent(target))) {
      if (clock.monotonic() > endsAt) throw new InformerError('sync', 'the caches do not catch up with the sandbox');
      await clock.sleep(3, { signal });
    }
  }

  #isCurrent({ type, informer }: ReconcileTargets['primary']): boolean {
    if (!informer.hasSynced) return false;
    const stored = this.server.list(type.gvr);
    const keys = [...informer.lister.keys()];
    const versionOf = (object: UnknownObject | undefined) => object?.metadata.resourceVersion;
    return (
      keys.length === stored.length &&
      stored.every((object) => versionOf(informer.lister.get(keyOf(object)) as never) === versionOf(object))
    );
  }

  objects(options?: { withEvents?: boolean }): Promise<UnknownObject[]> {
    return storedObjects(this.server, this.#session.client, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#session.end(undefined);
    this.#runs.hook.kill?.();
    await this.#runs.hook.close?.();
    await this.#running;
    this.#reporter[Symbol.dispose]();
    await this.#session[Symbol.asyncDispose]();
    await this.server.stop();
  }
}

/** Every object of a server with its type, each once; Events only with `withEvents`. */
export async function storedObjects(
  server: SceneServer,
  { discovery }: Client,
  { withEvents = false } = {},
): Promise<UnknownObject[]> {
  const { types } = await discovery.snapshot();
  const byUid = new Map<string, UnknownObject>();
  for (const { gvr, verbs } of types) {
    if (!verbs.includes('list') || !verbs.includes('watch') || (!withEvents && gvr.resource === 'events')) continue;
    for (const object of server.list(gvr)) byUid.set(object.metadata.uid ?? '', object);
  }
  return [...byUid.values()];
}

/** The hook, with its replies noted and its output shown by `show`. */
function watchedHook(
  loaded: LoadedHook,
  seen: { actions: readonly Action[] },
  onHook: { call?: (() => Promise<void>) | undefined },
  show: (key: ObjectKey, line: string) => void,
): LoadedHook {
  const watched = (hook: Hook): Hook => ({
    name: hook.name,
    kill: () => hook.kill?.(),
    close: async () => hook.close?.(),
    async run(request, run) {
      const { call } = onHook;
      onHook.call = undefined;
      const reply = hook.run(request, { ...run, onOutput: (line) => show(request.key, line) });
      await Promise.all([call?.(), reply.catch(() => {})]);
      const answer = await reply;
      run.signal.throwIfAborted();
      seen.actions = parseReply(answer).actions.filter(isSent);
      return answer;
    },
  });
  return {
    ...loaded,
    reload: undefined,
    create: (services, environment) => watched(loaded.create(services, environment)),
  };
}
