import { isDeepStrictEqual } from 'node:util';
import { HugeNumber, isContainer } from './exact-json.ts';

/**
 * Whether two JSON values are the same, all the way down: maps whatever the order of their keys, an undefined member as none, numbers by
 * value (0 and -0 are one, as they are in JSON). Nesting has no limit: nothing here is recursive.
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

/** Compares what two maps or lists hold; the maps and lists within are left in `open`, in pairs. */
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
    const other = Object.hasOwn(right, key) ? right[key] : undefined;
    if (!isSameOrOpen(value, other, open)) return false;
  }
  for (const key of Object.keys(right)) if (right[key] !== undefined && !Object.hasOwn(left, key)) return false;
  return true;
}

/** Whether it is a map or list as JSON has them, and no Date or the like, whose value is in none of its keys. */
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

/** Whether two values are the same without being looked into: of maps and lists, whether they are one and the same. */
export function isSamePart(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a instanceof HugeNumber) return b instanceof HugeNumber && a.text === b.text;
  return typeof a === 'number' && typeof b === 'number' && Number.isNaN(a) && Number.isNaN(b);
}
