import type { Client } from '../../client/client.ts';
import type { Redactor } from '../../stream/redact.ts';
import type { IndexCatalog } from '../index/index-catalog.ts';
import { answerCatalog } from './answer-catalog.ts';
import type { AnswerNotices } from './answer-sink.ts';
import { mergedCounts, type ValueCount } from './arrange.ts';
import type { CachedObjects } from './cached-objects.ts';
import { valueCountsOf } from './counts.ts';
import { arranged, type Found, findPatiently } from './found.ts';
import type { FoundIn } from './found-in.ts';
import { grouped } from './grouping.ts';
import { type GroupRow, sortedRows } from './groups.ts';
import { type Matcher, matcherOf } from './matcher.ts';
import type { OwnerCache } from './owned-objects.ts';
import type { PushedDownCaches } from './pushed-down-caches.ts';
import { asksForObjects, type Query, type ScopedQuery } from './query.ts';
import { type Sample, samplesOf } from './samples.ts';

/** The caches of one cluster, and the query as that cluster understands it: its types, namespaces and indexes. */
export interface AnswerPart {
  readonly query: ScopedQuery;
  readonly allCached: readonly CachedObjects[];
  /** Is asked for owners that no cache has. */
  readonly client: Client;
  readonly signal: AbortSignal;
  /** The caches hold only the objects that the server selected. */
  readonly pushedDownCaches?: PushedDownCaches | undefined;
  /** Caches of whole types, for a tree. */
  readonly ownerCaches?: readonly OwnerCache[] | undefined;
  /** A line for a person about this cluster. */
  notice(text: string): void;
}

/** A part after it was searched. */
export interface SearchedPart extends AnswerPart {
  readonly catalog: IndexCatalog;
  /** All objects that the user's own selectors give; a part of them where the server selected fewer. */
  readonly samples: readonly Sample[];
}

/** An answer as data. */
export type AnswerResult =
  | { readonly kind: 'count'; readonly count: number }
  | { readonly kind: 'objects'; readonly objects: readonly Found[] }
  | {
      readonly kind: 'rows';
      readonly rows: readonly GroupRow[];
      /** Remarks about the amounts. */
      readonly remarks: readonly string[];
    };

export interface Answer {
  readonly result: AnswerResult;
  /** The objects that were found, or the values of an index. `--limit` may leave some out of the result. */
  readonly count: number;
  /** All objects that were found, cache by cache; none where the values of an index were asked for. */
  readonly found: readonly FoundIn[];
  readonly parts: readonly SearchedPart[];
}

/** The tools of an answer, beside the caches. */
export interface AnswerContext extends AnswerNotices {
  /** Marks values of Secrets. */
  readonly redactor: Redactor;
}

/**
 * Answers a query from synced caches, of one cluster or of several. Each part is searched by itself, so that owners and
 * names are those of its own objects.
 */
export async function answer(query: Query, parts: readonly AnswerPart[], answering: AnswerContext): Promise<Answer> {
  const catalogs = await Promise.all(parts.map((part) => catalogOf(part)));
  const searched = parts.map((part, i) => ({ ...part, catalog: catalogs[i] as IndexCatalog }));
  const matches = matcherOf(query, answering);
  const { count, found, result } = await resultOf(query, searched, { ...answering, matches });
  const samples = await Promise.all(
    searched.map(async ({ allCached, pushedDownCaches }) =>
      count === 0 && pushedDownCaches ? await pushedDownCaches.unfiltered(allCached) : allCached.map(samplesOf),
    ),
  );
  return { count, found, result, parts: searched.map((part, i) => ({ ...part, samples: samples[i] ?? [] })) };
}

async function resultOf(
  query: Query,
  parts: readonly Omit<SearchedPart, 'samples'>[],
  { clock, notice, redactor, matches }: AnswerContext & { readonly matches: Matcher },
): Promise<Omit<Answer, 'parts'>> {
  const rowsOf = (rows: readonly GroupRow[]) => sortedRows(rows, query.groupOrder).slice(0, query.limit);
  const findingIn = ({ catalog, pushedDownCaches, notice: say }: Omit<SearchedPart, 'samples'>) => ({
    catalog,
    pushedDownCaches,
    matches,
    areListed: asksForObjects(query),
    sink: { clock, notice: say },
  });
  if (query.values !== undefined) {
    const name = query.values;
    const counts: (readonly ValueCount[])[] = [];
    for (const part of parts)
      for (const cached of part.allCached)
        counts.push(await valueCountsOf(name, cached, { ...findingIn(part), redactor }, query));
    const rows = mergedCounts(counts).map((row) => ({ ...row, amounts: [] }));
    return { count: rows.length, found: [], result: { kind: 'rows', rows: rowsOf(rows), remarks: [] } };
  }
  const found: FoundIn[] = [];
  for (const part of parts)
    for (const cached of part.allCached) found.push(await findPatiently(query, cached, findingIn(part)));
  const count = found.reduce((sum, { objects }) => sum + objects.length, 0);
  if (query.count) return { count, found, result: { kind: 'count', count } };
  const sink = { clock, notice };
  if (asksForObjects(query))
    return { count, found, result: { kind: 'objects', objects: await arranged(found, query, sink) } };
  const { rows, remarks } = await grouped(found, query, { redactor, sink });
  return { count, found, result: { kind: 'rows', rows: rowsOf(rows), remarks } };
}

function catalogOf({ query, allCached, client, signal, pushedDownCaches }: AnswerPart): Promise<IndexCatalog> {
  const isSelected = Boolean(query.selector || query.fieldSelector || query.part);
  const isWhole = ({ type }: CachedObjects) => !isSelected && !pushedDownCaches?.of(type);
  return answerCatalog({ client, signal, isWhole }, query, allCached);
}
