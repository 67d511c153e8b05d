import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { InformerError } from './error.ts';
import { privateFolderFault } from './private-folder.ts';

/** The part of the environment that says where the user's sockets are. */
export interface RuntimeEnvironment {
  readonly XDG_RUNTIME_DIR?: string | undefined;
}

/** The longest path of a socket, in bytes: of macOS, which has the smallest limit. Source: its sockaddr_un, 104 with the end. */
export const LONGEST_SOCKET_PATH = 103;
const SOCKET = 'socket';
/** The beginning of the name of a folder whose program does not answer yet. */
const UNFINISHED = '.new-';

/**
 * A folder for the sockets of this user's programs of one kind: in XDG_RUNTIME_DIR, else in the folder for temporary
 * files. It is created. Throws `config` with the reason if another user could write there.
 */
export function runtimeFolder(env: RuntimeEnvironment, kind: string): string {
  const parent = parentOf(env);
  const fault = privateFolderFault(parent, kind);
  if (fault === undefined) return path.join(parent, kind);
  throw new InformerError('config', `the folder for sockets cannot be used: ${fault}`, {
    hint: 'set XDG_RUNTIME_DIR to a folder that only you can write, or remove this one if it is not yours',
  });
}

/** As {@link runtimeFolder}, but creates nothing: undefined if there is none yet. */
export function presentRuntimeFolder(env: RuntimeEnvironment, kind: string): string | undefined {
  return existsSync(path.join(parentOf(env), kind)) ? runtimeFolder(env, kind) : undefined;
}

function parentOf({ XDG_RUNTIME_DIR: runtime }: RuntimeEnvironment): string {
  return runtime
    ? path.join(runtime, 'kubectl-informer')
    : path.join(tmpdir(), `kubectl-informer-${process.getuid?.() ?? 'run'}`);
}

/**
 * The path of a folder of this process that other commands do not take for a running program's. Throws `config` if the
 * path of a socket in it is too long.
 */
export function unfinishedFolder(parent: string, suffix: string): string {
  const folder = path.join(parent, `${UNFINISHED}${process.pid}-${suffix}`);
  const socket = socketIn(folder);
  if (Buffer.byteLength(socket) <= LONGEST_SOCKET_PATH) return folder;
  throw new InformerError('config', `the path of a socket has at most ${LONGEST_SOCKET_PATH} bytes, not ${socket}`, {
    hint: 'set XDG_RUNTIME_DIR to a folder with a short path',
  });
}

/** The name of an unfinished folder without its beginning: `PID-SUFFIX`. */
export const finishedName = (folder: string) => path.basename(folder).slice(UNFINISHED.length);

/** Whether a name is that of an unfinished folder whose program has ended. */
export function isLeftOver(name: string): boolean {
  if (!name.startsWith(UNFINISHED)) return false;
  try {
    process.kill(Number.parseInt(name.slice(UNFINISHED.length), 10), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** On Windows a named pipe, which has a place of its own; its name is that of the folder without its beginning. */
export function socketIn(folder: string): string {
  const name = path.basename(folder).replace(UNFINISHED, '');
  return process.platform === 'win32' ? `\\\\.\\pipe\\kubectl-informer-${name}` : path.join(folder, SOCKET);
}

export const isPipe = (socket: string) => socket.startsWith('\\\\.\\pipe\\');
