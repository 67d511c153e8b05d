import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../kit/clock.ts';
import { messageOf } from '../../kit/error.ts';
import { keepFile } from '../../kit/kept-file.ts';
import { defaultLogger, type Logger } from '../../kit/logger.ts';
import { parseOrNone } from '../decode/object-decoder.ts';
import type { DiscoverySnapshot } from './discovery-snapshot.ts';

/**
 * Keeps snapshots between runs. Its methods never reject: a store that cannot read or write holds nothing, and
 * discovery works without one.
 */
export interface DiscoveryStore {
  load(): Promise<DiscoverySnapshot | undefined>;
  save(snapshot: DiscoverySnapshot): Promise<void>;
  clear(): Promise<void>;
}

/** Settings of a {@link diskDiscoveryStore}. */
export interface DiskDiscoveryStoreOptions {
  /** This program's folder in the user's cache. It is created with mode 0700. */
  directory: string;
  /** The URL of the server. Each server has its own file. */
  server: string;
  clock: Clock;
  /** Maximum age of a snapshot, ms. Default 6 h. Source: kubectl's discovery cache. */
  maxAgeMs?: number | undefined;
  logger?: Logger | undefined;
  /** Called with a text that names the file if it is damaged. The server is asked again then. */
  onDamaged?: ((text: string) => void) | undefined;
}

/** The version of the file format. A file with another version is ignored. */
const FORM = 1;

interface StoredSnapshot {
  form: number;
  savedAt: number;
  snapshot: DiscoverySnapshot;
}

/** A store with one file for each server, readable by its owner only. */
export function diskDiscoveryStore(options: DiskDiscoveryStoreOptions): DiscoveryStore {
  const { directory, server, clock, maxAgeMs = 6 * 3600_000, logger = defaultLogger, onDamaged = () => {} } = options;
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
      const text = await quietly('read', () => readFile(file, 'utf8'));
      const stored = text === undefined ? undefined : parseOrNone<StoredSnapshot | null>(text);
      if (text !== undefined && (stored === undefined || (stored?.form === FORM && !isSnapshot(stored.snapshot)))) {
        onDamaged(`the discovery cache ${file} is damaged; the server is asked again`);
        return undefined;
      }
      const age = clock.now() - (stored?.savedAt ?? 0);
      return stored?.form === FORM && age >= 0 && age < maxAgeMs ? stored.snapshot : undefined;
    },
    async save(snapshot) {
      await quietly('write', async () => {
        const stored: StoredSnapshot = { form: FORM, savedAt: clock.now(), snapshot };
        await keepFile(file, JSON.stringify(stored));
      });
    },
    async clear() {
      await quietly('remove', () => rm(file, { force: true }));
    },
  };
}

function isSnapshot(value: unknown): value is DiscoverySnapshot {
  const { types, failures } = (value ?? {}) as { types?: unknown; failures?: unknown };
  return Array.isArray(types) && types.every(isType) && Array.isArray(failures);
}

function isType(value: unknown): boolean {
  const { gvr, kind, singular, ...lists } = (value ?? {}) as Record<string, unknown>;
  const texts = [
    kind,
    singular,
    ...['group', 'version', 'resource'].map((field) => (gvr as Record<string, unknown> | undefined)?.[field]),
  ];
  return (
    texts.every((text) => typeof text === 'string') &&
    ['shortNames', 'categories', 'verbs', 'subresources'].every((name) => isTexts(lists[name]))
  );
}

const isTexts = (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === 'string');

function fileName(server: string): string {
  return server.replace(/^https?:\/\//, '').replaceAll(/[^\w.-]/g, '_');
}
