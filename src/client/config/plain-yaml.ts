interface Line {
  readonly indent: number;
  readonly text: string;
}

/** An empty line or a comment, without characters that a YAML reader refuses or takes for the end of a line. */
const BLANK = /^ *(?:#[^\p{Cc}\p{Zl}\p{Zp}]*)?$/u;
const LINE = /^( *)([!-~](?:[ -~]*[!-~])?)$/;
const ENTRY = /^([A-Za-z][\w-]*):(?: (.+))?$/;
/** A text without quotes. One that begins as a number does, as tokens may, has a letter that is in no number. */
const TEXT = /^(?:(?:--)?[A-Za-z/]|(?=.*[GHJ-MP-WYZghj-mp-wyz])[\d_-])(?:[\w./+=:@%~-]*[\w/+=-])?$/;
const QUOTED = /^"([^"\\]*)"$/;
/** Words that YAML may read as something else than a text. */
const WORD = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
/** The last column in which a map or a list may begin, which limits how deep they are nested. */
const MOST_COLUMNS = 64;

/** A text that is beyond {@link plainYaml}. */
class NotPlain extends Error {}

/**
 * The value of a YAML text as kubectl and installers write kubeconfigs: maps and lists in block style, words and quoted
 * texts. Undefined for a text with anything else in it, which a YAML library must read: that takes as long to load as
 * all that this program needs before its first request.
 */
export function plainYaml(text: string): unknown {
  const lines: Line[] = [];
  for (const each of text.split('\n')) {
    if (BLANK.test(each)) continue;
    const [, blank, rest] = LINE.exec(each) ?? [];
    if (blank === undefined || rest === undefined) return undefined;
    lines.push({ indent: blank.length, text: rest });
  }
  try {
    const reader = new Reader(lines);
    const value = reader.block(0);
    return reader.isAtEnd ? value : undefined;
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

class Reader {
  readonly #lines: Line[];
  #at = 0;

  constructor(lines: Line[]) {
    this.#lines = lines;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#lines.length;
  }

  /** The map or list whose lines begin at this column. */
  block(indent: number): unknown {
    if (indent > MOST_COLUMNS) throw new NotPlain();
    return this.#isItem(indent) ? this.#list(indent) : this.#map(indent);
  }

  #list(indent: number): unknown[] {
    const items: unknown[] = [];
    while (this.#isItem(indent)) {
      const text = this.#next.text.slice(2);
      if (ENTRY.test(text) || text.startsWith('- ')) {
        this.#lines[this.#at] = { indent: indent + 2, text };
        items.push(this.block(indent + 2));
      } else {
        items.push(scalar(text));
        this.#at++;
      }
    }
    return items;
  }

  #map(indent: number): Record<string, unknown> {
    const map: Record<string, unknown> = {};
    do {
      const [, key, value] = (this.#next?.indent === indent && ENTRY.exec(this.#next.text)) || [];
      if (key === undefined || WORD.test(key)) throw new NotPlain();
      this.#at++;
      map[key] = value === undefined ? this.#under(indent) : scalar(value);
    } while (this.#next?.indent === indent && !this.#isItem(indent));
    return map;
  }

  /** The value below a key at this column: a list may begin at the same one. */
  #under(indent: number): unknown {
    if (this.#isItem(indent)) return this.#list(indent);
    return this.#next && this.#next.indent > indent ? this.block(this.#next.indent) : null;
  }

  get #next(): Line {
    return this.#lines[this.#at] as Line;
  }

  #isItem(indent: number): boolean {
    return this.#next?.indent === indent && this.#next.text.startsWith('- ');
  }
}

function scalar(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === '{}') return {};
  if (text === '[]') return [];
  const value = QUOTED.exec(text)?.[1] ?? (TEXT.test(text) && !WORD.test(text) ? text : undefined);
  if (value === undefined) throw new NotPlain();
  return value;
}
