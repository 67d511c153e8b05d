import { type Controller, createController } from '../../controller/controller.ts';
import { OwnWrites } from '../../controller/history/own-writes.ts';
import { RunTally } from '../../hooks/run-tally.ts';
import { createStartupSource } from '../../hooks/triggers/startup-source.ts';
import { abortable, onAbort } from '../../kit/abort.ts';
import { failureNotice } from '../../stream/conditions/condition.ts';
import { outagesOf } from '../../stream/outage.ts';
import { createControllerRateLimiter } from '../../workqueue/rate-limiter.ts';
import { ContinuityReporter } from '../outage/continuity-reporter.ts';
import { outageText } from '../outage/outage-text.ts';
import { runTargets, type WatchTarget } from '../session/informers.ts';
import type { Session } from '../session/session.ts';
import { strayErrors } from '../session/stray-errors.ts';
import type { ExitCode } from '../terminal/exit-codes.ts';
import { exitCodeOfEnd, StreamEnd, wordsOfEnd } from '../terminal/stream-ending.ts';
import { Drain } from './drain.ts';
import { createElection } from './election.ts';
import { hookCredentials, reconcilerOf } from './hook-run.ts';
import { completeJournal, openJournal } from './journal.ts';
import { onModuleExit } from './module-exit.ts';
import type { ReconcilePlan } from './plan.ts';
import { parkedTable, sayWhatIsNotDone, startText } from './reports.ts';
import { createSharing } from './sharing.ts';
import { sourcesOf } from './sources.ts';
import { adviseAtStart } from './start-advice.ts';
import { targetsOf } from './targets.ts';
import { TriggerFilter } from './trigger-filter.ts';

/** Runs the hook for every key that is due until the session ends, then lets running ones finish. */
export async function reconcile(session: Session, plan: ReconcilePlan): Promise<ExitCode> {
  await using journal = await openJournal(session, plan);
  await using credentials = await hookCredentials(session, plan);
  const all: WatchTarget[] = [];
  using reporter = new ContinuityReporter(session, () => all);
  const { lease } = plan;
  const sharing =
    lease?.shards &&
    createSharing(session, {
      plan,
      lease: { ...lease, shards: lease.shards },
      caches: () => targets,
      drop: (key) => controller.drop(key),
    });
  const targets = targetsOf(session, plan, reporter, sharing?.shards);
  all.push(...targets.all);
  const filter = new TriggerFilter({
    rules: plan.filters.rules,
    target: targets.primary,
    finalizer: plan.finalizer,
    clock: session.clock,
    onError: (error) => session.notice(failureNotice(error)),
    onRemark: (remark) => session.notice(remark),
  });
  const ownWrites = new OwnWrites();
  const election = lease && !sharing ? createElection(session, lease) : undefined;
  const surroundings = {
    ...targets,
    filter,
    ownWrites,
    client: election?.client ?? sharing?.client ?? session.client,
    leaseOfRun: sharing ? () => sharing.gate.leaseOfRun() : election && (() => election.leaseLeft),
  };
  const runs = reconcilerOf(session, plan, surroundings, credentials?.env, journal);
  const { reconcile: runHook, actions, hook } = runs;
  const tally = new RunTally();
  const startedAt = session.clock.monotonic();
  using drain = new Drain(session, plan.graceMs, runs.delayed);
  let startup: Promise<void> | undefined;
  let isStartingUp = false;
  const startupSource = createStartupSource({
    hook: plan.hook.name,
    cachesSynced: async (signal) => {
      await Promise.all(all.map(({ informer }) => informer.whenSynced(signal)));
    },
    run: (context) => {
      isStartingUp = true;
      startup = runs.startUp(context).finally(() => {
        isStartingUp = false;
      });
      return startup;
    },
    retries: plan.retries,
    maxRetries: plan.maxRetries,
    notice: (text) => session.notice(text),
  });
  const counted = tally.counting(drain.watching(runHook));
  const controller: Controller = createController({
    name: plan.hook.name,
    reconcile: sharing ? sharing.gate.reconciler(counted) : counted,
    sources: [
      ...sourcesOf(plan, targets, filter, sharing?.gate),
      ...(plan.hook.hasStartup ? [startupSource] : []),
      ...runs.reload(() => [...targets.primary.informer.lister.keys(), ...controller.parked.map(({ key }) => key)]),
    ],
    // a list of a million objects takes minutes, and what keeps one from coming is reported again and again
    cacheSyncTimeoutMs: Number.POSITIVE_INFINITY,
    workers: plan.workers,
    maxRetries: plan.maxRetries,
    rateLimiter: createControllerRateLimiter({ ...plan.retries, clock: session.clock }),
    ownWrites,
    hotLoopRuns: plan.hotLoopRuns,
    drainMs: plan.graceMs,
    metrics: plan.operations.metrics,
    clock: session.clock,
    logger: plan.logger,
  });
  drain.of(controller, () => isStartingUp);
  await plan.operations.attach(session, {
    name: plan.hook.name,
    type: targets.primary.type,
    namespaces: plan.namespaces,
    controller,
    informers: targets.all.map(({ informer }) => informer),
    objects: targets.primary.informer.lister,
    check: (election ?? sharing)?.check,
  });
  sayWhatIsNotDone(session, plan);
  session.logger.info('retries of failed keys', { ...plan.retries, maxRetries: plan.maxRetries ?? 'unlimited' });
  using _strays = strayErrors(plan.hook.name, session, plan.logger);
  using _exits = onModuleExit((error) =>
    session.signal.aborted ? session.notice(`${error.message}; it is ignored`) : session.end(error),
  );
  const resume = async () => {
    if (journal) await completeJournal(session, journal, actions, plan);
  };
  if (!election) await resume();
  const running = runTargets(all, session);
  void adviseAtStart(session, plan, targets);
  let outages = '';
  using _end = onAbort(session.signal, () => {
    outages = outageText(outagesOf(all, session.clock.now()), all);
  });
  const synced = controller.whenSynced(session.signal).then(
    async () => session.notice(await startText(plan, targets.primary, filter, session.clock)),
    () => {}, // what kept it from that is the error of the run
  );
  const shared = sharing?.run();
  try {
    const work = (signal: AbortSignal) => abortable(controller.run(signal), drain.gaveUp);
    await (election ? election.run(all, (signal) => resume().then(() => work(signal))) : work(session.signal));
    await synced;
  } finally {
    session.end(new StreamEnd('done'));
    if (drain.gaveUp.aborted) hook.kill?.();
    const closed = async () => {
      await startup?.catch(() => {}); // reported by the source
      await hook.close?.();
    };
    await abortable(closed(), drain.gaveUp);
    await Promise.all([running, shared]);
  }
  session.notice(tally.line(wordsOfEnd(session.signal.reason), session.clock.monotonic() - startedAt));
  if (controller.parked.length > 0) session.notice('given up until something changes:', parkedTable(controller.parked));
  if (filter.errors > 0)
    session.notice(
      `${filter.errors} evaluation${filter.errors === 1 ? '' : 's'} of filters failed, and counted as no match`,
    );
  if (outages !== '') session.notice(`${outages}; what changed meanwhile was not reconciled`);
  return exitCodeOfEnd(session.signal.reason, {
    isSynced: controller.hasSynced || (election?.isStandby ?? false),
    isWaiting: false,
  });
}
