import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../kit/clock.ts';
import { messageOf } from '../kit/error.ts';
import { type Logger, silentLogger } from '../kit/logger.ts';
import type { DiscoverySnapshot } from './discovery-snapshot.ts';

/** Where snapshots are kept between runs. A store that cannot do its work says nothing and holds nothing: discovery works without one. */
export interface DiscoveryStore {
  load(): Promise<DiscoverySnapshot | undefined>;
  save(snapshot: DiscoverySnapshot): Promise<void>;
  clear(): Promise<void>;
}

/** Where and for how long a {@link diskDiscoveryStore} keeps things. */
export interface DiskDiscoveryStoreOptions {
  /** Our own directory in the user's cache; made with mode 0700. */
  directory: string;
  /** The server's URL: each has its own file. */
  server: string;
  clock: Clock;
  /** Default 6 h. Source: kubectl's discovery cache. */
  maxAgeMs?: number | undefined;
  logger?: Logger | undefined;
}

/** Changes when the form of the file does; a file of another form is not read. */
const FORM = 1;

interface StoredSnapshot {
  form: number;
  savedAt: number;
  snapshot: DiscoverySnapshot;
}

/** Keeps snapshots in a file a server, readable by its owner only. */
export function diskDiscoveryStore(options: DiskDiscoveryStoreOptions): DiscoveryStore {
  const { directory, server, clock, maxAgeMs = 6 * 3600_000, logger = silentLogger } = options;
  const file = path.join(directory, 'discovery', `${fileName(server)}.json`);
  const quietly = async <R>(what: string, run: () => Promise<R>): Promise<R | undefined> => {
    try {
      return await run();
    } catch (error) {
      logger.debug(`discovery cache: cannot ${what}`, { file, error: messageOf(error) });
      return undefined;
    }
  };
  return {
    async load() {
      const stored = await quietly('read', async () => JSON.parse(await readFile(file, 'utf8')) as StoredSnapshot);
      const age = clock.now() - (stored?.savedAt ?? 0);
      return stored?.form === FORM && age >= 0 && age < maxAgeMs ? stored.snapshot : undefined;
    },
    async save(snapshot) {
      await quietly('write', async () => {
        await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
        const draft = `${file}.${process.pid}`; // another process may read it at this moment
        const stored: StoredSnapshot = { form: FORM, savedAt: clock.now(), snapshot };
        await writeFile(draft, JSON.stringify(stored), { mode: 0o600 });
        await rename(draft, file);
      });
    },
    async clear() {
      await quietly('remove', () => rm(file, { force: true }));
    },
  };
}

function fileName(server: string): string {
  return server.replace(/^https?:\/\//, '').replaceAll(/[^\w.-]/g, '_');
}
