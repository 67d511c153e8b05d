import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../kit/error.ts';
import {
  finishedName,
  isLeftOver,
  isPipe,
  type RuntimeEnvironment,
  runtimeFolder,
  socketIn,
  unfinishedFolder,
} from '../kit/runtime-folder.ts';

/** A running program, as it describes itself to other commands of the same user. It holds no credential. */
export interface ProgramDescription {
  readonly version: 1;
  readonly pid: number;
  /** The name of its hook, or of its controller. */
  readonly name: string;
  /** The reconciled type. */
  readonly type: string;
  readonly server: string;
  readonly context: string | undefined;
  /** A hash of the cluster and the user; undefined where it is not known. */
  readonly identity: string | undefined;
  /** The namespaces that it watches. Empty: all. */
  readonly namespaces: readonly string[];
  /** When it was started, RFC 3339. */
  readonly started: string;
}

/** A folder of one program: its description, and the socket on which it answers. */
export interface ProgramFolder {
  readonly folder: string;
  readonly socket: string;
}

const ABOUT = 'about.json';

/**
 * The folder of all programs of this user. It is created. Throws `config` if another user could write there.
 */
export const programsFolder = (env: RuntimeEnvironment) => runtimeFolder(env, 'run');

/** A new folder that other commands do not see before {@link publish}. Throws `config` if its path is too long. */
export function newProgramFolder(programs: string): ProgramFolder {
  const folder = unfinishedFolder(programs, randomBytes(3).toString('hex'));
  mkdirSync(folder, { mode: 0o700 });
  return { folder, socket: socketIn(folder) };
}

/** Shows the folder to other commands, with its description. Its socket must listen. Returns its place from now on. */
export function publish({ folder, socket }: ProgramFolder, description: ProgramDescription): ProgramFolder {
  if (!isPipe(socket)) chmodSync(socket, 0o600);
  writeFileSync(path.join(folder, ABOUT), `${JSON.stringify(description)}\n`, { mode: 0o600 });
  const published = path.join(path.dirname(folder), finishedName(folder));
  renameSync(folder, published); // the socket moves with it
  return { folder: published, socket: isPipe(socket) ? socket : socketIn(published) };
}

export function removeProgramFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** The folders that were published, and the description of each; undefined if it cannot be read. */
export function programFolders(programs: string): (ProgramFolder & { about: ProgramDescription | undefined })[] {
  const names = readdirSync(programs);
  for (const name of names) if (isLeftOver(name)) removeProgramFolder(path.join(programs, name));
  return names
    .filter((name) => !name.startsWith('.'))
    .sort()
    .map((name) => path.join(programs, name))
    .map((folder) => ({ folder, socket: socketIn(folder), about: descriptionIn(folder) }));
}

function descriptionIn(folder: string): ProgramDescription | undefined {
  try {
    const about = JSON.parse(readFileSync(path.join(folder, ABOUT), 'utf8')) as Partial<ProgramDescription> | null;
    return about?.version === 1 && typeof about.pid === 'number' ? (about as ProgramDescription) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || messageOf(error).startsWith('ENOENT')) return undefined;
    throw error;
  }
}
