/** Splits a stream of bytes into lines. A line that is longer than the limit, in UTF-16 units, throws. */
export class Lines {
  readonly #decoder = new TextDecoder('utf-8');
  readonly #longest: number;
  #rest = '';

  constructor(longest: number) {
    this.#longest = longest;
  }

  /** The lines that are complete with these bytes. */
  add(bytes: Uint8Array): string[] {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split('\n');
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > this.#longest) throw new Error(`a line has more than ${this.#longest} characters`);
    return lines;
  }
}
