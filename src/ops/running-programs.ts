import { builtin } from '../kit/builtin.ts';
import type { Clock } from '../kit/clock.ts';
import type { RuntimeEnvironment } from '../kit/runtime-folder.ts';
import { askSocket, type SocketRequest } from '../kit/socket-request.ts';
import type { PageAnswer } from './pages.ts';
import { type ProgramDescription, programFolders, programsFolder, removeProgramFolder } from './program-folder.ts';

/** A program of this user that runs now. */
export interface RunningProgram {
  readonly about: ProgramDescription;
  readonly socket: string;
}

/** The programs of this user that run now, oldest first. What killed ones left behind is removed. */
export async function runningPrograms(env: RuntimeEnvironment): Promise<RunningProgram[]> {
  const found = programFolders(programsFolder(env));
  const running = await Promise.all(
    found.map(async ({ folder, socket, about }) => {
      const isThere = await accepts(socket);
      if (!isThere) removeProgramFolder(folder);
      return isThere && about ? [{ about, socket }] : [];
    }),
  );
  return running.flat().sort((a, b) => Date.parse(a.about.started) - Date.parse(b.about.started));
}

/** Whether a program listens there. A socket that a killed program left behind refuses the connection. */
function accepts(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = builtin.http().request({ socketPath: socket, path: '/', method: 'HEAD', agent: false });
    const end = (isThere: boolean) => {
      resolve(isThere);
      request.destroy();
    };
    request.on('socket', (connection) => connection.once('connect', () => end(true)));
    request.on('error', (error: NodeJS.ErrnoException) =>
      end(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT' && error.code !== 'ENOTSOCK'),
    );
    request.end();
  });
}

/** Asks a running program for a page. Rejects with `transport` if it ends meanwhile, or does not answer within 5 s. */
export function askProgram(
  { about, socket }: RunningProgram,
  request: SocketRequest,
  clock: Clock,
): Promise<PageAnswer> {
  return askSocket(socket, request, {
    who: `${about.name} (pid ${about.pid})`,
    hint: `is it stopped, or is its hook a module that never lets other code run? kill -CONT ${about.pid} continues a stopped one`,
    clock,
  });
}
