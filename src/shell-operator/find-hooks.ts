import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { InformerError, messageOf } from '../kit/error.ts';

/** An executable that may be a hook. */
export interface HookFile {
  /** Its path from the folder of the hooks, which is its name in every message. */
  readonly name: string;
  readonly file: string;
}

/** The hooks of a folder, and the files that a person may have taken for one. */
export interface FoundHooks {
  readonly folder: string;
  readonly hooks: readonly HookFile[];
  readonly remarks: readonly string[];
}

/** Files with these endings are data of hooks. */
const DATA = /\.(yaml|json|md|txt)$/;

/**
 * Finds the hooks of a folder, in the order of their paths: every executable file in it and below, but for hidden ones,
 * those in folders named lib, and data files. Throws `argument` where there is none.
 * Source: shell-operator pkg/utils/file.
 */
export async function findHooks(given: string): Promise<FoundHooks> {
  const folder = await realpath(given).catch(() => undefined);
  if (folder === undefined || !(await stat(folder)).isDirectory())
    throw new InformerError('argument', `--shell-operator: there is no folder ${given}`, {
      hint: folder === undefined ? undefined : 'it is a file: name the folder that has it',
    });
  const files: string[] = [];
  const remarks: string[] = [];
  await look(folder, folder, false, { files, remarks });
  if (files.length === 0)
    throw new InformerError('argument', `--shell-operator: ${given} has no hook`, {
      hint: remarks[0] ?? 'a hook is an executable file; files in folders named lib and hidden ones are none',
    });
  const hooks = files.sort(byText).map((file) => ({ name: path.relative(folder, file), file }));
  return { folder, hooks, remarks };
}

async function look(root: string, folder: string, isLibrary: boolean, found: { files: string[]; remarks: string[] }) {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause) => {
    throw new InformerError('argument', `--shell-operator: ${folder} cannot be read: ${messageOf(cause)}`, { cause });
  });
  for (const { name } of entries.sort((a, b) => byText(a.name, b.name))) {
    if (name.startsWith('.')) continue;
    const file = path.join(folder, name);
    const stats = await stat(file).catch(() => undefined); // a link to nothing is no hook
    if (stats?.isDirectory()) await look(root, file, isLibrary || name === 'lib', found);
    if (!stats?.isFile() || DATA.test(name)) continue;
    const shown = path.relative(root, file);
    const isExecutable = (stats.mode & 0o111) !== 0;
    if (isExecutable && isLibrary) found.remarks.push(`${shown} is executable, but no hook: it is in a folder lib`);
    else if (isExecutable) found.files.push(file);
    else if (!isLibrary) found.remarks.push(`${shown} is no hook: it is not executable (chmod +x makes it one)`);
  }
}

const byText = (a: string, b: string) => (a < b ? -1 : 1);
