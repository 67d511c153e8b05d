import type { FlagValues } from '../cli/args/flag.ts';
import type { reconcileFlags } from '../cli/args/reconcile-flags.ts';
import type { Edges } from '../cli/base-command.ts';
import type { ShowLine } from '../cli/reconcile/module-output.ts';
import type { SceneSettings } from '../cli/reconcile/test-checks.ts';
import {
  type RunOptions,
  type SceneRun,
  type SceneServer,
  storedObjects,
  type TestScene,
} from '../cli/reconcile/test-scene.ts';
import { testSession } from '../cli/reconcile/test-session.ts';
import type { Session } from '../cli/session/session.ts';
import { type Client, createClient } from '../client/client.ts';
import { type Fixture, fixturesIn } from '../hooks/fixtures/fixtures.ts';
import { type PrivateFile, privateFile } from '../hooks/journal/private-file.ts';
import { scope } from '../kit/abort.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import { createLogger, silentLogger } from '../kit/logger.ts';
import { formatGroupVersion } from '../model/gvr.ts';
import type { ObjectKey } from '../model/key.ts';
import { isNotFound } from '../model/status.ts';
import { findType } from './find-type.ts';
import { HookMetrics } from './hook-metrics.ts';
import { LiveOperator } from './live-operator.ts';
import { type FixtureChange, type OperatorFixture, operatorFixtureOf } from './operator-fixtures.ts';
import { environmentOf, type ReadOperator, readFolder } from './read-operator.ts';
import { RunFolder } from './run-files.ts';

type Flags = Pick<
  FlagValues<typeof reconcileFlags>,
  'shell-operator' | 'pass-credentials' | 'pass-env' | 'show-secrets' | 'hook-timeout'
> & { readonly fixtures: string };

/** Starts a server with objects, in the opposite order with `isReversed`. */
type OpenServer = (
  fixture: Fixture,
  objects: Fixture['given'],
  options: { readonly isReversed?: boolean | undefined; readonly hasSocket?: boolean },
) => Promise<SceneServer>;

/** The fixtures of `reconcile test --shell-operator`, and the way to run one. Throws `argument`. */
export async function operatorUnderTest(
  flags: Flags,
  edges: Edges,
  openServer: OpenServer,
  show: ShowLine,
): Promise<{
  readonly fixtures: readonly Fixture[];
  readonly open: (fixture: Fixture, settings: SceneSettings) => Promise<TestScene>;
}> {
  const fixtures = await fixturesIn(flags.fixtures, operatorFixtureOf);
  const env = environmentOf({ ...flags, 'pass-credentials': false }, edges.io.env, undefined);
  const read = await readFolder(flags['shell-operator'] ?? '', env, edges.signal);
  for (const { changes, lineOf, file } of fixtures)
    for (const change of changes)
      if ('schedule' in change && !scheduleOf(read, change.schedule))
        throw new InformerError('argument', `${file}:${lineOf('changes')}: no hook has a schedule ${change.schedule}`, {
          hint: `the schedules are ${read.hooks.flatMap(({ name, config }) => config.schedules.map((each) => `${name}/${each.name}`)).join(', ') || 'none'}`,
        });
  const open = async (fixture: Fixture, { isReversed, gate }: SceneSettings): Promise<TestScene> => {
    const { given } = fixture;
    const hasSocket = flags['pass-credentials'];
    const server = await openServer(fixture, given, { isReversed, hasSocket });
    const kubeconfig = hasSocket ? await privateFile('kubeconfig', server.kubeconfig()) : undefined;
    const credentials = kubeconfig && { KUBECONFIG: kubeconfig.path };
    const session = testSession(server, edges, gate);
    return new OperatorScene({
      server,
      session,
      read,
      fixture: fixture as OperatorFixture,
      env: environmentOf(flags, edges.io.env, credentials),
      kubeconfig,
      flags,
      show,
    });
  };
  return { fixtures, open };
}

function scheduleOf({ hooks }: ReadOperator, key: string) {
  const found = hooks.flatMap((hook) => hook.config.schedules.map((binding) => ({ hook, binding })));
  return found.find(({ hook, binding }) => `${hook.name}/${binding.name}` === key);
}

interface SceneParts {
  readonly server: SceneServer;
  readonly session: Session;
  readonly read: ReadOperator;
  readonly fixture: OperatorFixture;
  readonly env: Readonly<Record<string, string>>;
  readonly kubeconfig: PrivateFile | undefined;
  readonly flags: Flags;
  readonly show: ShowLine;
}

const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace' };

/** A task that fails is tried so often in a run. */
const MOST_TRIES = 6;
/** The hooks must have nothing to do within this time after a change, ms. */
const DONE_WITHIN_MS = 60_000;
const LOOK_MS = 5;

/**
 * A folder of hooks and a server. A run is the life of an operator: it starts, has nothing left to do, meets the changes
 * one after the other, and ends. A run after one that was killed goes on with the changes that are left.
 */
class OperatorScene implements TestScene {
  readonly server: SceneServer;
  readonly keys = ['hooks'];
  readonly type = undefined;
  readonly #parts: SceneParts;
  /** Makes the changes, which do not count as writes of hooks. */
  readonly #user: Client;
  readonly #changes: FixtureChange[];
  #atRun: (() => Promise<void>) | undefined;

  constructor(parts: SceneParts) {
    this.#parts = parts;
    const { server, fixture, session } = parts;
    this.server = server;
    this.#changes = [...fixture.changes];
    this.#user = createClient(server.transport(), { clock: session.clock, logger: silentLogger });
  }

  whenHookBegins(call: () => Promise<void>): void {
    this.#atRun = call;
  }

  async run(_key: ObjectKey, { signal }: RunOptions = {}): Promise<SceneRun> {
    const { session } = this.#parts;
    const errors: string[] = [];
    const disturbances: (Promise<void> | undefined)[] = [];
    using ending = scope(signal ? AbortSignal.any([session.signal, signal]) : session.signal);
    try {
      await this.#live(ending, errors, () => {
        disturbances.push(this.#atRun?.());
        this.#atRun = undefined;
      });
    } catch (error) {
      session.signal.throwIfAborted();
      errors.push(messageOf(error));
    }
    await Promise.all(disturbances);
    return { actions: [], requeueAfterMs: undefined, error: errors[0], isParked: false };
  }

  objects(options?: { withEvents?: boolean }) {
    return storedObjects(this.server, this.#user, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { server, session, kubeconfig } = this.#parts;
    session.end(undefined);
    await session[Symbol.asyncDispose]();
    await this.#user.close();
    await server.stop();
    await kubeconfig?.[Symbol.asyncDispose]();
  }

  async #live(
    ending: { readonly signal: AbortSignal; abort(reason?: unknown): void },
    errors: string[],
    onRun: () => void,
  ): Promise<void> {
    const { session, read, env, flags, show } = this.#parts;
    await using folder = await RunFolder.make();
    await using live: LiveOperator = new LiveOperator({
      session: { ...session, signal: ending.signal },
      read: { ...read, times: new Map() },
      folder,
      env,
      client: session.client,
      mode: 'write',
      maxWrites: { writes: 1_000_000, perMs: 1000 },
      maySeeSecrets: flags['show-secrets'],
      hotLoopRuns: 0,
      graceMs: 0,
      hookTimeoutMs: flags['hook-timeout'],
      hookMetrics: new HookMetrics(),
      logger: createLogger((_level, message, { error }) => {
        if (message !== 'failed; will retry') return;
        errors.push(messageOf(error));
        for (const queue of live.operator.queues.values()) queue.hurry(queue.tasks);
      }),
      onLine: (hook, line) => show(hook, line),
      report: () => {},
      onRun,
    });
    await using _webhooks = await live.serve();
    const running = live.operator.run(ending.signal);
    try {
      await this.#idle(live, ending.signal);
      for (let change = this.#changes.shift(); change; change = this.#changes.shift()) {
        await this.#change(change, live);
        await this.#idle(live, ending.signal);
      }
    } finally {
      ending.abort(new InformerError('closed', 'the run of the test is over'));
      await running.catch(() => {});
    }
  }

  async #change(change: FixtureChange, { operator }: LiveOperator): Promise<void> {
    if ('schedule' in change) {
      const { hook, binding } = scheduleOf(this.#parts.read, change.schedule) ?? {};
      if (hook && binding) operator.atTime(hook, binding);
      return;
    }
    const object = 'apply' in change ? change.apply : change.delete;
    const { apiVersion, kind, metadata } = object;
    const { gvr, namespaced } = await findType(this.#user, String(apiVersion), String(kind));
    const { namespace = 'default', name = '' } = metadata;
    if (namespaced && !this.server.get(NAMESPACE, namespace))
      this.server.apply({ ...NAMESPACE, metadata: { name: namespace } });
    const resource = this.#user.resource<typeof object>(gvr, { namespace: namespaced ? namespace : undefined });
    if ('delete' in change) {
      await resource.delete(name);
      return;
    }
    const present = await resource.get(name).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (present)
      await resource.update({
        ...object,
        metadata: { ...metadata, resourceVersion: present.metadata.resourceVersion },
      });
    else await resource.create(object as never);
    if (object.status !== undefined) this.server.apply({ ...object, apiVersion: formatGroupVersion(gvr) });
  }

  /** Resolves when the hooks have seen all that is on the server, and have done with it. Rejects if they never have. */
  async #idle({ operator, caches }: LiveOperator, signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts.session;
    const endsAt = clock.monotonic() + DONE_WITHIN_MS;
    let runsBefore = -1;
    for (;;) {
      signal.throwIfAborted();
      const tasks = [...operator.queues.values()].flatMap((queue) => queue.tasks);
      const failing = tasks.find(({ failures }) => failures >= MOST_TRIES);
      if (failing) throw new InformerError('hook', failing.error ?? 'a hook fails again and again');
      if (clock.monotonic() > endsAt)
        throw new InformerError('hook', `the hooks still have work ${DONE_WITHIN_MS / 1000} s after a change`);
      if (operator.isIdle) {
        const { runCount } = operator;
        if (runCount === runsBefore) return;
        const shown = Promise.all(caches.informers.map((informer) => informer.whenCurrent(signal)));
        const isShown = await shown.then(
          () => true,
          () => false, // a cache that came meanwhile has not synced
        );
        await clock.sleep(LOOK_MS, { signal });
        runsBefore = isShown && operator.isIdle && operator.runCount === runCount ? runCount : -1;
      }
      await clock.sleep(LOOK_MS, { signal });
    }
  }
}
