import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../kit/clock.ts';
import { keepFile } from '../kit/kept-file.ts';
import type { Client } from './client.ts';

export interface KeptAnswersOptions {
  /** This program's folder in the user's cache. */
  readonly folder: string;
  readonly server: string;
  readonly clock: Clock;
}

/** How long the list of documents is used without a question, ms. A document itself is named by its hash. */
const LIST_AGE_MS = 60_000;
/** How long the server may take to say which documents it has, if an older list is there, ms. */
const PATIENCE_MS = 400;

interface KeptAnswer {
  readonly path: string;
  readonly savedAt: number;
  readonly text: string;
}

/**
 * {@link Client.raw} for OpenAPI v3, with answers kept on disk, readable by their owner only. A document is used while
 * its address, which has its hash, stays the same. If the server cannot say which documents it has, the last list holds.
 */
export function keptAnswers(client: Client, { folder, server, clock }: KeptAnswersOptions): Client['raw'] {
  const place = path.join(folder, 'openapi', server.replace(/^https?:\/\//, '').replaceAll(/[^\w.-]/g, '_'));
  return async (asked, options) => {
    const name =
      asked
        .split('?', 1)[0]
        ?.slice(1)
        .replaceAll(/[^\w.-]/g, '_') ?? '';
    const file = path.join(place, `${name}.json`);
    const kept = await answerIn(file);
    const isHashed = asked.includes('hash=');
    const age = clock.now() - (kept?.savedAt ?? 0);
    if (kept?.path === asked && (isHashed || (age >= 0 && age < LIST_AGE_MS))) return kept.text;
    try {
      const text = await client.raw(
        asked,
        kept?.path === asked ? { ...options, signal: impatient(options?.signal) } : options,
      );
      await keepFile(file, JSON.stringify({ path: asked, savedAt: clock.now(), text })).catch(() => {}); // works without a cache, too
      return text;
    } catch (error) {
      if (kept?.path === asked) return kept.text;
      throw error;
    }
  };
}

const impatient = (signal: AbortSignal | undefined) =>
  AbortSignal.any([...(signal ? [signal] : []), AbortSignal.timeout(PATIENCE_MS)]);

async function answerIn(file: string): Promise<KeptAnswer | undefined> {
  try {
    const found = JSON.parse(await readFile(file, 'utf8')) as Partial<KeptAnswer> | null;
    return typeof found?.text === 'string' && typeof found.path === 'string' ? (found as KeptAnswer) : undefined;
  } catch {
    return undefined;
  }
}
