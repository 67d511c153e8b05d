import { InformerError, messageOf } from '../../kit/error.ts';
import { jsonText } from '../../kit/exact-json.ts';
import type { Marker } from '../../stream/markers.ts';
import { safeJson } from '../escape.ts';
import type { PrintedEvent, PrintedObject, Printer } from '../printer.ts';
import type { JqLibrary } from './jq-library.ts';
import { JsonPrinter, type StructuredOptions } from './structured.ts';

/** A compiled jq expression. */
export interface Jq {
  /**
   * Applies the expression to JSON texts, one per line. Returns the results as compact JSON, one per line, or ''.
   * Throws an error with jq's message if it fails on one of them.
   */
  results(lines: string): string;
  /** Whether it may read further inputs or stop early. Then pass texts that do not belong together one by one. */
  readonly readsOn: boolean;
}

/** Compiles an expression. Throws `argument` with jq's message if it cannot be parsed. */
export function compileJq(expression: string, library: JqLibrary): Jq {
  try {
    run(library, expression, '');
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
    results(lines) {
      const results = run(library, guarded, lines);
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

function run(library: JqLibrary, expression: string, lines: string): string {
  try {
    return library.run(expression, lines);
  } catch (error) {
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

/** The most JSON in one call of jq, in characters. A call costs about 2 ms, an object about 0.1 ms. */
const BATCH_CHARS = 4 * 1024 * 1024;

/**
 * Applies a jq expression to the output of `-o json`: to each event of a stream, or to the whole answer. The results
 * are compact, one per line, as from `jq -c`. Throws `argument` with the name of the object if the expression fails.
 */
export class JqPrinter implements Printer {
  readonly #jq: Jq;
  readonly #single: boolean;
  readonly #safe: (text: string) => string;

  constructor(jq: Jq, { single = false, terminal = false }: StructuredOptions = {}) {
    this.#jq = jq;
    this.#single = single;
    this.#safe = terminal ? safeJson : (text) => text;
  }

  events(batch: readonly PrintedEvent[]): string {
    let out = '';
    for (const group of groupsOf(batch, this.#jq.readsOn ? 0 : BATCH_CHARS)) out += this.#eventGroup(group);
    return out;
  }

  marker(marker: Marker): string {
    try {
      return endLine(this.#safe(this.#jq.results(jsonText(marker))));
    } catch (cause) {
      throw failure(cause, `the marker ${marker.type}`);
    }
  }

  *objects(answer: Iterable<PrintedObject>): Iterable<string> {
    const list = new JsonPrinter({ single: this.#single }).objects(answer);
    try {
      yield endLine(this.#safe(this.#jq.results([...list].join(''))));
    } catch (cause) {
      throw failure(cause, this.#single ? 'the object' : 'the List');
    }
  }

  #eventGroup(group: readonly EventLine[]): string {
    try {
      return endLine(this.#safe(this.#jq.results(group.map(({ line }) => line).join('\n'))));
    } catch (cause) {
      const [only] = group;
      if (only && group.length === 1) throw failure(cause, `${only.kind} ${only.key}`);
      const half = group.length >> 1;
      // finds the event on which it fails
      return this.#eventGroup(group.slice(0, half)) + this.#eventGroup(group.slice(half));
    }
  }
}

interface EventLine {
  readonly line: string;
  readonly key: string;
  readonly kind: string;
}

function* groupsOf(batch: readonly PrintedEvent[], most: number): Iterable<EventLine[]> {
  let group: EventLine[] = [];
  let chars = 0;
  for (const { event, type } of batch) {
    const line = jsonText(event);
    if (chars > 0 && chars + line.length > most) {
      yield group;
      group = [];
      chars = 0;
    }
    group.push({ line, key: event.key, kind: type.kind });
    chars += line.length;
  }
  if (group.length > 0) yield group;
}

const endLine = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

function failure(cause: unknown, where: string): InformerError {
  return new InformerError('argument', `jq: error on ${where}: ${messageOf(cause)}`, {
    cause,
    hint: 'check the expression against -o json; `?` and `//` handle missing fields',
  });
}
