import { jsonText } from '../kit/exact-json.ts';
import { fieldChanges, knowPaths } from '../model/field-changes.ts';
import { withParsedManagedFields } from '../model/managed-fields-text.ts';
import type { ManagedFieldsEntry, ReadonlyObject } from '../model/object.ts';
import { creatorOf, fieldManagers } from '../stream/changes/field-managers.ts';
import { isSameEntry } from './managed-fields-change.ts';

/** The facts about a change beside the states: who made it, when, and which fields differ. */
export interface RecordedChange {
  /** The field managers, joined by commas; undefined if managedFields do not have the answer. */
  readonly who: string | undefined;
  /** The time at which the server recorded the write, seconds since 1970. */
  readonly written: number | undefined;
  /** JSON: a list of `[path]`, or `[path, who]` where the writers of the fields differ. */
  readonly paths: string;
  /** JSON: for each path `[before, after]`, null for those of `.status`; undefined when they are too long. */
  readonly values: string | undefined;
}

/** Values of a change beyond this length are only in the states. */
const LONGEST_VALUES = 400;

type Entries = readonly ManagedFieldsEntry[];

/** The change of a new object: who created it. */
export function createdBy(given: ReadonlyObject): RecordedChange {
  const object = withParsedManagedFields(given);
  const entries = entriesOf(object);
  return { who: creatorOf(object), written: newest(entries), paths: '[]', values: undefined };
}

/** The facts about a change that are known beside its states. */
export interface ChangeFacts {
  /**
   * There was no other state between them, so that one manager made all of it; that is cheaper to find than the owner of
   * each field.
   */
  readonly isOneWrite: boolean;
  /** The entries of managedFields that are new, or of another time. Default: those of the states. */
  readonly renewed?: Entries | undefined;
  /** The states as others get them, who need not compare them again. */
  readonly shown?: readonly [before: ReadonlyObject, after: ReadonlyObject] | undefined;
}

/** The change between two states. */
export function recordedChange(
  before: ReadonlyObject,
  after: ReadonlyObject,
  { isOneWrite, renewed = renewedIn(before, after), shown }: ChangeFacts,
): RecordedChange {
  const changes = fieldChanges(before, after);
  if (shown) knowPaths(...shown, changes.map(({ path }) => path)); // biome-ignore format: one line
  const [only] = renewed;
  const managerOf =
    isOneWrite && only && renewed.length === 1
      ? () => only.manager
      : fieldManagers(withParsedManagedFields(before), withParsedManagedFields(after));
  const writers = changes.map(managerOf);
  const who = [...new Set(writers.length > 0 ? writers : renewed.map(({ manager }) => manager))];
  const isUniform = who.length <= 1;
  return {
    who: who.filter((each) => each !== undefined).join(',') || undefined,
    written: newest(renewed),
    paths: jsonText(changes.map(({ path }, i) => (isUniform ? [path] : [path, writers[i] ?? null]))),
    values: valuesOf(changes),
  };
}

function valuesOf(changes: ReturnType<typeof fieldChanges>): string | undefined {
  if (changes.every(({ steps: [first] }) => first?.kind === 'field' && first.name === 'status')) return undefined;
  const text = jsonText(
    changes.map(({ path, before, after }) => (path.startsWith('.status') ? null : [before ?? null, after ?? null])),
  );
  return text.length <= LONGEST_VALUES ? text : undefined;
}

function entriesOf({ metadata }: ReadonlyObject): Entries {
  const { managedFields } = metadata;
  return Array.isArray(managedFields) ? (managedFields as Entries) : [];
}

function renewedIn(before: ReadonlyObject, after: ReadonlyObject): Entries {
  const old = entriesOf(before);
  return entriesOf(after).filter((entry) => !old.some((each) => isSameEntry(each, entry)));
}

function newest(entries: Entries): number | undefined {
  const times = entries.map(({ time }) => Date.parse(time ?? '') / 1000).filter(Number.isFinite);
  return times.length === 0 ? undefined : Math.max(...times);
}
