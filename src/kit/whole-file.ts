import { randomBytes } from 'node:crypto';
import { readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { InformerError } from './error.ts';

/** The text of a file; undefined where there is none. Rejects for a device, a pipe or a folder, which it does not read. */
export async function textOfFile(file: string): Promise<string | undefined> {
  return (await isThere(file)) ? readFile(file, 'utf8') : undefined;
}

/**
 * Writes a file, whole or not at all, and never into one that another user put there. A link stays: what it leads to is
 * replaced. Rejects for a device, a pipe or a folder: to replace `/dev/null` by a file would harm the whole machine.
 */
export async function replaceFile(file: string, text: string, mode = 0o666): Promise<void> {
  const target = (await isThere(file)) ? await realpath(file) : file;
  const draft = `${target}.${randomBytes(8).toString('hex')}`;
  try {
    await writeFile(draft, text, { mode, flag: 'wx' });
    await rename(draft, target);
  } catch (cause) {
    await rm(draft, { force: true });
    throw cause;
  }
}

async function isThere(file: string): Promise<boolean> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found && !found.isFile()) throw new InformerError('argument', `${file} is no regular file`);
  return found !== undefined;
}
