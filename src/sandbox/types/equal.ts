import { isContainer } from '../../kit/exact-json.ts';
import { isSamePart } from '../../kit/same-value.ts';

/**
 * Whether two JSON values are equal; the order of keys does not matter. Written for speed, because writes compare a
 * lot.
 */
export function equalJson(a: unknown, b: unknown): boolean {
  if (isSamePart(a, b)) return true;
  if (!isContainer(a) || !isContainer(b)) return false;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => equalJson(item, b[i]));
  return !Array.isArray(b) && equalMembers(a as Record<string, unknown>, b as Record<string, unknown>);
}

function equalMembers(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  let more = 0;
  for (const name in a) {
    if (!Object.hasOwn(b, name) || !equalJson(a[name], b[name])) return false;
    more++;
  }
  for (const _name in b) more--;
  return more === 0;
}
