import path from 'node:path';
import type { CommandLine } from '../cli/args/argv.ts';
import { type FlagValues, namesOf } from '../cli/args/flag.ts';
import { reconcileFlags } from '../cli/args/reconcile-flags.ts';
import { connectionFlags, idleMsOf } from '../cli/args/shared-flags.ts';
import { isTyped } from '../cli/args/useless-flags.ts';
import type { Edges } from '../cli/base-command.ts';
import { ContinuityReporter } from '../cli/outage/continuity-reporter.ts';
import { outageText } from '../cli/outage/outage-text.ts';
import { createElection } from '../cli/reconcile/election.ts';
import { showOutput } from '../cli/reconcile/hook-output.ts';
import { hookCredentials } from '../cli/reconcile/hook-run.ts';
import { type LeasePlan, leasePlanOf } from '../cli/reconcile/lease-plan.ts';
import { reconcileLogger } from '../cli/reconcile/log.ts';
import { budgetOf } from '../cli/reconcile/writes.ts';
import { colorLevel } from '../cli/session/output.ts';
import { openSession, type Session } from '../cli/session/session.ts';
import type { ExitCode } from '../cli/terminal/exit-codes.ts';
import { exitCodeOfEnd, StreamEnd, wordsOfEnd } from '../cli/terminal/stream-ending.ts';
import type { Transport } from '../client/http/transport.ts';
import { AccessRecord } from '../hooks/access/observed-access.ts';
import { observedTransport } from '../hooks/access/request-access.ts';
import type { ActionMode } from '../hooks/actions/action-client.ts';
import { readWriteLimit } from '../hooks/manifest.ts';
import { DEFAULT_GRACE_MS } from '../hooks/run/drain.ts';
import { hookEnvironment } from '../hooks/run/hook-environment.ts';
import { ProgramGuard } from '../hooks/run/program-guard.ts';
import { parseSchedules } from '../hooks/triggers/cron-schedule.ts';
import { onAbort } from '../kit/abort.ts';
import { systemClock } from '../kit/clock.ts';
import { humanDuration } from '../kit/duration.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import { actionText } from '../output/action-report.ts';
import { neutralised } from '../output/escape.ts';
import type { JqLibrary } from '../output/jq/jq-library.ts';
import { loadPainter } from '../output/painter.ts';
import { outagesOf } from '../stream/outage.ts';
import { Redactor } from '../stream/redact.ts';
import { contextsText } from './binding-context.ts';
import { Caches } from './caches.ts';
import { type CrontabTimes, readCrontab } from './crontab.ts';
import { findHooks } from './find-hooks.ts';
import { HookMetrics, readMetricOperations } from './hook-metrics.ts';
import { HookProcesses } from './hook-process.ts';
import { HookWrites } from './hook-writes.ts';
import { loadHooks, type OperatorHook } from './load-hooks.ts';
import { compileFilter, type ObjectFilter } from './object-filter.ts';
import { ObjectPatcher } from './object-patcher.ts';
import { type HookAnswers, type HookCall, Operator } from './operator.ts';
import { serveConversions } from './operator-conversions.ts';
import { openPages, operatorMetrics } from './operator-pages.ts';
import { OperatorView } from './operator-view.ts';
import { serveWebhooks } from './operator-webhooks.ts';
import { readOperations } from './patch-operations.ts';
import { RunFolder } from './run-files.ts';
import { shellLibrary } from './shell-library.ts';

type Flags = FlagValues<typeof reconcileFlags>;

/** The flags of `reconcile` that hooks of shell-operator leave something to do. */
const MEANT = [
  'shell-operator',
  'per-object',
  'pass-env',
  'workers',
  'hook-timeout',
  'allow-write',
  'dry-run',
  'max-writes',
  'hot-loop',
  'pass-credentials',
  'show-secrets',
  'leader-elect',
  'leader-elect-lease-name',
  'leader-elect-namespace',
  'leader-elect-lease-duration',
  'leader-elect-renew-deadline',
  'leader-elect-retry-period',
  'observe',
  'idle-timeout',
  'metrics',
  'grace',
  'color',
  'log-format',
  ...namesOf(connectionFlags),
];

/** A command line of `reconcile --shell-operator`, with its hooks. */
export interface ReadOperator {
  readonly folder: string;
  readonly hooks: readonly OperatorHook[];
  readonly remarks: readonly string[];
}

/** Checks the command line, and asks the hooks for their configurations. Throws `argument`. */
export async function readOperator(line: CommandLine, flags: Flags, { io, signal }: Edges): Promise<ReadOperator> {
  const useless = namesOf(reconcileFlags).find((name) => !MEANT.includes(name) && isTyped(line.given, name));
  if (useless !== undefined)
    throw new InformerError('argument', `--${useless} does nothing beside --shell-operator`, {
      hint: 'the configuration of each hook says what it watches, and when it runs',
    });
  if (line.words.length > 0)
    throw new InformerError('argument', `--shell-operator takes no TYPE, and ${line.words.join(' ')} is given`, {
      hint: 'each hook says by itself what it watches',
    });
  if (flags.workers !== undefined && !flags['per-object'])
    throw new InformerError('argument', '--workers needs --per-object beside --shell-operator', {
      hint: 'a queue keeps its order: name several queues in the hooks, or let objects go side by side with --per-object',
    });
  const { folder, hooks: files, remarks } = await findHooks(flags['shell-operator'] ?? '');
  await using asked = await RunFolder.make();
  const env = { ...environmentOf(flags, io.env, undefined), ...shellLibrary(asked.path, folder) };
  const hooks = await loadHooks(files, { folder, env, clock: systemClock, signal });
  return { folder, remarks, hooks };
}

/** The lease of `--leader-elect`; undefined without it. */
export function operatorLease(flags: Flags, { folder }: ReadOperator, current: string): LeasePlan | undefined {
  const unshared = { ...flags, shards: undefined, 'shard-by': undefined };
  return leasePlanOf(unshared, {
    hook: path.basename(folder),
    gvr: HOOKS,
    isNamespaced: false,
    namespaces: [''],
    current,
  });
}

/** Runs the hooks of a folder as shell-operator does, until the command is to end. */
export async function runShellOperator(line: CommandLine, flags: Flags, edges: Edges): Promise<ExitCode> {
  const read = await readOperator(line, flags, edges);
  const filters = await filtersOf(read.hooks);
  const times = await timesOf(read.hooks);
  const hookMetrics = new HookMetrics();
  const metrics = await operatorMetrics(flags.metrics, () => hookMetrics.text());
  const record =
    flags.observe === undefined
      ? undefined
      : new AccessRecord(flags.observe, (error) =>
          edges.io.stderr.write(`${neutralised(error.message)}; it stays incomplete (reported once)\n`),
        );
  const through = record && ((transport: Transport) => observedTransport(transport, (access) => record.add(access)));
  await using session = await openSession(flags, edges, { metrics: metrics.provider, through });
  await using folder = await RunFolder.make();
  session.atOnce.add(() => folder.removeNow());
  const run = new OperatorRun({ session, flags, read, filters, times, folder, hookMetrics, metrics });
  return await run.work();
}

interface RunOptions {
  readonly session: Session;
  readonly flags: Flags;
  readonly read: ReadOperator;
  readonly filters: ReadonlyMap<string, ObjectFilter>;
  readonly times: ReadonlyMap<string, CrontabTimes>;
  readonly folder: RunFolder;
  readonly hookMetrics: HookMetrics;
  readonly metrics: Awaited<ReturnType<typeof operatorMetrics>>;
}

const DEFAULT_HOT_LOOP = 10;

/** One run of `reconcile --shell-operator`. */
class OperatorRun {
  readonly #options: RunOptions;
  readonly #mode: ActionMode;
  readonly #name: string;

  constructor(options: RunOptions) {
    this.#options = options;
    const { flags, read } = options;
    this.#mode = flags['dry-run'] ? 'dry-run' : flags['allow-write'] ? 'write' : 'describe';
    this.#name = path.basename(read.folder);
  }

  async work(): Promise<ExitCode> {
    const { session, flags, filters, times, read } = this.#options;
    const { clock, logger } = session;
    const startedAt = clock.monotonic();
    const lease = operatorLease(flags, read, session.config.namespace);
    const election = lease && createElection(session, lease);
    await using credentials = await hookCredentials(session, { passCredentials: flags['pass-credentials'] });
    const caches: Caches = new Caches({
      session,
      idleMs: idleMsOf(flags['idle-timeout']),
      metrics: this.#options.metrics.provider,
      reporter: () => reporter,
    });
    using reporter = new ContinuityReporter(session, () => caches.targets);
    const log = reconcileLogger(session.io, flags.v);
    using ownWrites = new HookWrites({
      clock,
      logger,
      caches,
      hotLoopRuns: flags['hot-loop'] ?? DEFAULT_HOT_LOOP,
      onHotLoop: ({ key, runs }) =>
        log.warn(
          `only the hook's own writes changed it, ${runs} times in a row; it is not run for it again until another writer changes it`,
          { key },
        ),
    });
    const client = election?.client ?? session.client;
    const guard =
      election &&
      new ProgramGuard({ leaseOfRun: () => election.leaseLeft, clock, onFailure: (error) => session.end(error) });
    const processes = this.#processes(credentials?.env, guard);
    session.atOnce.add(() => processes.kill());
    const patcher = await this.#patcher(client);
    const redactor = new Redactor({ showSecrets: flags['show-secrets'] });
    const operator = new Operator({
      hooks: read.hooks,
      client: session.client,
      caches,
      filters,
      times,
      redact: (object, { gvr }) => redactor.redact(object, gvr),
      call: (call) => this.#call(call, processes, patcher),
      ownWrites,
      clock,
      logger: log,
      perObject: flags['per-object'] ? (flags.workers ?? DEFAULT_WORKERS) : undefined,
      graceMs: flags.grace ?? DEFAULT_GRACE_MS,
      hookTimeoutMs: flags['hook-timeout'],
    });
    await using _pages = await openPages(session, this.#shown(operator, ownWrites, caches), {
      address: flags.metrics,
      page: this.#options.metrics.page,
    });
    this.#sayStart();
    const webhooks = {
      hooks: read.hooks,
      client: session.client,
      clock,
      logger: log,
      env: session.io.env,
      mayWrite: this.#mode === 'write',
      notice: (text: string) => session.notice(text),
      review: (...review: Parameters<Operator['review']>) => operator.review(...review),
    };
    await using _webhooks = await serveWebhooks(webhooks);
    await using _conversions = await serveConversions(webhooks);
    let outages = '';
    using _end = onAbort(session.signal, () => {
      outages = outageText(outagesOf(caches.targets, clock.now()), caches.targets);
    });
    try {
      await (election ? election.run([], (signal) => operator.run(signal)) : operator.run(session.signal));
    } finally {
      session.end(new StreamEnd('done'));
      processes.kill();
      guard?.[Symbol.dispose]();
      await caches.end();
    }
    const { runCount, failureCount, hasStarted } = operator;
    const failed = failureCount === 0 ? '' : `, ${failureCount} failure${failureCount === 1 ? '' : 's'}`;
    const why = wordsOfEnd(session.signal.reason);
    session.notice(
      `${why} after ${humanDuration(clock.monotonic() - startedAt)}: ${runCount} run${runCount === 1 ? '' : 's'} of hooks${failed}`,
    );
    if (outages !== '') session.notice(`${outages}; hooks did not see what changed meanwhile`);
    return exitCodeOfEnd(session.signal.reason, {
      isSynced: hasStarted || runCount > 0 || election !== undefined,
      isWaiting: false,
    });
  }

  /** Runs a hook, and then does what it asks for. */
  async #call(
    { hook, binding, contexts, objectsOf, signal }: HookCall,
    processes: HookProcesses,
    patcher: ObjectPatcher,
  ): Promise<HookAnswers> {
    const { folder, hookMetrics } = this.#options;
    const texts = contextsText(hook.config.version, contexts, objectsOf);
    return await folder.files(texts, async (files) => {
      const subject = `${hook.name}/${binding}`;
      const operations = async () => await readOperations(await files.read('KUBERNETES_PATCH_PATH'));
      try {
        await processes.run(hook, files, signal);
      } catch (error) {
        signal.throwIfAborted();
        const kept = (await operations()).filter(
          (each) => 'ignoreHookError' in each && each.ignoreHookError && each.subresource === 'status',
        );
        await patcher.apply(kept, subject, signal);
        throw error;
      }
      const measured = readMetricOperations(await files.read('METRICS_PATH'));
      await patcher.apply(await operations(), subject, signal);
      hookMetrics.apply(measured, hook.name);
      const validating = await files.read('VALIDATING_RESPONSE_PATH');
      return { validating, conversion: await files.read('CONVERSION_RESPONSE_PATH') };
    });
  }

  #processes(
    credentials: Readonly<Record<string, string | undefined>> | undefined,
    guard: ProgramGuard | undefined,
  ): HookProcesses {
    const { session, flags, read, folder } = this.#options;
    const { io, clock } = session;
    return new HookProcesses({
      env: { ...environmentOf(flags, io.env, credentials), ...shellLibrary(folder.path, read.folder) },
      clock,
      guard,
      onLine: (hook, line, stream) => showOutput(io, hook, line, stream),
    });
  }

  async #patcher(client: Session['client']): Promise<ObjectPatcher> {
    const { session, flags } = this.#options;
    const painter = await loadPainter(colorLevel(flags.color, session.io));
    const reported = new Redactor({ showSecrets: false });
    const maxWrites = writeLimitOf(flags['max-writes']);
    return new ObjectPatcher({
      client,
      mode: this.#mode,
      budget: budgetOf(session, { maxWrites, mode: this.#mode, journal: undefined }),
      clock: session.clock,
      maySeeSecrets: flags['show-secrets'],
      redact: (object, gvr, states) => reported.redact(object, gvr, states),
      report: (outcomes) => session.io.stdout.write(actionText(outcomes, painter)),
      jq: async (expression) => compileFilter(expression, 'jqFilter', await loadJq(), session.clock),
    });
  }

  #shown(operator: Operator, ownWrites: HookWrites, caches: Caches) {
    const { session } = this.#options;
    return {
      name: this.#name,
      controllers: [new OperatorView(this.#name, operator, ownWrites, session.clock)],
      informers: caches.informers,
      unready: () => (operator.hasStarted ? undefined : 'hooks have not seen the whole state of their bindings'),
    };
  }

  #sayStart(): void {
    const { session, read, flags } = this.#options;
    for (const remark of read.remarks) session.notice(remark);
    const count = read.hooks.length;
    session.notice(
      `${count} hook${count === 1 ? '' : 's'} of ${read.folder}: ${read.hooks.map(({ name }) => name).join(', ')}`,
    );
    const credentials = flags['pass-credentials'];
    if (!credentials)
      session.notice(
        'a kubectl in a hook reaches no cluster (its KUBECONFIG is empty): --pass-credentials gives it one',
      );
    if (this.#mode === 'describe')
      session.notice(
        'what hooks write to KUBERNETES_PATCH_PATH is shown, not sent; --allow-write sends it, --dry-run lets the server check it',
      );
    else if (this.#mode === 'dry-run' && credentials)
      session.notice(
        'hooks have your credentials: what a kubectl in them does is done, and only KUBERNETES_PATCH_PATH is checked',
      );
  }
}

const HOOKS = { group: '', version: 'v1', resource: 'hooks' };
/** The tasks at once with --per-object. */
const DEFAULT_WORKERS = 4;

function environmentOf(
  flags: Flags,
  env: Readonly<Record<string, string | undefined>>,
  credentials: Readonly<Record<string, string | undefined>> | undefined,
): Record<string, string> {
  const named = (flags['pass-env'] ?? []).flatMap((name) =>
    env[name] === undefined ? [] : [[name, env[name]] as const],
  );
  const own = hookEnvironment({ from: env, passCredentials: flags['pass-credentials'], credentials });
  return { ...Object.fromEntries(named), ...own };
}

function writeLimitOf(given: string | undefined) {
  if (given === undefined) return undefined;
  const limit = readWriteLimit(given);
  if (!('expected' in limit)) return limit;
  throw new InformerError('argument', `invalid argument "${given}" for "--max-writes": expected ${limit.expected}`);
}

async function loadJq(): Promise<JqLibrary> {
  try {
    return await (await import('../output/jq/jq-library.ts')).loadJqLibrary();
  } catch (cause) {
    throw new InformerError('argument', messageOf(cause).replace('-o jq needs', 'jqFilter needs'), {
      cause,
      hint: (cause as { hint?: string }).hint,
    });
  }
}

/** The jqFilters of all hooks, by their texts. jq is loaded only where there is one. */
async function filtersOf(hooks: readonly OperatorHook[]): Promise<Map<string, ObjectFilter>> {
  const filters = new Map<string, ObjectFilter>();
  for (const { name, config } of hooks)
    for (const { at, jqFilter } of config.kubernetes) {
      if (jqFilter === '' || filters.has(jqFilter)) continue;
      filters.set(jqFilter, await compileFilter(jqFilter, `${name} ${at}.jqFilter`, await loadJq(), systemClock));
    }
  return filters;
}

async function timesOf(hooks: readonly OperatorHook[]): Promise<Map<string, CrontabTimes>> {
  const crontabs = new Set(hooks.flatMap(({ config }) => config.schedules.map(({ crontab }) => crontab)));
  const times = [...crontabs].map(async (each) => [each, await readCrontab(each, parseSchedules)] as const);
  return new Map(await Promise.all(times));
}
