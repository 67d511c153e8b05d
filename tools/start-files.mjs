// Which files of src every command loads before its own: what program.ts and base-command.ts import, and what that
// imports, and so on.
import { readFileSync } from 'node:fs';
import path from 'node:path';

const STATIC_IMPORT = /^(?:import|export) (?!type\b)[^;'"]*?from '(\.[^']+)';/gm;

/** The files that these import statically, and they themselves. */
export function closureOf(files) {
  const found = new Set(files);
  for (const file of found) {
    for (const [, specifier] of readFileSync(file, 'utf8').matchAll(STATIC_IMPORT))
      found.add(path.resolve(path.dirname(file), specifier));
  }
  return found;
}
