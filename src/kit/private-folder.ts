import { chmodSync, lstatSync, mkdirSync, readdirSync, realpathSync, type Stats } from 'node:fs';
import path from 'node:path';

/** Whether {@link privateFolderFault} finds nothing wrong. */
export function isPrivateFolder(parent: string, name: string): boolean {
  return privateFolderFault(parent, name) === undefined;
}

/**
 * Creates the folder `name` in `parent`, both with mode 0700, or checks existing ones. Returns undefined, or the reason
 * why another user could have written there or could replace the folder; then the caller must not read or run anything
 * in it. This is so if
 * - one of both folders, or an entry of `name` that is not a file, is a link, belongs to another user, or is writable
 *   by group or others, or
 * - a folder above is writable by others and not sticky.
 *
 * On Windows there is no check: the user's profile determines who may write.
 */
export function privateFolderFault(parent: string, name: string): string | undefined {
  const folder = path.join(parent, name);
  const uid = process.getuid?.();
  try {
    makePrivateFolders(folder);
    if (uid === undefined) return undefined;
    const fault =
      faultAbove(path.dirname(realpathSync(parent)), uid) ??
      faultOf(parent, lstatSync(parent), uid) ??
      faultOf(folder, lstatSync(folder), uid);
    if (fault !== undefined) return fault;
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const child = path.join(folder, entry.name);
      const stats = lstatSync(child, { throwIfNoEntry: false });
      if (!stats) continue; // another process of this user removed it meanwhile
      const found = stats.isFile() ? undefined : faultOf(child, stats, uid);
      if (found !== undefined) return found;
    }
    for (const each of [parent, folder]) if ((lstatSync(each).mode & 0o077) !== 0) chmodSync(each, 0o700);
    return undefined;
  } catch (error) {
    return `${folder} cannot be used: ${(error as NodeJS.ErrnoException).code ?? error}`;
  }
}

/**
 * Creates a folder and those above it that are missing, with mode 0700. Throws the error of the system. Node's own
 * `recursive` never returns where the system says of a folder that exists that it does not, as below /proc.
 */
export function makePrivateFolders(folder: string): void {
  if (made(folder)) return;
  const above = path.dirname(folder);
  if (above !== folder) makePrivateFolders(above);
  if (!made(folder)) mkdirSync(folder, { mode: 0o700 });
}

/** False if a folder above is missing. */
function made(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    if (code !== 'EEXIST') throw error;
  }
  return true;
}

function faultOf(folder: string, found: Stats, uid: number): string | undefined {
  if (!found.isDirectory()) return `${folder} is ${found.isSymbolicLink() ? 'a link' : 'not a folder'}`;
  if (found.uid !== uid) return `${folder} belongs to another user (uid ${found.uid})`;
  return (found.mode & 0o022) === 0 ? undefined : `other users can write to ${folder} (mode ${modeOf(found.mode)})`;
}

/** Why another user than this one and the superuser could rename this folder or one above it. */
function faultAbove(folder: string, uid: number): string | undefined {
  const { uid: owner, mode } = lstatSync(folder);
  if (owner !== uid && owner !== 0) return `${folder} belongs to another user (uid ${owner})`;
  if ((mode & 0o022) !== 0 && (mode & 0o1000) === 0) return `other users can write to ${folder} (mode ${modeOf(mode)})`;
  const above = path.dirname(folder);
  return above === folder ? undefined : faultAbove(above, uid);
}

const modeOf = (mode: number) => `0${(mode & 0o777).toString(8)}`;
