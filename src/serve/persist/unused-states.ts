import { lstatSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

const DAY_MS = 24 * 3600 * 1000;
/** After this time a state that was not used is removed: a scope of a file, and a whole file, whose cluster may be gone. */
export const LONGEST_UNUSED_MS = { scope: 30 * DAY_MS, file: 60 * DAY_MS };

/** Removes files in the folder that were not used for two months. Errors are left alone: they are no loss. */
export function removeUnused(folder: string, now: number): void {
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    try {
      if (now - lstatSync(file).mtimeMs > LONGEST_UNUSED_MS.file) rmSync(file);
    } catch {
      // another process was first
    }
  }
}
