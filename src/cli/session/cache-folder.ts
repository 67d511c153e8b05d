import { homedir } from 'node:os';
import path from 'node:path';
import type { Io } from '../terminal/io.ts';
import type { ConnectionFlagValues } from './load-options.ts';

/** The folder in which this program keeps what it can do without: `--cache-dir`, else one in the user's cache folder. */
export function cacheFolderOf(flags: ConnectionFlagValues, { env }: Io): string {
  const base = env.XDG_CACHE_HOME || path.join(env.HOME ?? homedir(), '.cache');
  return flags['cache-dir'] ?? path.join(base, 'kubectl-informer');
}
