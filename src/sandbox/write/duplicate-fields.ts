/**
 * The paths of the duplicate fields of a JSON text, such as `spec.containers[0].name`, in their order. The text must be
 * valid JSON.
 * Source: sigs.k8s.io/json UnmarshalStrict, which reports duplicates by these paths.
 */
export function duplicateFields(text: string): string[] {
  const scan = new Scan(text);
  scan.value('');
  return scan.found;
}

class Scan {
  readonly found: string[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(path: string): void {
    this.#space();
    const first = this.#text[this.#at];
    if (first === '{') this.#members(path);
    else if (first === '[') this.#items(path);
    else if (first === '"') this.#string();
    else this.#skip(LITERAL);
  }

  #members(path: string): void {
    const seen = new Set<string>();
    this.#each('}', () => {
      const name = JSON.parse(this.#string()) as string;
      const at = path === '' ? name : `${path}.${name}`;
      if (seen.has(name)) this.found.push(at);
      seen.add(name);
      this.#space();
      this.#at++; // the colon
      this.value(at);
    });
  }

  #items(path: string): void {
    let i = 0;
    this.#each(']', () => this.value(`${path}[${i++}]`));
  }

  /** Calls `part` at each part between an opening bracket and `end`. */
  #each(end: string, part: () => void): void {
    this.#at++;
    this.#space();
    while (this.#at < this.#text.length && this.#text[this.#at] !== end) {
      part();
      this.#space();
      if (this.#text[this.#at] === ',') this.#at++;
      this.#space();
    }
    this.#at++;
  }

  /** Reads a string, with its quotes. */
  #string(): string {
    const start = this.#at;
    this.#skip(STRING);
    return this.#text.slice(start, this.#at);
  }

  #space(): void {
    this.#skip(SPACE);
  }

  #skip(pattern: RegExp): void {
    pattern.lastIndex = this.#at;
    if (pattern.test(this.#text)) this.#at = pattern.lastIndex;
  }
}

const SPACE = /\s*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const LITERAL = /[^\s,\]}]+/y;
