import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The files that a file imports by a relative path, as absolute paths. A text may hold an import of no file. */
export function importsOf(file) {
  const source = readFileSync(file, 'utf8');
  const specifiers = source.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+\.ts)['"]/g);
  return [...specifiers].map(([, to]) => path.resolve(path.dirname(file), to)).filter((to) => existsSync(to));
}

/** A function that computes each answer once. */
export function remember(compute) {
  const known = new Map();
  return (key) => {
    if (!known.has(key)) known.set(key, compute(key));
    return known.get(key);
  };
}
