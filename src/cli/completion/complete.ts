import { appendFile } from 'node:fs/promises';
import { messageOf } from '../../kit/error.ts';
import type { Io } from '../terminal/io.ts';
import { quietNodeWarnings } from '../terminal/node-warnings.ts';
import type { Catalog, CatalogFlag } from './catalog.ts';
import { type Candidate, type Completions, completionText, NO_COMPLETIONS, offered } from './completions.ts';
import { type Cursor, readCursor } from './cursor.ts';
import { valueCompletions } from './flag-values.ts';
import { Inquiry } from './inquiry.ts';
import { wordCompletions } from './words.ts';

/** The longest time for an answer, ms. After it, the answer is what was found. */
const LIMIT_MS = 1_500;

/**
 * Answers what the last word of a line may become, for a shell: candidates and a directive in the form of cobra, which
 * kubectl reads. Writes nothing but that: where the cluster is away, or anything else fails, there are no candidates. The
 * reason goes to the file of BASH_COMP_DEBUG_FILE, if that is set. Ends the process, with exit code 0, after little more
 * than 1.5 s at the latest.
 */
export async function answerCompletion(
  argv: readonly string[],
  loadCatalog: () => Promise<Catalog>,
  io: Io,
): Promise<void> {
  quietNodeWarnings(() => {});
  process.on('uncaughtException', () => process.exit(0));
  const timer = new AbortController();
  setTimeout(() => timer.abort(new Error(`no answer within ${LIMIT_MS / 1000}s`)), LIMIT_MS);
  const { text, fault } = await completionFor(argv, await loadCatalog(), io, timer.signal);
  io.stdout.write(text);
  await io.stdout.drained();
  const file = io.env.BASH_COMP_DEBUG_FILE;
  if (fault !== undefined && file)
    await appendFile(file, `kubectl-informer completion: ${messageOf(fault)}\n`).catch(() => {});
  process.exit(0); // a login plugin may still run
}

/** The answer, and what has failed. Never rejects. */
export async function completionFor(
  argv: readonly string[],
  catalog: Catalog,
  io: Io,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly fault?: unknown }> {
  try {
    const cursor = readCursor(argv, catalog, io.env);
    const { typed } = cursor.at;
    const lead = cursor.at.is === 'value' ? cursor.at.lead : '';
    const { candidates, directive } = await completionsAt(cursor, catalog, new Inquiry(cursor, io, signal));
    const whole = candidates.map((each) => ({ ...each, value: `${lead}${each.value}` }));
    return { text: completionText({ candidates: whole, directive }, `${lead}${typed}`) };
  } catch (fault) {
    return { text: completionText(NO_COMPLETIONS, ''), fault };
  }
}

function completionsAt(cursor: Cursor, catalog: Catalog, inquiry: Inquiry): Promise<Completions> | Completions {
  const { at } = cursor;
  if (at.is === 'flag') return offered(flagCandidates(cursor));
  return at.is === 'value' ? valueCompletions(inquiry, at.flag, at.typed) : wordCompletions(inquiry, catalog, at.typed);
}

/** Flags that were not given yet, or may be given several times. */
function flagCandidates({ flags, line }: Cursor): Candidate[] {
  const isFree = ({ name, repeatable }: CatalogFlag) => repeatable || line.given.get(name)?.origin !== 'flag';
  const free = flags.filter((flag) => !flag.hidden && isFree(flag));
  const long = free.map(({ name, summary }) => ({ value: `--${name}`, about: summary }));
  const short = free.flatMap(({ char, summary }) => (char ? [{ value: `-${char}`, about: summary }] : []));
  return [...long, { value: '--help', about: 'show the help of the command' }, ...short];
}
