import type { DeepReadonly, KubeObject } from '../model/object.ts';
import type { JsonPatchOperation } from '../model/write-body.ts';

type Finalized = DeepReadonly<KubeObject>;

/** Whether an object has a finalizer. */
export function containsFinalizer(object: Finalized, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/** Adds a finalizer in place. Returns whether the object changed. Source: controller-runtime controllerutil. */
export function addFinalizer(object: KubeObject, finalizer: string): boolean {
  if (containsFinalizer(object, finalizer)) return false;
  object.metadata.finalizers = [...(object.metadata.finalizers ?? []), finalizer];
  return true;
}

/**
 * Removes all entries of a finalizer in place. Returns whether the object changed. Source: controller-runtime
 * controllerutil.
 */
export function removeFinalizer(object: KubeObject, finalizer: string): boolean {
  if (!containsFinalizer(object, finalizer)) return false;
  object.metadata.finalizers = (object.metadata.finalizers ?? []).filter((entry) => entry !== finalizer);
  return true;
}

/**
 * The next step for an object that should have a finalizer. Source: kube-rs finalizer.rs.
 * - `add`: the object lacks the finalizer. Add it first, and wait for the event of that change.
 * - `apply`: the object has the finalizer. Reconcile it.
 * - `cleanup`: the object is being deleted and has the finalizer. Clean up, then remove it.
 * - `nothing`: the object is being deleted without the finalizer.
 */
export type FinalizerStep = 'add' | 'apply' | 'cleanup' | 'nothing';

/** The {@link FinalizerStep} for an object. */
export function finalizerStep(object: Finalized, finalizer: string): FinalizerStep {
  const has = containsFinalizer(object, finalizer);
  if (object.metadata.deletionTimestamp) return has ? 'cleanup' : 'nothing';
  return has ? 'apply' : 'add';
}

/**
 * The JSON patch that adds a finalizer. It fails if the name now belongs to another object. If it has to write the
 * whole list, it also fails if the object changed since the read, so that it never removes a finalizer of another
 * controller.
 */
export function addFinalizerPatch(object: Finalized, finalizer: string): JsonPatchOperation[] {
  const { uid, resourceVersion, finalizers = [] } = object.metadata;
  if (finalizers.length > 0) {
    return [
      { op: 'test', path: '/metadata/uid', value: uid },
      { op: 'add', path: '/metadata/finalizers/-', value: finalizer },
    ];
  }
  return [
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
    { op: 'add', path: '/metadata/finalizers', value: [finalizer] },
  ];
}

/**
 * The JSON patch that removes all entries of a finalizer. It fails if one of them is another finalizer by now. The last
 * entry is removed first, so that the other indexes stay valid.
 */
export function removeFinalizerPatch(object: Finalized, finalizer: string): JsonPatchOperation[] {
  const places = (object.metadata.finalizers ?? []).flatMap((entry, at) =>
    entry === finalizer ? [`/metadata/finalizers/${at}`] : [],
  );
  return places.reverse().flatMap((path): JsonPatchOperation[] => [
    { op: 'test', path, value: finalizer },
    { op: 'remove', path },
  ]);
}
