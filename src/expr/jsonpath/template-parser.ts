import type { JsonPathStep, Part } from './ast.ts';
import { failAt, PathParser } from './path-parser.ts';

/**
 * Parses kubectl's JSONPath dialect: a template of text and `{actions}`, or, if it has no brace, one bare expression
 * (`.metadata.name`, `metadata.name`). In addition to kubectl it accepts `&&` and `||` in filters, nested filters,
 * double-quoted keys, `..*`, and `[type=Ready]` for the items of a list with this field, as paths of changes are
 * written.
 *
 * Throws `argument` with the position of the fault. Source: client-go util/jsonpath, kubectl RelaxedJSONPathExpression.
 */
export function parseTemplate(text: string): Part[] {
  const relaxed = RELAXED.exec(text);
  if (relaxed && !KEYWORD.test(relaxed[1] as string)) return [print(new PathParser(text, 1, text.length - 1).bare())];
  if (!text.includes('{')) return [print(new PathParser(text, 0, text.length).bare())];
  return new TemplateParser(text).parse();
}

const RELAXED = /^\{([^{}]+)\}$/;
const KEYWORD = /^\s*(range|end|true|false)(\W|$)|^\s*['"+\d-]/;

const print = (path: JsonPathStep[]): Part => ({ kind: 'print', path });

/** Parses text, actions and ranges. A range without `{end}` reaches to the end of the template, as in kubectl. */
class TemplateParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): Part[] {
    const root: Part[] = [];
    const open: Part[][] = [root];
    while (this.#at < this.#text.length) {
      const parts = open.at(-1) as Part[];
      const brace = this.#text.indexOf('{', this.#at);
      const end = brace < 0 ? this.#text.length : brace;
      if (end > this.#at) parts.push({ kind: 'text', text: this.#text.slice(this.#at, end) });
      this.#at = end;
      if (brace >= 0) this.#action(parts, open);
    }
    return root;
  }

  #action(parts: Part[], open: Part[][]): void {
    const start = this.#at + 1;
    const word = /^ *(range|end)(?=[ .@$}[])/.exec(this.#text.slice(start, start + 64));
    const path = new PathParser(this.#text, start + (word?.[0].length ?? 0), this.#text.length);
    const steps = path.action();
    this.#at = path.at;
    if (word?.[1] === 'range') {
      const body: Part[] = [];
      parts.push({ kind: 'range', path: steps, body });
      open.push(body);
    } else if (word?.[1] === 'end') {
      if (open.length === 1) failAt(this.#text, start, 'not in range, nothing to end');
      open.pop();
    } else parts.push(textOf(steps) ?? print(steps));
  }
}

/** The literal text of an action such as `{"\n"}`; undefined for other actions. */
function textOf(steps: JsonPathStep[]): Part | undefined {
  const [only] = steps;
  if (steps.length !== 1 || only?.kind !== 'literal') return undefined;
  return { kind: 'text', text: String(only.value) };
}
