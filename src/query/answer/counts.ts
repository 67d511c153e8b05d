import { passing } from '../../kit/lazy-list.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { isSecretResource } from '../../model/secret-type.ts';
import type { Redactor } from '../../stream/redact.ts';
import { explainCounts, type ValueCount, valueCounts } from './arrange.ts';
import { type CachedObjects, scanned, storeOf } from './cached-objects.ts';
import { explainedText } from './explain.ts';
import type { Finding } from './found.ts';
import { isFiltered, type ObjectFilters } from './object-filters.ts';
import { pushedText } from './push-down.ts';
import type { Query } from './query.ts';

/** The values of an index in one cache, each with the number of objects that have it and meet the filters. */
export function valueCountsOf(
  name: string,
  cached: CachedObjects,
  { catalog, redactor, matches, sink, pushedDownCaches }: Finding & { redactor: Redactor },
  question: Pick<Query, 'showSecrets' | 'explain' | 'part'> & ObjectFilters,
): readonly ValueCount[] {
  const definition = catalog.get(name);
  const { gvr } = cached.type;
  const redact =
    isSecretResource(gvr) && !question.showSecrets
      ? (object: ReadonlyObject) => redactor.redact(object, gvr)
      : undefined;
  const store = storeOf(cached);
  const kept = !isFiltered(question) ? store : scanned(passing(store.list(), (object) => matches(object, cached.type)));
  if (question.explain) {
    const filtered = isFiltered(question) ? kept.size : undefined;
    const how = explainCounts(definition, kept, { isRedacted: redact !== undefined });
    sink.notice(
      explainedText(cached, {
        how,
        filtered,
        pushed: pushedText(pushedDownCaches?.of(cached.type)),
        part: question.part,
      }),
    );
  }
  return valueCounts(definition, kept, redact);
}
