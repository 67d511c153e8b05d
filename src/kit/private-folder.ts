import { chmodSync, lstatSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';

/**
 * Makes `name` within `parent`, both for this user alone (0700), or finds them so. False, and nothing is to be read from or run out of it, when
 * another user could have written there or could put another folder in its place: one of them is a link, belongs to somebody else, or can be
 * written by group or others, and so may what it holds; or a folder above can be written by others and is not sticky. On Windows a folder is made
 * and taken as it is: who may write there is inherited from the user's profile.
 */
export function isPrivateFolder(parent: string, name: string): boolean {
  const folder = path.join(parent, name);
  const uid = process.getuid?.();
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (uid === undefined) return true;
    if (!(isSafeAbove(path.dirname(realpathSync(parent)), uid) && isOurs(parent, uid) && isOurs(folder, uid))) return false;
    const children = readdirSync(folder, { withFileTypes: true }).map((entry) => path.join(folder, entry.name));
    if (!children.every((child) => lstatSync(child).isFile() || isOurs(child, uid))) return false;
    for (const each of [parent, folder]) if ((lstatSync(each).mode & 0o077) !== 0) chmodSync(each, 0o700);
    return true;
  } catch {
    return false; // a cache that cannot be made is no reason to stop
  }
}

function isOurs(folder: string, uid: number): boolean {
  const found = lstatSync(folder);
  return found.isDirectory() && found.uid === uid && (found.mode & 0o022) === 0;
}

/** Whether nobody but us and the superuser can rename what lies on the way. */
function isSafeAbove(folder: string, uid: number): boolean {
  const { uid: owner, mode } = lstatSync(folder);
  const isSafe = (owner === uid || owner === 0) && ((mode & 0o022) === 0 || (mode & 0o1000) !== 0);
  const above = path.dirname(folder);
  return isSafe && (above === folder || isSafeAbove(above, uid));
}
