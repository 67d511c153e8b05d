import { joined, lightsOf, passing, passingLight } from '../../kit/lazy-list.ts';
import { keyOf, type ObjectKey } from '../../model/key.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { IndexCatalog } from './index-catalog.ts';
import type { IndexDefinition } from './index-definition.ts';
import { formatLookup, type Lookup, lookupTest, mapLookup } from './lookup.ts';
import { type IndexedStore, keptValues, storedIndexOf } from './stored-index.ts';

export interface QueryOptions {
  readonly store: IndexedStore;
  readonly catalog: IndexCatalog;
  readonly lookups: readonly Lookup[];
}

/** A lookup that a kept index answered, and the number of objects that it found. */
export interface UsedIndex {
  readonly lookup: string;
  readonly candidates: number;
}

/** A description of how the answer was found. */
export interface QueryExplanation {
  /** The number of objects in the store. */
  readonly held: number;
  /** The lookups that kept indexes answered, in their order; none if every object was scanned. */
  readonly used: readonly UsedIndex[];
  /** The lookups that were tested on each object that was left. */
  readonly tested: readonly string[];
  /** The number of objects that were read: the candidates of the first index, or all. */
  readonly scanned: number;
  /** The number of objects that satisfy every lookup. */
  readonly kept: number;
}

/**
 * Finds the objects that satisfy every lookup, each once. Of the indexes that the store keeps, it reads the one with
 * the fewest candidates. The other lookups are tested on these objects, or, where an index has few enough objects that
 * this is cheaper, the two are intersected. If the store keeps none of the indexes, every object is scanned. Throws
 * `argument` for an unknown index.
 */
export function runLookups({ store, catalog, lookups }: QueryOptions): {
  objects: readonly ReadonlyObject[];
  explanation: QueryExplanation;
} {
  const conditions = lookups.map((lookup) => conditionOf(lookup, catalog.get(lookup.index)));
  const [first, ...others] = readable(conditions, store);
  let objects = first ? read(first, store) : store.list();
  const scanned = objects.length;
  const used = first ? [usedIndex(first, objects)] : [];
  const answered = new Set(first ? [first.condition] : []);
  for (const other of others) {
    if (other.size > objects.length * testCost(other.condition.definition)) continue;
    const members = new Set(lightsOf(read(other, store)).map(keyOf));
    objects = passingLight(objects, (object) => members.has(keyOf(object)));
    used.push(usedIndex(other, members));
    answered.add(other.condition);
  }
  const rest = conditions.filter((condition) => !answered.has(condition));
  if (rest.length > 0) objects = passing(objects, (object) => rest.every((condition) => holds(condition, object)));
  const tested = rest.map(({ written }) => written);
  return {
    objects,
    explanation: {
      get held() {
        return store.size;
      },
      used,
      tested,
      scanned,
      kept: objects.length,
    },
  };
}

/**
 * An explanation as text: `index phase=Failed (1 candidate of 18); tested node=n1; scanned 1, lookups kept 1`.
 */
export function formatExplanation({ held, used, tested, scanned, kept }: QueryExplanation): string {
  const candidates = ({ lookup, candidates: count }: UsedIndex, of: string) =>
    `${lookup} (${count} ${count === 1 ? 'candidate' : 'candidates'}${of})`;
  const [first, ...others] = used;
  return [
    first ? `index ${candidates(first, ` of ${held}`)}` : `no index, every object of ${held}`,
    ...others.map((other) => `intersected with index ${candidates(other, '')}`),
    ...(tested.length > 0 ? [`tested ${tested.join(' and ')}`] : []),
    `scanned ${scanned}${used.length + tested.length > 0 ? `, lookups kept ${kept}` : ''}`,
  ].join('; ');
}

/**
 * The time to test a lookup on one object, in members that are put into a set meanwhile: a declared index evaluates an
 * expression. Measured by bench/query-index.ts.
 */
const testCost = ({ reads }: IndexDefinition): number => (reads === undefined ? 1 : 4);

/** A range or a prefix is not read beside a lookup that has no more candidates than this: it is tested on them. */
const FEW = 64;

/** A lookup in the spellings of its index. */
interface Condition {
  readonly lookup: Lookup;
  readonly definition: IndexDefinition;
  /** The index that a store keeps for it. */
  readonly stored: IndexDefinition | undefined;
  /** The lookup as the user wrote it. */
  readonly written: string;
  readonly test: (value: string) => boolean;
}

function conditionOf(lookup: Lookup, definition: IndexDefinition): Condition {
  const { normalise } = definition;
  const meant = normalise ? mapLookup(lookup, (value) => normalise(value)) : lookup;
  return {
    lookup: meant,
    definition,
    stored: storedIndexOf(definition),
    written: formatLookup(lookup),
    test: lookupTest(meant),
  };
}

const holds = ({ test, definition }: Condition, object: ReadonlyObject) => definition.valuesOf(object).some(test);

interface Candidates {
  readonly condition: Condition;
  /** The values of the index to read. */
  readonly values: readonly string[];
  /** An upper bound of the number of candidates: an object with two of the values counts twice. */
  readonly size: number;
}

/** The candidates of the kept indexes for the lookups, the fewest first. Values that are named cost nothing. */
function readable(conditions: readonly Condition[], store: IndexedStore): Candidates[] {
  const kept = conditions.filter(({ stored }) => stored !== undefined && store.hasIndex(stored.key));
  const isPoint = ({ lookup, definition }: Condition) => lookup.kind === 'in' && !definition.through;
  const points = kept.filter(isPoint).map((each) => candidatesOf(each, store));
  const isSmall = points.some(({ size }) => size <= FEW);
  const spans = isSmall ? [] : kept.filter((each) => !isPoint(each));
  return [...points, ...spans.map((each) => candidatesOf(each, store))].sort((a, b) => a.size - b.size);
}

function candidatesOf(condition: Condition, store: IndexedStore): Candidates {
  const { lookup, definition, stored = definition } = condition;
  const values = keptValues(store, definition, lookup);
  return { condition, values, size: values.reduce((sum, value) => sum + store.indexCount(stored.key, value), 0) };
}

function read({ condition, values }: Candidates, store: IndexedStore): readonly ReadonlyObject[] {
  const { definition, stored = definition } = condition;
  const found = values.map((value) => store.byIndex(stored.key, value));
  if (found.length === 1) return found[0] as readonly ReadonlyObject[];
  const seen = new Set<ObjectKey>();
  return passingLight(joined(found), (object) => {
    const key = keyOf(object);
    return !seen.has(key) && seen.add(key) !== undefined;
  });
}

function usedIndex({ condition }: Candidates, found: readonly unknown[] | ReadonlySet<unknown>): UsedIndex {
  return { lookup: condition.written, candidates: 'size' in found ? found.size : found.length };
}
