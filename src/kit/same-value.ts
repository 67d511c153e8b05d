import { isDeepStrictEqual } from 'node:util';
import { HugeNumber, hasMember, isContainer } from './exact-json.ts';

/**
 * Whether two JSON values are deeply equal, nested to any depth. The order of keys does not matter, an undefined member
 * counts as missing, and 0 equals -0, as in JSON.
 */
export function sameValue(a: unknown, b: unknown): boolean {
  if (isSamePart(a, b)) return true;
  if (!isContainer(a) || !isContainer(b)) return false;
  const open: object[] = [a, b];
  while (open.length > 0) {
    const right = open.pop() as object;
    const left = open.pop() as object;
    if (!hasSameParts(left, right, open)) return false;
  }
  return true;
}

/** Compares the members of two maps or lists. Inner maps and lists are added to `open`, in pairs. */
function hasSameParts(a: object, b: object, open: object[]): boolean {
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a)) {
    const list = b as readonly unknown[];
    return a.length === list.length && a.every((item, i) => isSameOrOpen(item, list[i], open));
  }
  const [left, right] = [a as Fields, b as Fields];
  if (!isPlain(a) || !isPlain(b)) return isDeepStrictEqual(a, b);
  for (const key of Object.keys(left)) {
    const value = left[key];
    const other = hasMember(right, key) ? right[key] : undefined;
    if (!isSameOrOpen(value, other, open)) return false;
  }
  for (const key of Object.keys(right)) if (right[key] !== undefined && !hasMember(left, key)) return false;
  return true;
}

/** Whether an object is a list or a plain map, and not, for example, a Date, whose value is in none of its keys. */
export function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

type Fields = Readonly<Record<string, unknown>>;

function isSameOrOpen(a: unknown, b: unknown, open: object[]): boolean {
  if (isSamePart(a, b)) return true;
  if (!isContainer(a) || !isContainer(b)) return false;
  open.push(a, b);
  return true;
}

/** Whether two scalar values are equal, or two maps or lists are the same object. */
export function isSamePart(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a instanceof HugeNumber) return b instanceof HugeNumber && a.text === b.text;
  return typeof a === 'number' && typeof b === 'number' && Number.isNaN(a) && Number.isNaN(b);
}
