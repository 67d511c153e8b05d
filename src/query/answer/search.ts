import { loadCel } from '../../expr/cel/load-cel.ts';
import type { ScanOptions } from '../../informer/store/indexer.ts';
import { addressText } from '../../model/field-path.ts';
import type { ObjectFilters } from './object-filters.ts';
import type { Query } from './query.ts';

/**
 * The fields that a search for the objects that meet these filters reads, so that a cache of texts decodes as little as
 * it can. Conditions on printed columns look at whole objects.
 */
export async function searchOf({ filters, wheres }: ObjectFilters): Promise<ScanOptions> {
  if (filters.length === 0) return {};
  const { requiredTexts, fieldsSeen } = await loadCel();
  const having = filters.flatMap(requiredTexts);
  const fields = filters.map(fieldsSeen);
  const areKnown = wheres.length === 0 && fields.every((each) => each !== undefined);
  return areKnown ? { having, fields: [...new Set(fields.flat().map(addressText))] } : { having };
}

/** The fields that caches made for one question keep: those of a search of all objects. */
export async function keptFieldsOf(question: Pick<Query, 'lookups'> & ObjectFilters): Promise<readonly string[]> {
  return question.lookups.length > 0 ? [] : ((await searchOf(question)).fields ?? []);
}
