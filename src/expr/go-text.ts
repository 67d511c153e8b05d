/**
 * A value as kubectl's JSONPath prints it: text as it is, numbers and booleans in words, null as `null`,
 * maps and lists as JSON with sorted keys. Source: client-go util/jsonpath evalToText and PrintResults.
 */
export function goText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null) return goJson(value);
  return String(value);
}

/** JSON as Go's encoding/json writes a map: keys sorted, `<`, `>`, `&`, U+2028 and U+2029 escaped; on one line, or indented. */
export function goJson(value: unknown, indent?: number): string {
  return (JSON.stringify(sorted(value), undefined, indent) ?? 'null').replace(
    /[<>&\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A value as Go's fmt.Sprint prints it, which custom columns show: `map[a:1 b:2]`, `[1 2]`, `<nil>`. */
export function goSprint(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goSprint).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  return `map[${sortedEntries(value)
    .map(([key, item]) => `${key}:${goSprint(item)}`)
    .join(' ')}]`;
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const out: Record<string, unknown> = Object.create(null);
  for (const [key, item] of sortedEntries(value)) out[key] = sorted(item);
  return out;
}

const sortedEntries = (value: object) => Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
