import { hasMember, isJsonMap } from '../kit/exact-json.ts';
import { isSamePart } from '../kit/same-value.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The difference of two maps: members that are set, members that are gone, and members that differ within. */
export interface MapDelta {
  readonly '+'?: Fields;
  readonly '-'?: readonly string[];
  readonly '~'?: Readonly<Record<string, StateDelta>>;
}

/**
 * The difference of two lists, item by item of the new one: the place of an item of the old list that is the same, that
 * place with a difference, or a new item.
 */
export interface ListDelta {
  readonly l: readonly (number | readonly [number, StateDelta] | { readonly v: unknown })[];
}

export type StateDelta = MapDelta | ListDelta;

/**
 * The difference from one JSON map to another; undefined if they are the same. It is JSON itself. Recursive: throws
 * `RangeError` for what is nested too deep.
 */
export function deltaOf(before: Fields, after: Fields): MapDelta | undefined {
  let set: Record<string, unknown> | undefined;
  let inner: Record<string, StateDelta> | undefined;
  let gone: string[] | undefined;
  let found = 0;
  for (const name in after) {
    const value = after[name];
    let old = before[name];
    // only what every map inherits needs a closer look
    if (old === undefined || typeof old === 'function' || name === '__proto__')
      old = hasMember(before, name) ? before[name] : ABSENT;
    if (old !== ABSENT) found++;
    if (old === value) continue;
    const delta = innerDelta(old, value);
    if (delta === undefined) continue;
    if (delta === 'replaced') {
      set ??= {};
      setMember(set, name, value);
    } else {
      inner ??= {};
      setMember(inner, name, delta);
    }
  }
  let members = 0;
  for (const _ in before) members++;
  if (members > found) gone = Object.keys(before).filter((name) => !hasMember(after, name));
  if (!set && !inner && !gone) return undefined;
  return { ...(set && { '+': set }), ...(gone && { '-': gone }), ...(inner && { '~': inner }) };
}

/** Stands for a member that is not there. */
const ABSENT = Symbol('absent');

/** The map after a difference. Parts that are the same are shared with `before`. Throws for another map's difference. */
export function applyDelta(before: Fields, delta: MapDelta): Record<string, unknown> {
  const after = { ...before };
  for (const name of delta['-'] ?? []) delete after[name];
  for (const name in delta['+']) setMember(after, name, delta['+'][name]);
  for (const name in delta['~']) setMember(after, name, applyInner(before[name], delta['~'][name] as StateDelta));
  return after;
}

/** The map `after` a difference, in which the parts that are the same are those of `before`. */
export function sharing(before: Fields, after: Fields, delta: MapDelta): Record<string, unknown> {
  const { '+': set = {}, '~': inner = {} } = delta;
  const shared: Record<string, unknown> = {};
  for (const name in after) {
    const own = hasMember(inner, name) ? inner[name] : undefined;
    if (own) setMember(shared, name, sharingInner(before[name], after[name], own));
    else setMember(shared, name, hasMember(set, name) ? after[name] : before[name]);
  }
  return shared;
}

function sharingInner(before: unknown, after: unknown, delta: StateDelta): unknown {
  if (!('l' in delta)) return sharing(before as Fields, after as Fields, delta);
  const [old, list] = [before as readonly unknown[], after as readonly unknown[]];
  return delta.l.map((item, i) => {
    if (typeof item === 'number') return old[item];
    return 'v' in item ? list[i] : sharingInner(old[item[0]], list[i], item[1]);
  });
}

function innerDelta(old: unknown, value: unknown): StateDelta | 'replaced' | undefined {
  if (Array.isArray(old) && Array.isArray(value)) return listDelta(old, value);
  if (isJsonMap(old) && isJsonMap(value)) return deltaOf(old, value);
  return isSamePart(old, value) ? undefined : 'replaced';
}

function listDelta(before: readonly unknown[], after: readonly unknown[]): ListDelta | undefined {
  let isSame = before.length === after.length;
  let places: Map<unknown, number> | undefined;
  const items = after.map((item, i) => {
    let place = i;
    const identity = identityOf(item);
    if (i >= before.length || identityOf(before[i]) !== identity) {
      places ??= new Map(before.map((each, at) => [identityOf(each), at]));
      place = (identity === undefined ? undefined : places.get(identity)) ?? i;
    }
    if (place >= before.length) return { v: item };
    const old = before[place];
    const delta = old === item ? undefined : innerDelta(old, item);
    if (delta !== undefined || place !== i) isSame = false;
    if (delta === undefined) return place;
    return delta === 'replaced' ? { v: item } : ([place, delta] as const);
  });
  return isSame && items.length === before.length ? undefined : { l: items };
}

/** Identifies an item of the lists that a server reorders or shortens. */
function identityOf(item: unknown): unknown {
  if (!isJsonMap(item)) return typeof item === 'string' ? item : undefined;
  const { manager, name, type, uid, ip } = item;
  return manager ?? name ?? type ?? uid ?? ip;
}

function applyInner(before: unknown, delta: StateDelta): unknown {
  if (!('l' in delta)) return applyDelta(before as Fields, delta);
  const old = before as readonly unknown[];
  return delta.l.map((item) => {
    if (typeof item === 'number') return old[item];
    return 'v' in item ? item.v : applyInner(old[item[0]], item[1]);
  });
}

function setMember(map: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') map[name] = value;
  else Object.defineProperty(map, name, { value, writable: true, enumerable: true, configurable: true });
}
