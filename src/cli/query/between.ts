import { InformerError } from '../../kit/error.ts';
import { jsonText } from '../../kit/exact-json.ts';
import { differingPaths, fieldChanges } from '../../model/field-changes.ts';
import { formatGvr } from '../../model/gvr.ts';
import { wireTime } from '../../model/instant.ts';
import { keyOf, partsOfKey } from '../../model/key.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { changeRows } from '../../output/change-rows.ts';
import { cellText } from '../../output/escape.ts';
import { type Answer, type AnswerResult, answer } from '../../query/answer/answer.ts';
import type { Found } from '../../query/answer/found.ts';
import type { GroupRow } from '../../query/answer/groups.ts';
import { ownerTrees, type TreeNode } from '../../query/answer/owner-tree.ts';
import { usedIndexes } from '../../query/answer/query.ts';
import { IndexCatalog } from '../../query/index/index-catalog.ts';
import { indexersOf } from '../../query/index/stored-index.ts';
import { momentText } from '../../record/moments.ts';
import type { Recording } from '../../record/recording.ts';
import { storyFacts } from '../../story/facts.ts';
import { Enveloper, type EventEnvelope, type ObjectChange } from '../../stream/envelope.ts';
import { Redactor } from '../../stream/redact.ts';
import type { Edges } from '../base-command.ts';
import { type RecordedServer, recordedServer } from '../record/recorded-server.ts';
import type { InformerPlan } from '../session/informers.ts';
import { printerOf } from '../session/output.ts';
import { openSession, type Session } from '../session/session.ts';
import { mergedGaps } from '../story/recorded-story.ts';
import { ExitCode } from '../terminal/exit-codes.ts';
import { StreamEnd } from '../terminal/stream-ending.ts';
import { type FilledCaches, fillCaches } from './filled-caches.ts';
import type { QueryPart } from './filled-parts.ts';
import type { QueryLine, ReadQuery } from './read-query.ts';

/** The answer of a recording at a moment. */
interface Moment {
  readonly at: number;
  readonly revision: number;
  readonly result: AnswerResult;
  /** The types and names of all objects that were there, in the answer or not. */
  readonly present: ReadonlySet<string>;
  readonly types: readonly ResourceType[];
  /** Whether names and namespaces choose an object. */
  asksFor(id: string): boolean;
}

/** The last recorded change of an object: of more than its status, if there was one. */
interface LastChange {
  readonly at: number;
  readonly isOfStatus: boolean;
}

type PartOf = (session: Session, query: ReadQuery, words: readonly string[]) => Promise<QueryPart>;

/** `query --between T1,T2`: answers at both moments, and prints how the answers differ. */
export async function queryBetween(line: QueryLine, edges: Edges, query: ReadQuery, partOf: PartOf): Promise<ExitCode> {
  const [from, to] = momentsOf(line.flags.between ?? '');
  const { io } = edges;
  const asking = { line, edges, query: { ...query, limit: undefined, keepManagedFields: true }, partOf };
  const before = await momentAt(from, asking);
  const after = await momentAt(to, asking);
  if (before.at > after.at)
    throw new InformerError('argument', `--between ${from},${to}: the first time is after the second`, {
      hint: `--between ${to},${from}`,
    });
  const notice = (text: string) => void io.stderr.write(`${text}\n`);
  using recorded = await recordedServer({ from: line.flags.from ?? '', at: to, flag: '--between' }, line.given, io);
  const { recording } = recorded;
  const sources = recording.sources.filter(({ type }) =>
    after.types.some(({ gvr }) => formatGvr(gvr) === formatGvr(type.gvr)),
  );
  const ids = sources.map(({ id }) => id);
  // those in which one of the moments lies are reported when it is read
  const inside = recording
    .gaps(ids, before.at, after.at)
    .filter(({ since, until }) => since >= before.at && until !== undefined && until <= after.at);
  for (const { about, since, until = since, reason } of mergedGaps(recording, inside))
    notice(
      `${about}: changes from ${momentText(since)} to ${momentText(until)} are known by their results only (${reason})`,
    );
  if (before.result.kind !== 'objects' || after.result.kind !== 'objects') {
    io.stdout.write(countsText(before.result, after.result, query));
    return ExitCode.ok;
  }
  const changes = netChanges([before, before.result.objects], [after, after.result.objects]);
  const last = lastChanges(recording, ids, before, after);
  const shown = changes
    .toSorted((a, b) => timeIn(a, last, after) - timeIn(b, last, after))
    .slice(0, query.limit ?? changes.length);
  if (shown.length === 0) notice('nothing differs between these times');
  await write(shown, { query, edges, timeOf: (change) => timeIn(change, last, after) });
  const isFiltered =
    [query.filters, query.wheres, query.lookups].some(({ length }) => length > 0) ||
    [query.tree, query.selector, query.fieldSelector, line.flags.name, line.flags['exclude-name']].some(Boolean);
  const listed = new Set(changes.map(idOf));
  const others = [...last.keys()].filter((id) => !listed.has(id) && after.asksFor(id));
  if (others.length > 0 && !isFiltered)
    notice(`${others.length} more object${others.length === 1 ? '' : 's'} changed in between, and came and went or ended as before: ${namesText(others)}`); // biome-ignore format: one line
  return ExitCode.ok;
}

function momentsOf(text: string): [string, string] {
  const [from = '', to = '', ...more] = text.split(',').map((each) => each.trim());
  if (from !== '' && to !== '' && more.length === 0) return [from, to];
  throw new InformerError('argument', `invalid argument "${text}" for "--between": expected two times`, {
    hint: 'such as 2026-11-28T02:10,2026-11-28T02:20 or 40m,30m before the end of the recording',
  });
}

interface Asking {
  readonly line: QueryLine;
  readonly edges: Edges;
  readonly query: ReadQuery;
  readonly partOf: PartOf;
  /** The flag that names the moment, for errors. */
  readonly flag?: string;
  /** Default: as little as the query needs. */
  readonly as?: InformerPlan['as'];
}

/** An answer of a recording at a moment, and the caches that it comes from. */
export interface RecordedAnswer {
  readonly recorded: RecordedServer;
  readonly scoped: QueryPart['query'];
  readonly caches: FilledCaches;
  readonly answered: Answer;
}

/** Answers at a moment of the recording of `--from`. It is open until `use` returns. */
export async function answerAt<T>(
  text: string,
  { line, edges, query, partOf, flag = '--between', as }: Asking,
  use: (answer: RecordedAnswer) => T,
): Promise<T> {
  const { flags, words, given } = line;
  using recorded = await recordedServer({ from: flags.from ?? '', at: text, flag }, given, edges.io);
  await using session = await openSession(flags, edges, { once: true, instead: recorded });
  const { query: scoped } = await partOf(session, query, words);
  const catalog = new IndexCatalog(scoped.declared);
  const indexers = indexersOf(usedIndexes(scoped).map((name) => catalog.get(name)));
  const caches = await fillCaches(session, scoped.selections, {
    ...scoped,
    as: as ?? (query.wheres.length > 0 ? { table: 'Object' } : 'object'),
    indexers: indexers as never,
  });
  if (caches.refusal !== undefined) throw caches.refusal;
  const { client, signal, clock, notice } = session;
  const part = { query: scoped, allCached: caches.readable, client, signal, notice: (each: string) => notice(each) };
  const redactor = new Redactor({ showSecrets: true }); // a recording has marks in place of values
  const answered = await answer(query, [part], { clock, redactor, notice: (each) => notice(each) });
  const used = use({ recorded, scoped, caches, answered });
  session.end(new StreamEnd('done'));
  await caches.running;
  return used;
}

const momentAt = (text: string, asking: Asking): Promise<Moment> =>
  answerAt(text, asking, ({ recorded, scoped, caches, answered: { result } }) => {
    const revision = recorded.recording.revisionAt(recorded.at);
    const known = [...caches.readable].flatMap(({ informer, type }) =>
      informer.lister.list().map((object) => ({ object: object as ReadonlyObject, type })),
    );
    const whole = asking.query.tree && result.kind === 'objects' ? { ...result, objects: withOwned(result.objects, recorded.recording, revision) } : result; // biome-ignore format: one line
    const found = whole.kind === 'objects' ? whole.objects : [];
    const types = new Map([...scoped.selections, ...found].map(({ type }) => [formatGvr(type.gvr), type]));
    const asksFor = (id: string) => {
      const [gvr = '', key = ''] = id.split(' ');
      const { namespace, name } = partsOfKey(key);
      const selection = scoped.selections.find(({ type }) => formatGvr(type.gvr) === gvr);
      const isNamed = selection !== undefined && (selection.names.length === 0 || selection.names.includes(name));
      return isNamed && (namespace === '' || scoped.namespaces.includes('') || scoped.namespaces.includes(namespace));
    };
    const present = new Set(known.map(idOf));
    return { at: recorded.at, revision, result: whole, present, types: [...types.values()], asksFor };
  });

/** The objects, their owners, and all that they own: among all types of the recording. */
function withOwned(asked: readonly Found[], recording: Recording, revision: number): readonly Found[] {
  const known = recording.sources.flatMap(({ id, type }) =>
    [...recording.statesAt(id, revision)].map(({ state }) => ({
      object: state.object as unknown as ReadonlyObject,
      type,
    })),
  );
  const flat = ({ item, children }: TreeNode<Found>): Found[] => [item, ...children.flatMap(flat)];
  return ownerTrees(asked, known).flatMap(flat);
}

const idOf = ({ object, type }: Found) => `${formatGvr(type.gvr)} ${keyOf(object)}`;

/** A difference between the two answers. */
interface Difference extends Found {
  readonly change: ObjectChange;
}

type Answered = readonly [moment: Moment, objects: readonly Found[]];

function netChanges([before, old]: Answered, [after, now]: Answered): Difference[] {
  const was = new Map(old.map((each) => [idOf(each), each]));
  const is = new Map(now.map((each) => [idOf(each), each]));
  const gone = old.filter((each) => !isSame(is.get(idOf(each)), each));
  const come = now.filter((each) => !isSame(was.get(idOf(each)), each));
  const kept = now.flatMap((each) => {
    const other = was.get(idOf(each));
    if (!isSame(other, each) || other === undefined) return [];
    const isChanged = fieldChanges(other.object, each.object).length > 0;
    return isChanged ? [changeOf(each, { type: 'updated', object: each.object, oldObject: other.object, cause: 'relist' })] : []; // biome-ignore format: one line
  });
  const causeIn = (moment: Moment, each: Found) => (moment.present.has(idOf(each)) ? 'filter' : 'relist');
  return [
    ...gone.map((each) => changeOf(each, { type: 'deleted', object: each.object, cause: causeIn(after, each) })),
    ...come.map((each) => changeOf(each, { type: 'added', object: each.object, cause: causeIn(before, each) })),
    ...kept,
  ];
}

const changeOf = ({ object, type }: Found, change: ObjectChange): Difference => ({ object, type, change });

const isSame = (a: Found | undefined, b: Found) => a !== undefined && a.object.metadata.uid === b.object.metadata.uid;

/** The last change of each object after one moment and up to another. */
function lastChanges(recording: Recording, sources: readonly number[], from: Moment, to: Moment) {
  const last = new Map<string, LastChange>();
  if (sources.length === 0) return last;
  for (const { source, key, at, event, paths } of recording.revisionsBetween(sources, from.revision, to.revision)) {
    const type = recording.sources.find(({ id }) => id === source)?.type;
    const id = `${type ? formatGvr(type.gvr) : ''} ${key}`;
    const isOfStatus = event === 'MODIFIED' && paths.every((each) => each.startsWith('.status'));
    if (!isOfStatus || (last.get(id)?.isOfStatus ?? true)) last.set(id, { at, isOfStatus });
  }
  return last;
}

const timeIn = (change: Difference, last: ReadonlyMap<string, LastChange>, after: Moment) =>
  last.get(idOf(change))?.at ?? after.at;

const namesText = (ids: readonly string[]) =>
  ids.slice(0, 5).map((id) => id.slice(id.slice(0, id.indexOf(' ')).lastIndexOf('/') + 1)).join(', ') + (ids.length > 5 ? ' …' : ''); // biome-ignore format: one line

interface Writing {
  readonly query: ReadQuery;
  readonly edges: Edges;
  timeOf(change: Difference): number;
}

async function write(changes: readonly Difference[], { query, edges: { io }, timeOf }: Writing): Promise<void> {
  const { flags, output, format } = query;
  const { traits } = format;
  const clock = { now: () => 0 };
  const showManagedFields = query.showManagedFields || traits.needsOld || traits.isTable;
  const redactor = new Redactor({ showSecrets: true });
  const enveloper = new Enveloper({ clock, redactor, showManagedFields, withOld: true, withChanges: !traits.isTable });
  const by = new Map<EventEnvelope, Difference>();
  const printed = changes.flatMap((each) =>
    enveloper.envelop(each.change, each.type, timeOf(each)).map((event) => {
      by.set(event, each);
      return { event, type: each.type };
    }),
  );
  const types = new Set(changes.map(({ type }) => formatGvr(type.gvr)));
  if (traits.isTable) {
    const textOf = (event: EventEnvelope) => describe(by.get(event) as Difference);
    const rows = { severalTypes: types.size > 1, noHeaders: query.noHeaders, timeOf: (event: EventEnvelope) => wireTime(Date.parse(event.time)), textOf }; // biome-ignore format: one line
    io.stdout.write(changeRows(printed.map(({ event }) => event), rows)); // biome-ignore format: one line
    return;
  }
  const layout = { severalTypes: types.size > 1, severalNamespaces: flags['all-namespaces'] };
  const surface = { stdout: io.stdout, env: io.env, clock: { ...clock, monotonic: () => 0 } as never };
  const printer = await printerOf(
    output,
    { ...flags, timestamps: traits.needsOld ? 'rfc3339' : undefined },
    layout,
    surface,
  );
  io.stdout.write(printer.events(printed));
}

const shortened = (text: string) => (text.length > LONGEST_FACT ? `${text.slice(0, LONGEST_FACT)}…` : text);

const LONGEST_FACT = 120;
/** The most facts of a row. */
const MOST_FACTS = 3;

/** A difference in words, with the writers of its fields. */
function describe({ change }: Difference): string {
  const { type, cause, object, oldObject } = change;
  if (type === 'deleted') return cause === 'filter' ? 'is there, and not in the answer any more' : '';
  if (type === 'added' && cause === 'filter') return 'was there, and is in the answer now';
  const facts = storyFacts(
    {
      at: 0,
      event: oldObject ? 'MODIFIED' : 'ADDED',
      cause: 'watch',
      object: object as never,
      before: oldObject as never,
    },
    true,
  );
  const texts = facts.map(({ text, who }) => shortened(text) + (who === '' ? '' : ` (${who})`));
  const more = texts.length > MOST_FACTS ? `; ${texts.length - MOST_FACTS} more` : '';
  if (texts.length === 0 && oldObject) {
    const paths = differingPaths(oldObject, object).filter((path) => !/Time$/.test(path));
    return paths.length === 0 ? 'changed, and is as before but for times' : paths.slice(0, MOST_FACTS).join(', ');
  }
  return texts.slice(0, MOST_FACTS).join('; ') + more;
}

/** Counts at both moments, where they differ. */
function countsText(before: AnswerResult, after: AnswerResult, { format }: ReadQuery): string {
  const [was, is] = [countsOf(before), countsOf(after)];
  const rows = [...new Set([...was.keys(), ...is.keys()])]
    .map((value) => ({ value: value || undefined, before: was.get(value) ?? '0', after: is.get(value) ?? '0' }))
    .filter((row) => row.before !== row.after || row.value === undefined);
  if (!format.traits.isTable) return rows.map((row) => `${jsonText(row)}\n`).join('');
  const width = Math.max(0, ...rows.map(({ value = '' }) => value.length));
  const lineOf = ({ value, before: from, after: to }: (typeof rows)[number]) =>
    `${value === undefined ? '' : `${cellText(value).padEnd(width)}   `}${from} → ${to}\n`;
  return rows.map(lineOf).join('');
}

/** The count, and behind it the amounts, of each group; '' is everything. */
function countsOf(result: AnswerResult): Map<string, string> {
  if (result.kind === 'count') return new Map([['', String(result.count)]]);
  if (result.kind === 'objects') return new Map();
  const textOf = ({ count, amounts }: GroupRow) =>
    [String(count), ...amounts.map((amount) => amount?.readable ?? '<none>')].join(', ');
  return new Map(result.rows.map((row) => [row.value ?? '', textOf(row)]));
}
