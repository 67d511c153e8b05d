import { Writable } from 'node:stream';
import { completionFor } from '../../src/cli/completion/complete.ts';
import { TextSink } from '../../src/cli/terminal/io.ts';
import { createCatalog } from '../../src/complete.ts';
import { OWN_CACHE } from './own-cache.ts';

const CATALOG = await createCatalog();
const nowhere = () => new TextSink(new Writable({ write: (_, __, done) => done() }));

/** What completion answers for a line whose last word is under the cursor, by the catalog of the sources. */
export async function completing(
  line: readonly string[],
  env: Readonly<Record<string, string>> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<{ values: string[]; abouts: string[]; directive: number; fault: unknown }> {
  const io = { stdout: nowhere(), stderr: nowhere(), env: { HOME: OWN_CACHE, XDG_CACHE_HOME: OWN_CACHE, ...env } };
  const { text, fault } = await completionFor(line, CATALOG, io, signal);
  const lines = text.split('\n').slice(0, -1);
  const directive = Number(lines.pop()?.slice(1));
  const parts = lines.map((each) => each.split('\t'));
  return {
    values: parts.map(([value = '']) => value),
    abouts: parts.map(([, about = '']) => about),
    directive,
    fault,
  };
}
