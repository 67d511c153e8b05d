import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import type { ValueExpression } from '../../expr/path-or-cel.ts';
import type { IndexDefinition } from '../index/index-definition.ts';
import type { Lookup } from '../index/lookup.ts';
import type { CollectionPart } from './collection-part.ts';
import type { GroupOrder } from './groups.ts';
import type { Measure } from './measure-flags.ts';
import type { ObjectFilters } from './object-filters.ts';
import type { Freshness } from './wait-until-fresh.ts';

/** An expression over objects, and its text. */
export type Expression = Pick<ValueExpression, 'text' | 'values' | 'reads' | 'seen'>;

/** A question about objects, read and checked. It does not know any server or type. */
export interface Query extends ObjectFilters {
  readonly declared: readonly IndexDefinition[];
  readonly lookups: readonly Lookup[];
  /** The index whose values are asked for instead of objects. */
  readonly values: string | undefined;
  readonly count: boolean;
  /** Objects are shown with their owners and with what they own; the words name types to look for besides. */
  readonly tree: readonly string[] | undefined;
  readonly groupBy: Expression | undefined;
  /** The sums, averages and so on of each group. */
  readonly measures: readonly Measure[];
  /** The order of counts and groups, if one is asked for. */
  readonly groupOrder: GroupOrder | undefined;
  readonly sortBy: Expression | undefined;
  /** `--sort-by=-…`: the largest first. */
  readonly sortsDescending: boolean;
  readonly limit: number | undefined;
  readonly explain: boolean;
  readonly freshness: Freshness;
  readonly selector: string | undefined;
  /** The part of the objects that is read; undefined: all. */
  readonly part: CollectionPart | undefined;
  readonly fieldSelector: string | undefined;
  /** Something looks at managedFields, or shows them. */
  readonly keepManagedFields: boolean;
  readonly showManagedFields: boolean;
  readonly showSecrets: boolean;
  /** A missing name is not an error. */
  readonly ignoreNotFound: boolean;
  /** The parts of each object that the output shows. */
  readonly shows: { readonly object: boolean; readonly cells: boolean };
}

/** The types and namespaces of a server that a query is about. */
export interface QueryScope {
  readonly selections: readonly ResourceSelection[];
  /** [''] = all; cluster-scoped types ignore them. */
  readonly namespaces: readonly string[];
}

/** A query about types and namespaces of a server. */
export type ScopedQuery = Query & QueryScope;

/** Whether objects are asked for, and not numbers about them. */
export const asksForObjects = ({
  values,
  count,
  groupBy,
  measures,
}: Pick<Query, 'values' | 'count' | 'groupBy' | 'measures'>) =>
  values === undefined && !count && groupBy === undefined && measures.length === 0;

/** The names of the indexes that a query reads, each once. */
export function usedIndexes({ lookups, values }: Pick<Query, 'lookups' | 'values'>): string[] {
  return [...new Set([...lookups.map((lookup) => lookup.index), ...(values === undefined ? [] : [values])])];
}

/** The one namespace of a query; undefined when it asks several, or all. */
export const onlyNamespaceOf = (namespaces: readonly string[]): string | undefined =>
  namespaces.length === 1 ? namespaces[0] || undefined : undefined;
