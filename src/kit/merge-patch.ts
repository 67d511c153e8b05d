import { isContainer } from './exact-json.ts';
import { isPlain, sameValue } from './same-value.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The JSON merge patch that makes `before` to `after`, two maps; undefined if they are equal. A list that differs is in
 * the patch as a whole. A null in a map of `after` cannot be expressed: the member is removed. Source: RFC 7386.
 */
export function mergePatchOf(before: object, after: object): object | undefined {
  const patch: Record<string, unknown> = {};
  const open: { from: Fields; to: Fields; into: Record<string, unknown> }[] = [
    { from: before as Fields, to: after as Fields, into: patch },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { from, to, into } = next;
    for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
      const [old, value] = [own(from, name), own(to, name)];
      if (sameValue(old, value)) continue;
      const inner: Record<string, unknown> | undefined = isMap(old) && isMap(value) ? {} : undefined;
      setOwn(into, name, inner ?? value ?? null);
      if (inner) open.push({ from: old as Fields, to: value as Fields, into: inner });
    }
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

const own = (fields: Fields, name: string): unknown => (Object.hasOwn(fields, name) ? fields[name] : undefined);

const isMap = (value: unknown): boolean => isContainer(value) && !Array.isArray(value) && isPlain(value);

function setOwn(fields: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(fields, name, { value, writable: true, enumerable: true, configurable: true });
}
