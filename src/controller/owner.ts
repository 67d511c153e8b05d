import { InformerError } from '../kit/error.ts';
import { checkOptions } from '../kit/known-options.ts';
import { parseGroupVersion } from '../model/gvr.ts';
import { joinKey } from '../model/key.ts';
import type { DeepReadonly, KubeObject, OwnerReference } from '../model/object.ts';

type Owner = DeepReadonly<KubeObject>;

/** An object that belongs to another controller already. */
export class AlreadyOwnedError extends InformerError {
  override readonly name = 'AlreadyOwnedError';
  readonly owner: DeepReadonly<OwnerReference>;

  constructor(object: Owner, owner: DeepReadonly<OwnerReference>) {
    const key = joinKey(object.metadata.namespace, object.metadata.name ?? '');
    super('argument', `Object ${key} is already owned by another ${owner.kind} controller ${owner.name}`);
    this.owner = owner;
  }
}

/**
 * A reference to `owner`; with `controller`, the one that manages the dependent, which then also blocks the owner's foreground deletion.
 * Throws `argument` when the owner lacks apiVersion, kind, name or uid, as an object that was never read from a server does.
 */
export function ownerReference(owner: Owner, options: { controller?: boolean } = {}): OwnerReference {
  checkOptions('ownerReference', options, { controller: 'boolean' });
  const { controller = false } = options;
  const { apiVersion, kind, metadata } = owner;
  if (!apiVersion || !kind || !metadata.name || !metadata.uid) {
    throw new InformerError('argument', 'an owner needs apiVersion, kind, metadata.name and metadata.uid', {
      hint: 'pass it as the server gave it',
    });
  }
  const plain = { apiVersion, kind, name: metadata.name, uid: metadata.uid };
  return controller ? { ...plain, controller: true, blockOwnerDeletion: true } : plain;
}

/** The reference of the controller that manages an object, if one does. */
export function controllerOf(object: Owner): DeepReadonly<OwnerReference> | undefined {
  return object.metadata.ownerReferences?.find((ref) => ref.controller === true);
}

/**
 * Makes `owner` the controller of `object`, in place; a reference to the same owner (group, kind, name) is replaced.
 * Throws {@link AlreadyOwnedError} when another controller owns it, `argument` when an owner in a namespace would own an object outside it.
 * Source: controller-runtime controllerutil.SetControllerReference.
 */
export function setControllerReference(owner: Owner, object: KubeObject): void {
  checkScope(owner, object);
  const reference = ownerReference(owner, { controller: true });
  const other = controllerOf(object);
  if (other && !isSameOwner(other, reference)) throw new AlreadyOwnedError(object, other);
  putReference(object, reference);
}

/** Makes `owner` one of the owners of `object`, in place; otherwise as {@link setControllerReference}. */
export function setOwnerReference(owner: Owner, object: KubeObject): void {
  checkScope(owner, object);
  putReference(object, ownerReference(owner));
}

/** Takes the reference to `owner` away, in place. Throws `argument` when there is none. */
export function removeOwnerReference(owner: Owner, object: KubeObject): void {
  const reference = ownerReference(owner);
  const references = object.metadata.ownerReferences ?? [];
  const kept = references.filter((ref) => !isSameOwner(ref, reference));
  if (kept.length === references.length) {
    throw new InformerError('argument', `${object.metadata.name} does not have an owner reference for ${reference.kind} ${reference.name}`);
  }
  object.metadata.ownerReferences = kept;
}

/** As {@link removeOwnerReference}, but only of the controller. Throws `argument` when `owner` is not it. */
export function removeControllerReference(owner: Owner, object: KubeObject): void {
  const controller = controllerOf(object);
  if (!controller || !isSameOwner(controller, ownerReference(owner))) {
    throw new InformerError('argument', `${owner.metadata.name} is not the controller of ${object.metadata.name}`);
  }
  removeOwnerReference(owner, object);
}

function putReference(object: KubeObject, reference: OwnerReference): void {
  const references = [...(object.metadata.ownerReferences ?? [])];
  const at = references.findIndex((ref) => isSameOwner(ref, reference));
  if (at < 0) references.push(reference);
  else references[at] = reference;
  object.metadata.ownerReferences = references;
}

/** The version of the API and the uid do not count: an owner may be referred to by any version, and may have been made anew. */
function isSameOwner(a: DeepReadonly<OwnerReference>, b: DeepReadonly<OwnerReference>): boolean {
  return a.name === b.name && a.kind === b.kind && parseGroupVersion(a.apiVersion).group === parseGroupVersion(b.apiVersion).group;
}

function checkScope(owner: Owner, object: Owner): void {
  const from = owner.metadata.namespace ?? '';
  if (from === '') return;
  const to = object.metadata.namespace ?? '';
  if (to === '') {
    throw new InformerError('argument', `cluster-scoped resource must not have a namespace-scoped owner, owner's namespace ${from}`);
  }
  if (to !== from)
    throw new InformerError(
      'argument',
      `cross-namespace owner references are disallowed, owner's namespace ${from}, obj's namespace ${to}`,
    );
}
