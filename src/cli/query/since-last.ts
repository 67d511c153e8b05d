import { abortable } from '../../kit/abort.ts';
import { humanDuration } from '../../kit/duration.ts';
import { messageOf } from '../../kit/error.ts';
import { jsonText } from '../../kit/exact-json.ts';
import { formatGroupResource, formatGvr, isSecretResource } from '../../model/gvr.ts';
import { keyOf, type ObjectKey } from '../../model/key.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { changeRows } from '../../output/change-rows.ts';
import { netChanges, type Remembered } from '../../query/answer/net-changes.ts';
import { StateFault } from '../../serve/persist/state-fault.ts';
import { StateFile, type StoredRow, type StoredRows } from '../../serve/persist/state-file.ts';
import { objectOfText, storedText, withoutValues } from '../../serve/persist/stored-text.ts';
import { Enveloper, type EventEnvelope } from '../../stream/envelope.ts';
import { Redactor } from '../../stream/redact.ts';
import { giveHints } from '../hints/hint.ts';
import { QUERY_SINCE_LAST } from '../hints/lists.ts';
import { cacheFolderOf } from '../session/cache-folder.ts';
import type { WatchTarget } from '../session/informers.ts';
import type { Session, Sessions } from '../session/session.ts';
import { statePlace } from '../session/state-place.ts';
import { ExitCode } from '../terminal/exit-codes.ts';
import { fillCaches } from './filled-caches.ts';
import { type FilledPart, type FilledParts, type QueryPart, refusalOfAll } from './filled-parts.ts';
import type { QueryPlan } from './read-query.ts';

/** How long to wait for another `query --since-last`, ms. */
const PATIENCE_MS = 5000;

/** Fills caches with all objects of a selection, to be compared. */
export async function filledWhole(part: QueryPart): Promise<FilledPart> {
  const { session, query } = part;
  return { ...part, caches: await fillCaches(session, query.selections, { ...query, as: 'object' }) };
}

/**
 * Prints what changed since the last call with the same selection, deletions included, and stores the present state for
 * the next one. It is stored after everything was printed, so that a broken pipe loses nothing. A cluster that cannot be
 * read in whole is not compared: what may not be read must not seem deleted.
 */
export async function printSinceLast(sessions: Sessions, plan: QueryPlan, asked: FilledParts): Promise<ExitCode> {
  const whole = asked.filled.filter(({ caches }) => caches.targets.length > 0 && caches.refusal === undefined);
  const refusal = refusalOfAll(asked, whole);
  if (whole.length === 0) throw refusal;
  const compared = whole.map(({ session, caches: { targets } }) => ({ session, targets }));
  await abortable(compareAndStore(sessions, plan, compared), sessions.signal);
  if (refusal !== undefined) throw refusal;
  return ExitCode.ok;
}

/** The caches of one cluster, and where its states are stored. */
interface Compared {
  readonly session: Session;
  readonly targets: readonly WatchTarget[];
  readonly states: StateFile;
}

async function compareAndStore(
  { io: { stdout }, clock }: Sessions,
  plan: QueryPlan,
  caches: readonly Pick<Compared, 'session' | 'targets'>[],
): Promise<void> {
  const files = new Map<string, StateFile>();
  try {
    const compared: Compared[] = [];
    for (const each of caches) {
      const file = await placeOf(each.session, plan);
      const states = files.get(file) ?? openStates(file, each.session);
      files.set(file, states); // two contexts may lead to one cluster
      compared.push({ ...each, states });
      await giveHints(QUERY_SINCE_LAST, { plan, targets: each.targets }, each.session);
    }
    const enveloper = new Enveloper({ clock, redactor: new Redactor({}), withOld: false });
    const envelopes = compared.flatMap((each) => changesIn(each, plan, enveloper));
    const severalTypes = new Set(plan.selections.map(({ type }) => formatGvr(type.gvr))).size > 1;
    const text = plan.format.traits.isTable
      ? changeRows(envelopes, { severalTypes, noHeaders: plan.noHeaders })
      : envelopes.map((envelope) => `${jsonText(envelope)}\n`).join('');
    if (text !== '' && !stdout.write(text)) await stdout.ready();
    for (const { states, targets, session } of compared)
      for (const target of targets) store(states, target, plan, session);
  } finally {
    for (const states of files.values()) states[Symbol.dispose]();
  }
}

async function placeOf(session: Session, { flags }: QueryPlan): Promise<string> {
  try {
    return await statePlace(session, cacheFolderOf(flags, session.io), 'since-last');
  } catch (error) {
    throw session.named(error);
  }
}

/** The changes in one cluster, and a line for each type. */
function changesIn({ session, targets, states }: Compared, plan: QueryPlan, enveloper: Enveloper): EventEnvelope[] {
  return targets.flatMap((target) => {
    const stored = storedOf(states, scopeOf(target, plan), session);
    const name = formatGroupResource(target.type.gvr);
    const now = presentOf(target);
    if (stored === undefined) {
      session.notice(`${name}: ${objects(now.size)} stored; the next query --since-last shows what changed since now`);
      return [];
    }
    const changes = netChanges(rememberedOf(stored), now);
    const found = changes.flatMap((change) => enveloper.envelop(change, target.type));
    session.notice(`${name}: ${summaryOf(found)} since ${humanDuration(session.clock.now() - stored.at)} ago`);
    return found;
  });
}

/** A damaged file is set aside: nothing of it is compared. */
function openStates(file: string, session: Session): StateFile {
  try {
    const states = StateFile.open(file, { waitMs: PATIENCE_MS });
    states.removeUnused(session.clock.now());
    return states;
  } catch (error) {
    return setAside(error, file, session);
  }
}

function setAside(error: unknown, file: string, session: Session): StateFile {
  if (!(error instanceof StateFault && error.kind === 'damaged')) throw error;
  StateFile.setAside(file);
  session.notice(`${messageOf(error)}: it is set aside as ${file}.damaged, and nothing is compared with it`);
  return StateFile.open(file, { waitMs: PATIENCE_MS });
}

function storedOf(states: StateFile, scope: string, session: Session): StoredRows | undefined {
  try {
    return states.read(scope);
  } catch (error) {
    if (!(error instanceof StateFault && error.kind === 'damaged')) throw error;
    session.notice(`${messageOf(error)}: the stored state is not compared`);
    return undefined;
  }
}

function store(states: StateFile, target: WatchTarget, plan: QueryPlan, session: Session): void {
  const put = rowsOf(target);
  const resourceVersion = target.informer.continuity.map((ledger) => ledger.resourceVersion || '0').join(' ');
  const step = { isWhole: true, put, gone: [], resourceVersion, at: session.clock.now() };
  states.write(scopeOf(target, plan), step);
}

function* rowsOf(target: WatchTarget): Generator<StoredRow> {
  const isSecret = isSecretResource(target.type.gvr);
  for (const [key, object] of presentOf(target)) {
    const { uid = '', resourceVersion: version = '' } = object.metadata;
    yield { key, uid, version, text: storedText(object, isSecret) };
  }
}

/** The objects that were asked for. Of a Secret only what is stored of it, so that both states can be compared. */
function presentOf({ informer, names, type }: WatchTarget): Map<ObjectKey, ReadonlyObject> {
  const all = informer.lister.list().filter(({ metadata }) => !names || names.has(metadata.name ?? ''));
  return new Map(all.map((object) => [keyOf(object), isSecretResource(type.gvr) ? withoutValues(object) : object]));
}

function rememberedOf({ rows }: StoredRows): Map<ObjectKey, Remembered> {
  return new Map(rows.map(({ key, uid, version, text }) => [key, { uid, version, object: () => objectOfText(text) }]));
}

/** The text by which two queries are the same. */
function scopeOf({ type, names, namespaces }: WatchTarget, plan: QueryPlan): string {
  const sorted = (words: Iterable<string> | undefined) => (words === undefined ? null : [...words].sort());
  const part = plan.part ? [plan.part.text] : [];
  const selectors = [plan.selector ?? '', plan.fieldSelector ?? '', plan.keepManagedFields, ...part];
  return JSON.stringify([formatGvr(type.gvr), sorted(namespaces), sorted(names), ...selectors]);
}

function summaryOf(envelopes: readonly EventEnvelope[]): string {
  const count = (type: EventEnvelope['type']) => envelopes.filter((envelope) => envelope.type === type).length;
  if (envelopes.length === 0) return 'nothing changed';
  return `${count('ADDED')} added, ${count('DELETED')} deleted, ${count('MODIFIED')} changed`;
}

const objects = (count: number) => `${count} object${count === 1 ? '' : 's'}`;
