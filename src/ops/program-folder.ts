import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { InformerError, messageOf } from '../kit/error.ts';
import { isPrivateFolder } from '../kit/private-folder.ts';

/** The part of the environment that says where the user's sockets are. */
export interface RuntimeEnvironment {
  readonly XDG_RUNTIME_DIR?: string | undefined;
}

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
const SOCKET = 'socket';
/** The beginning of the name of a folder whose program does not answer yet. */
const UNFINISHED = '.new-';

/** The longest path of a socket, in bytes: of macOS, which has the smallest limit. */
const LONGEST_PATH = 103;

/**
 * The folder of all programs of this user: in XDG_RUNTIME_DIR, else in the folder for temporary files. It is created.
 * Throws `config` if another user could write there.
 */
export function programsFolder({ XDG_RUNTIME_DIR: runtime }: RuntimeEnvironment): string {
  const parent = runtime
    ? path.join(runtime, 'kubectl-informer')
    : path.join(tmpdir(), `kubectl-informer-${process.getuid?.() ?? 'run'}`);
  if (isPrivateFolder(parent, 'run')) return path.join(parent, 'run');
  throw new InformerError(
    'config',
    `the folder ${parent} cannot be used: it cannot be written, or other users could write there`,
    {
      hint: 'set XDG_RUNTIME_DIR to a folder that only you can write, or remove this one if it is not yours',
    },
  );
}

/** A new folder that other commands do not see before {@link publish}. Throws `config` if its path is too long. */
export function newProgramFolder(programs: string): ProgramFolder {
  const folder = path.join(programs, `${UNFINISHED}${process.pid}-${randomBytes(3).toString('hex')}`);
  const socket = socketIn(folder);
  if (Buffer.byteLength(socket) > LONGEST_PATH) {
    throw new InformerError('config', `the path of a socket has at most ${LONGEST_PATH} bytes, not ${socket}`, {
      hint: 'set XDG_RUNTIME_DIR to a folder with a short path',
    });
  }
  mkdirSync(folder, { mode: 0o700 });
  return { folder, socket };
}

/** Shows the folder to other commands, with its description. Its socket must listen. Returns its place from now on. */
export function publish({ folder, socket }: ProgramFolder, description: ProgramDescription): ProgramFolder {
  if (!isPipe(socket)) chmodSync(socket, 0o600);
  writeFileSync(path.join(folder, ABOUT), `${JSON.stringify(description)}\n`, { mode: 0o600 });
  const published = path.join(path.dirname(folder), path.basename(folder).slice(UNFINISHED.length));
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

/** Whether a folder was never published, and its program has ended. */
function isLeftOver(name: string): boolean {
  if (!name.startsWith(UNFINISHED)) return false;
  try {
    process.kill(Number.parseInt(name.slice(UNFINISHED.length), 10), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
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

/** On Windows a named pipe, which has a place of its own; its name is that of the folder without its beginning. */
function socketIn(folder: string): string {
  const name = path.basename(folder).replace(UNFINISHED, '');
  return process.platform === 'win32' ? `\\\\.\\pipe\\kubectl-informer-${name}` : path.join(folder, SOCKET);
}

const isPipe = (socket: string) => socket.startsWith('\\\\.\\pipe\\');
