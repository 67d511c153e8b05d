import { scope } from '../../kit/abort.ts';
import type { Clock } from '../../kit/clock.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { jsonText } from '../../kit/exact-json.ts';
import { afterOwnTime } from '../../kit/own-time.ts';
import { safeJson } from '../escape.ts';
import type { JqLibrary } from './jq-library.ts';
import { CHARS_PER_MS, JqLimitError, MOST_MS } from './jq-limits.ts';

/** The limits of an expression that runs. */
export interface JqRun {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** A compiled jq expression. */
export interface Jq {
  /**
   * Applies the expression to JSON texts, one per line. Resolves with the results as compact JSON, one per line, or ''.
   * Rejects with an error with jq's message if it fails on one of them, with {@link JqLimitError} if it takes too long
   * or too much memory, and with the signal's reason.
   */
  results(lines: string, run: JqRun): Promise<string>;
  /** Whether it may read further inputs or stop early. Then pass texts that do not belong together one by one. */
  readonly readsOn: boolean;
}

/** Compiles an expression. Throws `argument` with jq's message if it cannot be parsed. */
export async function compileJq(expression: string, library: JqLibrary): Promise<Jq> {
  try {
    await run(library, expression, '');
  } catch (cause) {
    throw new InformerError(
      'argument',
      `error parsing jq expression ${JSON.stringify(expression)}: ${messageOf(cause)}`,
      {
        cause,
        hint: "for example -o jq='[.type, .key]'",
      },
    );
  }
  const guarded = `try (${expression}\n) catch {${JSON.stringify(FAILED)}: .}`;
  return {
    readsOn: /\b(inputs?|halt|halt_error)\b/.test(expression),
    async results(lines, { clock, signal }) {
      using limited = scope(signal);
      const limitMs = MOST_MS + Math.floor(lines.length / CHARS_PER_MS);
      using _limit = afterOwnTime(clock, limitMs, () => limited.abort(JqLimitError.ofTime(limitMs)));
      const results = await run(library, guarded, lines, limited.signal);
      if (results.includes(FAILED)) refuseFailed(results);
      return results;
    },
  };
}

/**
 * The key that marks the result of an input on which the expression failed. The library itself reports only the failure
 * of the last input, and writes the others to the console.
 */
const FAILED = 'kubectl-informer/jq-failed';

function refuseFailed(results: string): void {
  const line = results.split('\n').find((text) => text.startsWith(`{"${FAILED}":`));
  if (line === undefined) return; // the key is inside an object of the user
  const words = (JSON.parse(line) as Record<string, unknown>)[FAILED];
  throw new Error((typeof words === 'string' ? words : jsonText(words)).slice(0, LONGEST_WORDS));
}

async function run(library: JqLibrary, expression: string, lines: string, signal?: AbortSignal): Promise<string> {
  try {
    return await library.run(expression, lines, signal);
  } catch (error) {
    if (error instanceof JqLimitError || signal?.aborted) throw error;
    throw new Error(wordsOf(messageOf(error)), { cause: error });
  }
}

/** The message without positions in a file and a program that the user does not see. */
function wordsOf(stderr: string): string {
  const [first = 'failed'] = stderr.split('\n');
  return first
    .replace(/^jq: error:? /, '')
    .replace(/^\(at [^)]*\):? /, '')
    .replace(/ \(Unix shell quoting issues\?\)/, '')
    .replace(/ at <top-level>(, line 1:?)?/, '')
    .trim()
    .slice(0, LONGEST_WORDS);
}

/** The longest message, in characters: an expression may fail with a whole object as its message. */
const LONGEST_WORDS = 300;

/** The text, ended by a line end if there is any. */
export const endLine = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

/** The error of an expression that failed on `where`. */
export function jqFailure(cause: unknown, where: string): InformerError {
  return new InformerError('argument', `jq: error on ${where}: ${messageOf(cause)}`, {
    cause,
    hint:
      cause instanceof JqLimitError
        ? 'does the expression end for every input? -o json | jq has no limit'
        : 'check the expression against -o json; `?` and `//` handle missing fields',
  });
}

/**
 * The results for a whole answer of `-o json`, which `where` names in an error. With `terminal`, control sequences are
 * escaped. Rejects as {@link Jq} does, with `argument`.
 */
export async function jqAnswer(
  jq: Jq,
  json: string,
  where: string,
  { terminal = false, ...run }: JqRun & { readonly terminal?: boolean | undefined },
): Promise<string> {
  try {
    const text = endLine(await jq.results(json, run));
    return terminal ? safeJson(text) : text;
  } catch (cause) {
    throw run.signal?.aborted ? cause : jqFailure(cause, where);
  }
}
