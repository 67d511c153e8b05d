import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import {
  isLeftOver,
  isPipe,
  type RuntimeEnvironment,
  runtimeFolder,
  socketIn,
  unfinishedFolder,
} from '../kit/runtime-folder.ts';
import { ABOUT, aboutIn, SERVES, type ServeAbout } from './about.ts';
import { isListening } from './client/listening.ts';
import type { ServeIdentity } from './folder-key.ts';
import { withPlaceLock } from './place-lock.ts';

/** The socket of a serve. Disposal stops to listen and removes it. */
export interface ServeSocket extends AsyncDisposable {
  readonly path: string;
  /** Removes it at once, when there is no time to wait. */
  removeNow(): void;
}

export interface ServePlaceOptions {
  readonly identity: ServeIdentity;
  readonly about: ServeAbout;
  readonly env: RuntimeEnvironment;
  readonly clock: Clock;
  /** Listens on a path; disposal ends it. */
  listen(socket: string): Promise<AsyncDisposable>;
}

/**
 * Opens the socket of an identity, on which commands of the same user find the serve. It is listening before they see
 * it. Only this user can open it (mode 0600 in folders of mode 0700). What a killed serve left behind is removed. Of
 * two that start at once exactly one wins. Rejects with `config` for the other, naming the one that runs, and if there
 * is no place that only this user can write.
 */
export async function openServeSocket({
  identity,
  about,
  env,
  clock,
  listen,
}: ServePlaceOptions): Promise<ServeSocket> {
  const serves = runtimeFolder(env, SERVES);
  removeLeftOvers(serves);
  const folder = path.join(serves, identity.key);
  const unfinished = unfinishedFolder(serves, randomBytes(3).toString('hex'));
  const isWindows = isPipe(socketIn(folder));
  mkdirSync(unfinished, { mode: 0o700 });
  let listener: AsyncDisposable | undefined;
  try {
    // a pipe of Windows cannot be moved, but ends with its process
    if (!isWindows) {
      listener = await listen(socketIn(unfinished));
      chmodSync(socketIn(unfinished), 0o600);
    }
    writeFileSync(path.join(unfinished, ABOUT), `${JSON.stringify(about)}\n`, { mode: 0o600 });
    listener = await withPlaceLock(serves, clock, async () => {
      await refuseRunning(folder, identity);
      rmSync(folder, { recursive: true, force: true });
      const own = listener ?? (await listen(socketIn(folder)));
      renameSync(unfinished, folder); // the socket moves with it
      return own;
    });
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    await listener?.[Symbol.asyncDispose]();
    throw error;
  }
  return socketOf(folder, about.pid, listener);
}

/** Removes the folder of a serve that does not listen any more. False if one does. */
export async function removeStale(folder: string, clock: Clock): Promise<boolean> {
  return withPlaceLock(path.dirname(folder), clock, async () => {
    if (await isListening(socketIn(folder))) return false;
    rmSync(folder, { recursive: true, force: true });
    return true;
  });
}

function socketOf(folder: string, pid: number, listener: AsyncDisposable): ServeSocket {
  // another serve may have taken the place of one that was taken for dead
  const removeNow = () => {
    if (aboutIn(folder)?.pid === pid) rmSync(folder, { recursive: true, force: true });
  };
  return {
    path: socketIn(folder),
    removeNow,
    async [Symbol.asyncDispose]() {
      removeNow();
      await listener[Symbol.asyncDispose]();
    },
  };
}

async function refuseRunning(folder: string, { server, user }: ServeIdentity): Promise<void> {
  const isRunning = existsSync(folder) || isPipe(socketIn(folder)) ? await isListening(socketIn(folder)) : false;
  if (!isRunning) return;
  const pid = aboutIn(folder)?.pid;
  const who = pid === undefined ? '' : ` (pid ${pid})`;
  const whom = user === undefined ? '' : ` as ${JSON.stringify(user)}`;
  throw new InformerError('config', `a serve${who} runs already for ${server}${whom}`, {
    hint: "'serve status' describes it, 'serve stop' ends it",
  });
}

/** Folders whose programs ended before they answered. */
function removeLeftOvers(serves: string): void {
  for (const name of readdirSync(serves))
    if (isLeftOver(name)) rmSync(path.join(serves, name), { recursive: true, force: true });
}
