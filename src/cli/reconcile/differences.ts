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

/**
 * {@link differences} of actions. If one of them `isSecret`, only the verbs are named, because its body may have the
 * values of a Secret.
 */
export function actionDifferences<A extends { readonly verb: string }>(
  wanted: readonly A[],
  seen: readonly A[],
  isSecret: (action: A) => boolean,
): string[] {
  const lines = differences(wanted, seen, false, 'actions');
  if (lines.length === 0 || ![...wanted, ...seen].some(isSecret)) return lines;
  const verbs = (actions: readonly A[]) => actions.map(({ verb }) => verb).join(', ') || 'none';
  if (verbs(wanted) !== verbs(seen)) return [`actions are ${verbs(seen)}, expected ${verbs(wanted)}`];
  return wanted.flatMap((each, i) => {
    const own = differences(each, seen[i], false, `actions[${i}]`);
    return isSecret(each) || isSecret(seen[i] as A) ? own.map(withoutValues) : own;
  });
}

const withoutValues = (line: string) => line.replace(/ is .*$/s, ' is another one than expected');

/** {@link differences} of objects, without the values of a Secret. */
export function objectDifferences(wanted: unknown, seen: unknown, isSubset = false): string[] {
  const lines = differences(wanted, seen, isSubset);
  const isSecret = [wanted, seen].some((object) => isObject(object) && object.kind === 'Secret');
  return isSecret ? lines.map(withoutValues) : lines;
}
