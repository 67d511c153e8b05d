import { type Controller, createController } from '../../controller/controller.ts';
import type { Source } from '../../controller/sources/source.ts';
import type { ActionJournal } from '../../hooks/journal/action-journal.ts';
import { Drain } from '../../hooks/run/drain.ts';
import type { Environment } from '../../hooks/run/hook-environment.ts';
import { RunTally } from '../../hooks/run-tally.ts';
import { createStartupSource } from '../../hooks/triggers/startup-source.ts';
import { TriggerFilter } from '../../hooks/triggers/trigger-filter.ts';
import { abortable, onAbort } from '../../kit/abort.ts';
import { failureNotice } from '../../stream/conditions/condition.ts';
import { outagesOf } from '../../stream/outage.ts';
import { createControllerRateLimiter } from '../../workqueue/rate-limiter.ts';
import { ContinuityReporter } from '../outage/continuity-reporter.ts';
import { outageText } from '../outage/outage-text.ts';
import { runTargets } from '../session/refusals.ts';
import type { Session } from '../session/session.ts';
import { strayErrors } from '../session/stray-errors.ts';
import { exitCodeOfEnd } from '../terminal/exit-code-of-end.ts';
import type { ExitCode } from '../terminal/exit-codes.ts';
import { StreamEnd, wordsOfEnd } from '../terminal/stream-ending.ts';
import { createElection, type ReconcileElection } from './election.ts';
import { type HookRuns, type HookSurroundings, hookCredentials, reconcilerOf } from './hook-run.ts';
import { completeJournal, openJournal } from './journal.ts';
import { onModuleExit } from './module-exit.ts';
import { giveReconcileHints } from './reconcile-hints.ts';
import type { ReconcilePlan } from './reconcile-plan.ts';
import { parkedTable, sayWhatIsNotDone, startText } from './reports.ts';
import { createSharing, type Sharing, type SharingOptions } from './sharing.ts';
import { sourcesOf } from './sources.ts';
import { type ReconcileTargets, targetsOf } from './targets.ts';

/** Runs the hook for every key that is due until the session ends, then lets running ones finish. */
export async function reconcile(session: Session, plan: ReconcilePlan): Promise<ExitCode> {
  await using journal = await openJournal(session, plan);
  await using credentials = await hookCredentials(session, plan);
  using run = new ReconcileRun(session, plan, journal, credentials?.env);
  await run.open();
  await run.work();
  return run.report();
}

/** One run of `reconcile`: its caches, its hook, and the controller that calls it. Must be disposed of. */
class ReconcileRun implements Disposable {
  readonly #session: Session;
  readonly #plan: ReconcilePlan;
  readonly #journal: ActionJournal | undefined;
  readonly #reporter: ContinuityReporter;
  readonly #sharing: Sharing | undefined;
  readonly #election: ReconcileElection | undefined;
  readonly #targets: ReconcileTargets;
  readonly #filter: TriggerFilter;
  readonly #runs: HookRuns;
  readonly #tally = new RunTally();
  readonly #drain: Drain;
  readonly #controller: Controller;
  readonly #startedAt: number;
  /** The last start of the hook before all keys. */
  #startup: Promise<void> | undefined;
  #isStartingUp = false;
  /** The outages at the end, for a person; '' if there was none. */
  #outages = '';

  constructor(
    session: Session,
    plan: ReconcilePlan,
    journal: ActionJournal | undefined,
    credentials: Environment | undefined,
  ) {
    this.#session = session;
    this.#plan = plan;
    this.#journal = journal;
    const { lease } = plan;
    this.#sharing = lease?.sharing && this.#shared({ ...lease, sharing: lease.sharing });
    this.#election = lease && !this.#sharing ? createElection(session, lease) : undefined;
    this.#reporter = new ContinuityReporter(session, () => this.#targets.all);
    this.#targets = targetsOf(session, plan, this.#reporter, this.#sharing);
    this.#filter = new TriggerFilter({
      rules: plan.filters.rules,
      target: this.#targets.primary,
      finalizer: plan.finalizer,
      clock: session.clock,
      onError: (error) => session.notice(failureNotice(error)),
      onRemark: (remark) => session.notice(remark),
    });
    this.#runs = reconcilerOf(session, plan, this.#surroundings(), credentials, journal);
    this.#startedAt = session.clock.monotonic();
    this.#drain = new Drain(session, plan.graceMs, this.#runs.delayed);
    this.#controller = this.#createController();
    this.#drain.of(this.#controller, () => this.#isStartingUp);
  }

  /** Opens the ports and pages of the run, and says how it is done. */
  async open(): Promise<void> {
    const [session, plan, { primary, all }] = [this.#session, this.#plan, this.#targets];
    await plan.operations.attach(session, {
      name: plan.hook.name,
      type: primary.type,
      namespaces: plan.namespaces,
      controller: this.#controller,
      informers: all.map(({ informer }) => informer),
      objects: primary.informer.lister,
      check: (this.#election ?? this.#sharing)?.check,
    });
    plan.replay?.follow(() => isAtWork(this.#controller));
    sayWhatIsNotDone(session, plan);
    session.logger.info('retries of failed keys', { ...plan.retries, maxRetries: plan.maxRetries ?? 'unlimited' });
  }

  /** Works until the session ends, and lets running hooks finish. */
  async work(): Promise<void> {
    const [session, plan, targets] = [this.#session, this.#plan, this.#targets];
    using _strays = strayErrors(plan.hook.name, session, plan.logger);
    using _exits = onModuleExit((error) =>
      session.signal.aborted ? session.notice(`${error.message}; it is ignored`) : session.end(error),
    );
    if (!this.#election) await this.#resume();
    plan.recording?.follow(targets, plan);
    const running = runTargets(targets.all, session);
    void giveReconcileHints(session, plan, targets);
    using _end = onAbort(session.signal, () => {
      this.#outages = outageText(outagesOf(targets.all, session.clock.now()), targets.all);
    });
    const synced = this.#controller.whenSynced(session.signal).then(
      async () => session.notice(await startText(plan, targets.primary, this.#filter, session.clock)),
      () => {}, // what kept it from that is the error of the run
    );
    const shared = this.#sharing?.run();
    try {
      await (this.#election
        ? this.#election.run(targets.all, (signal) => this.#resume().then(() => this.#control(signal)))
        : this.#control(session.signal));
      await synced;
    } finally {
      await this.#end();
      await Promise.all([running, shared]);
    }
  }

  /** Says what was done and what was not. Returns the exit code. */
  report(): ExitCode {
    const [session, { parked, hasSynced }, { errors }] = [this.#session, this.#controller, this.#filter];
    session.notice(this.#tally.line(wordsOfEnd(session.signal.reason), session.clock.monotonic() - this.#startedAt));
    if (parked.length > 0) session.notice('given up until something changes:', parkedTable(parked));
    if (errors > 0)
      session.notice(`${errors} evaluation${errors === 1 ? '' : 's'} of filters failed, and counted as no match`);
    if (this.#outages !== '') session.notice(`${this.#outages}; what changed meanwhile was not reconciled`);
    return exitCodeOfEnd(session.signal.reason, {
      isSynced: hasSynced || (this.#election?.isStandby ?? false),
      isWaiting: false,
    });
  }

  [Symbol.dispose](): void {
    this.#drain[Symbol.dispose]();
    this.#reporter[Symbol.dispose]();
  }

  /** Ends the work, and waits for the hook as long as the drain does. */
  async #end(): Promise<void> {
    const { hook } = this.#runs;
    this.#session.end(new StreamEnd('done'));
    if (this.#drain.gaveUp.aborted) hook.kill?.();
    const closed = async () => {
      await this.#startup?.catch(() => {}); // reported by the source
      await hook.close?.();
    };
    await abortable(closed(), this.#drain.gaveUp);
  }

  #control(signal: AbortSignal): Promise<void> {
    return abortable(this.#controller.run(signal), this.#drain.gaveUp);
  }

  /** Completes what an earlier run began. */
  async #resume(): Promise<void> {
    if (this.#journal) await completeJournal(this.#session, this.#journal, this.#runs.actions, this.#plan);
  }

  #shared(lease: SharingOptions['lease']): Sharing {
    return createSharing(this.#session, {
      plan: this.#plan,
      lease,
      caches: () => this.#targets,
      drop: (key) => this.#controller.drop(key),
    });
  }

  #surroundings(): HookSurroundings {
    const [election, sharing] = [this.#election, this.#sharing];
    return {
      ...this.#targets,
      filter: this.#filter,
      client: election?.client ?? sharing?.client ?? this.#session.client,
      leaseOfRun: sharing ? () => sharing.gate.leaseOfRun() : election && (() => election.leaseLeft),
    };
  }

  #createController(): Controller {
    const [plan, gate, { primary }] = [this.#plan, this.#sharing?.gate, this.#targets];
    const { reconcile } = this.#runs;
    const recorded = plan.recording?.recorded(reconcile, primary, plan) ?? reconcile;
    const counted = this.#tally.counting(this.#drain.watching(recorded));
    return createController({
      name: plan.hook.name,
      reconcile: gate ? gate.reconciler(counted) : counted,
      sources: [
        ...sourcesOf(plan, this.#targets, this.#filter, gate),
        ...(plan.hook.hasStartup ? [this.#startupSource()] : []),
        ...this.#runs.reload(() => [
          ...primary.informer.lister.keys(),
          ...this.#controller.parked.map(({ key }) => key),
        ]),
      ],
      // a list of a million objects takes minutes, and what keeps one from coming is reported again and again
      cacheSyncTimeoutMs: Number.POSITIVE_INFINITY,
      workers: plan.workers,
      maxRetries: plan.maxRetries,
      rateLimiter: createControllerRateLimiter({ ...plan.retries, clock: this.#session.clock }),
      reads: this.#targets.all.map(({ informer }) => informer),
      hotLoopRuns: plan.hotLoopRuns,
      consistency: plan.consistency,
      drainMs: plan.graceMs,
      metrics: plan.operations.metrics,
      clock: this.#session.clock,
      logger: plan.logger,
    });
  }

  #startupSource(): Source {
    const { hook, retries, maxRetries } = this.#plan;
    return createStartupSource({
      hook: hook.name,
      cachesSynced: async (signal) => {
        await Promise.all(this.#targets.all.map(({ informer }) => informer.whenSynced(signal)));
      },
      run: (context) => {
        this.#isStartingUp = true;
        this.#startup = this.#runs.startUp(context).finally(() => {
          this.#isStartingUp = false;
        });
        return this.#startup;
      },
      retries,
      maxRetries,
      notice: (text) => this.#session.notice(text),
    });
  }
}

/** Whether a key is processed, or waits only for its turn. */
function isAtWork(controller: Controller): boolean {
  const { queued, processing } = controller.snapshot().counts;
  return queued + processing > 0;
}
