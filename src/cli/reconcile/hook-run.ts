import type { Client } from '../../client/client.ts';
import type { Reconciler } from '../../controller/reconciler.ts';
import type { Source } from '../../controller/sources/source.ts';
import { type ActionOutcome, ActionRunner, type RedactStates } from '../../hooks/action-runner.ts';
import { guardClient } from '../../hooks/guarded-client.ts';
import type { Hook } from '../../hooks/hook.ts';
import { createHookReconciler, type HookReconcilerOptions } from '../../hooks/hook-reconciler.ts';
import { runHookStartup } from '../../hooks/hook-startup.ts';
import type { ActionJournal } from '../../hooks/journal/action-journal.ts';
import { privateFile } from '../../hooks/journal/private-file.ts';
import type { Environment } from '../../hooks/run/hook-environment.ts';
import { KnownVersions } from '../../hooks/run/known-versions.ts';
import { measuredHook } from '../../hooks/run/measured-hook.ts';
import { currentModuleRun, type HookServices } from '../../hooks/run/module.ts';
import { ProgramGuard, type ProgramGuardOptions } from '../../hooks/run/program-guard.ts';
import { ReplaceableHook } from '../../hooks/run/replaceable-hook.ts';
import type { StartupOptions } from '../../hooks/triggers/startup-source.ts';
import type { TriggerFilter } from '../../hooks/triggers/trigger-filter.ts';
import { InformerError } from '../../kit/error.ts';
import { changedPaths } from '../../model/changed-paths.ts';
import { formatGvr, type GroupVersionResource, isSecretResource } from '../../model/gvr.ts';
import type { ObjectKey } from '../../model/key.ts';
import { actionText } from '../../output/action-report.ts';
import { Redactor, withoutManagedFields } from '../../stream/redact.ts';
import { createRedactedLister } from '../../stream/redacted-lister.ts';
import type { WatchTarget } from '../session/informers.ts';
import type { Session } from '../session/session.ts';
import type { LoadedHook } from './hook-loading.ts';
import { showOutput, showThrown } from './hook-output.ts';
import type { ReconcilePlan } from './reconcile-plan.ts';
import { reloadSource } from './reload.ts';
import { ACTIONS_ARE_SHOWN } from './reports.ts';
import { Snapshots } from './snapshots.ts';
import type { ReconcileTargets } from './targets.ts';
import { budgetOf } from './writes.ts';

/** The caches that a hook's runs read. */
export interface HookSurroundings extends ReconcileTargets {
  readonly filter: TriggerFilter;
  /** Sends what the hook asks for. */
  readonly client: Client;
  /** Returns the lease of the current run; undefined where no lease decides who runs. */
  readonly leaseOfRun?: ProgramGuardOptions['leaseOfRun'] | undefined;
}

/** The plan's hook, and what is done with it. */
export interface HookRuns {
  readonly reconcile: Reconciler;
  readonly startUp: StartupOptions['run'];
  readonly actions: ActionRunner;
  readonly hook: Hook;
  /** The source of keys that a new version of the hook runs again, with `--reload`. */
  readonly reload: (keys: () => Iterable<ObjectKey>) => Source[];
  /** The keys of the runs whose next write waits for the budget. */
  readonly delayed: ReadonlySet<ObjectKey>;
}

/** The plan's hook, what runs it for a key and once before all keys, and what carries out the actions that it asks for. */
export function reconcilerOf(
  session: Session,
  plan: ReconcilePlan,
  { primary, snapshots: targets, all, filter, client, leaseOfRun }: HookSurroundings,
  credentials: Environment | undefined,
  journal: ActionJournal | undefined,
): HookRuns {
  const { clock, io } = session;
  const redactor = new Redactor({ showSecrets: plan.showSecrets });
  const shown = plan.recording ? withoutManagedFields(redactor) : redactor;
  const redact = <T extends object>(object: T, gvr: GroupVersionResource) => redactor.redact(object, gvr);
  // the hook may get the values of Secrets; a terminal or a log never does
  const reported = plan.showSecrets ? new Redactor({ showSecrets: false }) : redactor;
  const redactReport: RedactStates = (object, gvr, states) => reported.redact(object, gvr, states);
  const snapshots = new Snapshots(targets, shown, (text) => session.notice(text));
  const budget = budgetOf(session, plan);
  const listerOf = ({ type: { gvr }, informer }: WatchTarget) => {
    if (!plan.recording && (plan.showSecrets || !isSecretResource(gvr))) return informer.lister;
    return createRedactedLister(informer.lister, shown, gvr);
  };
  const show = (outcomes: readonly ActionOutcome[]) => {
    plan.recording?.report(outcomes);
    io.stdout.write(actionText(outcomes, plan.painter));
  };
  const guarded = { mode: plan.mode, budget, redact, redactReport, maySeeSecrets: plan.showSecrets };
  const services: HookServices = {
    client: guardClient(client, { ...guarded, runKey: () => currentModuleRun()?.key, report: show }),
    lister: (gvr) => listerOf(all.find(({ type }) => formatGvr(type.gvr) === gvr) ?? unknownLister(gvr)),
    index: (name, value) => listerOf(primary).byIndex(name, value),
  };
  const sayOnceShown = sayingOnce(session, plan);
  const versions = new KnownVersions(session.config.server, clock);
  const actions = new ActionRunner({
    client,
    clock,
    budget,
    mode: plan.mode,
    primary: primary.type,
    types: async () => (await session.client.discovery.snapshot()).types,
    redact: redactReport,
    report(outcomes) {
      sayOnceShown();
      show(outcomes);
      for (const { verb, mode, target, after } of outcomes) {
        metrics?.counter('kubectl_informer_writes_total', { verb, mode }).add();
        if (mode === 'write') versions.wrote(target.type.gvr, after?.metadata.resourceVersion);
      }
    },
    journal,
    maySeeSecrets: plan.showSecrets,
  });
  const { metrics } = plan.operations;
  const guard = leaseOfRun && new ProgramGuard({ leaseOfRun, clock, onFailure: (error) => session.end(error) });
  const create = (loaded: LoadedHook) =>
    loaded.create(services, {
      env: io.env,
      passCredentials: plan.passCredentials,
      credentials,
      logger: plan.logger,
      clock,
      guard,
      variables: (request) => versions.of(request),
      onStrayLine: (line, stream) => showOutput(io, loaded.name, line, stream),
    });
  const replaceable = new ReplaceableHook(create(plan.hook));
  const hook = measuredHook(replaceable, metrics, clock);
  session.atOnce.add(() => hook.kill?.());
  const options: HookReconcilerOptions = {
    hook,
    primary: primary.type,
    lister: primary.informer.lister,
    actions,
    clock,
    changedPaths: (before, after) => changedPaths(before as never, after as never),
    redact: (object, gvr) => shown.redact(object, gvr),
    timeoutMs: plan.hookTimeoutMs,
    onOutput: (key, line, stream) => showOutput(io, key, line, stream),
    onThrown: showThrown(io),
    finalizer: plan.finalizer,
    snapshots: (key) => snapshots.of(key),
    refusal: (request, object) => filter.refusal(request, object),
  };
  const startUp: StartupOptions['run'] = (context) => runHookStartup(options, context);
  const reload = (keys: () => Iterable<ObjectKey>) =>
    plan.hook.reload ? [reloadSource({ session, loaded: plan.hook, hook: replaceable, create, keys })] : [];
  return { reconcile: createHookReconciler(options), startUp, actions, hook, reload, delayed: budget.waiting };
}

/** Says that actions are only shown, when there is the first one: most command lines reply nothing. */
function sayingOnce(session: Session, { mode, hook }: ReconcilePlan): () => void {
  let isSaid = mode !== 'describe' || hook.form !== 'command';
  return () => {
    if (!isSaid) session.notice(ACTIONS_ARE_SHOWN);
    isSaid = true;
  };
}

/**
 * A kubeconfig that leads a hook's kubectl to the cluster of this program, where the environment alone would not. It
 * exists as long as the program runs.
 */
export async function hookCredentials(
  session: Session,
  { passCredentials }: Pick<ReconcilePlan, 'passCredentials'>,
): Promise<(AsyncDisposable & { env: Environment }) | undefined> {
  const content = passCredentials ? await session.kubeconfig() : undefined;
  if (content === undefined) return undefined;
  const file = await privateFile('kubeconfig', content);
  session.atOnce.add(() => file.removeNow());
  return { env: { KUBECONFIG: file.path }, [Symbol.asyncDispose]: () => file[Symbol.asyncDispose]() };
}

function unknownLister(gvr: string): never {
  throw new InformerError('hook', `there is no cache of ${gvr} here`, {
    hint: 'name the type with --owns, --watches or --with',
  });
}
