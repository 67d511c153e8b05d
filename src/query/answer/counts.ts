import { passing } from '../../kit/lazy-list.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { isSecretResource } from '../../model/secret-type.ts';
import type { Redactor } from '../../stream/redact.ts';
import { explainCounts, type ValueCount, valueCounts } from './arrange.ts';
import { explainedText } from './explain.ts';
import type { Finding } from './found.ts';
import { type Holding, scanned, storeOf } from './holding.ts';
import { isFiltered, type ObjectFilters } from './object-filters.ts';
import { pushedText } from './push-down.ts';
import type { Query } from './query.ts';

/** The values of an index in one cache, each with the number of objects that have it and meet the filters. */
export function valueCountsOf(
  name: string,
  holding: Holding,
  { catalog, redactor, matches, sink, narrowed }: Finding & { redactor: Redactor },
  question: Pick<Query, 'showSecrets' | 'explain' | 'part'> & ObjectFilters,
): readonly ValueCount[] {
  const definition = catalog.get(name);
  const { gvr } = holding.type;
  const redact =
    isSecretResource(gvr) && !question.showSecrets
      ? (object: ReadonlyObject) => redactor.redact(object, gvr)
      : undefined;
  const store = storeOf(holding);
  const kept = !isFiltered(question)
    ? store
    : scanned(passing(store.list(), (object) => matches(object, holding.type)));
  if (question.explain) {
    const filtered = isFiltered(question) ? kept.size : undefined;
    const how = explainCounts(definition, kept, { isRedacted: redact !== undefined });
    sink.notice(
      explainedText(holding, { how, filtered, pushed: pushedText(narrowed?.of(holding.type)), part: question.part }),
    );
  }
  return valueCounts(definition, kept, redact);
}
