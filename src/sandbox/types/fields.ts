import { isJsonMap, jsonText } from '../../kit/exact-json.ts';
import { equalJson } from './equal.ts';
import { FieldSet } from './field-set.ts';
import { fieldShape, type Shape } from './merge-rules.ts';

type Fields = Record<string, unknown>;

/**
 * The parts of a value that can have different owners: fields, or list items by key or value. Undefined when the value
 * has one owner.
 */
export function partsOf(
  value: unknown,
  shape: Shape | undefined,
): Map<string, { value: unknown; shape: Shape | undefined }> | undefined {
  if (isJsonMap(value)) {
    if (shape?.atomic) return undefined;
    return new Map(
      Object.entries(value).map(([name, v]) => [`f:${name}`, { value: v, shape: fieldShape(shape, name) }]),
    );
  }
  if (!Array.isArray(value)) return undefined;
  if (shape?.set) return new Map(value.map((v) => [`v:${jsonText(v)}`, { value: v, shape: undefined }]));
  if (!shape?.keys) return undefined;
  const { keys, items } = shape;
  return new Map(value.filter(isJsonMap).map((item) => [`k:${itemKey(item, keys)}`, { value: item, shape: items }]));
}

/** The JSON of an item's keys, which identifies it in its list. A port without a protocol is a TCP port. */
export function itemKey(item: Fields, keys: readonly string[]): string {
  const [only] = keys;
  if (keys.length === 1 && only !== undefined && only !== 'protocol') return jsonText({ [only]: item[only] ?? null });
  const sorted = [...keys].sort();
  return jsonText(Object.fromEntries(sorted.map((k) => [k, item[k] ?? (k === 'protocol' ? 'TCP' : null)])));
}

/**
 * The result of comparing two states: `changed` has new fields and fields with another value, `removed` the fields that
 * are gone.
 */
export interface FieldComparison {
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

/** Compares two states of an object, field by field. */
export function compare(before: unknown, after: unknown, shape: Shape): FieldComparison {
  const comparison = { changed: new FieldSet(), removed: new FieldSet() };
  compareAt(before, after, shape, comparison.changed, comparison.removed);
  return comparison;
}

function compareAt(
  before: unknown,
  after: unknown,
  shape: Shape | undefined,
  changed: FieldSet,
  removed: FieldSet,
): void {
  if (before === after) return;
  const [was, is] = [partsOf(before, shape), partsOf(after, shape)];
  if (before === undefined) addAll(after, shape, changed);
  else if (after === undefined) addAll(before, shape, removed);
  else if (was && is) compareParts(was, is, changed, removed);
  else if (before === null && is?.size) compareParts(new Map(), is, changed, removed);
  else if (after === null && was?.size) compareParts(was, new Map(), changed, removed);
  else if (!equalJson(before, after)) changed.owned = true;
}

type Parts = NonNullable<ReturnType<typeof partsOf>>;

function compareParts(before: Parts, after: Parts, changed: FieldSet, removed: FieldSet): void {
  for (const [element, { value, shape }] of after) {
    const was = before.get(element)?.value;
    if (was === undefined || !equalJson(was, value))
      compareAt(was, value, shape, changed.child(element), removed.child(element));
  }
  for (const [element, { value, shape }] of before)
    if (!after.has(element)) addAll(value, shape, removed.child(element));
}

/** Adds all paths of a new value, with the maps and lists in it: its writer owns all of them. */
function addAll(value: unknown, shape: Shape | undefined, into: FieldSet): void {
  into.owned = true;
  if (isJsonMap(value)) {
    if (shape?.atomic) return;
    for (const name in value) addAll(value[name], fieldShape(shape, name), into.child(`f:${name}`));
    return;
  }
  for (const [element, part] of partsOf(value, shape) ?? []) addAll(part.value, part.shape, into.child(element));
}

/** The fields that an applied configuration names: its leaves and list items, without the maps around them. */
export function appliedFieldsOf(value: unknown, shape: Shape): FieldSet {
  const set = new FieldSet();
  nameFields(value, shape, set, false);
  return set;
}

function nameFields(value: unknown, shape: Shape | undefined, into: FieldSet, item: boolean): void {
  const parts = partsOf(value, shape);
  if (item || !parts || parts.size === 0) into.owned = true;
  for (const [element, part] of parts ?? [])
    nameFields(part.value, part.shape, into.child(element), element.startsWith('k:'));
}
