import { abortable } from '../../kit/abort.ts';
import { humanDuration } from '../../kit/duration.ts';
import { messageOf } from '../../kit/error.ts';
import { jsonText } from '../../kit/exact-json.ts';
import { formatGroupResource, formatGvr } from '../../model/gvr.ts';
import { keyOf, type ObjectKey } from '../../model/key.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { isSecretResource } from '../../model/secret-type.ts';
import { netChanges, type Remembered } from '../../query/answer/net-changes.ts';
import { samplesOf } from '../../query/answer/samples.ts';
import { StateFault } from '../../serve/persist/state-fault.ts';
import { StateFile, type StoredRow, type StoredRows } from '../../serve/persist/state-file.ts';
import { objectOfText, storedText, withoutValues } from '../../serve/persist/stored-text.ts';
import { Enveloper, type EventEnvelope } from '../../stream/envelope.ts';
import { Redactor } from '../../stream/redact.ts';
import { ContinuityReporter } from '../outage/continuity-reporter.ts';
import { cacheFolderOf } from '../session/cache-folder.ts';
import { createTargets, refusalOf, refuseUnsynced, runTargets, type WatchTarget } from '../session/informers.ts';
import type { Session } from '../session/session.ts';
import { shardNotice, shardText } from '../session/shard-choice.ts';
import { statePlace } from '../session/state-place.ts';
import { showSyncProgress } from '../session/sync-progress.ts';
import { ExitCode, isReaderGone } from '../terminal/exit-codes.ts';
import { exitCodeOfEnd, StreamEnd } from '../terminal/stream-ending.ts';
import type { QueryPlan } from './read-query.ts';
import { changeRows } from './since-last-rows.ts';

/** How long to wait for another `query --since-last`, ms. */
const PATIENCE_MS = 5000;

/**
 * Prints what changed since the last call with the same selection, deletions included, and stores the present state for
 * the next one. It is stored after everything was printed, so that a broken pipe loses nothing.
 */
export async function querySinceLast(session: Session, plan: QueryPlan): Promise<ExitCode> {
  using reporter = new ContinuityReporter(session, () => targets, { isOneShot: true });
  const targets: readonly WatchTarget[] = createTargets(session, plan.selections, {
    ...plan,
    as: 'object',
    once: true,
    onContinuity: (event, type) => reporter.observe(event, type),
  });
  const running = runTargets(targets, session, { once: true });
  using progress = showSyncProgress(session, session.status);
  try {
    await Promise.all(targets.map((target) => target.settled(session.signal)));
    progress[Symbol.dispose]();
    const refusal = await refusalOf(targets, session);
    if (refusal !== undefined) throw refusal; // what may not be read must not seem deleted
    await abortable(compareAndStore(session, plan, targets), session.signal);
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

async function compareAndStore(session: Session, plan: QueryPlan, targets: readonly WatchTarget[]): Promise<void> {
  const file = await statePlace(session, cacheFolderOf(plan.flags, session.io), 'since-last');
  using states = openStates(file, session);
  const enveloper = new Enveloper({ clock: session.clock, redactor: new Redactor({}), withOld: false });
  const envelopes: EventEnvelope[] = [];
  if (plan.shard) session.notice(shardNotice(plan.shard, targets.map(samplesOf)));
  for (const target of targets) {
    const stored = storedOf(states, scopeOf(target, plan), session);
    const name = formatGroupResource(target.type.gvr);
    const now = presentOf(target);
    if (stored === undefined) {
      session.notice(`${name}: ${objects(now.size)} stored; the next query --since-last shows what changed since now`);
      continue;
    }
    const changes = netChanges(rememberedOf(stored), now);
    const found = changes.flatMap((change) => enveloper.envelop(change, target.type));
    envelopes.push(...found);
    session.notice(`${name}: ${summaryOf(found)} since ${humanDuration(session.clock.now() - stored.at)} ago`);
  }
  const { stdout } = session.io;
  const isTable = plan.format.kind === 'table';
  const text = isTable
    ? changeRows(envelopes, { severalTypes: targets.length > 1, noHeaders: plan.noHeaders })
    : envelopes.map((envelope) => `${jsonText(envelope)}\n`).join('');
  if (text !== '' && !stdout.write(text)) await stdout.ready();
  for (const target of targets) store(states, target, plan, session);
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

/** What makes two questions the same. */
function scopeOf({ type, names, namespaces }: WatchTarget, plan: QueryPlan): string {
  const sorted = (words: Iterable<string> | undefined) => (words === undefined ? null : [...words].sort());
  const part = plan.shard ? [shardText(plan.shard)] : [];
  const selectors = [plan.selector ?? '', plan.fieldSelector ?? '', plan.keepManagedFields, ...part];
  return JSON.stringify([formatGvr(type.gvr), sorted(namespaces), sorted(names), ...selectors]);
}

function summaryOf(envelopes: readonly EventEnvelope[]): string {
  const count = (type: EventEnvelope['type']) => envelopes.filter((envelope) => envelope.type === type).length;
  if (envelopes.length === 0) return 'nothing changed';
  return `${count('ADDED')} added, ${count('DELETED')} deleted, ${count('MODIFIED')} changed`;
}

const objects = (count: number) => `${count} object${count === 1 ? '' : 's'}`;
