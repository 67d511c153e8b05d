import { InformerError } from '../../kit/error.ts';
import { parseJson } from '../../kit/exact-json.ts';
import { LineReader, LONGEST_LINE } from './line-reader.ts';

export interface ReplyReaderOptions {
  /** Called with each line beside the reply, as soon as it cannot be the reply. Blank lines are left out. */
  onLine(line: string): void;
  /** Called once, with the first line that looks like a reply and is not the last line. */
  onLostReply?: ((line: string) => void) | undefined;
}

/**
 * Separates the stdout of one run of a hook into its reply and the lines beside it.
 *
 * The reply is the last line, or else the whole output, if it is a JSON object. A line that begins with `{` is kept
 * back until the next one shows that it is not the last. If the output begins with a JSON object that does not end on
 * its first line, all of it is kept back. Every other line is passed on at once.
 */
export class ReplyReader {
  readonly #options: ReplyReaderOptions;
  readonly #reader: LineReader;
  #hasBegun = false;
  /** The lines so far, if the whole output may be the reply. */
  #whole: string[] | undefined;
  #held: string | undefined;
  #last = '';
  #reply: object | undefined;
  #hasLost = false;

  constructor(options: ReplyReaderOptions) {
    this.#options = options;
    this.#reader = new LineReader({
      onLine: (line) => this.#line(line),
      mostOf: (first) => (first === '{' || this.#whole ? Number.POSITIVE_INFINITY : LONGEST_LINE),
    });
  }

  push(chunk: Buffer): void {
    this.#reader.push(chunk);
  }

  /** The output is complete: the lines that are no reply are passed on. */
  end(): void {
    this.#reader.end();
    if (this.#whole) this.#endWhole(this.#whole);
    else if (this.#held !== undefined) {
      this.#reply = parseObject(this.#held);
      if (!this.#reply) this.#options.onLine(this.#held);
    }
  }

  /**
   * The reply; undefined if there is none. Throws `hook` if the last line looks like JSON but cannot be parsed, so that
   * a reply that is cut or spread over several lines is not silently lost.
   */
  reply(): object | undefined {
    if (this.#reply || !(this.#last.startsWith('{') || this.#last === '}')) return this.#reply;
    throw new InformerError('hook', `the hook's reply is not one line of JSON: ${this.#last.slice(0, 200)}`, {
      hint: 'print it on the last line by itself, as jq -c does',
    });
  }

  #line(line: string): void {
    const text = line.trim();
    if (text !== '') this.#last = text;
    if (this.#whole) this.#whole.push(line);
    else if (text === '') return;
    else if (text.startsWith('{')) this.#object(line, text);
    else {
      this.#release();
      this.#options.onLine(line);
    }
    this.#hasBegun = true;
  }

  #object(line: string, text: string): void {
    this.#release();
    if (!this.#hasBegun && parseObject(text) === undefined) this.#whole = [line];
    else this.#held = line;
  }

  /** Passes on the line that was kept back: another one follows it. */
  #release(): void {
    const line = this.#held;
    this.#held = undefined;
    if (line === undefined) return;
    this.#options.onLine(line);
    if (this.#hasLost || !LOOKS_LIKE_REPLY.test(line)) return;
    this.#hasLost = true;
    this.#options.onLostReply?.(line);
  }

  #endWhole(lines: readonly string[]): void {
    this.#reply = parseObject(lines.join('\n').trim());
    if (this.#reply) return;
    const shown = lines.filter((line) => line.trim() !== '');
    this.#reply = shown.length > 1 ? parseObject(this.#last) : undefined;
    for (const line of this.#reply ? shown.slice(0, -1) : shown) this.#options.onLine(line);
  }
}

const LOOKS_LIKE_REPLY = /^\s*\{\s*"(actions|requeueAfter|requeueAfterMs)"\s*:/;

/** The JSON object that a text is; undefined for any other text. */
export function parseObject(text: string): object | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return parseJson(text) as object;
  } catch {
    return undefined;
  }
}
