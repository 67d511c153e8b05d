/**
 * A model type of @kubernetes/client-node, as its objects are on the wire and in a cache:
 * `forResource<Wire<V1Pod>>(…)`.
 * Dates are RFC 3339 strings. Names are the API's own (`_from` → `from`, `x_kubernetes_map_type` →
 * `x-kubernetes-map-type`). Every part is read-only, and `metadata` is always there. This is only a type: nothing is
 * converted, and client-node is not loaded. {@link MutableWire} is the same for objects that are written.
 * Source: client-node's ObjectSerializer and the attributeTypeMap of its models.
 */
export type Wire<T> = T extends { metadata?: infer M }
  ? Readonly<WithMetadata<WireValue<T>, WireValue<NonNullable<M>>>>
  : WireValue<T>;

/**
 * The same as {@link Wire}, with every part mutable: for objects that a program builds, or reads from a client and
 * changes: `client.resource<MutableWire<V1Deployment>>(…)`.
 */
export type MutableWire<T> = T extends { metadata?: infer M }
  ? WithMetadata<MutableWireValue<T>, MutableWireValue<NonNullable<M>>>
  : MutableWireValue<T>;

/** A type whose metadata is always there. */
export type WithMetadata<T, M> = { [K in keyof T as K extends 'metadata' ? never : K]: T[K] } & { metadata: M };

/** A part of a {@link Wire} type. */
export type WireValue<T> = 0 extends 1 & T // `any` stays `any`
  ? T
  : T extends Date
    ? string
    : T extends readonly (infer E)[]
      ? readonly WireValue<E>[]
      : T extends object
        ? { readonly [K in keyof T as WireName<T, K>]: WireValue<T[K]> }
        : T;

/** A part of a {@link MutableWire} type. */
export type MutableWireValue<T> = 0 extends 1 & T // `any` stays `any`
  ? T
  : T extends Date
    ? string
    : T extends readonly (infer E)[]
      ? MutableWireValue<E>[]
      : T extends object
        ? { -readonly [K in keyof T as WireName<T, K>]: MutableWireValue<T[K]> }
        : T;

/**
 * client-node's generator renames fields that are not identifiers or are reserved words. `$ref` and `$schema` lose
 * their `$`.
 */
export type WireName<T, K extends keyof T> = K extends `_${infer Name}`
  ? Name
  : K extends `x_kubernetes_${infer Name}`
    ? `x-kubernetes-${DashedName<Name>}`
    : 'x_kubernetes_validations' extends keyof T
      ? K extends 'ref' | 'schema'
        ? `$${K}`
        : K
      : K;

/** A name with `-` in the place of `_`. */
export type DashedName<S extends string> = S extends `${infer Head}_${infer Tail}` ? `${Head}-${DashedName<Tail>}` : S;
