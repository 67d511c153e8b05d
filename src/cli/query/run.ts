import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import type { Representation } from '../../client/resource-api.ts';
import type { CelProgram } from '../../expr/cel/cel.ts';
import type { FieldReads } from '../../expr/field-path.ts';
import { goJson, goText } from '../../expr/go-text.ts';
import type { ValueExpression } from '../../expr/load-expression.ts';
import { abortable } from '../../kit/abort.ts';
import { InformerError } from '../../kit/error.ts';
import { nearest } from '../../kit/nearest.ts';
import { formatGvr } from '../../model/gvr.ts';
import { keyOf } from '../../model/key.ts';
import type { ReadonlyObject, UnknownObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { isSecretResource } from '../../model/secret-type.ts';
import { cellText } from '../../output/escape.ts';
import { needsOf, type OutputFormat } from '../../output/output-format.ts';
import type { PrintedObject, Printer } from '../../output/printer.ts';
import { AlignedTable } from '../../output/tables/table.ts';
import { groupCounts, mergedCounts, sortedBy, type ValueCount, valueCounts } from '../../query/arrange.ts';
import { IndexCatalog } from '../../query/index-catalog.ts';
import type { IndexDefinition } from '../../query/index-definition.ts';
import { formatLookup, type Lookup } from '../../query/lookup.ts';
import { loadOwners } from '../../query/owner-graph.ts';
import { formatExplanation, type IndexedStore, runLookups } from '../../query/plan.ts';
import { ConditionJudge, conditionOf, variablesOf } from '../../stream/conditions/condition.ts';
import { Redactor } from '../../stream/redact.ts';
import { shownObject, whyUnprintable } from '../../stream/shown-object.ts';
import { ContinuityReporter } from '../outage/continuity-reporter.ts';
import {
  createTargets,
  type InformerPlan,
  refusalOf,
  refuseUnsynced,
  runTargets,
  type WatchTarget,
} from '../session/informers.ts';
import { samplesOf } from '../session/initial-list-advice.ts';
import { missingNames } from '../session/missing-names.ts';
import { failureNotice, nothingFound, unprintableNotice } from '../session/object-notices.ts';
import { countText, pathAdvice } from '../session/path-advice.ts';
import type { Session } from '../session/session.ts';
import { showSyncProgress } from '../session/sync-progress.ts';
import { ExitCode, hasStaleType, isReaderGone, SeveralErrors } from '../terminal/exit-codes.ts';
import { exitCodeOfEnd, StreamEnd } from '../terminal/stream-ending.ts';

/** An expression over objects, and its text. */
export type Expression = Pick<ValueExpression, 'text' | 'values' | 'reads'>;

/** A `query` with everything read, resolved and checked. */
export interface QueryPlan extends Omit<InformerPlan, 'onContinuity' | 'indexers' | 'as'> {
  readonly selections: readonly ResourceSelection[];
  readonly declared: readonly IndexDefinition[];
  /** All of them hold for what is found. */
  readonly filters: readonly CelProgram[];
  /** The filters look at more of an object than its metadata. */
  readonly filtersNeedObject: boolean;
  /** The fields that expressions and paths of the command line look at. */
  readonly reads: readonly FieldReads[];
  readonly lookups: readonly Lookup[];
  /** The index whose values are asked for instead of objects. */
  readonly values: string | undefined;
  readonly count: boolean;
  readonly groupBy: Expression | undefined;
  readonly sortBy: Expression | undefined;
  /** `--sort-by=-…`: the largest first. */
  readonly sortsDescending: boolean;
  readonly limit: number | undefined;
  readonly explain: boolean;
  readonly format: OutputFormat;
  readonly printer: Printer;
  readonly showSecrets: boolean;
  readonly noHeaders: boolean;
  /** Names that are not there are no error. */
  readonly ignoreNotFound: boolean;
}

interface Found extends PrintedObject {
  readonly object: ReadonlyObject;
  readonly type: ResourceType;
}

/** Syncs the caches, answers from them, and ends. */
export async function query(session: Session, plan: QueryPlan): Promise<ExitCode> {
  const early = new IndexCatalog(plan.declared);
  const used = usedIndexes(plan).map((name) => early.get(name));
  const indexers = Object.fromEntries(
    used.filter((d) => d.stable).map((d) => [d.name, (object: ReadonlyObject) => d.valuesOf(object)]),
  );
  using reporter = new ContinuityReporter(session, () => targets, { isOneShot: true });
  const targets: readonly WatchTarget[] = createTargets(session, plan.selections, {
    ...plan,
    as: representationFor(plan),
    once: true,
    indexers: indexers as never,
    onContinuity: (event, type) => reporter.observe(event, type),
  });
  const running = runTargets(targets, session, { once: true });
  using progress = showSyncProgress(session, session.status);
  try {
    await Promise.all(targets.map((target) => target.settled(session.signal)));
    progress[Symbol.dispose]();
    const readable = targets.filter(({ refusal }) => refusal === undefined);
    const refusal = await refusalOf(targets, session);
    if (hasStaleType(refusal)) throw refusal; // before anything is printed: the command is run again
    if (refusal !== undefined && (readable.length === 0 || !asksForObjects(plan))) throw refusal;
    const catalog = used.some(({ name }) => name === 'owner') ? await ownerCatalog(session, plan, readable) : early;
    const missing = await abortable(answer(session, plan, readable, catalog, refusal !== undefined), session.signal);
    for (const line of await pathAdvice(plan.reads, readable.map(samplesOf), session)) session.notice(line);
    const errors = [missing, refusal].filter((error) => error !== undefined);
    if (errors.length > 0) throw SeveralErrors.of(errors);
    return ExitCode.ok;
  } catch (error) {
    if (!session.signal.aborted) throw error;
    refuseUnsynced(session.signal.reason, targets);
    return exitCodeOfEnd(session.signal.reason, { isSynced: false, isWaiting: !isReaderGone(session.signal.reason) });
  } finally {
    session.end(new StreamEnd('done'));
    await running;
  }
}

/** A number that leaves a type out would be a wrong one; objects that leave one out are still objects. */
const asksForObjects = ({ values, count, groupBy }: QueryPlan) =>
  values === undefined && !count && groupBy === undefined;

/** Prints the answer. Gives the error that names what was asked for by name and is not there. */
async function answer(
  session: Session,
  plan: QueryPlan,
  targets: readonly WatchTarget[],
  catalog: IndexCatalog,
  isPartial: boolean,
): Promise<unknown> {
  const redactor = new Redactor({ showSecrets: plan.showSecrets });
  const missing = plan.ignoreNotFound ? undefined : missingNames(targets, plan);
  if (plan.values !== undefined) {
    await print(
      session,
      countsText(valuesOf(plan.values, targets, catalog, redactor, plan, matcherOf(plan, session)), plan),
    );
    return missing;
  }
  const matches = matcherOf(plan, session);
  const found = targets.flatMap((target) => find(session, plan, target, catalog, matches));
  if (plan.count) await print(session, `${found.length}\n`);
  else if (plan.groupBy) await print(session, countsText(grouped(found, plan.groupBy, redactor), plan));
  else if (found.length > 0 || (missing === undefined && !plan.ignoreNotFound))
    await printObjects(session, plan, arrange(found, plan), redactor, { isPartial, targets });
  if (found.length === 0)
    for (const line of plan.lookups.flatMap((lookup) => nearValues(lookup, targets, catalog))) session.notice(line);
  return missing;
}

function find(
  session: Session,
  { lookups, explain }: QueryPlan,
  target: WatchTarget,
  catalog: IndexCatalog,
  matches: Matcher,
): Found[] {
  const { type, informer } = target;
  const { objects, explanation } = runLookups({ store: storeOf(target), catalog, lookups });
  if (explain)
    session.notice(`${informer.name}: ${formatExplanation(explanation)}; last sign of life ${age(informer)} ago`);
  return inServersOrder(
    objects.filter((object) => matches(object, type)),
    target,
    lookups.length > 0,
  ).map((object) => ({ object, type }));
}

type Matcher = (object: ReadonlyObject, type: ResourceType) => boolean;

/**
 * The objects that meet every expression. An expression that fails on an object counts as not met; the first failure is
 * reported once for all types.
 */
function matcherOf({ filters }: QueryPlan, session: Session): Matcher {
  const now = session.clock.now();
  const conditions = filters.map(conditionOf);
  const judge = new ConditionJudge((error) => session.notice(failureNotice(error)));
  return (object, type) =>
    conditions.every((condition) =>
      judge.holds(condition, variablesOf({ type: 'added', object, cause: 'initial' }, now, type)),
    );
}

/** The cache, or what of it was asked for by name. */
function storeOf({ informer: { lister }, names }: WatchTarget): IndexedStore {
  if (!names) return lister;
  return scanned(lister.list().filter((object) => names.has(object.metadata.name ?? '')));
}

/** A store of these objects, without indexes. */
function scanned(objects: readonly ReadonlyObject[]): IndexedStore {
  return { list: () => objects, hasIndex: () => false, byIndex: () => [], indexValues: () => [], indexCount: () => 0 };
}

/** As the server listed them, namespace by namespace; objects asked for by name in the order of the names. */
function inServersOrder(
  objects: readonly ReadonlyObject[],
  { names, namespaces = [], informer }: WatchTarget,
  isLookedUp: boolean,
): readonly ReadonlyObject[] {
  if (!names && namespaces.length < 2 && !isLookedUp) return objects;
  const places = new Map<ReadonlyObject, number>();
  for (const object of informer.lister.values()) places.set(object, places.size);
  const [nameAt, namespaceAt] = [placesOf(names ?? []), placesOf(namespaces)];
  const placeOf = (object: ReadonlyObject) => [
    nameAt.get(object.metadata.name ?? '') ?? 0,
    namespaceAt.get(object.metadata.namespace ?? '') ?? 0,
    places.get(object) ?? 0,
  ];
  const placed = objects.map((object) => ({ object, place: placeOf(object) }));
  return placed.sort((a, b) => compareLists(a.place, b.place)).map(({ object }) => object);
}

const placesOf = (words: Iterable<string>) => new Map([...words].map((word, i) => [word, i]));

function compareLists(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return (a[i] as number) - (b[i] as number);
  return 0;
}

function age({ continuity }: WatchTarget['informer']): string {
  return `${Math.max(0, ...continuity.map((c) => c.ageMs ?? 0)).toFixed(0)}ms`;
}

function arrange(found: readonly Found[], { sortBy, sortsDescending, limit }: QueryPlan): readonly Found[] {
  const sorted = sortBy
    ? sortedBy(found, ({ object }) => sortBy.values(object), { expression: sortBy.text, isDescending: sortsDescending })
    : found;
  return limit === undefined ? sorted : sorted.slice(0, limit);
}

function valuesOf(
  name: string,
  targets: readonly WatchTarget[],
  catalog: IndexCatalog,
  redactor: Redactor,
  plan: QueryPlan,
  matches: Matcher,
): ValueCount[] {
  const definition = catalog.get(name);
  const of = (target: WatchTarget) => {
    const { gvr } = target.type;
    const redact =
      isSecretResource(gvr) && !plan.showSecrets ? (object: ReadonlyObject) => redactor.redact(object, gvr) : undefined;
    const store = storeOf(target);
    const kept =
      plan.filters.length === 0 ? store : scanned(store.list().filter((object) => matches(object, target.type)));
    return valueCounts(definition, kept, redact);
  };
  return mergedCounts(targets.map(of));
}

function grouped(found: readonly Found[], by: Expression, redactor: Redactor): ValueCount[] {
  return groupCounts(found, ({ object, type }) => by.values(redactor.redact(object, type.gvr)).map(goText));
}

function countsText(all: readonly ValueCount[], { format, limit, noHeaders }: QueryPlan): string {
  const counts = all.slice(0, limit);
  if (format.kind === 'json') return `${goJson(counts)}\n`;
  const table = new AlignedTable();
  const rows = counts.map(({ value, count }) => [cellText(value), String(count)]);
  if (!noHeaders) rows.unshift(['VALUE', 'COUNT']);
  for (const row of rows) table.fit(row);
  return rows.map((row) => table.line(row)).join('');
}

async function printObjects(
  session: Session,
  plan: QueryPlan,
  found: readonly Found[],
  redactor: Redactor,
  { isPartial, targets }: { isPartial: boolean; targets: readonly WatchTarget[] },
): Promise<void> {
  const text = isPartial ? undefined : emptyText(plan, targets);
  if (found.length === 0 && text !== undefined) session.notice(text);
  const options = { redactor, showManagedFields: plan.keepManagedFields };
  const shown = found.map(({ object, type }) => ({ object: shownObject(object, type, options), type }));
  if (needsOf(plan.format).object) {
    for (const { object, type } of shown) {
      if (whyUnprintable(object) !== undefined)
        session.notice(unprintableNotice(`${formatGvr(type.gvr)} ${keyOf(object)}`, object));
    }
  }
  for (const piece of plan.printer.objects(shown)) await print(session, piece);
}

/** Nothing there, which kubectl says of tables alone; or nothing of it that was asked for. */
function emptyText(plan: QueryPlan, targets: readonly WatchTarget[]): string | undefined {
  const samples = targets.map(samplesOf).filter(({ objects }) => objects.length > 0);
  if (samples.length > 0 && plan.lookups.length + plan.filters.length > 0)
    return `none of ${countText(samples)} matches`;
  return plan.format.kind === 'table' && !plan.ignoreNotFound ? nothingFound(plan) : undefined;
}

/** Values that are compared with what was asked for, at most. */
const MOST_VALUES = 10_000;

/** A value that no object has, beside one that is written nearly so. Values of Secrets are not looked at. */
function nearValues(lookup: Lookup, targets: readonly WatchTarget[], catalog: IndexCatalog): string[] {
  if (lookup.kind !== 'in') return [];
  const definition = catalog.get(lookup.index);
  const open = targets.filter(({ type }) => !isSecretResource(type.gvr));
  const known = [
    ...new Set(
      open.flatMap((target) =>
        storeOf(target)
          .list()
          .flatMap((object) => definition.valuesOf(object)),
      ),
    ),
  ].slice(0, MOST_VALUES);
  return lookup.values.flatMap((asked) => {
    const value = definition.normalise?.(asked) ?? asked;
    if (known.includes(value)) return [];
    if (lookup.index === 'owner' && !value.includes('/') && !UID.test(value))
      return [
        `--${lookup.flag ?? 'eq'} owner=${asked}: an owner is written KIND/NAME, such as deploy/${asked}, or as its uid`,
      ];
    const near = nearValue(value, known);
    return near === undefined
      ? []
      : [
          `--${lookup.flag ?? 'eq'} ${lookup.index}=${asked}: no object has this value; did you mean ${lookup.index}=${near}?`,
        ];
  });
}

/**
 * The nearest of the known values; where some begin as it does up to its last `/`, the rest is compared: a kind or
 * registry resembles nothing.
 */
function nearValue(value: string, known: readonly string[]): string | undefined {
  const begin = value.slice(0, value.lastIndexOf('/') + 1);
  const alike = known.filter((each) => each.startsWith(begin));
  if (alike.length === 0) return nearest(value, known)[0];
  const rest = alike.map((each) => each.slice(begin.length));
  return nearest(value.slice(begin.length), rest).map((near) => begin + near)[0];
}

const UID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function print({ io }: Session, text: string): Promise<void> {
  if (!io.stdout.write(text)) await io.stdout.ready();
}

/** What an index over metadata alone is made of need not be more than that. */
const METADATA_ONLY = /^(namespace|owner|label:.+)$/;

function usedIndexes({ lookups, values }: QueryPlan): string[] {
  return [...new Set([...lookups.map((lookup) => lookup.index), ...(values === undefined ? [] : [values])])];
}

function representationFor(plan: QueryPlan): Representation {
  const needsWhole =
    plan.filtersNeedObject ||
    plan.sortBy !== undefined ||
    plan.groupBy !== undefined ||
    usedIndexes(plan).some((name) => isDeclared(plan, name) || !METADATA_ONLY.test(name));
  const printsRows = plan.values === undefined && !plan.count && plan.groupBy === undefined;
  if (plan.format.kind === 'table' && printsRows) return { table: needsWhole ? 'Object' : 'Metadata' };
  return needsWhole || (printsRows && plan.format.kind !== 'name') ? 'object' : 'metadata';
}

const isDeclared = ({ declared }: QueryPlan, name: string) => declared.some((definition) => definition.name === name);

/** The indexes again, with an `owner` index that knows the owners' owners. */
async function ownerCatalog(session: Session, plan: QueryPlan, targets: readonly WatchTarget[]): Promise<IndexCatalog> {
  const { client, signal } = session;
  const objects = targets.flatMap(({ informer }) => informer.lister.list());
  const resolve = await loadOwners(objects, async (kind, namespace) => {
    const type = await client.mapper.typeOfKind(kind);
    if (!type?.verbs.includes('list')) return [];
    const api = client.resource<UnknownObject>(type.gvr, {
      as: 'metadata',
      namespace: type.namespaced ? namespace : undefined,
    });
    return (await api.list({}, { signal })).items;
  });
  const kinds = new Map<string, string>();
  for (const lookup of plan.lookups)
    for (const word of typeWords(lookup)) kinds.set(word, await kindText(session, word));
  return new IndexCatalog(plan.declared, { resolve, kindOf: (word) => kinds.get(word) });
}

function typeWords(lookup: Lookup): string[] {
  if (lookup.index !== 'owner' || lookup.kind !== 'in') return [];
  return lookup.values.filter((value) => value.includes('/')).map((value) => value.slice(0, value.indexOf('/')));
}

/** `deploy` → `Deployment.apps`; a word the server does not know stays as it is. */
async function kindText({ client }: Session, word: string): Promise<string> {
  const type = await client.mapper.find(word);
  if (!type) return word;
  return type.gvr.group === '' ? type.kind : `${type.kind}.${type.gvr.group}`;
}

/**
 * Questions that exclude each other, or that the output cannot answer, are refused before anything is asked of a
 * server.
 */
export function checkQuestion(
  flags: { values?: string | undefined; count: boolean; 'group-by'?: string | undefined },
  format: OutputFormat,
) {
  if (needsOf(format).events) {
    throw new InformerError('argument', `-o ${format.kind} shows changes, and an answer has none`, {
      hint: 'watch -o shows them as they come',
    });
  }
  const asked = (['values', 'count', 'group-by'] as const).filter((name) => flags[name]).map((name) => `--${name}`);
  if (asked.length > 1) {
    throw new InformerError('argument', `${asked.join(' and ')} cannot be combined`, {
      hint: 'ask for one of them at a time',
    });
  }
  if (asked.length === 1 && format.kind !== 'table' && format.kind !== 'json') {
    const { kind } = format.kind === 'file' ? { kind: `${format.of}-file` } : format;
    throw new InformerError('argument', `${asked[0]} has no objects for -o ${kind}`, {
      hint: 'it prints a table, or JSON with -o json',
    });
  }
}

/** Lookups on indexes that do not exist are refused before anything is asked of a server. */
export function checkIndexes(plan: Pick<QueryPlan, 'declared' | 'lookups' | 'values'>): void {
  const catalog = new IndexCatalog(plan.declared);
  for (const lookup of plan.lookups) catalog.get(lookup.index);
  if (plan.values !== undefined) catalog.get(plan.values);
  if (plan.values !== undefined && plan.lookups.length > 0) {
    throw new InformerError(
      'argument',
      `--values cannot be combined with ${plan.lookups.map(formatLookup).join(' and ')}`,
      {
        hint: 'use --group-by with a JSONPath to count among what is found',
      },
    );
  }
}
