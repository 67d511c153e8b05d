import { isContainer } from '../../kit/exact-json.ts';

/**
 * `next`, with each part replaced by the same part of `previous` when the two are equal. So the states of an object
 * share the memory of what did not change. The caller gives `next` away: its parts are replaced in place.
 */
export function shared<T>(previous: unknown, next: T): T {
  if (!isContainer(next) || next === previous) return next;
  if (Array.isArray(next))
    return (next.length === 0 ? NO_ITEMS : sharedList(Array.isArray(previous) ? previous : undefined, next)) as T;
  return (isEmpty(next) ? NO_MEMBERS : sharedMap(isMap(previous) ? previous : undefined, next as Members)) as T;
}

type Members = Record<string, unknown>;

/** Empty objects are by far the most frequent parts, because managed fields have many. */
const NO_MEMBERS = Object.freeze({});
const NO_ITEMS: readonly unknown[] = Object.freeze([]);

function isMap(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(value: object): boolean {
  for (const _name in value) return false;
  return true;
}

function sharedList(previous: readonly unknown[] | undefined, next: unknown[]): readonly unknown[] {
  let isSame = previous?.length === next.length;
  for (let i = 0; i < next.length; i++) {
    const part = next[i];
    const kept = shared(previous?.[i], part);
    if (kept !== part) next[i] = kept;
    if (kept !== previous?.[i]) isSame = false;
  }
  return isSame && previous ? previous : next;
}

function sharedMap(previous: Members | undefined, next: Members): Members {
  let isSame = previous !== undefined;
  for (const name in next) {
    const part = next[name];
    const kept = typeof part === 'object' ? shared(previous?.[name], part) : part;
    if (kept !== part) next[name] = kept;
    if (kept !== previous?.[name]) isSame = false;
  }
  return isSame && previous && sameNames(previous, next) ? previous : next;
}

/** Compares the order too, because members are sent in the order in which they are stored. */
function sameNames(a: Members, b: Members): boolean {
  const names = Object.keys(a);
  let i = 0;
  for (const name in b) if (name !== names[i++]) return false;
  return i === names.length;
}
