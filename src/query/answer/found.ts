import { atPlaces, firstOf, lazyList, passing } from '../../kit/lazy-list.ts';
import { formatGroupResource, formatGvr } from '../../model/gvr.ts';
import { keyOf } from '../../model/key.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { isSecretResource } from '../../model/secret-type.ts';
import { jqAnswer } from '../../output/jq/jq-expression.ts';
import { needsOf, type OutputFormat } from '../../output/output-format.ts';
import type { PrintedObject } from '../../output/printer.ts';
import { sortedBy } from './arrange.ts';
import type { IndexCatalog } from '../index/index-catalog.ts';
import { formatExplanation, runLookups } from '../index/lookup-plan.ts';
import type { Redactor } from '../../stream/redact.ts';
import { shownObject, whyUnprintable } from '../../stream/shown-object.ts';
import { unprintableNotice } from '../../cli/session/object-notices.ts';
import type { AnswerSink } from '../../cli/query/answer-sink.ts';
import { explainedText } from './explain.ts';
import { type Holding, inServersOrder, storeOf } from './holding.ts';
import type { Matcher } from './matcher.ts';
import type { NarrowedCaches } from './narrowed-caches.ts';
import { isFiltered, type ObjectFilters } from '../../cli/query/object-filters.ts';
import { placesPatiently } from './patient-filter.ts';
import { pushedText } from './push-down.ts';
import type { QueryPlan, Question } from '../../cli/query/question.ts';
import { searchOf } from './search.ts';

/** An object of an answer, and its type. */
export interface Found extends PrintedObject {
  readonly object: ReadonlyObject;
  readonly type: ResourceType;
}

/** The objects of one type that satisfy the lookups and the filters. */
export function findIn(
  question: Pick<Question, 'lookups' | 'explain'> & ObjectFilters,
  holding: Holding,
  { catalog, matches, sink, narrowed }: Finding,
): readonly Found[] {
  const { type } = holding;
  const looked = runLookups({ store: storeOf(holding), catalog, lookups: question.lookups });
  const matching = (object: ReadonlyObject) => matches(object, type);
  const kept = isFiltered(question) ? passing(looked.objects, matching) : looked.objects;
  return foundOf(question, holding, { kept, ...looked, sink, narrowed });
}

/** As {@link findIn}, without blocking other code while the filters are tested on many objects. */
export async function findPatiently(
  question: Parameters<typeof findIn>[0],
  holding: Holding,
  finding: Finding,
): Promise<readonly Found[]> {
  if (!isFiltered(question)) return findIn(question, holding, finding);
  const { catalog, matches, sink } = finding;
  const { lookups } = question;
  const { type } = holding;
  const search = isSecretResource(type.gvr) ? {} : await searchOf(question);
  const store = storeOf(holding);
  const looked = runLookups({ store, catalog, lookups });
  const isWhole = lookups.length === 0 && store.scan !== undefined;
  const searched = isWhole ? (store.scan?.(search) ?? []) : looked.objects;
  // a list and a scan that are begun together have the same objects in the same places
  const places = await placesPatiently(searched, (object) => matches(object, type), {
    clock: sink.clock,
    onProgress: (count) =>
      sink.notice(`looked at ${count} of ${looked.objects.length} ${formatGroupResource(type.gvr)}`),
  });
  const isAll = places.length === looked.objects.length;
  const kept = isAll ? looked.objects : atPlaces(looked.objects, places);
  return foundOf(question, holding, { kept, ...looked, ...finding });
}

interface Looked extends ReturnType<typeof runLookups>, Pick<Finding, 'sink' | 'narrowed'> {
  /** The objects that also meet the filters. */
  readonly kept: readonly ReadonlyObject[];
}

function foundOf(
  question: Parameters<typeof findIn>[0],
  holding: Holding,
  { kept, explanation, sink, narrowed }: Looked,
): readonly Found[] {
  const { lookups, explain } = question;
  const { type } = holding;
  if (explain) {
    const filtered = isFiltered(question) ? kept.length : undefined;
    sink.notice(
      explainedText(holding, { how: formatExplanation(explanation), filtered, pushed: pushedText(narrowed?.of(type)) }),
    );
  }
  const ordered = inServersOrder(kept, holding, lookups.length > 0);
  return lazyList(ordered.length, (i) => ({ object: ordered[i] as ReadonlyObject, type }));
}

/** What finding needs beside the question. */
export interface Finding {
  readonly catalog: IndexCatalog;
  readonly matches: Matcher;
  readonly sink: AnswerSink;
  /** The caches hold only what a server selected. */
  readonly narrowed?: Pick<NarrowedCaches, 'of'> | undefined;
}

/** The objects sorted, and no more than the limit. */
export function arrange<T extends Found>(
  found: readonly T[],
  { sortBy, sortsDescending, limit }: Pick<Question, 'sortBy' | 'sortsDescending' | 'limit'>,
): readonly T[] {
  const sorted = sortBy
    ? sortedBy(found, ({ object }) => sortBy.values(object), { expression: sortBy.text, isDescending: sortsDescending })
    : found;
  return limit === undefined ? sorted : firstOf(sorted, limit);
}

/** Writes objects in the format of the plan. */
export async function printFound(
  plan: QueryPlan,
  found: readonly Found[],
  { redactor, sink, signal }: { redactor: Redactor; sink: AnswerSink; signal: AbortSignal },
): Promise<void> {
  const options = { redactor, showManagedFields: plan.showManagedFields };
  const named = NAMING_FORMATS.has(plan.format.kind);
  const isWhole = needsOf(plan.format).object;
  const show = ({ object, type }: Found) => {
    const one = shownObject(object, type, options);
    const printed = { object: named && type.cluster !== undefined ? { cluster: type.cluster, ...one } : one, type };
    if (isWhole && whyUnprintable(printed.object) !== undefined)
      sink.notice(unprintableNotice(`${formatGvr(type.gvr)} ${keyOf(printed.object)}`, printed.object));
    return printed;
  };
  const shown = { [Symbol.iterator]: () => Iterator.from(found).map(show) };
  const pieces = plan.printer.objects(shown);
  if (plan.output.jq) {
    const where = asksForOne(plan) ? 'the object' : 'the List';
    const run = { clock: sink.clock, signal, terminal: plan.counting.terminal };
    const text = await jqAnswer(plan.output.jq, [...pieces].join(''), where, run);
    await sink.write(text);
    if (text === 'null\n' && !asksForOne(plan)) sink.notice(LIST_FOR_JQ);
  } else for (const piece of pieces) await sink.write(piece);
}

/** Formats that print whole objects. Objects of several clusters have the name of their cluster in the field `cluster`. */
const NAMING_FORMATS: ReadonlySet<OutputFormat['kind']> = new Set([
  'json',
  'ndjson',
  'yaml',
  'kyaml',
  'jq',
  'jsonpath',
]);

/** An expression for one object finds nothing in a List. */
const LIST_FOR_JQ = '-o jq gets one List, as -o json prints it; .items[] before the expression gives each object';

const asksForOne = ({ selections: [only, ...others] }: QueryPlan) => others.length === 0 && only?.names.length === 1;
