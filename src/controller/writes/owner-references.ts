import { InformerError } from '../../kit/error.ts';
import { checkOptions } from '../../kit/known-options.ts';
import { parseGroupVersion } from '../../model/gvr.ts';
import { keyOf } from '../../model/key.ts';
import type { DeepReadonly, KubeObject, OwnerReference, ReadonlyKubeObject } from '../../model/object.ts';
import { isOwnerReference, ownerReferencesOf } from '../../model/owner-references.ts';

/** The error for an object that another controller already owns. */
export class AlreadyOwnedError extends InformerError {
  override readonly name = 'AlreadyOwnedError';
  /** The reference to the other controller. */
  readonly owner: DeepReadonly<OwnerReference>;

  constructor(object: ReadonlyKubeObject, owner: DeepReadonly<OwnerReference>) {
    super('argument', `Object ${keyOf(object)} is already owned by another ${owner.kind} controller ${owner.name}`);
    this.owner = owner;
  }
}

/**
 * A reference to `owner`. With `controller` the owner manages the dependent, and the dependent blocks the owner's
 * foreground deletion. Throws `argument` if the owner lacks apiVersion, kind, name or uid, because it was not read from
 * a server.
 */
export function ownerReference(owner: ReadonlyKubeObject, options: { controller?: boolean } = {}): OwnerReference {
  checkOptions('ownerReference', options, { controller: 'boolean' });
  const { controller = false } = options;
  const { apiVersion, kind, metadata } = owner;
  if (!apiVersion || !kind || !metadata.name || !metadata.uid) {
    throw new InformerError('argument', 'an owner needs apiVersion, kind, metadata.name and metadata.uid', {
      hint: 'pass an object that was read from the server',
    });
  }
  const plain = { apiVersion, kind, name: metadata.name, uid: metadata.uid };
  return controller ? { ...plain, controller: true, blockOwnerDeletion: true } : plain;
}

/** The reference to the controller that manages an object; undefined if there is none. */
export function controllerOf(object: ReadonlyKubeObject): DeepReadonly<OwnerReference> | undefined {
  return ownerReferencesOf(object).find((ref) => ref.controller === true);
}

/**
 * Makes `owner` the controller of `object`, in place. Replaces a reference to the same owner (group, kind, name).
 * Throws {@link AlreadyOwnedError} if another controller owns the object, and `argument` if a namespaced owner would
 * own an object outside its namespace. Source: controller-runtime controllerutil.SetControllerReference.
 */
export function setControllerReference(owner: ReadonlyKubeObject, object: KubeObject): void {
  checkScope(owner, object);
  const reference = ownerReference(owner, { controller: true });
  const other = controllerOf(object);
  if (other && !isSameOwner(other, reference)) throw new AlreadyOwnedError(object, other);
  putReference(object, reference);
}

/**
 * Makes `owner` one of the owners of `object`, in place. Replaces and throws as {@link setControllerReference} does.
 */
export function setOwnerReference(owner: ReadonlyKubeObject, object: KubeObject): void {
  checkScope(owner, object);
  putReference(object, ownerReference(owner));
}

/** Removes the reference to `owner`, in place. Throws `argument` if there is none. */
export function removeOwnerReference(owner: ReadonlyKubeObject, object: KubeObject): void {
  const reference = ownerReference(owner);
  const references = listedIn(object);
  const kept = references.filter((ref) => !isSameOwner(ref, reference));
  if (kept.length === references.length) {
    throw new InformerError(
      'argument',
      `${object.metadata.name} does not have an owner reference for ${reference.kind} ${reference.name}`,
    );
  }
  object.metadata.ownerReferences = kept;
}

/** Removes the reference to the controller `owner`, in place. Throws `argument` if `owner` is not the controller. */
export function removeControllerReference(owner: ReadonlyKubeObject, object: KubeObject): void {
  const controller = controllerOf(object);
  if (!controller || !isSameOwner(controller, ownerReference(owner))) {
    throw new InformerError('argument', `${owner.metadata.name} is not the controller of ${object.metadata.name}`);
  }
  removeOwnerReference(owner, object);
}

function putReference(object: KubeObject, reference: OwnerReference): void {
  const references = [...listedIn(object)];
  const at = references.findIndex((ref) => isSameOwner(ref, reference));
  if (at < 0) references.push(reference);
  else references[at] = reference;
  object.metadata.ownerReferences = references;
}

/** The references as they are. What cannot be a reference is kept, because the server must judge it. */
function listedIn({ metadata }: KubeObject): readonly OwnerReference[] {
  const all: unknown = metadata.ownerReferences;
  return Array.isArray(all) ? all : [];
}

/**
 * Whether two references name the same owner. The API version and the uid do not count: every version names the same
 * object, and the owner may have been deleted and created again.
 */
function isSameOwner(a: DeepReadonly<OwnerReference>, b: DeepReadonly<OwnerReference>): boolean {
  return (
    isOwnerReference(a) &&
    a.name === b.name &&
    a.kind === b.kind &&
    parseGroupVersion(a.apiVersion).group === parseGroupVersion(b.apiVersion).group
  );
}

function checkScope(owner: ReadonlyKubeObject, object: ReadonlyKubeObject): void {
  const { namespace: from } = owner.metadata;
  if (!from) return;
  const { namespace: to } = object.metadata;
  if (!to) {
    throw new InformerError(
      'argument',
      `cluster-scoped resource must not have a namespace-scoped owner, owner's namespace ${from}`,
    );
  }
  if (to !== from)
    throw new InformerError(
      'argument',
      `cross-namespace owner references are disallowed, owner's namespace ${from}, obj's namespace ${to}`,
    );
}
