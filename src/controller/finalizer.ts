import type { DeepReadonly, KubeObject } from '../model/object.ts';

type Finalized = DeepReadonly<KubeObject>;

export function containsFinalizer(object: Finalized, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/** Adds a finalizer in place; whether it was not there. Source: controller-runtime controllerutil. */
export function addFinalizer(object: KubeObject, finalizer: string): boolean {
  if (containsFinalizer(object, finalizer)) return false;
  object.metadata.finalizers = [...(object.metadata.finalizers ?? []), finalizer];
  return true;
}

/** Removes every entry of a finalizer in place; whether there was one. Source: controller-runtime controllerutil. */
export function removeFinalizer(object: KubeObject, finalizer: string): boolean {
  if (!containsFinalizer(object, finalizer)) return false;
  object.metadata.finalizers = (object.metadata.finalizers ?? []).filter((entry) => entry !== finalizer);
  return true;
}

/** One operation of a JSON patch. Source: RFC 6902. */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/**
 * What an object calls for under a finalizer:
 * `add` = it lives without it, so put it on first and wait for the change to come back; `apply` = it lives with it; `cleanup` = it is being
 * deleted and waits for us; `nothing` = it is being deleted and does not.
 * Source: kube-rs finalizer.rs.
 */
export type FinalizerStep = 'add' | 'apply' | 'cleanup' | 'nothing';

export function finalizerStep(object: Finalized, finalizer: string): FinalizerStep {
  const has = containsFinalizer(object, finalizer);
  if (object.metadata.deletionTimestamp) return has ? 'cleanup' : 'nothing';
  return has ? 'apply' : 'add';
}

/**
 * The JSON patch that puts a finalizer on. Guarded: it fails when the object is not the one that was read, and, where it would write the
 * whole list, when anything changed since, so that it never takes another's finalizer away.
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

/** The JSON patch that takes a finalizer off; each entry is tested to be the one that is meant. Last first, so that the places stay right. */
export function removeFinalizerPatch(object: Finalized, finalizer: string): JsonPatchOperation[] {
  const places = (object.metadata.finalizers ?? []).flatMap((entry, at) => (entry === finalizer ? [`/metadata/finalizers/${at}`] : []));
  return places.reverse().flatMap((path): JsonPatchOperation[] => [
    { op: 'test', path, value: finalizer },
    { op: 'remove', path },
  ]);
}
