import { InformerError } from '../../kit/error.ts';
import type { KubeObject, ReadonlyKubeObject } from '../../model/object.ts';
import type { JsonPatchOperation } from '../../model/write-body.ts';

/** Whether an object has a finalizer. */
export function containsFinalizer(object: ReadonlyKubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) === true;
}

/** Whether a name is one that a controller may use: with a domain. Source: apimachinery util/validation IsQualifiedName. */
export function isFinalizerName(name: string): boolean {
  return /^(?=[^/]{1,253}\/[^/]{1,63}$)[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(
    name,
  );
}

/**
 * Adds a finalizer in place. Throws `argument` for a name that is empty or not a text. Returns whether the object changed.
 * Source: controller-runtime controllerutil.
 */
export function addFinalizer(object: KubeObject, finalizer: string): boolean {
  checkFinalizer(finalizer);
  if (containsFinalizer(object, finalizer)) return false;
  object.metadata.finalizers = [...(object.metadata.finalizers ?? []), finalizer];
  return true;
}

/**
 * Removes all entries of a finalizer in place. Returns whether the object changed. Source: controller-runtime
 * controllerutil.
 */
export function removeFinalizer(object: KubeObject, finalizer: string): boolean {
  const { finalizers = [] } = object.metadata;
  if (!finalizers.includes(finalizer)) return false;
  object.metadata.finalizers = finalizers.filter((entry) => entry !== finalizer);
  return true;
}

/**
 * The next step for an object that should have a finalizer. `createFinalizerReconciler` does all of them. Source: kube-rs
 * finalizer.rs.
 * - `add`: the object lacks the finalizer. Add it first, then go on with `apply` in the same run: a finalizer does not
 *   change metadata.generation, so with `generationChanged` no further run would follow.
 * - `apply`: the object has the finalizer. Reconcile it.
 * - `cleanup`: the object is being deleted and has the finalizer. Clean up, then remove it.
 * - `nothing`: the object is being deleted without the finalizer.
 */
export type FinalizerStep = 'add' | 'apply' | 'cleanup' | 'nothing';

/** The {@link FinalizerStep} for an object. */
export function finalizerStep(object: ReadonlyKubeObject, finalizer: string): FinalizerStep {
  checkFinalizer(finalizer);
  const has = containsFinalizer(object, finalizer);
  if (object.metadata.deletionTimestamp) return has ? 'cleanup' : 'nothing';
  return has ? 'apply' : 'add';
}

/**
 * The JSON patch that adds finalizers that the object lacks. It fails if the name now belongs to another object, and if
 * the finalizers changed since the read, so that it never removes a finalizer of another controller, nor adds one twice.
 */
export function addFinalizerPatch(
  object: ReadonlyKubeObject,
  finalizer: string | readonly string[],
): JsonPatchOperation[] {
  const { uid, resourceVersion, finalizers = [] } = object.metadata;
  const added = [finalizer].flat();
  if (finalizers.length > 0) {
    return [
      { op: 'test', path: '/metadata/uid', value: uid },
      { op: 'test', path: '/metadata/finalizers', value: finalizers },
      ...added.map((value) => ({ op: 'add', path: '/metadata/finalizers/-', value }) as const),
    ];
  }
  return [
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
    { op: 'add', path: '/metadata/finalizers', value: added },
  ];
}

/**
 * The JSON patch that removes all entries of finalizers. It fails if one of them is another finalizer by now. The last
 * entry is removed first, so that the other indexes stay valid.
 */
export function removeFinalizerPatch(
  object: ReadonlyKubeObject,
  finalizer: string | readonly string[],
): JsonPatchOperation[] {
  const removed = [finalizer].flat();
  const places = (object.metadata.finalizers ?? []).flatMap((value, at) =>
    removed.includes(value) ? [{ value, path: `/metadata/finalizers/${at}` }] : [],
  );
  return places.reverse().flatMap(({ value, path }): JsonPatchOperation[] => [
    { op: 'test', path, value },
    { op: 'remove', path },
  ]);
}

function checkFinalizer(finalizer: unknown): void {
  if (typeof finalizer === 'string' && finalizer !== '') return;
  throw new InformerError('argument', 'a finalizer is a text such as example.com/cleanup');
}
