import { loadCel } from '../../expr/cel/load-cel.ts';
import type { LookedAt } from '../../informer/compact/field-columns.ts';
import { lightsOf } from '../../kit/lazy-list.ts';
import type { Address } from '../../model/field-path.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { NODE_FIELDS } from '../index/pod-references.ts';
import type { IndexedStore } from '../index/stored-index.ts';
import type { ObjectFilters } from './object-filters.ts';

/** The parts of each object that filters look at; undefined if they may look at any. */
export async function lookedAtByFilters({
  filters,
  wheres,
}: Pick<ObjectFilters, 'filters' | 'wheres'>): Promise<LookedAt | undefined> {
  if (filters.length + wheres.length === 0) return { fields: [] };
  const { fieldsSeen } = await loadCel();
  const columns = new Set(wheres.flatMap(({ variables }) => [...variables]));
  const fields = allOf([...filters.map(fieldsSeen), [...columns].flatMap((name) => BESIDE_CELLS[name] ?? [])]);
  const areAll = columns.has('cells');
  return fields && { fields, cells: areAll ? ['*'] : [...columns].filter((name) => name !== 'NAMESPACE') };
}

const NAME: Address = ['metadata', 'name'];
const NAMESPACE: Address = ['metadata', 'namespace'];
const CREATED: Address = ['metadata', 'creationTimestamp'];

/** The fields of the object that columns are made of, beside the cells of its row. */
const BESIDE_CELLS: Readonly<Record<string, readonly Address[]>> = {
  NAME: [NAME],
  NAMESPACE: [NAMESPACE],
  AGE: [CREATED],
  cells: [NAME, NAMESPACE, CREATED],
};

/**
 * The parts of the objects of a type that most questions are about: a cache that knows them from its list answers also
 * the first question without a look at the objects.
 */
export const usuallyLookedAt = ({ gvr }: ResourceType): readonly LookedAt[] =>
  gvr.group === '' && gvr.resource === 'pods' ? LOOKED_AT_OF_PODS : [];

const LOOKED_AT_OF_PODS: readonly LookedAt[] = [
  { fields: [['status', 'phase']] },
  { fields: NODE_FIELDS },
  { fields: [], cells: ['STATUS'] },
];

/** The same for expressions of other kinds. */
export function lookedAtBy(
  expressions: readonly { readonly seen?: readonly Address[] | undefined }[],
): LookedAt | undefined {
  const fields = allOf(expressions.map(({ seen }) => seen));
  return fields && { fields };
}

function allOf(all: readonly (readonly Address[] | undefined)[]): readonly Address[] | undefined {
  return all.every((each) => each !== undefined) ? all.flat() : undefined;
}

/**
 * Gives the result of a function for the objects of a list, by place, when it looks at these parts of them. Of a store that
 * remembers the parts nothing is decoded, and the function is called once for objects in which they are equal.
 */
export function saidOf<R>(
  objects: readonly ReadonlyObject[],
  store: IndexedStore,
  looked: LookedAt | undefined,
  say: (object: ReadonlyObject) => R,
): (place: number) => R {
  const read = looked && store.readerOf?.(looked, say);
  if (!read) return (place) => say(objects[place] as ReadonlyObject);
  const entries = lightsOf(objects);
  return (place) => read(entries[place]);
}
