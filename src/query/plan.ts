import type { ReadonlyObject } from '../model/object.ts';
import type { IndexCatalog } from './index-catalog.ts';
import type { IndexDefinition } from './index-definition.ts';
import { formatLookup, type Lookup, mapLookup, matchesLookup } from './lookup.ts';

/** The part of a Lister that a query needs. */
export interface IndexedStore {
  list(): readonly ReadonlyObject[];
  byIndex(name: string, value: string): readonly ReadonlyObject[];
  indexValues(
    name: string,
    range?: { readonly prefix: string } | { readonly from?: string; readonly to?: string },
  ): readonly string[];
  indexCount(name: string, value: string): number;
  /** Whether the store keeps this index. Other indexes are computed during a scan. */
  hasIndex(name: string): boolean;
}

export interface QueryOptions {
  readonly store: IndexedStore;
  readonly catalog: IndexCatalog;
  readonly lookups: readonly Lookup[];
}

/** A description of how the answer was found. */
export interface QueryExplanation {
  /** The lookup that an index of the store answered; undefined if every object was scanned. */
  readonly used: string | undefined;
  /** The lookups that were tested on each candidate. */
  readonly filtered: readonly string[];
  /** The number of candidates. */
  readonly scanned: number;
  /** The number of objects in the answer. */
  readonly returned: number;
}

/**
 * Finds the objects that satisfy every lookup, each once. Of the indexes that the store keeps, it reads the one with
 * the fewest candidates and tests the other lookups on them. If the store keeps none of the indexes, it scans every
 * object. Throws `argument` for an unknown index.
 */
export function runLookups({ store, catalog, lookups }: QueryOptions): {
  objects: readonly ReadonlyObject[];
  explanation: QueryExplanation;
} {
  const conditions = lookups.map((lookup) => conditionOf(lookup, catalog.get(lookup.index)));
  const choice = smallest(
    conditions
      .filter(({ definition }) => store.hasIndex(definition.name))
      .map((condition) => candidatesOf(condition, store)),
  );
  const rest = conditions.filter((condition) => condition !== choice?.condition);
  const candidates = choice ? read(choice, store) : store.list();
  const objects =
    rest.length === 0 ? candidates : candidates.filter((object) => rest.every((condition) => holds(condition, object)));
  const explanation: QueryExplanation = {
    used: choice && formatLookup(choice.condition.lookup),
    filtered: rest.map(({ lookup }) => formatLookup(lookup)),
    scanned: candidates.length,
    returned: objects.length,
  };
  return { objects, explanation };
}

/** An explanation as text: `index node=worker-1; filter phase=Running; scanned 12, returned 9`. */
export function formatExplanation({ used, filtered, scanned, returned }: QueryExplanation): string {
  const how = used === undefined ? 'no index, every object' : `index ${used}`;
  const filter = filtered.length === 0 ? '' : `; filter ${filtered.join(' and ')}`;
  return `${how}${filter}; scanned ${scanned}, returned ${returned}`;
}

interface Condition {
  readonly lookup: Lookup;
  readonly definition: IndexDefinition;
}

function conditionOf(lookup: Lookup, definition: IndexDefinition): Condition {
  const { normalise } = definition;
  return { lookup: normalise ? mapLookup(lookup, normalise) : lookup, definition };
}

const holds = ({ lookup, definition }: Condition, object: ReadonlyObject) =>
  definition.valuesOf(object).some((value) => matchesLookup(lookup, value));

interface Candidates {
  readonly condition: Condition;
  /** The values of the index to read. */
  readonly values: readonly string[];
  /** An upper bound of the number of candidates: an object with two of the values counts twice. */
  readonly size: number;
}

function candidatesOf(condition: Condition, store: IndexedStore): Candidates {
  const { lookup } = condition;
  const values =
    lookup.kind === 'in'
      ? lookup.values
      : store.indexValues(lookup.index, lookup).filter((value) => matchesLookup(lookup, value));
  return { condition, values, size: values.reduce((sum, value) => sum + store.indexCount(lookup.index, value), 0) };
}

function read({ condition, values }: Candidates, store: IndexedStore): readonly ReadonlyObject[] {
  const found = values.map((value) => store.byIndex(condition.lookup.index, value));
  return found.length === 1 ? (found[0] as readonly ReadonlyObject[]) : [...new Set(found.flat())];
}

function smallest(all: readonly Candidates[]): Candidates | undefined {
  return all.reduce<Candidates | undefined>((best, next) => (best && best.size <= next.size ? best : next), undefined);
}
