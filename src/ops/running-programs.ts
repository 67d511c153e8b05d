import { builtin } from '../kit/builtin.ts';
import type { Clock } from '../kit/clock.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import type { RuntimeEnvironment } from '../kit/runtime-folder.ts';
import type { PageAnswer } from './pages.ts';
import { type ProgramDescription, programFolders, programsFolder, removeProgramFolder } from './program-folder.ts';

/** A program of this user that runs now. */
export interface RunningProgram {
  readonly about: ProgramDescription;
  readonly socket: string;
}

/** The longest time for an answer, ms. A program that was stopped (SIGSTOP) accepts a connection and never answers. */
const ANSWER_MS = 5_000;

const LARGEST_ANSWER = 64 * 1024 * 1024;

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
  { path, method = 'GET', body = '' }: { path: string; method?: 'GET' | 'POST'; body?: string },
  clock: Clock,
): Promise<PageAnswer> {
  const who = `${about.name} (pid ${about.pid})`;
  return new Promise((resolve, reject) => {
    const silent = new InformerError('transport', `${who} has not answered within ${ANSWER_MS / 1000}s`, {
      hint: `is it stopped, or is its hook a module that never lets other code run? kill -CONT ${about.pid} continues a stopped one`,
    });
    const timer = clock.after(ANSWER_MS, () => request.destroy(silent));
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const options = { socketPath: socket, path, method, headers, agent: false } as const;
    const request = builtin.http().request(options, (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > LARGEST_ANSWER) request.destroy(new Error('the answer is too large'));
        else chunks.push(chunk);
      });
      response.on('error', failed);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          type: response.headers['content-type'] ?? '',
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    const failed = (error: Error) =>
      reject(
        error === silent
          ? error
          : new InformerError('transport', `${who} has ended: ${messageOf(error)}`, { cause: error }),
      );
    request.on('close', () => timer.cancel());
    request.on('error', failed);
    request.end(body);
  });
}
