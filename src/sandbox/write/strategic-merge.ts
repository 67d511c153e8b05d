import { isJsonMap, jsonText } from '../../kit/exact-json.ts';
import { internal } from '../status/statuses.ts';
import { goPlusV } from '../types/go-text.ts';
import { fieldShape, type Shape } from '../types/merge-rules.ts';
import { own, setOwn } from '../types/own-fields.ts';

type Fields = Record<string, unknown>;

/**
 * Applies a strategic merge patch with its directives ($patch, $retainKeys, $deleteFromPrimitiveList,
 * $setElementOrder). Can change `current`. Source: apimachinery util/strategicpatch.
 */
export function strategicMerge(current: Fields, patch: Fields, shape: Shape | undefined): Fields {
  if (patch.$patch === 'replace') return withoutDirectives(patch);
  if (patch.$patch === 'delete') return {};
  if (patch.$patch !== undefined && patch.$patch !== 'merge')
    internal(`unknown patch type: ${String(patch.$patch)} in map: ${goPlusV(patch)}`);
  if (Array.isArray(patch.$retainKeys)) retainOnly(current, patch.$retainKeys);
  for (const [name, value] of Object.entries(patch)) mergeField(current, name, value, patch, shape);
  return current;
}

function mergeField(current: Fields, name: string, value: unknown, patch: Fields, shape: Shape | undefined): void {
  if (name === '$patch' || name === '$retainKeys') return;
  const [directive, target] = name.split('/', 2);
  if (target !== undefined && directive === '$deleteFromPrimitiveList') {
    removeValues(current, target, value);
    return;
  }
  if (target !== undefined && directive === '$setElementOrder') {
    if (!(target in patch)) reorder(current, target, value, fieldShape(shape, target));
    return;
  }
  if (value === null) {
    delete current[name];
    return;
  }
  const below = fieldShape(shape, name);
  if (Array.isArray(value)) {
    setOwn(current, name, mergeList(own(current, name), value, below));
    reorder(current, name, patch[`$setElementOrder/${name}`], below);
  } else if (isJsonMap(value)) {
    const present = own(current, name);
    setOwn(current, name, strategicMerge(isJsonMap(present) ? present : {}, value, below));
  } else {
    setOwn(current, name, value);
  }
}

function withoutDirectives(patch: Fields): Fields {
  return Object.fromEntries(Object.entries(patch).filter(([name]) => !name.startsWith('$')));
}

function retainOnly(current: Fields, names: readonly unknown[]): void {
  for (const name of Object.keys(current)) if (!names.includes(name)) delete current[name];
}

function removeValues(current: Fields, name: string, values: unknown): void {
  const present = own(current, name);
  if (!Array.isArray(present) || !Array.isArray(values)) return;
  current[name] = present.filter(notIn(values));
}

/** Whether a value is none of these. The time of an answer does not depend on their number. */
function notIn(values: readonly unknown[]): (value: unknown) => boolean {
  const known = new Set(values.map((value) => jsonText(value)));
  return (value) => !known.has(jsonText(value));
}

function mergeList(current: unknown, patch: readonly unknown[], shape: Shape | undefined): unknown[] {
  const present = Array.isArray(current) ? current : [];
  if (!shape?.patchMerges || patch.some((v) => isJsonMap(v) && v.$patch === 'replace' && Object.keys(v).length === 1)) {
    return patch.filter((v) => !(isJsonMap(v) && '$patch' in v && Object.keys(v).length === 1));
  }
  const { patchKey, items } = shape;
  if (patchKey === undefined) return [...present, ...patch.filter(notIn(present))];
  return mergeItems(present.filter(isJsonMap), patch.filter(isJsonMap), patchKey, items);
}

function mergeItems(present: Fields[], patch: Fields[], key: string, shape: Shape | undefined): Fields[] {
  const items: (Fields | undefined)[] = [...present];
  const places = new Map<string, number[]>(); // of each key: a list can have it twice
  const placesOf = (id: string) => places.get(id) ?? places.set(id, []).get(id) ?? [];
  for (const [i, item] of present.entries()) placesOf(jsonText(item[key]) ?? '').push(i);
  for (const change of patch) {
    if (change[key] === undefined) internal(`map: ${goPlusV(change)} does not contain declared merge key: ${key}`);
    const known = placesOf(jsonText(change[key]) ?? '');
    const [at] = known;
    if (change.$patch === 'delete') {
      if (at !== undefined) items[at] = undefined;
      known.shift();
    } else if (at === undefined) known.push(items.push(strategicMerge({}, change, shape)) - 1);
    else items[at] = strategicMerge(items[at] ?? {}, change, shape);
  }
  return items.filter((item) => item !== undefined);
}

/** Sorts a list by `$setElementOrder`. An item that it does not name stays behind the items before it. */
function reorder(current: Fields, name: string, order: unknown, shape: Shape | undefined): void {
  const present = own(current, name);
  if (!Array.isArray(present) || !Array.isArray(order)) return;
  const key = shape?.patchKey;
  const identity = (value: unknown) => jsonText(key !== undefined && isJsonMap(value) ? value[key] : value);
  const places = new Map(order.map((value, i) => [identity(value), i]));
  let last = -1;
  const ranked = present.map((value) => {
    last = places.get(identity(value)) ?? last;
    return { value, rank: last };
  });
  current[name] = ranked.sort((a, b) => a.rank - b.rank).map(({ value }) => value);
}
