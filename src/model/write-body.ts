import type { DeepReadonly, KubeObject } from './object.ts';

/**
 * The object that a create or update sends, for a resource whose objects have the type `T`: that type, of which parts
 * may be read-only (an object of a cache may be sent), and optional parts undefined. Any object if `T` has an index
 * signature, as `UnknownObject` has: then nothing is known of its fields.
 */
export type WriteBody<T> = string extends keyof T ? object : WriteBodyPart<T>;

/** A part of a {@link WriteBody}. */
export type WriteBodyPart<T> = T extends readonly (infer E)[]
  ? readonly WriteBodyPart<E>[]
  : T extends object
    ? { readonly [K in keyof T]: WriteBodyPart<T[K]> | UndefinedIfOptional<T, K> }
    : T;

/**
 * The content of an object that may have to be created, and that is changed before: a `T`, of which optional parts may
 * be undefined. Any object if `T` has an index signature.
 */
export type NewObject<T> = string extends keyof T ? KubeObject : NewObjectPart<T>;

/** A part of a {@link NewObject}. */
export type NewObjectPart<T> = T extends (infer E)[]
  ? NewObjectPart<E>[]
  : T extends object
    ? { [K in keyof T]: NewObjectPart<T[K]> | UndefinedIfOptional<T, K> }
    : T;

/** JSON leaves undefined out, so it is as good as an absent field, also under exactOptionalPropertyTypes. */
export type UndefinedIfOptional<T, K extends keyof T> = object extends Pick<T, K> ? undefined : never;

/** One operation of a JSON patch. Source: RFC 6902. */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

/**
 * A merge patch of a `T`: any of its fields, and null where a field is removed. Lists are replaced as a whole.
 * Source: RFC 7386.
 */
export type MergePatch<T> = string extends keyof T ? object : MergePatchPart<T>;

/** A part of a {@link MergePatch}. */
export type MergePatchPart<T> = T extends readonly unknown[]
  ? DeepReadonly<T>
  : T extends object
    ? { readonly [K in keyof T]?: MergePatchPart<T[K]> | null | undefined }
    : T;

/**
 * A strategic merge patch of a `T`: any of its fields, null where a field is removed, lists with the entries to merge,
 * and directives such as `$patch`. Only built-in types have it. Source: apimachinery strategicpatch.
 */
export type StrategicPatch<T> = string extends keyof T ? object : StrategicPatchPart<T>;

/** A part of a {@link StrategicPatch}. */
export type StrategicPatchPart<T> = T extends readonly (infer E)[]
  ? readonly StrategicPatchPart<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: StrategicPatchPart<T[K]> | null | undefined } & StrategicPatchDirectives
    : T;

/** `$patch`, `$retainKeys`, `$setElementOrder/…`, `$deleteFromPrimitiveList/…`. */
export interface StrategicPatchDirectives {
  readonly [directive: `$${string}`]: unknown;
}

/**
 * The fields of a `T` that a field manager applies (server-side apply): any of them, with the type that the server
 * needs to know. client-go's name: apply configuration.
 */
export type ApplyConfiguration<T> = AppliedFields<T> & { readonly apiVersion: string; readonly kind: string };

/** Any of the fields of a `T`. Any object if `T` has an index signature. */
export type AppliedFields<T> = string extends keyof T
  ? object | { readonly [field: string]: unknown }
  : ApplyConfigurationPart<T>;

/** A part of an {@link ApplyConfiguration}. */
export type ApplyConfigurationPart<T> = T extends readonly (infer E)[]
  ? readonly ApplyConfigurationPart<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: ApplyConfigurationPart<T[K]> | undefined }
    : T;

/** The body of each type of patch of a `T`. */
export interface PatchBodies<T> {
  readonly merge: MergePatch<T>;
  readonly json: readonly JsonPatchOperation[];
  readonly strategic: StrategicPatch<T>;
  readonly apply: ApplyConfiguration<T>;
}

/** The options of a call for a subresource, whose body and answer may have another type than the object. */
export interface OfSubresource {
  readonly subresource: string;
}

/** The types of patches, by the `type` of the options. */
export type PatchKind = keyof PatchBodies<unknown>;
