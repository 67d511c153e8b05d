import { causesOf, InformerError, messageOf } from '../kit/error.ts';
import { checkArgument } from '../kit/known-options.ts';
import type { Logger } from '../kit/logger.ts';
import { thrownText } from '../kit/thrown-text.ts';
import type { ObjectKey } from '../model/key.ts';
import type { UnknownObject } from '../model/object.ts';
import type { ReconcileCause } from './history/causes.ts';
import type { CachedObject } from './resource-event.ts';

/**
 * The key to reconcile, and the reasons. Reconciling is level-triggered: read the present state by key. The causes only
 * describe what led to the run.
 */
export interface ReconcileRequest<T = UnknownObject> {
  readonly key: ObjectKey;
  /** '' for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  /** The reasons why the key was queued since its last run. Their number is limited. */
  readonly causes: readonly ReconcileCause[];
  /** How often a cause was dropped, because there were too many different ones. */
  readonly droppedCauses: number;
  /** 1 for the first try, one more after each failure. */
  readonly attempt: number;
  /** The object's state before the first change since the last successful run, if a change was seen. */
  readonly before: CachedObject<T> | undefined;
  /** The object's last known state, if it was deleted since then. */
  readonly gone: CachedObject<T> | undefined;
}

/** The tools of a run of a reconciler, beside the request. */
export interface ReconcileContext {
  /** Aborts when the run reaches its timeout, and when a shutdown has waited `drainMs`. */
  readonly signal: AbortSignal;
  /** A logger whose lines carry the controller, the key and the number of the run. */
  readonly logger: Logger;
}

/** The result that a reconciler may return. Without it, the key is done until the next event. */
export interface Result {
  /** The time until the next run, ms, although this one succeeded. An event may lead to an earlier run. */
  readonly requeueAfterMs?: number | undefined;
  /** The priority of that run. Default: the priority of this run. */
  readonly priority?: number | undefined;
  /** Whether the next run also gets the causes of this one, because this one did not do its work. Default false. */
  readonly keepCauses?: boolean | undefined;
  /** Why the run did nothing, a text for {@link Controller.explain}. */
  readonly skipped?: string | undefined;
}

/**
 * Brings the world into the state that one object asks for. It must be idempotent, because it may run again at any
 * time, even if nothing changed. If it throws, the key is retried later; after a {@link TerminalError}, only after a
 * change.
 */
export type Reconciler<T = UnknownObject> = (
  request: ReconcileRequest<T>,
  context: ReconcileContext,
  // biome-ignore lint/suspicious/noConfusingVoidType: a reconciler needs no result
) => Result | void | Promise<Result | void>;

/**
 * A reconciler that gets the object itself. The object is read from `objects` (a lister, or a client by key) when the
 * run begins. If it does not exist, the run succeeds without a call. Source: controller-runtime
 * pkg/reconcile.AsReconciler.
 */
export function createObjectReconciler<T>(
  objects: { get(key: ObjectKey): T | undefined | Promise<T | undefined> },
  reconcile: (object: T, request: ReconcileRequest<T>, context: ReconcileContext) => ReturnType<Reconciler>,
): Reconciler<T> {
  checkArgument('createObjectReconciler', 'get of the objects', Object(objects).get, 'function');
  checkArgument('createObjectReconciler', 'reconcile', reconcile, 'function');
  return async (request, context) => {
    const object = await objects.get(request.key);
    return object === undefined ? {} : reconcile(object, request, context);
  };
}

/**
 * An error that no retry can repair: the key is parked until a change. Source: controller-runtime
 * reconcile.TerminalError.
 */
export class TerminalError extends InformerError {
  override readonly name = 'TerminalError';

  constructor(cause?: unknown, options: { hint?: string } = {}) {
    super('terminal', cause === undefined ? 'nil terminal error' : `terminal error: ${messageOf(cause)}`, {
      cause,
      ...options,
    });
  }
}

/** An error of the reconciler's configuration: the controller ends with it. */
export class StopError extends InformerError {
  override readonly name = 'StopError';

  constructor(message: string, options: { cause?: unknown; hint?: string | undefined } = {}) {
    super('hook', message, options);
  }
}

/** Whether an error or one of its causes is a {@link TerminalError}. */
export function isTerminal(error: unknown): boolean {
  for (const e of causesOf(error)) if (e instanceof TerminalError) return true;
  return false;
}

/** Whether an error is a {@link StopError}. */
export function isStop(error: unknown): error is StopError {
  return error instanceof StopError;
}

/**
 * Whether a thrown value shows a mistake in the code: a value that is no Error, or an error of the JavaScript engine.
 * An engine's error with a cause is the report of a failure instead: `fetch` throws such TypeErrors.
 */
export function isPanic(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return true;
  const isEngines = [TypeError, ReferenceError, RangeError, SyntaxError, EvalError].some(
    (kind) => thrown.constructor === kind,
  );
  return isEngines && thrown.cause === undefined;
}

/**
 * A panic as an ordinary error, which is retried, with JavaScript's message and the place.
 * Source: controller-runtime internal/controller.
 */
export function recovered(thrown: unknown): InformerError {
  return new InformerError('hook', thrownText(thrown), { cause: thrown });
}
