import { ContinuityReporter } from '../cli/outage/continuity-reporter.ts';
import { budgetOf } from '../cli/reconcile/writes.ts';
import type { Session } from '../cli/session/session.ts';
import type { Client } from '../client/client.ts';
import { HOT_LOOP_RUNS } from '../controller/history/hot-loops.ts';
import type { ActionMode } from '../hooks/actions/action-client.ts';
import type { HookStream } from '../hooks/hook.ts';
import type { WriteLimit } from '../hooks/manifest.ts';
import { DEFAULT_GRACE_MS } from '../hooks/run/drain.ts';
import type { ProgramGuard } from '../hooks/run/program-guard.ts';
import type { Logger } from '../kit/logger.ts';
import type { MetricsProvider } from '../kit/metrics.ts';
import { Redactor } from '../stream/redact.ts';
import { contextsText } from './binding-context.ts';
import { Caches } from './caches.ts';
import { type HookMetrics, readMetricOperations } from './hook-metrics.ts';
import { HookProcesses } from './hook-process.ts';
import { HookWrites } from './hook-writes.ts';
import { compileFilter } from './object-filter.ts';
import { ObjectPatcher, type ObjectPatcherOptions } from './object-patcher.ts';
import { type HookAnswers, type HookCall, Operator } from './operator.ts';
import { serveConversions } from './operator-conversions.ts';
import { serveWebhooks } from './operator-webhooks.ts';
import { readOperations } from './patch-operations.ts';
import { loadJq, type ReadOperator } from './read-operator.ts';
import type { RunFolder } from './run-files.ts';
import { shellLibrary } from './shell-library.ts';

export interface LiveOptions {
  readonly session: Session;
  readonly read: ReadOperator;
  /** The files of runs. */
  readonly folder: RunFolder;
  /** The environment of hooks. */
  readonly env: Readonly<Record<string, string>>;
  /** Sends what hooks write. */
  readonly client: Client;
  readonly guard?: ProgramGuard | undefined;
  readonly mode: ActionMode;
  readonly maxWrites?: WriteLimit | undefined;
  readonly maySeeSecrets: boolean;
  readonly hotLoopRuns?: number | undefined;
  /** See {@link Operator}. */
  readonly perObject?: number | undefined;
  readonly graceMs?: number | undefined;
  readonly hookTimeoutMs?: number | undefined;
  readonly idleMs?: number | undefined;
  readonly metrics?: MetricsProvider | undefined;
  readonly hookMetrics: HookMetrics;
  readonly logger: Logger;
  readonly onLine: (hook: string, line: string, stream: HookStream) => void;
  readonly report: ObjectPatcherOptions['report'];
  /** Called when a run of a hook begins. */
  readonly onRun?: (() => void) | undefined;
}

/** An operator with all that it works with: caches, programs, and the writes of hooks. */
export class LiveOperator implements AsyncDisposable {
  readonly operator: Operator;
  readonly caches: Caches;
  readonly ownWrites: HookWrites;
  readonly #options: LiveOptions;
  readonly #processes: HookProcesses;
  readonly #patcher: ObjectPatcher;
  readonly #reporter: ContinuityReporter;

  constructor(options: LiveOptions) {
    this.#options = options;
    const { session, read, idleMs, metrics, logger } = options;
    const { clock } = session;
    this.caches = new Caches({ session, idleMs, metrics, reporter: () => this.#reporter });
    this.#reporter = new ContinuityReporter(session, () => this.caches.targets);
    this.ownWrites = new HookWrites({
      clock,
      logger: session.logger,
      caches: this.caches,
      hotLoopRuns: options.hotLoopRuns ?? HOT_LOOP_RUNS,
      onHotLoop: ({ key, runs }) =>
        logger.warn(
          `only the hook's own writes changed it, ${runs} times in a row; it is not run for it again until another writer changes it`,
          { key },
        ),
    });
    this.#processes = new HookProcesses({
      env: { ...options.env, ...shellLibrary(options.folder.path, read.folder) },
      clock,
      guard: options.guard,
      onLine: options.onLine,
    });
    session.atOnce.add(() => this.#processes.kill());
    this.#patcher = this.#createPatcher();
    const redactor = new Redactor({ showSecrets: options.maySeeSecrets });
    this.operator = new Operator({
      ...read,
      client: session.client,
      caches: this.caches,
      redact: (object, { gvr }) => redactor.redact(object, gvr),
      call: (call) => this.#call(call),
      ownWrites: this.ownWrites,
      clock,
      logger,
      perObject: options.perObject,
      graceMs: options.graceMs ?? DEFAULT_GRACE_MS,
      hookTimeoutMs: options.hookTimeoutMs,
    });
  }

  /** Lets API servers ask the hooks. Disposal ends that. */
  async serve(): Promise<AsyncDisposable> {
    const { session, read, mode, logger } = this.#options;
    const webhooks = {
      hooks: read.hooks,
      client: session.client,
      clock: session.clock,
      logger,
      env: session.io.env,
      mayWrite: mode === 'write',
      notice: (text: string) => session.notice(text),
      review: (...review: Parameters<Operator['review']>) => this.operator.review(...review),
    };
    await using opened = new AsyncDisposableStack();
    opened.use(await serveWebhooks(webhooks));
    opened.use(await serveConversions(webhooks));
    return opened.move();
  }

  /** Ends its programs and caches. */
  async end(): Promise<void> {
    this.#processes.kill();
    await this.caches.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    this.#reporter[Symbol.dispose]();
    this.ownWrites[Symbol.dispose]();
  }

  #createPatcher(): ObjectPatcher {
    const { session, client, mode, maxWrites, maySeeSecrets, report } = this.#options;
    const reported = new Redactor({ showSecrets: false });
    return new ObjectPatcher({
      client,
      mode,
      budget: budgetOf(session, { maxWrites, mode, journal: undefined }),
      clock: session.clock,
      maySeeSecrets,
      redact: (object, gvr, states) => reported.redact(object, gvr, states),
      report,
      jq: async (expression) => compileFilter(expression, 'jqFilter', await loadJq(), session.clock),
    });
  }

  /** Runs a hook, and then does what it asks for. */
  async #call({ hook, binding, contexts, objectsOf, signal }: HookCall): Promise<HookAnswers> {
    const { folder, hookMetrics, onRun } = this.#options;
    const texts = contextsText(hook.config.version, contexts, objectsOf);
    return await folder.files(texts, async (files) => {
      const subject = `${hook.name}/${binding}`;
      const operations = async () => await readOperations(await files.read('KUBERNETES_PATCH_PATH'));
      try {
        onRun?.();
        await this.#processes.run(hook, files, signal);
      } catch (error) {
        signal.throwIfAborted();
        const kept = (await operations()).filter(
          (each) => 'ignoreHookError' in each && each.ignoreHookError && each.subresource === 'status',
        );
        await this.#patcher.apply(kept, subject, signal);
        throw error;
      }
      const measured = readMetricOperations(await files.read('METRICS_PATH'));
      await this.#patcher.apply(await operations(), subject, signal);
      hookMetrics.apply(measured, hook.name);
      const validating = await files.read('VALIDATING_RESPONSE_PATH');
      return { validating, conversion: await files.read('CONVERSION_RESPONSE_PATH') };
    });
  }
}
