import type { Representation } from '../../client/resource-api.ts';
import { asksForObjects, type Query, usedIndexes } from './query.ts';

/** Indexes that read metadata alone. */
const METADATA_ONLY = /^(namespace|owner|label:.+)$/;

/** The part of the objects that the server must send for the answer. */
export function representationFor(query: Query): Representation {
  const printsRows = asksForObjects(query);
  const needsWhole =
    (printsRows && query.tree === undefined && query.shows.object) ||
    query.filtersNeedObject ||
    query.sortBy !== undefined ||
    query.groupBy !== undefined ||
    query.measures.length > 0 ||
    usedIndexes(query).some((name) => isDeclared(query, name) || !METADATA_ONLY.test(name));
  const readsCells = query.wheres.length > 0 || query.tree !== undefined || (printsRows && query.shows.cells);
  if (readsCells) return { table: needsWhole ? 'Object' : 'Metadata' };
  return needsWhole ? 'object' : 'metadata';
}

const isDeclared = ({ declared }: Query, name: string) => declared.some((definition) => definition.name === name);
