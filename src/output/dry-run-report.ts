import type { ActionOutcome } from '../hooks/action-runner.ts';
import { FIELD_MANAGER } from '../hooks/actions/action-client.ts';
import { formatTarget } from '../hooks/actions/action-target.ts';
import { type FieldChange, fieldChanges } from '../model/field-changes.ts';
import type { ReadonlyObject, UnknownObject } from '../model/object.ts';
import { fieldOwners } from '../stream/changes/field-managers.ts';
import { changeLines, type MarkedLine } from './changes/change-lines.ts';
import { cellText, continued } from './escape.ts';
import { unprintableIn } from './event-lines.ts';
import type { Painter } from './painter.ts';

type Word = 'ADDED' | 'MODIFIED' | 'DELETED';

/** The result of a dry run for one object. */
interface Finding {
  readonly word: Word | undefined;
  readonly changes: readonly FieldChange[];
  /** Remarks beside the changes. */
  readonly notes: readonly string[];
}

/**
 * The result of a dry run for one object, for people: a heading, then the fields as `watch -o diff` shows them, then
 * conflicts and refusals. The outcomes are all about one object.
 */
export function dryRunText(outcomes: readonly ActionOutcome[], painter: Painter): string {
  const [first] = outcomes;
  if (!first) return '';
  const { word, changes, notes } = findingOf(outcomes);
  const verbs = [...new Set(outcomes.map(({ verb }) => verb))].join(', ');
  const what = word ? `${painter.event(word, word)} ` : '';
  const isSilent = word === undefined && notes.length === 0;
  const heading = `${cellText(first.subject)}: dry run: ${what}${cellText(targetText(outcomes))} (${verbs})${isSilent ? ' changes nothing' : ''}\n`;
  const lines = changeLines(changes).map((line) => `    ${markedText(line, painter)}\n`);
  const said = notes.map((note) => `    ${painter.change('changed', `! ${continued(note)}`)}\n`);
  return [heading, ...lines, ...said].join('');
}

/** The object. A name that the server will draw is shown by its beginning. */
function targetText([outcome]: readonly ActionOutcome[]): string {
  const { target, body } = outcome as ActionOutcome;
  const { generateName } = (body as UnknownObject | undefined)?.metadata ?? {};
  const text = formatTarget(target);
  return target.name === '' && generateName ? text.replace(/<generated>$/, `${generateName}<generated>`) : text;
}

function markedText({ mark, text, parts }: MarkedLine, painter: Painter): string {
  if (mark === '') return `  ${painter.faint(text)}`;
  const sign = { added: '+', removed: '-', changed: '~' }[mark];
  if (!parts) return painter.change(mark, `${sign} ${text}`);
  const values = `${painter.change('removed', parts.before)} → ${painter.change('added', parts.after)}`;
  return `${painter.change(mark, sign)} ${text}${values}`;
}

function findingOf(outcomes: readonly ActionOutcome[]): Finding {
  const refusals = outcomes.flatMap(({ verb, refusal, unchecked }) => {
    if (refusal !== undefined) return [`${verb} is refused: ${refusal}`];
    return unchecked === undefined ? [] : [`${verb} was not checked: ${unchecked}, which a dry run does not store`];
  });
  const checked = outcomes.filter(({ refusal, unchecked }) => refusal === undefined && unchecked === undefined);
  const reason = checked.map(unprintable).find((why) => why !== undefined);
  if (reason !== undefined) return { word: 'MODIFIED', changes: [], notes: [reason, ...refusals] };
  const { word, changes, notes } = changesOf(checked);
  return { word, changes, notes: [...notes, ...refusals] };
}

const unprintable = ({ before, after }: ActionOutcome) => {
  const [first, ...more] = [before, after].filter((state) => state !== undefined) as ReadonlyObject[];
  return first && unprintableIn(first, more[0]);
};

function changesOf(outcomes: readonly ActionOutcome[]): Finding {
  const deleted = outcomes.find(({ verb, before }) => verb === 'delete' && before !== undefined);
  if (deleted?.before) return deletionOf(deleted.before);
  const gone = outcomes.find(({ verb }) => verb === 'delete');
  if (gone) return { word: undefined, changes: [], notes: ['changes nothing: the object does not exist'] };
  const made = outcomes.findLast(({ before, after }) => before === undefined && after !== undefined);
  if (made?.after) return { word: 'ADDED', changes: fieldChanges(NOTHING, ownFields(made.after)), notes: [] };
  const perAction = outcomes.map((outcome) => ({ outcome, changes: differences(outcome) }));
  // of two actions that change a field, the later one decides
  const changes = [...new Map(perAction.flatMap((each) => each.changes.map((c) => [c.path, c] as const))).values()];
  const conflicts = perAction.flatMap(({ outcome, changes: own }) => conflictsOf(outcome, own));
  const changing = perAction.filter((each) => each.changes.length > 0);
  const alone = changing.length > 1 ? ['each action was checked alone, without the ones before it'] : [];
  return {
    word: changes.length > 0 ? 'MODIFIED' : undefined,
    changes,
    notes: [...new Set(conflicts), ...alone],
  };
}

const differences = ({ before, after }: ActionOutcome): FieldChange[] =>
  before && after ? fieldChanges(before, after) : [];

/** The part that would be deleted: the object, or only the claim to it as long as its finalizers hold it. */
function deletionOf(before: UnknownObject): Finding {
  const { finalizers = [], deletionTimestamp } = before.metadata;
  if (deletionTimestamp !== undefined && finalizers.length > 0)
    return {
      word: undefined,
      changes: [],
      notes: [`changes nothing: it is being deleted already; ${held(finalizers)}`],
    };
  return {
    word: 'DELETED',
    changes: fieldChanges(ownFields(before), NOTHING),
    notes: finalizers.length === 0 ? [] : [`it stays for now: ${held(finalizers)}`],
  };
}

const held = (finalizers: readonly string[]) =>
  `${finalizers.length === 1 ? 'the finalizer' : 'the finalizers'} ${finalizers.join(', ')} must be removed first`;

function conflictsOf({ verb, before, conflicts = [] }: ActionOutcome, changes: readonly FieldChange[]): string[] {
  if (verb === 'apply')
    return conflicts.flatMap(({ manager, subresource, fields }) =>
      fields.map((field) => conflictText(field, manager ?? 'another field manager', subresource, verb)),
    );
  const ownersOf = fieldOwners(before ?? {});
  return changes.flatMap((change) =>
    ownersOf(change)
      .filter(({ manager }) => manager !== FIELD_MANAGER)
      .map(({ manager, subresource }) => conflictText(change.path, manager, subresource, verb)),
  );
}

function conflictText(path: string, manager: string, subresource: string | undefined, verb: string): string {
  return `conflict: ${path} is owned by ${manager}${subresource ? ` (through ${subresource})` : ''}; the ${verb} takes it over`;
}

const NOTHING = { metadata: {} };

/** The metadata that a server writes, and what the heading names already. */
const SERVER_METADATA = new Set([
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'generateName',
  'generation',
  'managedFields',
  'name',
  'namespace',
  'resourceVersion',
  'selfLink',
  'uid',
]);

/** The fields of an object that someone chose. */
function ownFields({ apiVersion: _version, kind: _kind, metadata, ...fields }: UnknownObject): object {
  const { status, ...rest } = fields as { status?: unknown };
  const kept = Object.fromEntries(Object.entries(metadata).filter(([name]) => !SERVER_METADATA.has(name)));
  const isEmpty = typeof status === 'object' && status !== null && Object.keys(status).length === 0;
  return { metadata: kept, ...rest, ...(status === undefined || isEmpty ? {} : { status }) };
}
