import type { Representation } from '../client/resource-api.ts';
import type { ResourceSelection } from '../client/resource-args.ts';
import { abortable } from '../kit/abort.ts';
import { InformerError } from '../kit/error.ts';
import { keyOf } from '../model/key.ts';
import type { ReadonlyObject, UnknownObject } from '../model/object.ts';
import type { ResourceType } from '../model/resource-type.ts';
import { notFound, StatusError } from '../model/status.ts';
import type { OutputFormat } from '../output/output-format.ts';
import type { PrintedObject, Printer } from '../output/printer.ts';
import { AlignedTable } from '../output/table.ts';
import { groupCounts, mergedCounts, sortedBy, type ValueCount, valueCounts } from '../query/arrange.ts';
import { IndexCatalog } from '../query/index-catalog.ts';
import type { IndexDefinition } from '../query/index-definition.ts';
import { formatLookup, type Lookup } from '../query/lookup.ts';
import { loadOwners } from '../query/owner-graph.ts';
import { formatExplanation, runLookups } from '../query/plan.ts';
import { isSecretResource, Redactor } from '../stream/redact.ts';
import { shownObject } from '../stream/shown-object.ts';
import { exitCodeOfEnd, StreamEnd } from './ending.ts';
import { ExitCode } from './exit.ts';
import { createTargets, type InformerPlan, runTargets, type Target } from './informers.ts';
import type { Session } from './session.ts';
import { nothingFound } from './watching.ts';

/** An expression over objects, and its text. */
export interface Expression {
  readonly text: string;
  values(object: ReadonlyObject): readonly unknown[];
}

/** A `query` with everything read, resolved and checked. */
export interface QueryPlan extends Omit<InformerPlan, 'onContinuity' | 'indexers' | 'as'> {
  readonly selections: readonly ResourceSelection[];
  readonly declared: readonly IndexDefinition[];
  readonly lookups: readonly Lookup[];
  /** The index whose values are asked for instead of objects. */
  readonly values: string | undefined;
  readonly count: boolean;
  readonly groupBy: Expression | undefined;
  readonly sortBy: Expression | undefined;
  readonly limit: number | undefined;
  readonly explain: boolean;
  readonly format: OutputFormat;
  readonly printer: Printer;
  readonly showSecrets: boolean;
  readonly timeoutMs: number | undefined;
}

interface Found extends PrintedObject {
  readonly object: ReadonlyObject;
  readonly type: ResourceType;
}

/** Syncs the caches, answers from them, and ends. */
export async function query(session: Session, plan: QueryPlan): Promise<ExitCode> {
  using _ = plan.timeoutMs === undefined ? undefined : session.clock.after(plan.timeoutMs, () => session.end(new StreamEnd('timeout')));
  const early = new IndexCatalog(plan.declared);
  const used = usedIndexes(plan).map((name) => early.get(name));
  const indexers = Object.fromEntries(used.filter((d) => d.stable).map((d) => [d.name, (object: ReadonlyObject) => d.valuesOf(object)]));
  const targets = createTargets(session, plan.selections, { ...plan, as: representationFor(plan), indexers: indexers as never });
  const running = runTargets(targets, session);
  try {
    for (const { informer } of targets) await informer.whenSynced(session.signal);
    const catalog = used.some(({ name }) => name === 'owner') ? await ownerCatalog(session, plan, targets) : early;
    return await abortable(answer(session, plan, targets, catalog), session.signal);
  } catch (error) {
    if (session.signal.aborted) return exitCodeOfEnd(session.signal.reason, { isSynced: false, isWaiting: true });
    throw error;
  } finally {
    session.end(new StreamEnd('done'));
    await running;
  }
}

async function answer(session: Session, plan: QueryPlan, targets: readonly Target[], catalog: IndexCatalog): Promise<ExitCode> {
  const redactor = new Redactor({ showSecrets: plan.showSecrets });
  if (plan.values !== undefined) {
    await print(session, countsText(valuesOf(plan.values, targets, catalog, redactor, plan), plan.format));
    return ExitCode.ok;
  }
  const found = targets.flatMap((target) => find(session, plan, target, catalog));
  mustExist(plan, targets, found);
  const arranged = arrange(found, plan);
  if (plan.count) await print(session, `${arranged.length}\n`);
  else if (plan.groupBy) await print(session, countsText(grouped(arranged, plan.groupBy, redactor), plan.format));
  else await printObjects(session, plan, arranged, redactor);
  return ExitCode.ok;
}

function find(session: Session, { lookups, explain }: QueryPlan, { type, informer, names }: Target, catalog: IndexCatalog): Found[] {
  const { objects, explanation } = runLookups({ store: informer.lister, catalog, lookups });
  if (explain) session.notice(`${informer.name}: ${formatExplanation(explanation)}; last sign of life ${age(informer)} ago`);
  const named = names ? objects.filter((object) => names.has(object.metadata.name ?? '')) : objects;
  return named.map((object) => ({ object, type })).sort(byKey);
}

const byKey = (a: Found, b: Found) => (keyOf(a.object) < keyOf(b.object) ? -1 : 1);

function age({ continuity }: Target['informer']): string {
  return `${Math.max(0, ...continuity.map((c) => c.ageMs ?? 0)).toFixed(0)}ms`;
}

/** An object asked for by name that is not there is an error, as for kubectl get. */
function mustExist({ lookups }: QueryPlan, targets: readonly Target[], found: readonly Found[]): void {
  if (lookups.length > 0) return;
  for (const { type, names } of targets) {
    for (const name of names ?? []) {
      if (!found.some((f) => f.type === type && f.object.metadata.name === name)) throw new StatusError(notFound(type.gvr, name));
    }
  }
}

function arrange(found: readonly Found[], { sortBy, limit }: QueryPlan): readonly Found[] {
  const sorted = sortBy ? sortedBy(found, ({ object }) => sortBy.values(object), sortBy.text) : found;
  return limit === undefined ? sorted : sorted.slice(0, limit);
}

function valuesOf(name: string, targets: readonly Target[], catalog: IndexCatalog, redactor: Redactor, plan: QueryPlan): ValueCount[] {
  const definition = catalog.get(name);
  const of = ({ type, informer }: Target) => {
    const redact =
      isSecretResource(type.gvr) && !plan.showSecrets ? (object: ReadonlyObject) => redactor.redact(object, type.gvr) : undefined;
    return valueCounts(definition, informer.lister, redact);
  };
  const counts = mergedCounts(targets.map(of));
  return plan.limit === undefined ? counts : counts.slice(0, plan.limit);
}

function grouped(found: readonly Found[], by: Expression, redactor: Redactor): ValueCount[] {
  return groupCounts(found, ({ object, type }) => by.values(redactor.redact(object, type.gvr)).map(String));
}

function countsText(counts: readonly ValueCount[], format: OutputFormat): string {
  if (format.kind === 'json') return `${JSON.stringify(counts)}\n`;
  const table = new AlignedTable();
  const rows = [['VALUE', 'COUNT'], ...counts.map(({ value, count }) => [value, String(count)])];
  for (const row of rows) table.fit(row);
  return rows.map((row) => table.line(row)).join('');
}

async function printObjects(session: Session, plan: QueryPlan, found: readonly Found[], redactor: Redactor): Promise<void> {
  if (found.length === 0 && plan.format.kind !== 'json') session.notice(nothingFound(plan));
  const options = { redactor, showManagedFields: plan.keepManagedFields };
  const shown = found.map(({ object, type }) => ({ object: shownObject(object, type, options), type }));
  for (const piece of plan.printer.objects(shown)) await print(session, piece);
}

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
    plan.sortBy !== undefined ||
    plan.groupBy !== undefined ||
    usedIndexes(plan).some((name) => isDeclared(plan, name) || !METADATA_ONLY.test(name));
  const printsRows = plan.values === undefined && !plan.count && plan.groupBy === undefined;
  if (plan.format.kind === 'table' && printsRows) return { table: needsWhole ? 'Object' : 'Metadata' };
  return needsWhole || (printsRows && plan.format.kind !== 'name') ? 'object' : 'metadata';
}

const isDeclared = ({ declared }: QueryPlan, name: string) => declared.some((definition) => definition.name === name);

/** The indexes again, with an `owner` index that knows the owners' owners. */
async function ownerCatalog(session: Session, plan: QueryPlan, targets: readonly Target[]): Promise<IndexCatalog> {
  const { client, signal } = session;
  const objects = targets.flatMap(({ informer }) => informer.lister.list());
  const resolve = await loadOwners(objects, async (kind, namespace) => {
    const type = await client.mapper.typeOfKind(kind);
    if (!type?.verbs.includes('list')) return [];
    const api = client.resource<UnknownObject>(type.gvr, { as: 'metadata', namespace: type.namespaced ? namespace : undefined });
    return (await api.list({}, { signal })).items;
  });
  const kinds = new Map<string, string>();
  for (const lookup of plan.lookups) for (const word of typeWords(lookup)) kinds.set(word, await kindText(session, word));
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

/** Lookups on indexes that do not exist are refused before anything is asked of a server. */
export function checkIndexes(plan: Pick<QueryPlan, 'declared' | 'lookups' | 'values'>): void {
  const catalog = new IndexCatalog(plan.declared);
  for (const lookup of plan.lookups) catalog.get(lookup.index);
  if (plan.values !== undefined) catalog.get(plan.values);
  if (plan.values !== undefined && plan.lookups.length > 0) {
    throw new InformerError('argument', `--values cannot be combined with ${plan.lookups.map(formatLookup).join(' and ')}`, {
      hint: 'use --group-by with a JSONPath to count among what is found',
    });
  }
}
