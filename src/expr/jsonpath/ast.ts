/** The comparison of two values in a filter. */
export type Comparator = '==' | '!=' | '<' | '>' | '<=' | '>=';

/** One condition of a filter. Without a comparator it tests whether `left` finds a value. */
export interface FilterCondition {
  readonly left: readonly JsonPathStep[];
  readonly comparator?: Comparator;
  readonly right?: readonly JsonPathStep[];
}

/** One step of a path. For each value found so far it gives any number of values. */
export type JsonPathStep =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'recurse' }
  /** `[start:end:step]`; `[n]` is `single`. */
  | {
      readonly kind: 'slice';
      readonly start?: number;
      readonly end?: number;
      readonly step: number;
      readonly single: boolean;
    }
  | { readonly kind: 'union'; readonly members: readonly (readonly JsonPathStep[])[] }
  /** `['a.b']`: a path, or, if that finds nothing, the key `a.b`. */
  | { readonly kind: 'key'; readonly path: readonly JsonPathStep[]; readonly literal: string }
  /** `[type=Ready]`, `[containerPort=80,protocol=TCP]`: the items of a list with these fields. */
  | { readonly kind: 'item'; readonly fields: readonly (readonly [name: string, value: string])[] }
  /** True if all conditions of at least one group are true. */
  | { readonly kind: 'filter'; readonly anyOf: readonly (readonly FilterCondition[])[] }
  | { readonly kind: 'literal'; readonly value: string | number | bigint | boolean };

/** One part of a template. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly path: readonly JsonPathStep[] }
  | { readonly kind: 'range'; readonly path: readonly JsonPathStep[]; readonly body: readonly Part[] };
