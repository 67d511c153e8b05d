import { isContainer } from '../../kit/exact-json.ts';
/** A value as Go's `%+v` prints what was decoded from JSON: maps with their keys sorted. */
export function goPlusV(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goPlusV).join(' ')}]`;
  if (!isContainer(value)) return String(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([name, inner]) => `${name}:${goPlusV(inner)}`).join(' ')}]`;
}
