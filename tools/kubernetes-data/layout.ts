import { readFileSync, writeFileSync } from 'node:fs';

const WIDTH = 120;

export function readData(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/**
 * Writes data as JSON. A list or an object that fits on one line has one line, so that a diff of two versions shows
 * what changed.
 */
export function writeData(file: string, value: unknown): void {
  writeFileSync(file, `${layout(value, '', 0)}\n`);
}

/** `before`: how many characters precede the value on its line. */
function layout(value: unknown, indent: string, before: number): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const isList = Array.isArray(value);
  const parts: [string, unknown][] = isList
    ? value.map((item) => ['', item])
    : Object.entries(value).map(([key, item]) => [`${JSON.stringify(key)}: `, item]);
  const short = parts.map(([key, item]) => key + layout(item, '', Number.NEGATIVE_INFINITY)).join(', ');
  const line = isList ? `[${short}]` : short === '' ? '{}' : `{ ${short} }`;
  if (before + line.length + 1 <= WIDTH) return line;
  const below = `${indent}  `;
  const lines = parts.map(([key, item]) => `${below}${key}${layout(item, below, below.length + key.length)}`);
  return `${isList ? '[' : '{'}\n${lines.join(',\n')}\n${indent}${isList ? ']' : '}'}`;
}
