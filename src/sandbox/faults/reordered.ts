import { jsonText, parseJson } from '../../kit/exact-json.ts';

const LINE_FEED = '\n';

/** A line of JSON with the members of every object in the opposite order. Text that is not JSON stays as it is. */
export function reordered(line: Uint8Array): Uint8Array {
  const text = Buffer.from(line).toString('utf8');
  try {
    return Buffer.from(jsonText(turned(parseJson(text))) + (text.endsWith(LINE_FEED) ? LINE_FEED : ''));
  } catch {
    return line;
  }
}

function turned(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(turned);
  const members = Object.entries(value).reverse();
  return Object.fromEntries(members.map(([name, inner]) => [name, turned(inner)]));
}
