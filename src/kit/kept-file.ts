import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { builtin } from './builtin.ts';
import { makePrivateFolders } from './private-folder.ts';

/** Writes a file, whole or not at all, for this user alone: another process may read it at this moment. */
export async function keepFile(file: string, text: string): Promise<void> {
  makePrivateFolders(path.dirname(file));
  const draft = `${file}.${builtin.crypto().randomBytes(8).toString('hex')}`;
  await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
  await rename(draft, file).catch(async (cause) => {
    await rm(draft, { force: true });
    throw cause;
  });
}
