import { causesOf, InformerError, messageOf } from '../kit/error.ts';
import type { Logger } from '../kit/logger.ts';
import { thrownText } from '../kit/thrown-text.ts';
import type { ObjectKey } from '../model/key.ts';
import type { ReconcileCause } from './causes.ts';
import type { CachedObject } from './resource-event.ts';

/** What is to be reconciled, and why. Level-triggered: read the present state by key; the causes only tell what led here. */
export interface ReconcileRequest {
  readonly key: ObjectKey;
  /** '' for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  /** Why it was queued: all causes that fell together since the last run, a bounded number of them. */
  readonly causes: readonly ReconcileCause[];
  /** Kinds of causes beyond those given. */
  readonly droppedCauses: number;
  /** 1 for the first try, counted up while it fails. */
  readonly attempt: number;
  /** The state before the first change since the last run that succeeded, if one was seen. */
  readonly before: CachedObject | undefined;
  /** The last known state, if the object was deleted since. */
  readonly gone: CachedObject | undefined;
}

export interface ReconcileContext {
  /** Aborts when the run overstays its time, or when a shutdown has waited long enough. */
  readonly signal: AbortSignal;
  /** Carries controller, key and the number of the run. */
  readonly logger: Logger;
}

export interface Result {
  /** Run again after this many ms, however the run went well. An event may come first. */
  readonly requeueAfterMs?: number | undefined;
  /** The priority of that run. Default: the one this run had. */
  readonly priority?: number | undefined;
  /** The run did not get to its matter: what led to it is told to the next one as well. Default false. */
  readonly keepCauses?: boolean | undefined;
}

/**
 * Makes the world agree with one object. Must be idempotent: it may run again at any time, also when nothing changed.
 * Throwing means "try again later"; throwing a {@link TerminalError} means "not until something changes".
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a reconciler that has nothing to say may simply end
export type Reconciler = (request: ReconcileRequest, context: ReconcileContext) => Result | void | Promise<Result | void>;

/**
 * A reconciler that wants the object itself: it is read from `objects` (a lister, or a client by key) when the run begins, and a key whose
 * object is gone by then is done. Source: controller-runtime pkg/reconcile.AsReconciler.
 */
export function objectReconciler<T>(
  objects: { get(key: ObjectKey): T | undefined | Promise<T | undefined> },
  reconcile: (object: T, request: ReconcileRequest, context: ReconcileContext) => ReturnType<Reconciler>,
): Reconciler {
  return async (request, context) => {
    const object = await objects.get(request.key);
    return object === undefined ? {} : reconcile(object, request, context);
  };
}

/** Trying again will not help until something changes: the key is parked. Source: controller-runtime reconcile.TerminalError. */
export class TerminalError extends InformerError {
  override readonly name = 'TerminalError';

  constructor(cause?: unknown, options: { hint?: string } = {}) {
    super('terminal', cause === undefined ? 'nil terminal error' : `terminal error: ${messageOf(cause)}`, { cause, ...options });
  }
}

/** The reconciler cannot work as it is configured: the controller ends with this error. */
export class StopError extends InformerError {
  override readonly name = 'StopError';

  constructor(message: string, options: { cause?: unknown; hint?: string | undefined } = {}) {
    super('hook', message, options);
  }
}

/** Whether any error of the chain is terminal. */
export function isTerminal(error: unknown): boolean {
  for (const e of causesOf(error)) if (e instanceof TerminalError) return true;
  return false;
}

export function isStop(error: unknown): error is StopError {
  return error instanceof StopError;
}

/**
 * Whether what was thrown tells of a mistake in the code rather than of a failure: anything that is no Error, and the engine's own errors.
 * Those that carry a cause are somebody's report of a failure (fetch throws such TypeErrors).
 */
export function isPanic(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return true;
  const isEngines = [TypeError, ReferenceError, RangeError, SyntaxError, EvalError].some((kind) => thrown.constructor === kind);
  return isEngines && thrown.cause === undefined;
}

/** A panic made into an ordinary error, which is retried: JavaScript's own words, and where it happened. Source: controller-runtime internal/controller. */
export function recovered(thrown: unknown): InformerError {
  return new InformerError('hook', thrownText(thrown), { cause: thrown });
}
