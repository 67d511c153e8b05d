import { hasMember, isContainer } from './exact-json.ts';
import { isPlain, sameValue } from './same-value.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The JSON merge patch that makes `before` to `after`, two maps; undefined if they are equal. A list that differs is in
 * the patch as a whole. A null in a map of `after` cannot be expressed: the member is removed. Source: RFC 7386.
 */
export function mergePatchOf(before: object, after: object): object | undefined {
  const patch: Record<string, unknown> = {};
  const open: Pair[] = [{ from: before as Fields, to: after as Fields, into: patch }];
  const inside: { readonly name: string; readonly of: Record<string, unknown>; readonly inner: object }[] = [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { from, to, into } = next;
    for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
      const [old, value] = [own(from, name), own(to, name)];
      if (isMap(old) && isMap(value)) {
        const inner: Record<string, unknown> = {};
        setOwn(into, name, inner);
        inside.push({ name, of: into, inner });
        open.push({ from: old as Fields, to: value as Fields, into: inner });
      } else if (!sameValue(old, value)) setOwn(into, name, value ?? null);
    }
  }
  // inner maps were compared once, by their own members: those that are equal have left an empty patch
  for (const { name, of, inner } of inside.toReversed()) if (Object.keys(inner).length === 0) delete of[name];
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** Two maps, and the patch for them. */
interface Pair {
  readonly from: Fields;
  readonly to: Fields;
  readonly into: Record<string, unknown>;
}

const own = (fields: Fields, name: string): unknown => (hasMember(fields, name) ? fields[name] : undefined);

const isMap = (value: unknown): boolean => isContainer(value) && !Array.isArray(value) && isPlain(value);

function setOwn(fields: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(fields, name, { value, writable: true, enumerable: true, configurable: true });
}
