import type { HookConfig } from '../../hooks/manifest.ts';
import { DEFAULT_GRACE_MS } from '../../hooks/run/drain.ts';
import { InformerError } from '../../kit/error.ts';
import type { IndexDefinition } from '../../query/index/index-definition.ts';
import { parseIndex } from '../../query/index/index-definition.ts';
import { checkRollouts } from '../../stream/conditions/types-with-rollouts.ts';
import type { FlagValues } from '../args/flag.ts';
import type { reconcileFlags } from '../args/reconcile-flags.ts';
import { idleMsOf } from '../args/shared-flags.ts';
import { resolveWhenThere } from '../session/crd-wait.ts';
import { checkSelectors, namespacesOf, type Session } from '../session/session.ts';
import { refuseAbsentFields } from '../session/type-fields.ts';
import { checkWheres } from '../session/where-check.ts';
import type { Io } from '../terminal/io.ts';
import { checkFinalizer, mergedConfig } from './config.ts';
import { type LoadedHook, loadHook } from './hook-loading.ts';
import { shownOnStderr } from './hook-output.ts';
import { mappedType } from './key-map.ts';
import { leasePlanOf } from './lease-plan.ts';
import { onlyOne } from './only-one.ts';
import type { ReconcilePlan } from './reconcile-plan.ts';
import { snapshotPlans } from './snapshots.ts';
import { type Triggers, triggersOf } from './trigger-checks.ts';

type ReconcileFlags = FlagValues<typeof reconcileFlags>;

/** A command line of `reconcile`, read and checked as far as that needs no server. */
export interface ReadReconcile extends Triggers {
  readonly flags: ReconcileFlags;
  readonly hook: LoadedHook;
  readonly config: HookConfig;
  readonly indexes: readonly IndexDefinition[];
  readonly graceMs: number;
  /** Called when an expression fails on an object. */
  readonly onError: (error: Error) => void;
}

/** Loads the hook and checks the flags. Throws `argument`. */
export async function readReconcile(
  flags: ReconcileFlags,
  io: Io,
  onError: (error: Error) => void,
): Promise<ReadReconcile> {
  const hook = await loadHook(flags, shownOnStderr(io));
  const config = mergedConfig(flags, hook);
  checkSelectors({ selector: config.selector, 'field-selector': config.fieldSelector });
  checkFinalizer(config);
  refuseWithoutCluster(hook, config);
  const indexes = await Promise.all((flags.index ?? []).map((text) => parseIndex(text, onError)));
  const triggers = await triggersOf(config, hook, flags);
  return { ...triggers, flags, hook, config, indexes, graceMs: flags.grace ?? DEFAULT_GRACE_MS, onError };
}

/** Throws `argument` for a command line that can do nothing but fail, for every object. */
function refuseWithoutCluster({ needsCluster: tool }: LoadedHook, { passCredentials }: HookConfig): void {
  if (tool === undefined || passCredentials) return;
  throw new InformerError('argument', `--exec runs ${tool} without a way to the cluster: its KUBECONFIG is empty`, {
    hint: `--pass-credentials gives it that of this command; --exec 'env KUBECONFIG=FILE ${tool} …' gives it another one`,
  });
}

/** A plan without what only a run has. */
export type ResolvedPlan = Omit<ReconcilePlan, 'operations' | 'painter' | 'logger'>;

/**
 * The plan of a command line, with its types as the server has them. `home` is the namespace of Leases that no flag
 * places. Throws `argument`.
 */
export async function resolvedPlan(
  { flags, hook, config, indexes, filters, snapshots, schedules, retries, graceMs, onError }: ReadReconcile,
  words: readonly string[],
  session: Session,
  home: string = session.config.namespace,
): Promise<ResolvedPlan> {
  const primary = onlyOne(await (flags['wait-for-crd'] ? resolveWhenThere(words, session) : session.resolve(words)));
  if (hook.reads) await refuseAbsentFields(hook.reads, primary.type, session);
  const scope = {
    namespace: config.namespace ? [...config.namespace] : undefined,
    // what belongs to an object without a namespace may be in any
    'all-namespaces': config.allNamespaces ?? (config.namespace === undefined && !primary.type.namespaced),
  };
  const namespaces = namespacesOf(scope, session.config);
  await checkWheres(filters.wheres, [primary.type], namespaces.length === 1 ? namespaces[0] : undefined, session);
  checkRollouts(filters.filters, [], [primary.type]);
  const { showSecrets = false } = config;
  const mapping = { primary: primary.type, indexes, showSecrets, onError };
  return {
    hook,
    primary,
    owns: config.owns?.length ? await session.resolve([config.owns.join(',')]) : [],
    watches: await Promise.all((config.watches ?? []).map((watch) => mappedType(watch, session, mapping))),
    snapshots: await snapshotPlans(snapshots, session),
    filters,
    indexes,
    namespaces,
    selector: config.selector,
    fieldSelector: config.fieldSelector,
    everyMs: config.everyMs,
    schedules,
    idleMs: idleMsOf(flags['idle-timeout']),
    lease: leasePlanOf(flags, {
      hook: hook.name,
      gvr: primary.type.gvr,
      isNamespaced: primary.type.namespaced,
      namespaces,
      current: home,
    }),
    workers: config.workers ?? 1,
    maxRetries: config.maxRetries,
    retries,
    hookTimeoutMs: config.hookTimeoutMs,
    finalizer: config.finalizer,
    mode: config.dryRun ? 'dry-run' : config.allowWrite ? 'write' : 'describe',
    maxWrites: config.maxWrites,
    journal: flags.journal,
    hotLoopRuns: config.hotLoop,
    consistency: config.consistency === 'none' ? 'none' : undefined,
    passCredentials: config.passCredentials ?? false,
    showSecrets,
    graceMs,
  };
}
