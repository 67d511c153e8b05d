import { jsonText } from '../../kit/exact-json.ts';

/**
 * What two values differ in, a line each: `.spec.replicas is 3, expected 5`. With `isSubset`, a field that `wanted` does
 * not name may have any value.
 */
export function differences(wanted: unknown, seen: unknown, isSubset = false, at = ''): string[] {
  if (Array.isArray(wanted) && Array.isArray(seen) && wanted.length === seen.length)
    return wanted.flatMap((each, i) => differences(each, seen[i], isSubset, `${at}[${i}]`));
  if (isObject(wanted) && isObject(seen)) {
    const names = new Set([...Object.keys(wanted), ...(isSubset ? [] : Object.keys(seen))]);
    return [...names].flatMap((name) => differences(wanted[name], seen[name], isSubset, `${at}.${name}`));
  }
  const [a, b] = [textOf(wanted), textOf(seen)];
  return a === b ? [] : [`${at === '' ? 'it' : at} is ${b}, expected ${a}`];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (value: unknown) => (value === undefined ? 'not there' : jsonText(value));

/** {@link differences} of objects, without the values of a Secret. */
export function objectDifferences(wanted: unknown, seen: unknown, isSubset = false): string[] {
  const lines = differences(wanted, seen, isSubset);
  const isSecret = [wanted, seen].some((object) => isObject(object) && object.kind === 'Secret');
  return isSecret ? lines.map((line) => line.replace(/ is .*$/s, ' is another one than expected')) : lines;
}
