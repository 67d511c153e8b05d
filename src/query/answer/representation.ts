import type { Representation } from '../../client/resource-api.ts';
import { needsOf } from '../../output/output-format.ts';
import { asksForObjects, type Question } from '../../cli/query/question.ts';

/** What an index over metadata alone is made of need not be more than that. */
const METADATA_ONLY = /^(namespace|owner|label:.+)$/;

/** The names of the indexes that the question reads, each once. */
export function usedIndexes({ lookups, values }: Pick<Question, 'lookups' | 'values'>): string[] {
  return [...new Set([...lookups.map((lookup) => lookup.index), ...(values === undefined ? [] : [values])])];
}

/** The part of the objects that the server must send for the answer. */
export function representationFor(question: Question): Representation {
  const printsRows = asksForObjects(question);
  const needsWhole =
    (printsRows && question.tree === undefined && needsOf(question.format).object) ||
    question.filtersNeedObject ||
    question.sortBy !== undefined ||
    question.groupBy !== undefined ||
    question.measures.length > 0 ||
    usedIndexes(question).some((name) => isDeclared(question, name) || !METADATA_ONLY.test(name));
  const readsCells =
    question.wheres.length > 0 || question.tree !== undefined || (printsRows && needsOf(question.format).cells);
  if (readsCells) return { table: needsWhole ? 'Object' : 'Metadata' };
  return needsWhole ? 'object' : 'metadata';
}

const isDeclared = ({ declared }: Question, name: string) => declared.some((definition) => definition.name === name);
