import type { ReconcileRequest, Reconciler } from '../controller/reconciler.ts';
import { TerminalError } from '../controller/reconciler.ts';
import type { CachedObject } from '../controller/resource-event.ts';
import { addFinalizerPatch, finalizerStep, removeFinalizerPatch } from '../controller/writes/finalizer.ts';
import { scope } from '../kit/abort.ts';
import type { Clock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import type { Logger } from '../kit/logger.ts';
import type { GroupVersionResource } from '../model/gvr.ts';
import { formatGroupVersion, formatGvr } from '../model/gvr.ts';
import type { ObjectKey } from '../model/key.ts';
import type { ActionRunner } from './action-runner.ts';
import type { Subject, TargetType } from './actions/action-target.ts';
import type { Hook, HookRequest, HookStream } from './hook.ts';
import { HOOK_REQUEST_VERSION, runNameOf } from './hook.ts';
import type { Action } from './reply.ts';
import { parseReply } from './reply.ts';
import { deadline } from './run-deadline.ts';

export interface HookReconcilerOptions {
  hook: Hook;
  /** The reconciled type. */
  primary: TargetType;
  /** The cache of the reconciled type. */
  lister: { get(key: ObjectKey): unknown };
  actions: ActionRunner;
  /** Returns the paths that differ between two states. */
  changedPaths?: ((before: object, after: object) => readonly string[]) | undefined;
  /** Redacts every object that the hook gets. It must not change its argument. */
  redact?: ((object: CachedObject, gvr: GroupVersionResource) => CachedObject) | undefined;
  /** Returns objects of other types for the hook, by name. They are passed on unchanged. */
  snapshots?: ((key: ObjectKey) => Pick<HookRequest, 'snapshots' | 'snapshotsCut'>) | undefined;
  /** The time after which the hook's signal aborts, ms. Default: never. */
  timeoutMs?: number | undefined;
  /**
   * A finalizer for every object, so that the hook runs before a deletion. It is removed only after that run succeeds.
   */
  finalizer?: string | undefined;
  /** Returns why the hook is not run for a key in its present state; undefined lets it run. Default: it always runs. */
  refusal?: ((request: ReconcileRequest, object: CachedObject | null) => string | undefined) | undefined;
  /** Called with each line that a hook prints beside its reply. */
  onOutput?: ((key: ObjectKey, line: string, stream: HookStream) => void) | undefined;
  /** Called with what a module's function threw, before the run fails with it. */
  onThrown?: ((request: HookRequest, thrown: unknown) => void) | undefined;
  clock?: Clock | undefined;
}

/**
 * How long to wait for the event of an own write, such as of an added finalizer. A predicate may drop that event, so the
 * wait needs an end.
 */
const OWN_WRITE_SEEN_MS = 1_000;

/**
 * A reconciler that runs a user's hook with the present state of a key, carries out the actions in its reply, and adds
 * and removes the finalizer. A run fails if the hook fails, if its reply is not valid or contains `error`, and if an
 * action fails.
 *
 * Deletions: without a finalizer the hook runs after the deletion, with `object: null` and the last known state as
 * `oldObject`. With a finalizer it runs while the object still exists, with its deletionTimestamp, and does not run
 * again when the object is gone.
 */
export function createHookReconciler(options: HookReconcilerOptions): Reconciler {
  const { actions, finalizer } = options;
  const released = new ReleasedObjects();
  return async (request, { signal, logger }) => {
    if (actions.hasUnfinished(request.key)) {
      await actions.resume({ signal, logger }, request.key);
      return { requeueAfterMs: OWN_WRITE_SEEN_MS, keepCauses: true };
    }
    const object = presentState(request.key, options);
    if (released.isLast(request, object)) return {};
    const refusal = options.refusal?.(request, object);
    if (refusal !== undefined) {
      logger.debug('the hook is not run', { why: refusal });
      return { skipped: refusal };
    }
    const step = finalizer === undefined ? 'apply' : stepOf(object, request, finalizer);
    const subject: Subject = { namespace: request.namespace, name: request.name, object };
    if (step === 'nothing') return {};
    const derived = { signal, logger, isDerived: true };
    if (step === 'add' && object) {
      await actions.run([jsonPatch(addFinalizerPatch(object, finalizer ?? ''))], subject, derived);
      if (actions.mode === 'write') return { requeueAfterMs: OWN_WRITE_SEEN_MS, keepCauses: true };
    }
    const reply = parseReply(await runHook(requestOf(request, object, options), options, { signal, logger }));
    if (reply.error !== undefined) throw replyError(options.hook.name, reply.error, reply.permanent);
    await actions.run(reply.actions, subject, { signal, logger });
    if (step === 'cleanup' && object) {
      await actions.run([jsonPatch(removeFinalizerPatch(object, finalizer ?? ''))], subject, derived);
      if (actions.mode === 'write') released.add(request.key, object);
    }
    return { requeueAfterMs: reply.requeueAfterMs };
  };
}

/**
 * The objects whose finalizer was removed, until they are gone. Their DELETED event does not show the removal: it
 * carries the state before it, because the server deletes the stored object instead of storing the update that removes
 * the last finalizer. Source: apiserver registry/generic store.go.
 */
class ReleasedObjects {
  readonly #uids = new Map<ObjectKey, string | undefined>();

  add(key: ObjectKey, { metadata }: CachedObject): void {
    this.#uids.set(key, metadata.uid);
  }

  /** Whether the only reason of a run is that one of these objects is gone. */
  isLast({ key, gone }: ReconcileRequest, object: CachedObject | null): boolean {
    if (!this.#uids.has(key)) return false;
    const uid = this.#uids.get(key);
    if (object?.metadata.uid === uid) return false;
    this.#uids.delete(key);
    return object === null && gone?.metadata.uid === uid;
  }
}

/**
 * The next step. For an object that is gone: `nothing` if the start of its deletion was seen, so that the hook already
 * ran.
 */
function stepOf(
  object: CachedObject | null,
  { gone }: ReconcileRequest,
  finalizer: string,
): 'add' | 'apply' | 'cleanup' | 'nothing' {
  if (object) return finalizerStep(object, finalizer);
  return gone && finalizerStep(gone, finalizer) !== 'nothing' ? 'apply' : 'nothing';
}

function jsonPatch(operations: readonly object[]): Action {
  return { verb: 'patch', body: operations, patchType: 'json' };
}

/** The error of a run whose reply has one. */
export function replyError(name: string, text: string, isPermanent: boolean): InformerError {
  const error = new InformerError('hook', `hook ${name} replied with an error: ${text}`);
  return isPermanent ? new TerminalError(error) : error;
}

/** The object in the cache, with its type, which objects from a list lack; null if there is none. */
function presentState(key: ObjectKey, { lister, primary }: HookReconcilerOptions): CachedObject | null {
  const object = lister.get(key) as CachedObject | undefined;
  return object ? typed(object, primary) : null;
}

function typed(object: CachedObject, { gvr, kind }: TargetType): CachedObject {
  return object.kind && object.apiVersion ? object : { ...object, apiVersion: formatGroupVersion(gvr), kind };
}

function requestOf(
  request: ReconcileRequest,
  object: CachedObject | null,
  options: HookReconcilerOptions,
): HookRequest {
  const { primary, changedPaths, redact = (o: CachedObject) => o, snapshots } = options;
  const old = object ? (request.before ?? request.gone) : (request.gone ?? request.before);
  return {
    version: HOOK_REQUEST_VERSION,
    key: request.key,
    gvr: formatGvr(primary.gvr),
    object: object && redact(object, primary.gvr),
    ...(old ? { oldObject: redact(typed(old, primary), primary.gvr) } : {}),
    changed: object && old && changedPaths ? changedPaths(typed(old, primary), object) : [],
    causes: request.causes,
    attempt: request.attempt,
    ...(snapshots?.(request.key) ?? { snapshots: {} }),
  };
}

/**
 * Runs the hook. After a timeout or an abort it still waits for the hook to end: until then the key is being processed.
 */
export async function runHook(
  request: HookRequest,
  options: Pick<HookReconcilerOptions, 'hook' | 'timeoutMs' | 'clock' | 'onOutput' | 'onThrown'>,
  context: { signal: AbortSignal; logger: Logger },
): Promise<unknown> {
  using run = scope(context.signal);
  using _deadline = deadline(run, options, context.logger);
  const { onOutput, onThrown } = options;
  return await options.hook.run(request, {
    signal: run.signal,
    logger: context.logger,
    onOutput: onOutput && ((line, stream) => onOutput(runNameOf(request), line, stream)),
    onThrown: onThrown && ((thrown) => onThrown(request, thrown)),
  });
}
