import type { Scope } from '../../kit/abort.ts';
import { scope } from '../../kit/abort.ts';
import type { Clock } from '../../kit/clock.ts';
import { systemClock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import type { Logger } from '../../kit/logger.ts';
import type { GroupVersionResource } from '../../model/gvr.ts';
import { formatGroupVersion, formatGvr } from '../../model/gvr.ts';
import type { ObjectKey } from '../../model/key.ts';
import { addFinalizerPatch, finalizerStep, removeFinalizerPatch } from '../finalizer.ts';
import type { ReconcileRequest, Reconciler } from '../reconciler.ts';
import type { CachedObject } from '../resource-event.ts';
import type { Subject, TargetType } from './action-target.ts';
import type { ActionRunner } from './actions.ts';
import type { Hook, HookRequest } from './hook.ts';
import { HOOK_REQUEST_VERSION } from './hook.ts';
import type { Action } from './reply.ts';
import { parseReply } from './reply.ts';

export interface HookReconcilerOptions {
  hook: Hook;
  /** The reconciled type. */
  primary: TargetType;
  /** Its cache. */
  lister: { get(key: ObjectKey): unknown };
  actions: ActionRunner;
  /** Which paths differ between two states. */
  changedPaths?: ((before: object, after: object) => readonly string[]) | undefined;
  /** Applied to every object the hook gets. It must not change what it is given. */
  redact?: ((object: CachedObject, gvr: GroupVersionResource) => CachedObject) | undefined;
  /** Objects of other types for the hook, by name. They are given as they are. */
  snapshots?: ((key: ObjectKey) => Readonly<Record<string, readonly CachedObject[]>>) | undefined;
  /** After this long the hook's signal aborts, ms. Default: never. */
  timeoutMs?: number | undefined;
  /** Kept on every object while it lives, so that the hook runs before a deletion; taken off only when that run went well. */
  finalizer?: string | undefined;
  /** Called with each line that a hook prints beside its reply. */
  onOutput?: ((key: ObjectKey, line: string) => void) | undefined;
  clock?: Clock | undefined;
}

/** A finalizer put on comes back as an event, which ends the wait; a predicate may keep that event away, so the wait has an end of its own. */
const FINALIZER_SEEN_MS = 1_000;

/**
 * A user's hook as a reconciler: asks it about the present state of a key, carries out the actions it answers with, and looks after the
 * finalizer. A run fails when the hook does, when its answer is not valid, says `error`, or when an action fails.
 *
 * Deletions: without a finalizer the hook runs with `object: null` and the last known state as `oldObject`. With one it runs while the object
 * still stands, with its deletionTimestamp; the disappearance that follows is no reason to run again.
 */
export function createHookReconciler(options: HookReconcilerOptions): Reconciler {
  const { actions, finalizer } = options;
  const released = new ReleasedObjects();
  return async (request, { signal, logger }) => {
    const object = presentState(request.key, options);
    if (released.isLast(request, object)) return {};
    const step = finalizer === undefined ? 'apply' : stepOf(object, request, finalizer);
    const subject: Subject = { namespace: request.namespace, name: request.name, object };
    if (step === 'nothing') return {};
    if (step === 'add' && object) {
      await actions.run([jsonPatch(addFinalizerPatch(object, finalizer ?? ''))], subject, { signal, logger });
      if (actions.mode === 'write') return { requeueAfterMs: FINALIZER_SEEN_MS, keepCauses: true };
    }
    const reply = parseReply(await runHook(requestOf(request, object, options), options, { signal, logger }));
    if (reply.error !== undefined) throw new InformerError('hook', `hook ${options.hook.name} says: ${reply.error}`);
    await actions.run(reply.actions, subject, { signal, logger });
    if (step === 'cleanup' && object) {
      await actions.run([jsonPatch(removeFinalizerPatch(object, finalizer ?? ''))], subject, { signal, logger });
      if (actions.mode === 'write') released.add(request.key, object);
    }
    return { requeueAfterMs: reply.requeueAfterMs };
  };
}

/**
 * The objects whose finalizer we took off, until they are gone. The event of their end does not tell: it carries the state before the finalizer
 * came off. Source: apiserver registry/generic store.go, which deletes what is stored instead of storing the update that empties finalizers.
 */
class ReleasedObjects {
  readonly #uids = new Map<ObjectKey, string | undefined>();

  add(key: ObjectKey, { metadata }: CachedObject): void {
    this.#uids.set(key, metadata.uid);
  }

  /** Whether a run is about nothing but the end of one of them. */
  isLast({ key, gone }: ReconcileRequest, object: CachedObject | null): boolean {
    if (!this.#uids.has(key)) return false;
    const uid = this.#uids.get(key);
    if (object?.metadata.uid === uid) return false;
    this.#uids.delete(key);
    return object === null && gone?.metadata.uid === uid;
  }
}

/** Of an object that is gone: whether its deletion was seen to begin, so that the hook has already run for it. */
function stepOf(object: CachedObject | null, { gone }: ReconcileRequest, finalizer: string): 'add' | 'apply' | 'cleanup' | 'nothing' {
  if (object) return finalizerStep(object, finalizer);
  return gone && finalizerStep(gone, finalizer) !== 'nothing' ? 'apply' : 'nothing';
}

function jsonPatch(operations: readonly object[]): Action {
  return { verb: 'patch', body: operations, patchType: 'json' };
}

/** Objects that came in a list do not say their type; hooks shall not have to care. */
function presentState(key: ObjectKey, { lister, primary }: HookReconcilerOptions): CachedObject | null {
  const object = lister.get(key) as CachedObject | undefined;
  return object ? typed(object, primary) : null;
}

function typed(object: CachedObject, { gvr, kind }: TargetType): CachedObject {
  return object.kind && object.apiVersion ? object : { ...object, apiVersion: formatGroupVersion(gvr), kind };
}

function requestOf(request: ReconcileRequest, object: CachedObject | null, options: HookReconcilerOptions): HookRequest {
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
    snapshots: snapshots?.(request.key) ?? {},
  };
}

/** A hook that heeds its signal is waited for, however long it takes to end: its key stays in hand meanwhile. */
async function runHook(
  request: HookRequest,
  options: HookReconcilerOptions,
  context: { signal: AbortSignal; logger: Logger },
): Promise<unknown> {
  using run = scope(context.signal);
  using _deadline = deadline(run, options);
  const { onOutput } = options;
  return await options.hook.run(request, {
    signal: run.signal,
    logger: context.logger,
    onOutput: onOutput && ((line) => onOutput(request.key, line)),
  });
}

function deadline(run: Scope, { hook, timeoutMs, clock = systemClock }: HookReconcilerOptions): Disposable | undefined {
  if (timeoutMs === undefined) return undefined;
  const late = new InformerError('hook', `hook ${hook.name} took longer than ${timeoutMs}ms`, { hint: 'give it more with --hook-timeout' });
  return clock.after(timeoutMs, () => run.abort(late));
}
