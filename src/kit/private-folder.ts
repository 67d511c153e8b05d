import { chmodSync, lstatSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';

/**
 * Creates the folder `name` in `parent`, both with mode 0700, or checks existing ones. False if another user could have
 * written there or could replace the folder; then the caller must not read or run anything in it. This is so if
 * - one of both folders, or an entry of `name` that is not a file, is a link, belongs to another user, or is writable
 *   by group or others, or
 * - a folder above is writable by others and not sticky.
 *
 * On Windows there is no check: the user's profile determines who may write.
 */
export function isPrivateFolder(parent: string, name: string): boolean {
  const folder = path.join(parent, name);
  const uid = process.getuid?.();
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (uid === undefined) return true;
    if (!(isSafeAbove(path.dirname(realpathSync(parent)), uid) && isOurs(parent, uid) && isOurs(folder, uid)))
      return false;
    const children = readdirSync(folder, { withFileTypes: true }).map((entry) => path.join(folder, entry.name));
    if (!children.every((child) => lstatSync(child).isFile() || isOurs(child, uid))) return false;
    for (const each of [parent, folder]) if ((lstatSync(each).mode & 0o077) !== 0) chmodSync(each, 0o700);
    return true;
  } catch {
    return false; // the program works without a cache
  }
}

function isOurs(folder: string, uid: number): boolean {
  const found = lstatSync(folder);
  return found.isDirectory() && found.uid === uid && (found.mode & 0o022) === 0;
}

/** Whether only this user and the superuser can rename this folder and all folders above it. */
function isSafeAbove(folder: string, uid: number): boolean {
  const { uid: owner, mode } = lstatSync(folder);
  const isSafe = (owner === uid || owner === 0) && ((mode & 0o022) === 0 || (mode & 0o1000) !== 0);
  const above = path.dirname(folder);
  return isSafe && (above === folder || isSafeAbove(above, uid));
}
