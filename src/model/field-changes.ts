import { MOST_LEVELS } from '../kit/depth.ts';
import { hasMember, isContainer, isJsonMap } from '../kit/exact-json.ts';
import { isSamePart, sameValue } from '../kit/same-value.ts';
import { identityOf, mergeKeyOf } from './list-item-identity.ts';
import type { KubeObject } from './object.ts';

/** One step of a path from an object to a field of it. */
export type PathStep =
  | { readonly kind: 'field'; readonly name: string }
  /** An item of a list, identified by the fields `names` of `item`. */
  | { readonly kind: 'item'; readonly names: readonly string[]; readonly item: Fields }
  | { readonly kind: 'index'; readonly index: number };

/** One field that differs between two states of an object. */
export interface FieldChange {
  /** `.spec.replicas`, `.metadata.labels['a.b/c']`, `.status.conditions[type=Ready].status`. */
  readonly path: string;
  /** The same path, step by step. */
  readonly steps: readonly PathStep[];
  readonly kind: 'added' | 'removed' | 'changed';
  /** Absent when the field was added. */
  readonly before?: unknown;
  /** Absent when the field was removed. */
  readonly after?: unknown;
}

/**
 * The fields that differ between two states of an object, with their values. The paths are those of `changedPaths`, in
 * the same order. The values are parts of the given objects, not copies: pass redacted objects if the values are shown.
 *
 * Promises:
 * - Items of a list of objects are matched by the fields that identify them (name, type, uid, port …), so a new order
 *   of the items is not a change.
 * - A part that was added, removed or became another kind of value is one change, at the root of that part.
 * - A list of plain values, or of objects that nothing identifies, is one change when its length or one of its plain
 *   values differs. Otherwise its items are compared by position.
 * - A path contains keys, and no values except those that identify items.
 * - A difference below {@link MOST_LEVELS} levels is one change, at that level.
 * - `metadata.resourceVersion`, `metadata.managedFields` and `metadata.generation` are left out, because every write
 *   changes them.
 *
 * The walk is a second one beside `sameValue`, which stops at the first difference and does not match the items of
 * lists.
 */
export function fieldChanges(before: object, after: object): FieldChange[] {
  return differences(before, after).map(changeOf);
}

/** The paths to a state from the one before it, where they were found already. */
const KNOWN = new WeakMap<object, { readonly since: string; readonly paths: readonly string[] }>();

/** Makes the paths between two states of one object known to {@link differingPaths}, which then compares nothing. */
export function knowPaths(before: object, after: object, paths: readonly string[]): void {
  const since = stateOf(before);
  if (since !== undefined) KNOWN.set(after, { since, paths });
}

/** Identifies a state of an object: keeping it here would keep its memory. */
function stateOf(object: object): string | undefined {
  const { uid, resourceVersion } = (object as Partial<KubeObject>).metadata ?? {};
  return uid === undefined || resourceVersion === undefined ? undefined : `${uid} ${resourceVersion}`;
}

/** The paths of {@link fieldChanges}, at less cost than with the values. */
export function differingPaths(before: object, after: object): string[] {
  const known = KNOWN.get(after);
  if (known !== undefined && known.since === stateOf(before)) return [...known.paths];
  return differences(before, after).map(({ up }) => pathOf(up));
}

/** The text of a path, in the form of {@link FieldChange.path}. */
export function formatPath(steps: readonly PathStep[]): string {
  return steps.map(segmentOf).join('');
}

/** A JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * A difference, with the steps of its path from the last to the first. Steps are added only where something differs.
 */
interface Difference {
  readonly up: PathStep[];
  readonly before: unknown;
  readonly after: unknown;
}

/** The value of a field that does not exist. JSON has no such value. */
const ABSENT = undefined;

function changeOf({ up, before, after }: Difference): FieldChange {
  const steps = up.toReversed();
  const path = formatPath(steps);
  if (before === ABSENT) return { path, steps, kind: 'added', after };
  if (after === ABSENT) return { path, steps, kind: 'removed', before };
  return { path, steps, kind: 'changed', before, after };
}

function pathOf(up: readonly PathStep[]): string {
  let path = '';
  for (const step of up) path = segmentOf(step) + path;
  return path;
}

function differences(before: object, after: object): Difference[] {
  const out: Difference[] = [];
  compareMaps(before as Fields, after as Fields, out, 0, DERIVED);
  return out;
}

/** The names of fields that are not compared, and of the maps that contain them. */
type Omitted = ReadonlyMap<string, true | Omitted>;

const DERIVED: Omitted = new Map([
  [
    'metadata',
    new Map([
      ['resourceVersion', true],
      ['managedFields', true],
      ['generation', true],
    ]),
  ],
]);

function compareMaps(before: Fields, after: Fields, out: Difference[], level: number, omitted?: Omitted): void {
  for (const name of Object.keys(after)) {
    const skip = omitted?.get(name);
    if (skip === true) continue;
    const from = out.length;
    compare(hasMember(before, name) ? before[name] : ABSENT, after[name], out, level + 1, skip);
    if (out.length > from) addStep(out, from, { kind: 'field', name });
  }
  for (const name of Object.keys(before)) {
    if (hasMember(after, name) || omitted?.get(name) === true) continue;
    out.push({ up: [{ kind: 'field', name }], before: before[name], after: ABSENT });
  }
}

function addStep(out: readonly Difference[], from: number, step: PathStep): void {
  for (let i = from; i < out.length; i++) out[i]?.up.push(step);
}

function compare(before: unknown, after: unknown, out: Difference[], level: number, omitted?: Omitted): void {
  if (isSamePart(before, after)) return;
  if (level > MOST_LEVELS && sameValue(before, after)) return;
  const isWithin = level <= MOST_LEVELS;
  if (isWithin && isJsonMap(before) && isJsonMap(after)) compareMaps(before, after, out, level, omitted);
  else if (isWithin && Array.isArray(before) && Array.isArray(after)) compareLists(before, after, out, level);
  else out.push({ up: [], before, after });
}

function compareLists(before: readonly unknown[], after: readonly unknown[], out: Difference[], level: number): void {
  const names = mergeKeyOf(before, after);
  if (names) {
    compareKeyed(before as Fields[], after as Fields[], names, out, level);
    return;
  }
  if (before.length !== after.length || differInPlain(before, after)) {
    out.push({ up: [], before, after });
    return;
  }
  for (let index = 0; index < after.length; index++) {
    const from = out.length;
    compare(before[index], after[index], out, level + 1);
    if (out.length > from) addStep(out, from, { kind: 'index', index });
  }
}

function differInPlain(before: readonly unknown[], after: readonly unknown[]): boolean {
  return after.some((item, i) => !isSamePart(item, before[i]) && (isPlain(item) || isPlain(before[i])));
}

function compareKeyed(
  before: readonly Fields[],
  after: readonly Fields[],
  names: readonly string[],
  out: Difference[],
  level: number,
): void {
  const old = new Map(before.map((item) => [identityOf(item, names), item]));
  for (const item of after) {
    const identity = identityOf(item, names);
    const from = out.length;
    compare(old.get(identity), item, out, level + 1);
    if (out.length > from) addStep(out, from, { kind: 'item', names, item });
    old.delete(identity);
  }
  for (const item of old.values()) out.push({ up: [{ kind: 'item', names, item }], before: item, after: ABSENT });
}

function segmentOf(step: PathStep): string {
  if (step.kind === 'field') return /^[A-Za-z_][\w-]*$/.test(step.name) ? `.${step.name}` : `[${quoted(step.name)}]`;
  if (step.kind === 'index') return `[${step.index}]`;
  return `[${step.names.map((name) => `${name}=${bareOrQuoted(String(step.item[name]))}`).join(',')}]`;
}

const bareOrQuoted = (text: string) => (/^[\w./:@-]+$/.test(text) ? text : quoted(text));

const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;

const isPlain = (value: unknown) => !isContainer(value);
