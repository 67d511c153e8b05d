import { InformerError } from '../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';
import type { GroupVersionResource } from '../model/gvr.ts';
import type { ObjectKey } from '../model/key.ts';
import type { DeepReadonly, KubeObject } from '../model/object.ts';
import { isConflict, isInvalid } from '../model/status.ts';
import type { JsonPatchOperation } from '../model/write-body.ts';
import type { ReconcileContext, ReconcileRequest, Reconciler, Result } from './reconciler.ts';
import { addFinalizerPatch, containsFinalizer, isFinalizerName, removeFinalizerPatch } from './writes/finalizer.ts';
import { isAbsent } from './writes/present-object.ts';

/** The part of a client for one type that {@link createFinalizerReconciler} needs. A ResourceApi fits. */
export interface FinalizerResource {
  get(name: string, options: { signal: AbortSignal }): Promise<KubeObject>;
  patch(
    name: string,
    body: readonly JsonPatchOperation[],
    options: { type: 'json'; fieldManager?: string | undefined; signal: AbortSignal },
  ): Promise<KubeObject>;
}

/** The part of a client that {@link createFinalizerReconciler} needs. A Client fits. */
export interface FinalizerClient {
  resource(gvr: GroupVersionResource, options: { namespace?: string | undefined }): FinalizerResource;
}

/**
 * Removes what belongs to an object outside of its own deletion: something in another system, or in another namespace.
 * It must be idempotent. If it throws, or returns a `requeueAfterMs`, it is not done: it runs again later.
 */
export type Cleanup<T> = (
  object: T,
  request: ReconcileRequest,
  context: ReconcileContext,
  // biome-ignore lint/suspicious/noConfusingVoidType: a cleanup needs no result
) => Result | void | Promise<Result | void>;

/** Options of {@link createFinalizerReconciler}. */
export interface FinalizerReconcilerOptions<T> {
  /** Writes the finalizers. */
  client: FinalizerClient;
  /** The type of the objects. */
  gvr: GroupVersionResource;
  /** Reads the object when a run begins: a lister, or a client by key. */
  objects: { get(key: ObjectKey): T | undefined | Promise<T | undefined> };
  /** The cleanup before an object may be deleted, by the name of its finalizer: `example.com/bucket`. */
  finalizers: Readonly<Record<string, Cleanup<T>>>;
  /** Runs for an object that is not being deleted, and has all the finalizers. */
  reconcile: (object: T, request: ReconcileRequest, context: ReconcileContext) => ReturnType<Reconciler>;
  /** The name under which the server records the writes. Default: from the User-Agent. */
  fieldManager?: string | undefined;
}

const KNOWN_OPTIONS = {
  client: true,
  gvr: true,
  objects: true,
  finalizers: true,
  reconcile: 'function',
  fieldManager: 'text',
} satisfies KnownOptionsOf<FinalizerReconcilerOptions<object>>;

/** How often an object is read again in one run, because it changed between the read and the write of a finalizer. */
const MOST_READS = 3;

/**
 * A reconciler whose objects are cleaned up before they are deleted.
 *
 * Promises
 * - The finalizers are on the server before `reconcile` runs. It runs in the same run in which they are added, so it
 *   works with the predicate `generationChanged`: a finalizer does not change the generation.
 * - When the object is being deleted, `reconcile` does not run. Each cleanup whose finalizer the object has runs, in the
 *   order of `finalizers`, also after another one failed. A finalizer is removed only after its cleanup succeeded.
 * - If the server has another state than `objects`, its state is read, and counts. A finalizer of another controller is
 *   never removed, and one of an object with the same name is not touched.
 * - The run fails with the error of a cleanup, or with an AggregateError of several, so it is retried.
 *
 * Throws `argument` without finalizers, and for a name without a domain, which servers refuse.
 * Source: kube-rs finalizer.rs; controller-runtime pkg/finalizer.
 */
export function createFinalizerReconciler<T>(options: FinalizerReconcilerOptions<T>): Reconciler {
  checkOptions('createFinalizerReconciler', options, KNOWN_OPTIONS);
  checkFinalizers(options.finalizers);
  return async (request, context) => {
    const object = await options.objects.get(request.key);
    return object === undefined ? {} : new FinalizedRun(options, request, context).run(object);
  };
}

function checkFinalizers(finalizers: Readonly<Record<string, unknown>>): void {
  const cleanups = Object.entries(finalizers ?? {});
  if (cleanups.length === 0) throw new InformerError('argument', 'createFinalizerReconciler needs a finalizer');
  for (const [name, cleanup] of cleanups) {
    if (!isFinalizerName(name)) {
      throw new InformerError('argument', `${JSON.stringify(name)} cannot be the name of a finalizer`, {
        hint: 'it has a domain and a name: "example.com/bucket"',
      });
    }
    if (typeof cleanup !== 'function')
      throw new InformerError('argument', `the cleanup of the finalizer ${name} must be a function`);
  }
}

/** One run for one object. */
class FinalizedRun<T> {
  readonly #options: FinalizerReconcilerOptions<T>;
  readonly #request: ReconcileRequest;
  readonly #context: ReconcileContext;
  readonly #resource: FinalizerResource;

  constructor(options: FinalizerReconcilerOptions<T>, request: ReconcileRequest, context: ReconcileContext) {
    this.#options = options;
    this.#request = request;
    this.#context = context;
    const { namespace } = request;
    this.#resource = options.client.resource(options.gvr, namespace === '' ? {} : { namespace });
  }

  async run(read: T): Promise<Result> {
    // T may be a user's own type; every object of an API has metadata
    const object = await this.#patched(read as KubeObject, (current) => {
      const missing = this.#names.filter((name) => !containsFinalizer(current, name));
      return isDeleted(current) || missing.length === 0 ? [] : addFinalizerPatch(current, missing);
    });
    if (!object) return {};
    const { reconcile } = this.#options;
    if (isDeleted(object)) return this.#cleanUp(object);
    return (await reconcile(object as T, this.#request, this.#context)) ?? {};
  }

  get #names(): string[] {
    return Object.keys(this.#options.finalizers);
  }

  async #cleanUp(object: KubeObject): Promise<Result> {
    const done: string[] = [];
    const errors: unknown[] = [];
    const later: number[] = [];
    for (const [name, cleanup] of Object.entries(this.#options.finalizers)) {
      if (!containsFinalizer(object, name)) continue;
      try {
        const { requeueAfterMs = 0 } = (await cleanup(object as T, this.#request, this.#context)) ?? {};
        if (requeueAfterMs > 0) later.push(requeueAfterMs);
        else done.push(name);
      } catch (error) {
        errors.push(error);
      }
    }
    const { uid } = object.metadata;
    await this.#patched(object, (current) => (current.metadata.uid === uid ? removeFinalizerPatch(current, done) : []));
    if (errors.length > 0)
      throw errors.length === 1 ? errors[0] : new AggregateError(errors, `${errors.length} cleanups failed`);
    return later.length === 0 ? {} : { requeueAfterMs: Math.min(...later) };
  }

  /**
   * The object after the patch that `patchOf` makes for its present state; undefined if it is gone. If the state was
   * outdated, it is read, and `patchOf` decides again.
   */
  async #patched(
    read: KubeObject,
    patchOf: (object: DeepReadonly<KubeObject>) => JsonPatchOperation[],
  ): Promise<KubeObject | undefined> {
    const { name } = this.#request;
    const { signal } = this.#context;
    let object = read;
    for (let reads = 0; ; reads++) {
      try {
        if (reads > 0) object = await this.#resource.get(name, { signal });
        const patch = patchOf(object);
        const { fieldManager } = this.#options;
        return patch.length === 0
          ? object
          : await this.#resource.patch(name, patch, { type: 'json', fieldManager, signal });
      } catch (error) {
        if (isAbsent(error)) return undefined;
        if (reads === MOST_READS || !(isInvalid(error) || isConflict(error))) throw error;
      }
    }
  }
}

const isDeleted = ({ metadata }: DeepReadonly<KubeObject>): boolean => Boolean(metadata.deletionTimestamp);
