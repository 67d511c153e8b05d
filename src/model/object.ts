import type { PartSelector } from './list-options.ts';

/** A type with every part read-only, at every depth. Objects from a cache are shared, so they must not be changed. */
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

/** The fields that one manager wrote. Source: apimachinery meta/v1 ManagedFieldsEntry. */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: string;
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: Record<string, unknown>;
  subresource?: string;
}

/**
 * The metadata of every object, as on the wire (times are RFC 3339 strings). Source: apimachinery meta/v1 ObjectMeta.
 */
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

/** Any Kubernetes object, as parsed from the wire. Callers may use narrower interfaces; no generated code is needed. */
export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
}

/** An object whose fields beyond metadata are unknown, as a dynamic client returns it. */
export interface UnknownObject extends KubeObject {
  [field: string]: unknown;
}

/** Any object with metadata, as a cache returns it. Types of which only parts are read-only fit too. */
export type ReadonlyKubeObject = DeepReadonly<KubeObject>;

/** An {@link UnknownObject} as a cache returns it. */
export type ReadonlyObject = DeepReadonly<UnknownObject>;

/** One LIST response, or one page of it. */
export interface ListPage<T> extends PartSelector {
  items: T[];
  /** The list's own resourceVersion, from which a watch can start. */
  resourceVersion: string;
  /** Present when more pages follow. */
  continue?: string | undefined;
  /** The number of objects that follow, when the server gives it. It never does with selectors. */
  remainingItemCount?: number | undefined;
  /** The list's own type, when the source passes it on. A Table in place of a list is recognised by it. */
  apiVersion?: string | undefined;
  kind?: string | undefined;
}

/**
 * A deletion that was not seen but inferred: a new list did not contain the object any more. `object` is its last known
 * state, which may be older than its final one. client-go's name: DeletedFinalStateUnknown.
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
