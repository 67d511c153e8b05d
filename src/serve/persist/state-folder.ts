import path from 'node:path';
import { InformerError } from '../../kit/error.ts';
import { privateFolderFault } from '../../kit/private-folder.ts';

const FOLDER = 'state';

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
