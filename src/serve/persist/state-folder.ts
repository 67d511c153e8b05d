import { lstatSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { InformerError } from '../../kit/error.ts';
import { privateFolderFault } from '../../kit/private-folder.ts';

const FOLDER = 'state';
/** A file that was not used for this long is removed, ms: its cluster may be gone. */
const LONGEST_UNUSED_MS = 60 * 24 * 3600 * 1000;

/**
 * The folder of stored states in a user's cache folder, with mode 0700. It is created. Throws `config` with the reason
 * if another user could write there.
 */
export function stateFolder(cacheFolder: string): string {
  const fault = privateFolderFault(cacheFolder, FOLDER);
  if (fault === undefined) return path.join(cacheFolder, FOLDER);
  throw new InformerError('config', `the folder for stored states cannot be used: ${fault}`, {
    hint: 'choose another one with --cache-dir, or make this one writable by you alone',
  });
}

/** Removes files in the folder that were not used for two months. Errors are left alone: they are no loss. */
export function removeUnused(folder: string, now: number): void {
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    try {
      if (now - lstatSync(file).mtimeMs > LONGEST_UNUSED_MS) rmSync(file);
    } catch {
      // another process was first
    }
  }
}
