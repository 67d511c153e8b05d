import { StringDecoder } from 'node:string_decoder';

/** The most of a line that is shown, in UTF-16 units. */
export const LONGEST_LINE = 16 * 1024;

export interface LineReaderOptions {
  /** Called with each line, without its end. */
  onLine(line: string): void;
  /** The most of a line that is kept, by its first character that is not blank. Default: {@link LONGEST_LINE}. */
  mostOf?: ((first: string) => number) | undefined;
}

/** Reads bytes line by line. The last line needs no end. Of a line that is too long only the beginning is kept. */
export class LineReader {
  readonly #options: LineReaderOptions;
  readonly #decoder = new StringDecoder('utf8');
  #pieces: string[] = [];
  #length = 0;
  #most: number | undefined;
  #cut = 0;

  constructor(options: LineReaderOptions) {
    this.#options = options;
  }

  /** Whether the line that is being read is too long already. */
  get isCut(): boolean {
    return this.#cut > 0;
  }

  push(chunk: Buffer): void {
    this.#read(this.#decoder.write(chunk));
  }

  /** Reads what has no line end. */
  end(): void {
    this.#read(this.#decoder.end());
    if (this.#length > 0) this.#emit();
  }

  #read(text: string): void {
    for (let from = 0; ; ) {
      const end = text.indexOf('\n', from);
      this.#extend(end < 0 ? text.slice(from) : text.slice(from, end));
      if (end < 0) return;
      this.#emit();
      from = end + 1;
    }
  }

  #extend(piece: string): void {
    if (piece === '') return;
    const { mostOf = () => LONGEST_LINE } = this.#options;
    const first = this.#most === undefined ? /\S/.exec(piece)?.[0] : undefined;
    if (first !== undefined) this.#most = mostOf(first);
    const room = (this.#most ?? LONGEST_LINE) - this.#length;
    const kept = piece.length <= room ? piece : piece.slice(0, Math.max(0, room));
    if (kept !== '') this.#pieces.push(kept);
    this.#length += kept.length;
    this.#cut += piece.length - kept.length;
  }

  #emit(): void {
    const text = this.#pieces.join('');
    const cut = this.#cut;
    this.#pieces = [];
    this.#length = 0;
    this.#most = undefined;
    this.#cut = 0;
    this.#options.onLine(cut === 0 ? text.replace(/\r$/, '') : `${text}… (${cut} more characters)`);
  }
}
