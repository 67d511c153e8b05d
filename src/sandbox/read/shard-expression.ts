/** A node of a shard selector, which has the syntax of CEL. Only what a shard selector can hold is distinguished. */
export type ShardNode =
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly ShardNode[] }
  /** A path of names: `object.metadata.uid`. */
  | { readonly kind: 'path'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'literal'; readonly type: string }
  | { readonly kind: 'list' }
  | { readonly kind: 'map' };

/** Thrown for a text that is no expression; the message is a CEL parser's. */
export class ShardSyntaxError extends Error {
  override readonly name = 'ShardSyntaxError';
}

interface Token {
  readonly kind: 'name' | 'text' | 'number' | 'sign' | 'end';
  readonly text: string;
}

const TOKEN = /\s*(?:([A-Za-z_]\w*)|("[^"]*"|'[^']*')|(\d[\w.]*)|(\|\||&&|[()[\]{}.,!:]|\S))/y;

/** The tokens that may begin an expression, as a CEL parser lists them. */
const BEGINNINGS =
  "'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER";

/** Parses a shard selector. Throws {@link ShardSyntaxError}. */
export function parseShardExpression(text: string): ShardNode {
  const parser = new Parser(tokensOf(text));
  const node = parser.either();
  const { kind, text: rest } = parser.next;
  if (kind !== 'end') throw new ShardSyntaxError(`extraneous input '${rest}' expecting <EOF>`);
  return node;
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(text); found; found = TOKEN.exec(text)) {
    const [, name, quoted, number, sign] = found;
    if (name !== undefined) tokens.push({ kind: 'name', text: name });
    else if (quoted !== undefined) tokens.push({ kind: 'text', text: quoted.slice(1, -1) });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else tokens.push({ kind: 'sign', text: sign as string });
  }
  return [...tokens, { kind: 'end', text: '<EOF>' }];
}

/** More nesting than any shard selector has. */
const MOST_LEVELS = 50;

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #level = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get next(): Token {
    return this.#tokens[this.#at] as Token;
  }

  either(): ShardNode {
    return this.#joined('||', () => this.#joined('&&', () => this.#unary()));
  }

  #joined(sign: string, operand: () => ShardNode): ShardNode {
    if (++this.#level > MOST_LEVELS) throw new ShardSyntaxError('expression recursion limit exceeded: 50');
    const args = [operand()];
    while (this.#take(sign)) args.push(operand());
    this.#level--;
    return args.length === 1 ? (args[0] as ShardNode) : { kind: 'call', name: `_${sign}_`, args };
  }

  #unary(): ShardNode {
    if (this.#take('!')) return { kind: 'call', name: '!_', args: [this.#unary()] };
    return this.#member();
  }

  /** A name, with the names, indexes and arguments after it. */
  #member(): ShardNode {
    let node = this.#primary();
    for (;;) {
      if (this.#take('.')) {
        const { text: name } = this.#expect('name', 'IDENTIFIER');
        if (this.#take('(')) node = { kind: 'call', name, args: this.#list(')') };
        else node = { kind: 'path', text: node.kind === 'path' ? `${node.text}.${name}` : name };
      } else if (this.#take('[')) {
        node = { kind: 'call', name: '_[_]', args: [node, ...this.#list(']')] };
      } else return node;
    }
  }

  #primary(): ShardNode {
    const { kind, text } = this.next;
    if (kind === 'end' || (kind === 'sign' && !'([{'.includes(text)))
      throw new ShardSyntaxError(`mismatched input '${text}' expecting {${BEGINNINGS}}`);
    this.#at++;
    if (kind === 'text') return { kind: 'text', text };
    if (kind === 'number') return { kind: 'literal', type: text.includes('.') ? 'float64' : 'int64' };
    if (kind === 'name') return this.#named(text);
    if (text === '(') {
      const inner = this.either();
      this.#expect('sign', "')'", ')');
      return inner;
    }
    this.#list(text === '[' ? ']' : '}');
    return { kind: text === '[' ? 'list' : 'map' };
  }

  #named(text: string): ShardNode {
    if (text === 'true' || text === 'false') return { kind: 'literal', type: 'bool' };
    if (text === 'null') return { kind: 'literal', type: 'structpb.NullValue' };
    return this.#take('(') ? { kind: 'call', name: text, args: this.#list(')') } : { kind: 'path', text };
  }

  /** Expressions between commas, up to the sign that ends them. */
  #list(end: string): ShardNode[] {
    const items: ShardNode[] = [];
    if (this.#take(end)) return items;
    if (this.next.kind === 'end') {
      const first = BEGINNINGS.replace("'(', ", `'(', '${end}', `);
      throw new ShardSyntaxError(`mismatched input '<EOF>' expecting {${first}}`);
    }
    do items.push(this.either());
    while (this.#take(',') || this.#take(':'));
    this.#expect('sign', `'${end}'`, end);
    return items;
  }

  #take(sign: string): boolean {
    const { kind, text } = this.next;
    if (kind !== 'sign' || text !== sign) return false;
    this.#at++;
    return true;
  }

  #expect(kind: Token['kind'], what: string, text?: string): Token {
    const token = this.next;
    if (token.kind !== kind || (text !== undefined && token.text !== text))
      throw new ShardSyntaxError(`mismatched input '${token.text}' expecting ${what}`);
    this.#at++;
    return token;
  }
}
