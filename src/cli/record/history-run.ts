import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import { InformerError, isInformerError } from '../../kit/error.ts';
import { fieldChanges } from '../../model/field-changes.ts';
import { formatGvr, sameGvr } from '../../model/gvr.ts';
import { partsOfKey } from '../../model/key.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { changeTexts } from '../../output/changes/changes-printer.ts';
import { cellText } from '../../output/escape.ts';
import type { PrintedEvent } from '../../output/printer.ts';
import { hookRunText } from '../../record/hook-run-text.ts';
import type { RecordedHookRun } from '../../record/hook-runs.ts';
import { momentText, recordedMoment } from '../../record/moments.ts';
import { type RecordedStep, recordedSteps } from '../../record/recorded-steps.ts';
import type { MarkedGap, Revision } from '../../record/recording.ts';
import type { RecordedState } from '../../record/state-text.ts';
import { compileScope, type PathScope } from '../../stream/changes/path-scope.ts';
import { Enveloper, type ObjectChange } from '../../stream/envelope.ts';
import { Redactor } from '../../stream/redact.ts';
import type { GivenWords } from '../args/argv.ts';
import type { HistoryFlags } from '../args/record-flags.ts';
import type { Edges } from '../base-command.ts';
import { compiledOutputOf, printerOf } from '../session/output.ts';
import { openSession, type Session } from '../session/session.ts';
import { ExitCode } from '../terminal/exit-codes.ts';
import { liveHistory } from './live-history.ts';
import { nothingShown } from './nothing-shown.ts';
import { type RecordedServer, recordedServer } from './recorded-server.ts';
import { recordingOfServe, type ServeRecording } from './serve-recording.ts';

/** A command line of `history`, parsed. */
export interface HistoryCommandLine extends GivenWords {
  readonly flags: HistoryFlags;
}

/** Prints what happened to an object: from a recording, or what the cluster still knows. */
export async function history(line: HistoryCommandLine, edges: Edges): Promise<ExitCode> {
  const { flags, words } = line;
  const otherwise = notOneObject(edges.called);
  if (words.length === 0) throw otherwise;
  return await tellOfOne(line, edges, {
    served: flags.from === undefined ? await recordingOfServe(flags, edges.io) : undefined,
    otherwise,
    tell: (session, selection, asked) =>
      asked
        ? recordedHistory(session, asked.recorded, selection, { ...flags, namespace: asked.namespace })
        : liveHistory(session, selection, flags),
  });
}

/** The recording that is asked, and the namespace in which names are looked for; undefined: in all. */
interface AskedRecording {
  readonly recorded: RecordedServer;
  readonly namespace: string[] | undefined;
}

interface Telling {
  /** The recording of a running serve, for a command line that names none. */
  readonly served: ServeRecording | undefined;
  /** The error of words that do not name one object. */
  readonly otherwise: InformerError;
  /** Without a recording it is of the cluster. */
  tell(session: Session, selection: ResourceSelection, asked?: AskedRecording): Promise<ExitCode>;
}

/** Answers about one object: out of the recording of `--from`, that of a running serve if it has the type, else the cluster. */
export async function tellOfOne(
  { flags, words, given }: HistoryCommandLine,
  edges: Edges,
  { served, otherwise, tell }: Telling,
): Promise<ExitCode> {
  const from = flags.from ?? served?.file;
  if (from !== undefined) {
    using recorded = await recordedServer({ from }, given, edges.io);
    await using session = await openSession(flags, edges, { once: true, instead: recorded });
    const selection = await onlyObject(words, session, otherwise).catch((error: unknown) => {
      if (flags.from === undefined && isInformerError(error, 'discovery')) return undefined;
      throw error;
    });
    if (selection) {
      if (served && !flags.quiet) session.notice(served.text);
      return await tell(session, selection, { recorded, namespace: flags.namespace ?? (served && [served.namespace]) });
    }
  }
  await using session = await openSession(flags, edges, { once: true });
  return await tell(session, await onlyObject(words, session, otherwise));
}

/** The object that the words name. Throws `otherwise` if they name none, or several. */
export async function onlyObject(
  words: readonly string[],
  session: Session,
  otherwise: InformerError,
): Promise<ResourceSelection> {
  const [selection, ...others] = await session.resolve(words);
  if (selection && others.length === 0 && selection.names.length === 1) return selection;
  throw otherwise;
}

const notOneObject = (called: string) =>
  new InformerError('argument', 'history is of one object', { hint: `for example: ${called} deploy/web` });

async function recordedHistory(
  session: Session,
  { recording, at: end }: RecordedServer,
  { type, names: [name = ''] }: ResourceSelection,
  flags: HistoryFlags,
): Promise<ExitCode> {
  const sources = recording.sources.filter((source) => sameGvr(source.type.gvr, type.gvr)).map(({ id }) => id);
  const revisions = ofOneNamespace(recording.revisionsOf(sources, flags.namespace?.[0], name), type, name);
  const first = flags.since === undefined ? 0 : recordedMoment(flags.since, end, '--since');
  const last = flags.until === undefined ? Number.MAX_SAFE_INTEGER : recordedMoment(flags.until, end, '--until');
  const scope = compileScope(flags.path ?? []);
  if (flags.path && !scope)
    throw new InformerError('argument', `--path ${flags.path.join(',')} is not the path of a field`, {
      hint: 'for example --path .spec.replicas',
    });
  const changes = [...recordedSteps(recording, revisions)];
  const shown = changes.filter(({ revision, before, state }) => {
    if (revision.at < first || revision.at > last) return false;
    if (flags.by && !flags.by.some((manager) => revision.who?.split(',').includes(manager))) return false;
    return (
      !scope || (before !== undefined && fieldChanges(before.object, state.object).some(({ steps }) => scope(steps)))
    );
  });
  const cut = flags.limit === undefined ? shown : shown.slice(-flags.limit);
  const own = new Set(revisions.map(({ source }) => source));
  const gaps = recording.gaps([...(own.size > 0 ? own : sources)], first, last);
  if (revisions.length === 0) session.notice(`${formatGvr(type.gvr)} ${name} is not in the recording`);
  else if (shown.length === 0) session.notice(nothingShown(changes, flags));
  const runs = scope ? [] : runsIn(recording.hookRuns(type, flags.namespace?.[0], name), first, last, flags);
  if (flags.output === undefined) writeLines(session, linesOf(cut, [...gaps.map(lineOfGap), ...runs], type, scope));
  else {
    if (runs.length > 0) session.notice(`runs of hooks are beside them: ${runs.length}, shown without -o`);
    for (const gap of gaps) session.notice(gapText(gap));
    await printFormatted(session, cut, type, flags, scope);
  }
  return revisions.length === 0 ? ExitCode.failed : ExitCode.ok;
}

/** Throws `argument` for a name that objects of several namespaces have. */
export function ofOneNamespace(
  revisions: readonly Revision[],
  { gvr }: ResourceType,
  name: string,
): readonly Revision[] {
  const namespaces = [...new Set(revisions.map(({ key }) => partsOfKey(key).namespace))];
  if (namespaces.length <= 1) return revisions;
  throw new InformerError(
    'argument',
    `${gvr.resource} named ${name} are in several namespaces: ${namespaces.join(', ')}`,
    {
      hint: `choose one with -n, such as -n ${namespaces[0]}`,
    },
  );
}

/** The events of changes, with the times at which they were received. */
function printedOf(changes: readonly RecordedStep[], type: ResourceType, showManagedFields: boolean): PrintedEvent[] {
  const redactor = new Redactor({ showSecrets: true }); // a recording has marks in place of values
  const enveloper = new Enveloper({ clock: { now: () => 0 }, redactor, showManagedFields, withOld: true });
  return changes.flatMap(({ revision, state, before }) => {
    const change: ObjectChange = {
      type: revision.event === 'ADDED' ? 'added' : revision.event === 'DELETED' ? 'deleted' : 'updated',
      object: shownState(state),
      oldObject: before && shownState(before),
      cause: revision.cause,
      finalStateUnknown: revision.event === 'DELETED' && revision.cause === 'relist',
    };
    return enveloper.envelop(change, type, revision.at).map((event) => ({ event, type }));
  });
}

/** An object with its cells; the columns are not known here, so a table has name and age. */
const shownState = ({ object }: RecordedState) => object as unknown as ReadonlyObject;

async function printFormatted(
  session: Session,
  changes: readonly RecordedStep[],
  type: ResourceType,
  flags: HistoryFlags,
  only: PathScope | undefined,
): Promise<void> {
  const output = await compiledOutputOf(flags);
  const { traits } = output.format;
  if (traits.streams !== true || output.jq)
    throw new InformerError('argument', `-o ${traits.called} cannot be used with history`, {
      hint: 'use -o json, and jq behind it',
    });
  const layout = { severalTypes: false, severalNamespaces: false, single: false, only };
  const printer = await printerOf(output, { ...flags, timestamps: 'rfc3339' }, layout, {
    stdout: session.io.stdout,
    env: session.io.env,
    clock: session.clock,
  });
  session.io.stdout.write(printer.events(printedOf(changes, type, flags['show-managed-fields'] || traits.needsOld)));
}

/** The most changed fields of a line. */
const MOST_TEXTS = 3;

interface HistoryLine {
  readonly at: number;
  readonly text: string;
}

const lineOfGap = (gap: MarkedGap): HistoryLine => ({ at: gap.since, text: gapText(gap) });

/** The lines of runs of hooks. */
function runsIn(
  runs: readonly RecordedHookRun[],
  first: number,
  last: number,
  { by, limit }: HistoryFlags,
): HistoryLine[] {
  const lines = runs
    .filter(({ began, hook }) => began >= first && began <= last && (!by || by.includes(hook)))
    .map((run) => ({
      at: run.began,
      text: `${momentText(run.began)}  RUN       ${cellText(run.hook)}  ${cellText(hookRunText(run))}`,
    }));
  return limit === undefined ? lines : lines.slice(-limit);
}

/** One line for each change, with gaps and runs of hooks in their places. */
function linesOf(
  changes: readonly RecordedStep[],
  beside: readonly HistoryLine[],
  type: ResourceType,
  only: PathScope | undefined,
): string[] {
  const lines = changes.map((change) => {
    const { event, cause, at, who = '-' } = change.revision;
    const texts = event === 'MODIFIED' ? textsOf(change, type, only) : [];
    const more = texts.length > MOST_TEXTS ? `; ${texts.length - MOST_TEXTS} more` : '';
    const inferred = cause === 'relist' ? ' (seen in a list)' : '';
    const what = texts.slice(0, MOST_TEXTS).join('; ') + more + inferred;
    return { at, text: `${momentText(at)}  ${event.padEnd(8)}  ${cellText(who)}  ${what}`.trimEnd() };
  });
  const all = [...lines, ...beside];
  return all.sort((a, b) => a.at - b.at).map(({ text }) => text);
}

/** The changed fields of an update, those of the status last. */
function textsOf(change: RecordedStep, type: ResourceType, only: PathScope | undefined): string[] {
  const [printed] = printedOf([change], type, true);
  if (!printed || !change.before) return [];
  const texts = changeTexts(printed).map(withoutWriter);
  const changes = fieldChanges(change.before.object, change.state.object);
  const chosen = texts.filter((_, i) => !only || !changes[i] || only(changes[i].steps));
  return [...chosen.filter((text) => !isOfStatus(text)), ...chosen.filter(isOfStatus)];
}

const isOfStatus = (text: string) => text.startsWith('.status');

/** The change without its writer, who has a column. */
const withoutWriter = (text: string) => text.replace(/ {2}\([^()]*\)$/, '');

function gapText({ reason, since, until, added, changed, deleted }: MarkedGap): string {
  const end = until === undefined ? 'not closed' : momentText(until);
  return `${momentText(since)}  not seen  until ${end} (${reason}): the next list showed ${added} added, ${changed} changed, ${deleted} deleted objects of the type`;
}

function writeLines({ io }: Session, lines: readonly string[]): void {
  io.stdout.write(lines.map((line) => `${line}\n`).join(''));
}
