import { InformerError } from '../kit/error.ts';

/** The operators of a label selector. `exists` and `!` have no values. */
export type LabelOperator = 'exists' | '!' | '=' | '!=' | 'in' | 'notin' | '>' | '<';

/** One requirement of a label selector. An object must meet all of them. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** The operators that an object without the label satisfies. */
const EXCLUDING: readonly LabelOperator[] = ['!', '!=', 'notin'];

/** A parsed label selector. Immutable. `everything` has no requirement; `nothing` matches no object. */
export class LabelSelector {
  static readonly everything = new LabelSelector([], false);
  static readonly nothing = new LabelSelector([], true);

  readonly requirements: readonly LabelRequirement[];
  readonly matchesNothing: boolean;

  private constructor(requirements: readonly LabelRequirement[], matchesNothing: boolean) {
    this.requirements = requirements;
    this.matchesNothing = matchesNothing;
  }

  /**
   * Parses kubectl's `-l` grammar: `a=b`, `a==b`, `a!=b`, `a in (x,y)`, `a notin (x)`, `a`, `!a`, `a>1`, `a<2`, joined
   * by commas. Throws `argument` with the API server's wording. Source: apimachinery pkg/labels/selector.go.
   */
  static parse(text: string): LabelSelector {
    const requirements = new Parser(lex(text)).parse();
    return requirements.length === 0 ? LabelSelector.everything : new LabelSelector(requirements, false);
  }

  static of(requirements: readonly LabelRequirement[]): LabelSelector {
    return requirements.length === 0 ? LabelSelector.everything : new LabelSelector(requirements, false);
  }

  get matchesEverything(): boolean {
    return !this.matchesNothing && this.requirements.length === 0;
  }

  /**
   * Whether only objects with a certain label match. False for `!a`, `a!=b` and `a notin (b)`, which also match objects
   * without labels.
   */
  get restricts(): boolean {
    return this.matchesNothing || this.requirements.some(({ operator }) => !EXCLUDING.includes(operator));
  }

  matches(labels: Readonly<Record<string, string>> | undefined): boolean {
    if (this.matchesNothing) return false;
    for (const requirement of this.requirements) if (!requirementMatches(requirement, labels)) return false;
    return true;
  }

  toString(): string {
    return this.requirements.map(formatRequirement).join(',');
  }
}

/** An absent key satisfies `!=`, `notin` and `!` only. */
function requirementMatches(
  { key, operator, values }: LabelRequirement,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  const value = labels && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value);
    case '=':
    case 'in':
      return value !== undefined && values.includes(value);
    case '>':
      return value !== undefined && /^-?\d+$/.test(value) && BigInt(value) > BigInt(values[0] as string);
    case '<':
      return value !== undefined && /^-?\d+$/.test(value) && BigInt(value) < BigInt(values[0] as string);
  }
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  if (operator === 'exists') return key;
  if (operator === '!') return `!${key}`;
  if (operator === 'in' || operator === 'notin') return `${key} ${operator} (${[...values].sort().join(',')})`;
  return `${key}${operator}${values[0]}`;
}

interface Token {
  readonly kind: 'word' | 'symbol' | 'end';
  readonly text: string;
}

const SYMBOLS = ['==', '!=', '=', '!', '(', ')', ',', '>', '<'];
const SPECIAL = '=!(),><';
const END: Token = { kind: 'end', text: '' };

function lex(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    if (/\s/.test(text[at] as string)) {
      at++;
      continue;
    }
    const symbol = SYMBOLS.find((s) => text.startsWith(s, at));
    let end = at;
    if (symbol) end += symbol.length;
    else while (end < text.length && !SPECIAL.includes(text[end] as string) && !/\s/.test(text[end] as string)) end++;
    tokens.push({ kind: symbol ? 'symbol' : 'word', text: text.slice(at, end) });
    at = end;
  }
  return tokens;
}

function bad(message: string): never {
  throw new InformerError('argument', message, {
    hint: "a label selector looks like 'app=web,tier!=db,env in (a,b),!legacy'",
  });
}

const OPERATORS = 'in, notin, =, ==, !=, gt, lt';

class Parser {
  readonly #tokens: Token[];
  #at = 0;

  constructor(tokens: Token[]) {
    this.#tokens = tokens;
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    let token = this.#peek();
    if (token.kind === 'end') return requirements;
    if (token.kind !== 'word' && token.text !== '!')
      bad(`found '${token.text}', expected: !, identifier, or 'end of string'`);
    for (;;) {
      requirements.push(this.#requirement());
      token = this.#next();
      if (token.kind === 'end') return requirements;
      if (token.text !== ',' || token.kind !== 'symbol') bad(`found '${token.text}', expected: ',' or 'end of string'`);
      const after = this.#peek();
      if (after.kind !== 'word' && after.text !== '!') bad(`found '${after.text}', expected: identifier after ','`);
    }
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? END;
  }

  #next(): Token {
    return this.#tokens[this.#at++] ?? END;
  }

  #is(symbol: string): boolean {
    const token = this.#peek();
    return token.kind === 'symbol' && token.text === symbol;
  }

  #fail(message: string): never {
    bad(`unable to parse requirement: ${message}`);
  }

  #requirement(): LabelRequirement {
    const negated = this.#is('!');
    if (negated) this.#next();
    const key = this.#next();
    if (key.kind !== 'word') this.#fail(`found '${key.text}', expected: identifier`);
    checkKey(key.text);
    if (this.#is(',') || this.#peek().kind === 'end')
      return { key: key.text, operator: negated ? '!' : 'exists', values: [] };
    const operator = this.#next();
    switch (operator.text) {
      case 'in':
      case 'notin':
        return { key: key.text, operator: operator.text, values: this.#set() };
      case '=':
      case '==':
        return { key: key.text, operator: '=', values: [this.#value()] };
      case '!=':
        return { key: key.text, operator: '!=', values: [this.#value()] };
      case '>':
      case '<': {
        const value = this.#value();
        if (!/^-?\d+$/.test(value))
          this.#fail(`values[0]: Invalid value: "${value}": for 'Gt', 'Lt' operators, the value must be an integer`);
        return { key: key.text, operator: operator.text, values: [value] };
      }
      default:
        return this.#fail(`found '${operator.text}', expected: ${OPERATORS}`);
    }
  }

  #value(): string {
    if (this.#is(',') || this.#peek().kind === 'end') return '';
    const token = this.#next();
    if (token.kind !== 'word') this.#fail(`found '${token.text}', expected: identifier`);
    return checkValue(token.text);
  }

  #set(): string[] {
    const open = this.#next();
    if (open.text !== '(' || open.kind !== 'symbol') this.#fail(`found '${open.text}' expected: '('`);
    const values = new Set<string>();
    let wanted = true; // a value is allowed here; an empty one between commas counts as ''
    for (;;) {
      const token = this.#next();
      if (token.kind === 'word') {
        if (!wanted) this.#fail(`found '${token.text}', expected: ',' or ')'`);
        values.add(checkValue(token.text));
        wanted = false;
      } else if (token.kind === 'symbol' && token.text === ',') {
        if (wanted) values.add('');
        wanted = true;
      } else if (token.kind === 'symbol' && token.text === ')') {
        if (wanted && values.size > 0) values.add('');
        if (values.size === 0) values.add(''); // () means the empty value, as on the server
        return [...values];
      } else {
        this.#fail(`found '${token.text}', expected: ',', ')' or identifier`);
      }
    }
  }
}

const NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const PREFIX = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Source: apimachinery util/validation IsQualifiedName. */
function checkKey(key: string): void {
  const parts = key.split('/');
  const name = parts.at(-1) as string;
  const valid =
    parts.length <= 2 &&
    NAME.test(name) &&
    name.length <= 63 &&
    (parts.length === 1 || PREFIX.test(parts[0] as string));
  if (!valid)
    bad(
      `unable to parse requirement: <nil>: Invalid value: "${key}": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    );
}

/** Source: apimachinery util/validation IsValidLabelValue. */
function checkValue(value: string): string {
  if (value !== '' && (value.length > 63 || !NAME.test(value))) {
    bad(
      `unable to parse requirement: values[0]: Invalid value: "${value}": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    );
  }
  return value;
}
