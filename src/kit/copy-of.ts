import { isContainer } from './exact-json.ts';
import { isPlain } from './same-value.ts';

/** A deep copy of a JSON value, nested to any depth. A value that JSON does not have, such as a Date, is not copied. */
export function copyOf<T>(value: T): T {
  if (!isContainer(value)) return value;
  const root = shallow(value);
  const open: object[] = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const container = next as Record<string, unknown>;
    for (const key of Object.keys(container)) {
      const inner = container[key];
      if (!isContainer(inner) || !isPlain(inner)) continue;
      const copied = shallow(inner);
      open.push(copied);
      setOwn(container, key, copied);
    }
  }
  return root as T;
}

const shallow = (value: object): object => keepingJson(value, Array.isArray(value) ? [...value] : { ...value });

/** Copies the `toJSON` that lets `JSON.stringify` write bigints. It is not enumerable, so a spread does not copy it. */
function keepingJson(from: object, to: object): object {
  const toJson = Object.getOwnPropertyDescriptor(from, 'toJSON');
  return toJson && !toJson.enumerable ? Object.defineProperty(to, 'toJSON', toJson) : to;
}

function setOwn(container: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') container[key] = value;
  else Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
}
