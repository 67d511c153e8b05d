import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import { type Controller, createController, type Parked } from '../../controller/controller.ts';
import { enqueueMapped, enqueueOwner } from '../../controller/enqueue.ts';
import {
  type ActionMode,
  type ActionOutcome,
  ActionRunner,
  describeAction,
} from '../../controller/hooks/action-runner.ts';
import { guardClient } from '../../controller/hooks/guarded-client.ts';
import type { Environment } from '../../controller/hooks/hook-environment.ts';
import { createHookReconciler } from '../../controller/hooks/hook-reconciler.ts';
import type { WriteLimit } from '../../controller/hooks/manifest.ts';
import type { HookServices } from '../../controller/hooks/module.ts';
import { createWriteBudget, unlimitedWrites, type WriteBudget } from '../../controller/hooks/write-budget.ts';
import { createInformerSource } from '../../controller/informer-source.ts';
import { and, changed, or, type Predicate } from '../../controller/predicate.ts';
import { createTimerSource, type Source } from '../../controller/source.ts';
import type { Address } from '../../expr/field-path.ts';
import { onAbort, scope } from '../../kit/abort.ts';
import { humanDuration } from '../../kit/duration.ts';
import { InformerError } from '../../kit/error.ts';
import type { Logger } from '../../kit/logger.ts';
import { formatGroupResource, formatGvr, type GroupVersionResource } from '../../model/gvr.ts';
import { joinKey } from '../../model/key.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { isSecretResource } from '../../model/secret-type.ts';
import { changeLines } from '../../output/changes/change-lines.ts';
import { continued, neutralised } from '../../output/escape.ts';
import { framedTable } from '../../output/tables/framed-table.ts';
import type { IndexDefinition } from '../../query/index-definition.ts';
import { changedPaths } from '../../stream/changes/changed-paths.ts';
import { fieldChanges } from '../../stream/changes/field-changes.ts';
import { outagesOf } from '../../stream/outage.ts';
import { Redactor } from '../../stream/redact.ts';
import { createRedactedLister } from '../../stream/redacted-lister.ts';
import { ContinuityReporter } from '../outage/continuity-reporter.ts';
import { outageText } from '../outage/outage-text.ts';
import { createTargets, type InformerPlan, runTargets, type WatchTarget } from '../session/informers.ts';
import { samplesOf } from '../session/initial-list-advice.ts';
import { pathAdvice } from '../session/path-advice.ts';
import type { Session } from '../session/session.ts';
import { strayErrors } from '../session/stray-errors.ts';
import type { ExitCode } from '../terminal/exit-codes.ts';
import { Interrupted } from '../terminal/signals.ts';
import { exitCodeOfEnd, StreamEnd } from '../terminal/stream-ending.ts';
import type { LoadedHook } from './hook-loading.ts';
import { privateFile } from './private-file.ts';

/** Another type whose objects lead to reconciled ones, by the keys or names that `map` finds in them. */
export interface MappedType {
  readonly selection: ResourceSelection;
  readonly map: (object: ReadonlyObject) => readonly string[];
  /** The fields that `map` reads. */
  readonly reads?: readonly Address[] | undefined;
}

/** A `reconcile` with everything read, resolved and checked. */
export interface ReconcilePlan extends Pick<InformerPlan, 'namespaces' | 'selector' | 'fieldSelector'> {
  readonly hook: LoadedHook;
  readonly primary: ResourceSelection;
  readonly owns: readonly ResourceSelection[];
  readonly watches: readonly MappedType[];
  /** An event passes when one of them lets it; none = all pass. */
  readonly predicates: readonly Predicate[];
  readonly indexes: readonly IndexDefinition[];
  readonly everyMs: number | undefined;
  /** Silence after which a watch is taken for dead, ms. */
  readonly idleMs: number | undefined;
  readonly workers: number;
  readonly maxRetries: number | undefined;
  readonly hookTimeoutMs: number | undefined;
  readonly finalizer: string | undefined;
  readonly mode: ActionMode;
  readonly maxWrites: WriteLimit | undefined;
  readonly passCredentials: boolean;
  readonly showSecrets: boolean;
  readonly logger: Logger;
}

/** Runs the hook for every key that is due until the session ends, then lets running ones finish. */
export async function reconcile(session: Session, plan: ReconcilePlan): Promise<ExitCode> {
  await using credentials = await hookCredentials(session, plan);
  const all: WatchTarget[] = [];
  using reporter = new ContinuityReporter(session, () => all);
  const [primary, owned, watched] = targetsOf(session, plan, reporter);
  all.push(primary, ...owned, ...watched);
  const controller = createController({
    name: plan.hook.name,
    reconcile: reconcilerOf(session, plan, primary, all, credentials?.env),
    sources: sourcesOf(plan, primary, owned, watched),
    workers: plan.workers,
    maxRetries: plan.maxRetries,
    clock: session.clock,
    logger: plan.logger,
  });
  const { clusterTool } = plan.hook;
  if (clusterTool !== undefined && !plan.passCredentials) {
    session.notice(
      `--exec runs ${clusterTool} without a way to the cluster (its KUBECONFIG is empty): --pass-credentials gives it one`,
    );
  }
  if (plan.mode === 'describe')
    session.notice('actions are shown, not sent; --allow-write sends them, --dry-run lets the server check them');
  using _strays = strayErrors(plan.hook.name, session, plan.logger);
  const running = runTargets(all, session);
  void adviseOnPaths(session, plan, primary, watched);
  let outages = '';
  using _end = onAbort(session.signal, () => {
    outages = outageText(outagesOf(all, session.clock.now()), all);
  });
  const synced = controller.whenSynced(session.signal).then(
    () => session.notice(startText(plan, primary)),
    () => {}, // what kept it from that is the error of the run
  );
  using _ending = onAbort(session.signal, () => reportDraining(controller, session));
  try {
    await controller.run(session.signal);
    await synced;
  } finally {
    session.end(new StreamEnd('done'));
    await running;
  }
  if (controller.parked.length > 0)
    session.notice('given up until something changes:', await parkedTable(controller.parked));
  if (outages !== '') session.notice(`${outages}; what changed meanwhile was not reconciled`);
  return exitCodeOfEnd(session.signal.reason, { isSynced: controller.hasSynced, isWaiting: false });
}

/** Says after the first states which fields of `--map` and `--index` are in none of the objects. Never rejects. */
async function adviseOnPaths(
  session: Session,
  plan: ReconcilePlan,
  primary: WatchTarget,
  watched: readonly WatchTarget[],
): Promise<void> {
  const indexes = plan.indexes.map(({ name, reads = [] }) => ({ flag: `--index ${name}`, addresses: reads }));
  const asked = [
    { target: primary, reads: indexes },
    ...watched.map((target, i) => ({ target, reads: [{ flag: '--map', addresses: plan.watches[i]?.reads ?? [] }] })),
  ];
  try {
    for (const { target, reads } of asked) {
      await target.informer.whenSynced(session.signal);
      for (const line of await pathAdvice(reads, [samplesOf(target)], session))
        if (!session.signal.aborted) session.notice(line);
    }
  } catch {
    // the session ended before the first states were there
  }
}

/** `7 namespaces, hook guard.ts, 1 worker`: that it runs is seen also where nothing calls for a run. */
function startText({ hook, workers }: ReconcilePlan, { type, informer, names }: WatchTarget): string {
  const { size } = informer.lister;
  const count = names
    ? [...informer.lister.keys()].filter((key) => names.has(key.slice(key.indexOf('/') + 1))).length
    : size;
  const what = count === 1 ? type.singular || type.gvr.resource : formatGroupResource(type.gvr);
  return `${count} ${what}, hook ${hook.name}, ${workers} worker${workers === 1 ? '' : 's'}`;
}

/** Keys named of those that the shutdown waits for. */
const MOST_DRAINING = 3;

function reportDraining(controller: Controller, session: Session): void {
  const keys = controller.snapshot().processing.map(({ key }) => key);
  if (keys.length === 0 || !(session.signal.reason instanceof Interrupted)) return;
  const more = keys.length > MOST_DRAINING ? ` and ${keys.length - MOST_DRAINING} more` : '';
  session.notice(
    `waiting for the hook to finish ${keys.slice(0, MOST_DRAINING).join(', ')}${more}; a second signal (Ctrl-C again) ends it at once`,
  );
}

/** No hook that does its work needs more; one that is run again by its own writes does. */
const DEFAULT_WRITES: WriteLimit = { writes: 600, perMs: 60_000 };

/** The budget of writes. Writes that wait for it are reported once a minute, and given up when the command ends. */
function budgetOf(session: Session, { maxWrites, mode }: ReconcilePlan): WriteBudget {
  if (mode !== 'write') return unlimitedWrites;
  const { writes, perMs } = maxWrites ?? DEFAULT_WRITES;
  const { clock } = session;
  let reportedAt = Number.NEGATIVE_INFINITY;
  const budget = createWriteBudget({ writes, perMs }, clock, (waitMs) => {
    if (clock.monotonic() - reportedAt < 60_000) return;
    reportedAt = clock.monotonic();
    const limit = `${writes} in ${humanDuration(perMs)}`;
    const why = maxWrites
      ? '--max-writes'
      : 'the default of --max-writes; a hook that its own writes run again needs them without end';
    session.notice(`writes are delayed: more than ${limit} (${why}); the next one is sent in ${humanDuration(waitMs)}`);
  });
  return {
    async take(signal) {
      using held = scope(signal);
      using _ = onAbort(session.signal, () =>
        held.abort(
          new InformerError('closed', 'the write was delayed, and given up when the program was asked to end'),
        ),
      );
      await budget.take(held.signal);
    },
  };
}

/** Rows shown of the keys that were given up. */
const MOST_PARKED = 50;

async function parkedTable(parked: readonly Parked[]): Promise<string> {
  const rows = parked.slice(0, MOST_PARKED).map(({ key, attempts, error }) => [key, String(attempts), error]);
  const more = parked.length > MOST_PARKED ? `and ${parked.length - MOST_PARKED} more\n` : '';
  return `${await framedTable(['KEY', 'ATTEMPTS', 'LAST ERROR'], rows)}${more}`;
}

function targetsOf(
  session: Session,
  plan: ReconcilePlan,
  reporter: ContinuityReporter,
): [WatchTarget, WatchTarget[], WatchTarget[]] {
  const { namespaces } = plan;
  const shared = {
    namespaces,
    as: 'object',
    keepManagedFields: false,
    idleMs: plan.idleMs,
    onContinuity: reporter.observe.bind(reporter),
  } as const;
  const indexers = Object.fromEntries(
    plan.indexes.map((d) => [d.name, (object: ReadonlyObject) => d.valuesOf(object)]),
  );
  const everything = { ...shared, selector: undefined, fieldSelector: undefined };
  const [primary] = createTargets(session, [plan.primary], {
    ...shared,
    selector: plan.selector,
    fieldSelector: plan.fieldSelector,
    indexers: indexers as never,
  });
  const owned = createTargets(session, plan.owns, everything);
  const watched = createTargets(
    session,
    plan.watches.map(({ selection }) => selection),
    everything,
  );
  return [primary as WatchTarget, owned, watched];
}

function sourcesOf(
  plan: ReconcilePlan,
  primary: WatchTarget,
  owned: readonly WatchTarget[],
  watched: readonly WatchTarget[],
): Source[] {
  const { type, informer, names } = primary;
  const ofName: Predicate = ({ key }) => !names || names.has(key.slice(key.indexOf('/') + 1));
  // A finalizer is answered for whatever else an update must change: the beginning of a deletion is one.
  const deletion = plan.finalizer === undefined ? [] : [changed((object) => object.metadata.deletionTimestamp)];
  const predicate = plan.predicates.length === 0 ? ofName : and(ofName, or(...plan.predicates, ...deletion));
  const enqueueOwning = enqueueOwner({
    group: type.gvr.group,
    kind: type.kind,
    namespaced: type.namespaced,
    onlyController: true,
  });
  const sources = [
    createInformerSource(informer, { name: informer.name, predicate, isPrimary: true }),
    ...owned.map((target) =>
      createInformerSource(target.informer, { name: target.informer.name, enqueue: enqueueOwning }),
    ),
    ...watched.map((target, i) =>
      createInformerSource(target.informer, {
        name: target.informer.name,
        enqueue: mapped(plan.watches[i] as MappedType, type.namespaced),
      }),
    ),
  ];
  if (plan.everyMs !== undefined)
    sources.push(createTimerSource({ everyMs: plan.everyMs, keys: () => informer.lister.keys() }));
  return sources;
}

/** A name without a namespace is one in the namespace of the object that names it. */
function mapped({ map }: MappedType, namespaced: boolean) {
  return enqueueMapped((object) =>
    map(object).map((value) =>
      namespaced && !value.includes('/') ? joinKey(object.metadata.namespace, value) : value,
    ),
  );
}

function reconcilerOf(
  session: Session,
  plan: ReconcilePlan,
  primary: WatchTarget,
  all: readonly WatchTarget[],
  credentials: Environment | undefined,
) {
  const { client, clock, io } = session;
  const redactor = new Redactor({ showSecrets: plan.showSecrets });
  const redact = <T extends object>(object: T, gvr: GroupVersionResource) => redactor.redact(object, gvr);
  const budget = budgetOf(session, plan);
  const listerOf = ({ type: { gvr }, informer }: WatchTarget) => {
    if (plan.showSecrets || !isSecretResource(gvr)) return informer.lister;
    return createRedactedLister(informer.lister, redactor, gvr);
  };
  const services: HookServices = {
    client: guardClient(client, { mode: plan.mode, budget, redact }),
    lister: (gvr) => listerOf(all.find(({ type }) => formatGvr(type.gvr) === gvr) ?? unknownLister(gvr)),
    index: (name, value) => listerOf(primary).byIndex(name, value),
  };
  const actions = new ActionRunner({
    client,
    clock,
    budget,
    mode: plan.mode,
    primary: primary.type,
    types: async () => (await client.discovery.snapshot()).types,
    redact,
    report: (outcome) => void io.stdout.write(`${continued(reportText(outcome))}\n${diffText(outcome)}`),
  });
  const hook = plan.hook.create(services, { env: io.env, passCredentials: plan.passCredentials, credentials });
  session.atOnce.add(() => hook.kill?.());
  return createHookReconciler({
    hook,
    primary: primary.type,
    lister: primary.informer.lister,
    actions,
    clock,
    changedPaths: (before, after) => changedPaths(before as never, after as never),
    redact,
    timeoutMs: plan.hookTimeoutMs,
    onOutput: (key, line) => void io.stdout.write(`${key} | ${neutralised(line)}\n`),
    finalizer: plan.finalizer,
  });
}

const LEAD: Readonly<Record<ActionMode, string>> = { describe: 'would ', 'dry-run': 'dry run: ', write: '' };

/** One line an action: what is done, or would be; of a dry run also what it would change. */
function reportText(outcome: ActionOutcome): string {
  const { mode, before, after } = outcome;
  const changes = mode === 'dry-run' && before && after ? changedPaths(before, after) : undefined;
  const effect =
    changes === undefined ? '' : ` → ${changes.length === 0 ? 'changes nothing' : `changes ${changes.join(' ')}`}`;
  return `${outcome.subject}: ${LEAD[mode]}${describeAction(outcome)}${effect}`;
}

/** The fields that a dry run would change, old → new, a line each. */
function diffText({ mode, before, after }: ActionOutcome): string {
  if (mode !== 'dry-run' || !before || !after) return '';
  const signs = { '': ' ', added: '+', removed: '-', changed: '~' };
  const lines = changeLines(fieldChanges(before, after)).map(
    ({ mark, text, parts }) => `    ${signs[mark]} ${text}${parts ? `${parts.before} → ${parts.after}` : ''}\n`,
  );
  return lines.join('');
}

/**
 * What leads a hook's kubectl to the cluster the program works on, where the environment alone would not: a kubeconfig
 * for as long as it runs.
 */
async function hookCredentials(
  session: Session,
  { passCredentials }: ReconcilePlan,
): Promise<(AsyncDisposable & { env: Environment }) | undefined> {
  const content = passCredentials ? await session.kubeconfig() : undefined;
  if (content === undefined) return undefined;
  const file = await privateFile('kubeconfig', content);
  session.atOnce.add(() => file.removeNow());
  return { env: { KUBECONFIG: file.path }, [Symbol.asyncDispose]: () => file[Symbol.asyncDispose]() };
}

function unknownLister(gvr: string): never {
  throw new InformerError('hook', `there is no cache of ${gvr} here`, {
    hint: 'name the type with --owns or --watches',
  });
}
