import { InformerError } from '../../kit/error.ts';
import type { Comparator, FilterCondition, JsonPathStep } from './ast.ts';

const COMPARATORS: readonly string[] = ['==', '!=', '<=', '>=', '<', '>'] satisfies Comparator[];

/** Throws `argument` for a fault in an expression, with the start of kubectl's message and the position in `text`. */
export function failAt(text: string, at: number, problem: string, hint = hintOf(problem)): never {
  throw new InformerError('argument', `error parsing jsonpath ${text}, ${problem} at position ${at}`, { hint });
}

const hintOf = (problem: string) =>
  problem.startsWith('unclosed') || problem.startsWith('unterminated')
    ? 'each { [ ( and quote needs its end, as in {.items[?(@.kind=="Pod")].metadata.name}'
    : 'for example {.metadata.name}, or {.spec.containers[0].image}';

/** Parses one path, from `start` to `end` or to the character that closes it. `at` is the position reached. */
export class PathParser {
  readonly #text: string;
  readonly #end: number;
  at: number;

  constructor(text: string, start: number, end: number) {
    this.#text = text;
    this.at = start;
    this.#end = end;
  }

  /** Parses a path without braces. The first name needs no dot. */
  bare(): JsonPathStep[] {
    this.#skipSpace();
    const steps: JsonPathStep[] = [];
    if (this.at < this.#end && !'.[@$'.includes(this.#peek())) this.#field(steps, false);
    this.#steps(steps, false, '');
    return steps;
  }

  /** Parses the inside of `{…}`, and the closing brace. */
  action(): JsonPathStep[] {
    const steps: JsonPathStep[] = [];
    this.#steps(steps, false, '}');
    this.at++;
    return steps;
  }

  #steps(steps: JsonPathStep[], inFilter: boolean, close: string): void {
    while (this.at < this.#end) {
      const c = this.#peek();
      if (c === close || (inFilter && ')!<>=&|'.includes(c))) return;
      if (c === '\n' || c === '\r') this.#fail('unclosed action');
      if (c === ' ' || c === '\t' || c === '@' || c === '$') this.at++;
      else this.#step(steps, c, inFilter);
    }
    if (close === '}') this.#fail('unclosed action');
  }

  #step(steps: JsonPathStep[], c: string, inFilter: boolean): void {
    if (this.#text.startsWith('..', this.at)) this.#recurse(steps, inFilter);
    else if (c === '.') {
      this.at++;
      this.#field(steps, inFilter);
    } else if (c === '[') this.#bracket(steps);
    else if (c === '"' || c === "'") steps.push({ kind: 'literal', value: unquote(this.#quoted()) });
    else if (/[-+\d]/.test(c)) steps.push({ kind: 'literal', value: this.#number() });
    else if (isWordStart(c)) this.#word(steps);
    else this.#fail(`unrecognized character in action: ${unicode(c)}`);
  }

  #recurse(steps: JsonPathStep[], inFilter: boolean): void {
    if (steps.at(-1)?.kind === 'recurse') this.#fail('invalid multiple recursive descent');
    steps.push({ kind: 'recurse' });
    this.at += 2;
    const next = this.#text[this.at] ?? '';
    if (next === '*' || isWordStart(next)) this.#field(steps, inFilter);
  }

  /** Parses a field name. A `\` makes the next character part of the name. An empty name adds no step. */
  #field(steps: JsonPathStep[], inFilter: boolean): void {
    const ends = inFilter ? ` \t\r\n.,[]$@{})!<>=&|` : ` \t\r\n.,[]$@{}`;
    const start = this.at;
    let name = '';
    while (this.at < this.#end && !ends.includes(this.#peek())) {
      if (this.#peek() === '\\') this.at++;
      name += this.#text[this.at++] ?? '';
    }
    if (this.#text.slice(start, this.at) === '*') steps.push({ kind: 'wildcard' });
    else if (name !== '') steps.push({ kind: 'field', name });
  }

  #word(steps: JsonPathStep[]): void {
    const word = /^[\p{L}\p{Nd}_]+/u.exec(this.#text.slice(this.at, this.#end))?.[0] as string;
    if (word !== 'true' && word !== 'false')
      this.#fail(`unrecognized identifier ${word}`, this.at, `did you mean .${word}?`);
    this.at += word.length;
    steps.push({ kind: 'literal', value: word === 'true' });
  }

  #number(): number | bigint {
    const text = /^[-+]?[\d.]*/.exec(this.#text.slice(this.at, this.#end))?.[0] as string;
    const value = Number(text);
    if (text === '' || Number.isNaN(value)) this.#fail(`cannot parse number ${text}`);
    this.at += text.length;
    return Number.isSafeInteger(value) || text.includes('.') ? value : BigInt(text);
  }

  /** Parses a quoted text, and the closing quote. Escapes are returned as written. */
  #quoted(): string {
    const start = this.at;
    const quote = this.#text[this.at++] as string;
    while (this.at < this.#end && this.#peek() !== quote && this.#peek() !== '\n')
      this.at += this.#peek() === '\\' ? 2 : 1;
    if (this.at >= this.#end || this.#peek() !== quote) this.#fail('unterminated quoted string', start);
    return this.#text.slice(start + 1, this.at++);
  }

  #bracket(steps: JsonPathStep[]): void {
    const start = this.at;
    if (this.#text.startsWith('[?(', start)) {
      this.#filter(steps);
      return;
    }
    if (ITEM.test(this.#text.slice(start, this.#end))) {
      steps.push(this.#item(start));
      return;
    }
    const members: JsonPathStep[][] = [];
    do {
      this.at++;
      members.push([this.#member(start)]);
    } while (this.#peek() === ',');
    this.at++;
    steps.push(members.length === 1 ? ((members[0] as JsonPathStep[])[0] as JsonPathStep) : { kind: 'union', members });
  }

  /** Parses `[name=value,…]`, and the closing bracket. */
  #item(bracket: number): JsonPathStep {
    const fields: [string, string][] = [];
    do {
      this.at++;
      this.#skipSpace();
      const equals = this.#text.indexOf('=', this.at);
      const name = this.#text.slice(this.at, equals);
      if (equals < 0 || !/^[A-Za-z_]\w*$/.test(name)) this.#fail(`expected name=value in [${name}`, this.at);
      this.at = equals + 1;
      fields.push([name, this.#itemValue(bracket)]);
    } while (this.#peek() === ',');
    if (this.#peek() !== ']') this.#fail('unterminated array', bracket);
    this.at++;
    return { kind: 'item', fields };
  }

  #itemValue(bracket: number): string {
    const c = this.#peek();
    if (c === '"' || c === "'") return this.#quoted().replace(/\\(.)/g, '$1');
    const start = this.at;
    while (this.at < this.#end && !',]\n'.includes(this.#peek())) this.at++;
    if (this.at >= this.#end) this.#fail('unterminated array', bracket);
    return this.#text.slice(start, this.at);
  }

  /** Parses one member of `[…]`, up to its comma or bracket. */
  #member(bracket: number): JsonPathStep {
    this.#skipSpace();
    const start = this.at;
    const c = this.#peek();
    const step = c === '"' || c === "'" ? this.#key() : this.#slice(bracket);
    this.#skipSpace();
    if (this.at < this.#end && this.#peek() !== ',' && this.#peek() !== ']') {
      this.#fail(`invalid array index ${this.#text.slice(start, this.at + 1)}`, start);
    }
    if (this.at >= this.#end) this.#fail('unterminated array', bracket);
    return step;
  }

  /** Parses a quoted key. In this dialect the key is a path: `['a.b']` is `.a.b`. `['']` is the empty key. */
  #key(): JsonPathStep {
    const start = this.at + 1;
    const raw = this.#quoted();
    if (raw === '') return { kind: 'field', name: '' };
    const path = new PathParser(this.#text, start, this.at - 1).bare();
    const literal = raw.replace(/\\(.)/g, '$1');
    const [only] = path;
    return path.length === 1 && only?.kind === 'field' && only.name === literal ? only : { kind: 'key', path, literal };
  }

  #slice(bracket: number): JsonPathStep {
    const start = this.at;
    while (this.at < this.#end && !',]\n'.includes(this.#peek())) this.at++;
    if (this.at >= this.#end || this.#peek() === '\n') this.#fail('unterminated array', bracket);
    const text = this.#text.slice(start, this.at).trimEnd();
    if (text === '*') return { kind: 'slice', step: 1, single: false };
    const found = /^(-?\d*)(?::(-?\d*))?(?::(-?\d*))?$/.exec(text);
    if (!found || found.includes('-')) this.#fail(`invalid array index ${text}`, start);
    return this.#sliceOf(found[1] as string, found[2], found[3], start);
  }

  #sliceOf(from: string, to: string | undefined, by: string | undefined, at: number): JsonPathStep {
    const start = from === '' ? undefined : Number(from);
    const step = by ? Number(by) : 1;
    if (step <= 0) this.#fail('step must be > 0', at);
    if (to === undefined) return { kind: 'slice', start: start ?? 0, step: 1, single: true };
    return {
      kind: 'slice',
      ...(start === undefined ? {} : { start }),
      ...(to === '' ? {} : { end: Number(to) }),
      step,
      single: false,
    };
  }

  #filter(steps: JsonPathStep[]): void {
    const start = this.at;
    this.at += '[?('.length;
    const anyOf: FilterCondition[][] = [[this.#condition(start)]];
    for (;;) {
      const operator = this.#text.slice(this.at, this.at + 2);
      if (operator !== '&&' && operator !== '||') break;
      this.at += 2;
      const condition = this.#condition(start);
      if (operator === '||') anyOf.push([condition]);
      else (anyOf.at(-1) as FilterCondition[]).push(condition);
    }
    if (this.at >= this.#end) this.#fail('unterminated filter', start);
    if (this.#peek() !== ')') this.#fail(`unrecognized character in action: ${unicode(this.#peek())}`);
    if (this.#text[++this.at] !== ']') this.#fail('unclosed array expect ]');
    this.at++;
    steps.push({ kind: 'filter', anyOf });
  }

  #condition(filterStart: number): FilterCondition {
    const left = this.#operand(filterStart);
    const operator = /^[!<>=]*~?/.exec(this.#text.slice(this.at, this.#end))?.[0] as string;
    if (operator === '') return { left };
    if (!isComparator(operator))
      this.#fail(`unrecognized filter operator ${operator}`, this.at, `use one of ${COMPARATORS.join(' ')}`);
    this.at += operator.length;
    return { left, comparator: operator, right: this.#operand(filterStart) };
  }

  #operand(filterStart: number): JsonPathStep[] {
    const start = this.at;
    const steps: JsonPathStep[] = [];
    this.#steps(steps, true, ')');
    if (this.at >= this.#end) this.#fail('unterminated filter', filterStart);
    if (this.#text.slice(start, this.at).trim() === '') this.#fail('empty operand in filter', start);
    return steps;
  }

  #peek(): string {
    return this.#text[this.at] ?? '';
  }

  #skipSpace(): void {
    while (this.at < this.#end && this.#peek() === ' ') this.at++;
  }

  #fail(problem: string, at = this.at, hint?: string): never {
    failAt(this.#text, Math.min(at, this.#text.length), problem, hint);
  }
}

/** The beginning of `[name=value]`. */
const ITEM = /^\[\s*[A-Za-z_]\w*=(?!=)/;

const isComparator = (text: string): text is Comparator => COMPARATORS.includes(text);
const isWordStart = (c: string) => /[\p{L}\p{Nd}_]/u.test(c);
const unicode = (c: string) => `U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')} '${c}'`;

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' };

/** Go's string escapes. Source: strconv.UnquoteChar. */
function unquote(raw: string): string {
  return raw.replace(/\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-7]{3}|.)/g, (_, code: string) => {
    if (/^[xuU]./.test(code)) return String.fromCodePoint(Math.min(Number.parseInt(code.slice(1), 16), 0x10ffff));
    if (/^[0-7]{3}$/.test(code)) return String.fromCharCode(Number.parseInt(code, 8));
    return ESCAPES[code] ?? code;
  });
}
