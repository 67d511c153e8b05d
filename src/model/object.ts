/** A type whose every part is read-only, all the way down. What comes out of a cache is shared: nobody may change it. */
export type DeepReadonly<T> = T extends (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/** A reference from a dependent to its owner. Source: apimachinery meta/v1 OwnerReference. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** Who wrote which fields. Source: apimachinery meta/v1 ManagedFieldsEntry. */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: string;
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: Record<string, unknown>;
  subresource?: string;
}

/** Metadata every object carries, as it is on the wire (times are RFC 3339 strings). Source: apimachinery meta/v1 ObjectMeta. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
}

/** Any Kubernetes object, as parsed from the wire. Own interfaces may be narrower; nothing here needs generated code. */
export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
}

/** An object whose fields beyond metadata are unknown: what a dynamic client deals in. */
export interface UnknownObject extends KubeObject {
  [field: string]: unknown;
}

/** An {@link UnknownObject} as a cache hands it out. */
export type ReadonlyObject = DeepReadonly<UnknownObject>;

/** One LIST response, or one page of it. */
export interface ListPage<T> {
  items: T[];
  /** The list's own version: where a watch may start. */
  resourceVersion: string;
  /** Present when more pages follow. */
  continue?: string | undefined;
  /** How many follow, when the server tells (never with selectors). */
  remainingItemCount?: number | undefined;
  /** What the server called the list, when the source passes it on: a Table in place of a list is told by it. */
  apiVersion?: string | undefined;
  kind?: string | undefined;
}

/**
 * A deletion that was not seen but inferred: a relist did not hold the object any more.
 * `object` is the last known state, which may be older than the final one. client-go's name: DeletedFinalStateUnknown.
 */
export class Tombstone<T> {
  readonly key: string;
  readonly object: T | undefined;

  constructor(key: string, object: T | undefined) {
    this.key = key;
    this.object = object;
  }
}

/** Whether a value has the shape of an object with metadata. */
export function hasMetadata(value: unknown): value is KubeObject {
  if (typeof value !== 'object' || value === null) return false;
  const { metadata } = value as { metadata?: unknown };
  return typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata);
}
