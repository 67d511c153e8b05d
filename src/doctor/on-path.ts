import { accessSync, constants, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';

/** A program that kubectl or a shell can find. */
export interface OnPath {
  readonly name: string;
  readonly file: string;
  readonly isExecutable: boolean;
}

/** The files in the folders of PATH whose name `isWanted`, in the order in which they are found. */
export function filesOnPath(env: NodeJS.ProcessEnv, isWanted: (name: string) => boolean): OnPath[] {
  const folders = [...new Set((env.PATH ?? env.Path ?? '').split(path.delimiter).filter(Boolean))];
  return folders.flatMap((folder) =>
    namesIn(folder)
      .map((found) => ({ found, name: withoutEnding(found) }))
      .filter(({ name }) => isWanted(name))
      .map(({ found, name }) => ({ name, file: path.join(folder, found) }))
      .filter(({ file }) => isFile(file))
      .map(({ name, file }) => ({ name, file, isExecutable: mayRun(file) })),
  );
}

/** Whether two paths lead to one file. */
export function isSameFile(one: string, other: string): boolean {
  const real = realPathOf(one);
  return real !== undefined && real === realPathOf(other);
}

/** The version of the package `name` that a file belongs to; nothing is run. Undefined if it is in none. */
export function packageVersionOf(file: string, name: string): string | undefined {
  let folder = path.dirname(realPathOf(file) ?? file);
  for (;;) {
    const found = packageIn(folder);
    if (found?.name === name) return found.version;
    const above = path.dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
}

function packageIn(folder: string): { name?: string; version?: string } | undefined {
  try {
    return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) ?? undefined;
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return []; // PATH may name folders that do not exist
  }
}

/** Windows runs files by their ending. */
function withoutEnding(name: string): string {
  return process.platform === 'win32' ? name.replace(/\.(exe|cmd|bat|com|ps1)$/i, '') : name;
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

function mayRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function realPathOf(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}
