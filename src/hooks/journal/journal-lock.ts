import { unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import path from 'node:path';
import { InformerError } from '../../kit/error.ts';
import { LONGEST_SOCKET_PATH } from '../../kit/runtime-folder.ts';

/**
 * Claims a folder for this process until it is disposed. The claim is a socket that the process listens on, so the
 * system ends it with the process, however the process ends. Rejects with `argument` if another process of this machine
 * has the folder. Does not see a process on another machine that shares the folder.
 */
export async function lockFolder(folder: string): Promise<AsyncDisposable> {
  const place = socketPath(folder);
  let server = await listen(place);
  if (!server) {
    if (await isListenedOn(place)) throw inUse(folder);
    await unlink(place).catch(() => {}); // left by a process that was killed
    server = await listen(place);
  }
  if (!server) throw inUse(folder);
  const claimed = server;
  claimed.unref();
  return {
    [Symbol.asyncDispose]: () => new Promise((resolve) => claimed.close(() => resolve())),
  };
}

function socketPath(folder: string): string {
  if (process.platform === 'win32') return `\\\\.\\pipe\\kubectl-informer-${Buffer.from(folder).toString('hex')}`;
  const whole = path.join(folder, 'lock');
  const near = path.relative(process.cwd(), whole);
  const place = near.length < whole.length ? near : whole;
  if (Buffer.byteLength(place) <= LONGEST_SOCKET_PATH) return place;
  throw new InformerError('argument', `the path of the journal ${folder} is too long for its lock`, {
    hint: `name a folder with a shorter path, or start in a folder near it (at most ${LONGEST_SOCKET_PATH} bytes)`,
  });
}

/** Undefined if something is at the place already. Rejects with any other error. */
function listen(place: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(place, () => resolve(server));
  });
}

function isListenedOn(place: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(place);
    const end = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}

function inUse(folder: string): InformerError {
  return new InformerError('argument', `another process uses the journal ${folder}`, {
    hint: 'one journal is for one running reconcile: end the other one, or name another folder',
  });
}
