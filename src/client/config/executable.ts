import path from 'node:path';
import { builtin } from '../../kit/builtin.ts';

/**
 * The file that a command starts: itself if it names a folder, else the first of that name in the folders of PATH.
 * Undefined if there is none that can be run. Source: Go os/exec LookPath.
 */
export function executableOf(command: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (command === '') return undefined;
  if (/[\\/]/.test(command)) return isExecutable(command) ? command : undefined;
  const endings = process.platform === 'win32' ? ['', ...(env.PATHEXT ?? '.COM;.EXE;.BAT;.CMD').split(';')] : [''];
  return (env.PATH ?? '')
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .flatMap((folder) => endings.map((ending) => path.join(folder, command + ending)))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  const { accessSync, constants, statSync } = builtin.fs();
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
