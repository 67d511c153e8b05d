/** The comparison of two values in a filter. */
export type Comparator = '==' | '!=' | '<' | '>' | '<=' | '>=';

/** One condition of a filter. Without a comparator it tests whether `left` finds a value. */
export interface Condition {
  readonly left: readonly Step[];
  readonly comparator?: Comparator;
  readonly right?: readonly Step[];
}

/** One step of a path. For each value found so far it gives any number of values. */
export type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'recurse' }
  /** `[start:end:step]`; `[n]` is `single`. */
  | { readonly kind: 'slice'; readonly start?: number; readonly end?: number; readonly step: number; readonly single: boolean }
  | { readonly kind: 'union'; readonly members: readonly (readonly Step[])[] }
  /** `['a.b']`: a path, or, if that finds nothing, the key `a.b`. */
  | { readonly kind: 'key'; readonly path: readonly Step[]; readonly literal: string }
  /** `[type=Ready]`, `[containerPort=80,protocol=TCP]`: the items of a list with these fields. */
  | { readonly kind: 'item'; readonly fields: readonly (readonly [name: string, value: string])[] }
  /** True if all conditions of at least one group are true. */
  | { readonly kind: 'filter'; readonly anyOf: readonly (readonly Condition[])[] }
  | { readonly kind: 'literal'; readonly value: string | number | bigint | boolean };

/** One part of a template. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly path: readonly Step[] }
  | { readonly kind: 'range'; readonly path: readonly Step[]; readonly body: readonly Part[] };
