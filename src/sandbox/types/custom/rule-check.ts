import type { ASTNode } from '@marcbachmann/cel-js';
import { resultOfCall } from './rule-functions.ts';
import { BOOL, commonType, DYN, INT, listTypeOf, mapTypeOf, type RuleType, STRING, typeText } from './rule-types.ts';

/** A mistake in a rule, at an offset of its text. */
export interface RuleMistake {
  readonly at: number;
  readonly words: string;
}

type Node<Op extends ASTNode['op']> = Extract<ASTNode, { op: Op }>;
type Variables = Readonly<Record<string, RuleType>>;

/** The names of types and of groups of functions. Nothing is known of their values. */
const NAMES = new Set(
  `bool int uint double string bytes list map type null_type optional_type google kubernetes net
  optional sets lists strings format ip cel math base64 jsonpatch`.split(/\s+/),
);

/** The groups whose functions have names of their own: `sets.contains` is not the `contains` of a string. */
const GROUPS = new Set(['optional', 'sets', 'lists', 'strings', 'format', 'ip', 'cel', 'math', 'base64', 'jsonpatch']);

const ORDERED = new Set(['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration']);
const NUMBERS = new Set(['int', 'uint', 'double']);
const WITHOUT_FIELDS = new Set(['bool', 'int', 'uint', 'double', 'string', 'bytes', 'list']);

/**
 * Checks a rule against the types of its variables, as far as they are known: a part whose type is not known is never
 * a mistake. The words and the places are those of the server. Source: cel-go checker.
 */
export class RuleCheck {
  readonly mistakes: RuleMistake[] = [];
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  typeOf(node: ASTNode, scope: Variables): RuleType {
    switch (node.op) {
      case 'value':
        return typeOfLiteral(node.args);
      case 'id':
        return this.#name(node, scope);
      case '.':
        return this.#field(node, scope, this.#dot(node));
      case '.?':
        this.#field(node, scope, this.#dot(node));
        return DYN;
      case '[]':
        return this.#index(node, scope);
      case '[?]':
        for (const part of node.args) this.typeOf(part, scope);
        return DYN;
      case 'call':
        return this.#call(node, scope);
      case 'rcall':
        return this.#memberCall(node, scope);
      case 'list':
        return listTypeOf(this.#items(node.args, scope));
      case 'map':
        return mapTypeOf(
          this.#items(
            node.args.map(([key]) => key),
            scope,
          ),
          this.#items(
            node.args.map(([, value]) => value),
            scope,
          ),
        );
      case '?:':
        return this.#choice(node, scope);
      case '&&':
      case '||':
        for (const part of node.args) this.#expectBool(part, scope);
        return BOOL;
      case '!_':
      case '-_':
        return this.#unary(node, scope);
      default:
        return this.#binary(node, scope);
    }
  }

  #mistake(at: number, words: string): RuleType {
    this.mistakes.push({ at, words });
    return DYN;
  }

  #mismatch(at: number, operation: string, applied: string): RuleType {
    return this.#mistake(at, `found no matching overload for '${operation}' applied to '${applied}'`);
  }

  #name({ args: name, start }: Node<'id'>, scope: Variables): RuleType {
    if (Object.hasOwn(scope, name)) return scope[name] as RuleType;
    return NAMES.has(name) ? DYN : this.#mistake(start, `undeclared reference to '${name}' (in container '')`);
  }

  #field({ args: [of, name] }: Node<'.' | '.?'>, scope: Variables, at: number): RuleType {
    const type = this.typeOf(of, scope);
    if (type.kind === 'map') return type.of;
    if (type.kind === 'object') return type.field(name) ?? this.#mistake(at, `undefined field '${name}'`);
    if (!WITHOUT_FIELDS.has(type.kind)) return DYN;
    return this.#mistake(at, `type '${typeText(type)}' does not support field selection`);
  }

  #index({ args: [of, by] }: Node<'[]'>, scope: Variables): RuleType {
    const [type, index] = [this.typeOf(of, scope), this.typeOf(by, scope)];
    if (type.kind === 'dyn') return DYN;
    if (type.kind === 'list' && commonType(INT, index)) return type.of;
    if (type.kind === 'map' && commonType(type.key, index)) return type.of;
    return this.#mismatch(this.#source.indexOf('[', of.end), '_[_]', `(${typeText(type)}, ${typeText(index)})`);
  }

  #items(items: readonly ASTNode[], scope: Variables): RuleType {
    let common: RuleType | undefined;
    for (const item of items) {
      const type = this.typeOf(item, scope);
      const both = common ? commonType(common, type) : type;
      if (!both) this.#mistake(this.#placeOf(item), `expected type '${textOf(common)}' but found '${typeText(type)}'`);
      common = both ?? common;
    }
    return common ?? DYN;
  }

  #choice({ args: [condition, yes, no] }: Node<'?:'>, scope: Variables): RuleType {
    const types = [condition, yes, no].map((part) => this.typeOf(part, scope));
    const [test = DYN, then = DYN, otherwise = DYN] = types;
    const common = commonType(then, otherwise);
    if (common && commonType(test, BOOL)) return common;
    return this.#mismatch(this.#source.indexOf('?', condition.end), '_?_:_', `(${types.map(typeText).join(', ')})`);
  }

  #expectBool(node: ASTNode, scope: Variables): void {
    const type = this.typeOf(node, scope);
    if (!commonType(type, BOOL))
      this.#mistake(this.#placeOf(node), `expected type 'bool' but found '${typeText(type)}'`);
  }

  #unary({ op, args, start }: Node<'!_' | '-_'>, scope: Variables): RuleType {
    const type = this.typeOf(args, scope);
    if (type.kind === 'dyn') return op === '!_' ? BOOL : DYN;
    const fits = op === '!_' ? type.kind === 'bool' : type.kind === 'int' || type.kind === 'double';
    return fits ? type : this.#mismatch(start, op, `(${typeText(type)})`);
  }

  #binary(node: Extract<ASTNode, { args: [ASTNode, ASTNode] }>, scope: Variables): RuleType {
    const [left, right] = node.args;
    const [a, b] = [this.typeOf(left, scope), this.typeOf(right, scope)];
    const result = resultOfOperation(node.op, a, b);
    if (result) return result;
    const name = node.op === 'in' ? '@in' : `_${node.op}_`;
    return this.#mismatch(this.#operator(node), name, `(${typeText(a)}, ${typeText(b)})`);
  }

  #call(node: Node<'call'>, scope: Variables): RuleType {
    const [name, args] = node.args;
    const [first] = args;
    if (name === 'has' && first?.op === '.') {
      this.#field(first, scope, this.#placeOf(node));
      return BOOL;
    }
    const types = args.map((arg) => this.typeOf(arg, scope));
    return this.#result(resultOfCall(name, undefined, types), node, name, `(${types.map(typeText).join(', ')})`);
  }

  #memberCall(node: Node<'rcall'>, scope: Variables): RuleType {
    const [name, of, args] = node.args;
    if (of.op === 'id' && GROUPS.has(of.args) && !Object.hasOwn(scope, of.args)) return this.#groupCall(node, scope);
    const range = this.typeOf(of, scope);
    const macro = this.#macro(node, range, scope);
    if (macro) return macro;
    const types = args.map((arg) => this.typeOf(arg, scope));
    const applied = `${typeText(range)}.(${types.map(typeText).join(', ')})`;
    return this.#result(resultOfCall(name, range, types), node, name, applied);
  }

  #groupCall({ args: [name, of, args] }: Node<'rcall'>, scope: Variables): RuleType {
    const [first, value, body] = args;
    const binds = of.op === 'id' && of.args === 'cel' && name === 'bind' && first?.op === 'id' && value && body;
    if (binds) return this.typeOf(body, { ...scope, [first.args]: this.typeOf(value, scope) });
    for (const arg of args) this.typeOf(arg, scope);
    return DYN;
  }

  #result(result: ReturnType<typeof resultOfCall>, node: ASTNode, name: string, applied: string): RuleType {
    if (result === 'unknown')
      return this.#mistake(this.#placeOf(node), `undeclared reference to '${name}' (in container '')`);
    return result === 'mismatch' ? this.#mismatch(this.#placeOf(node), name, applied) : result;
  }

  /** The result of a macro, which binds one or two names to the parts of a list or a map. */
  #macro(node: Node<'rcall'>, range: RuleType, scope: Variables): RuleType | undefined {
    const [name, of, args] = node.args;
    const [first, second] = args;
    const form = Object.hasOwn(MACROS, name) ? MACROS[name] : undefined;
    if (!form || first?.op !== 'id' || args.length < 2) return undefined;
    const isPair = form.pairs.includes(args.length) && second?.op === 'id';
    if (!isPair && !form.singles.includes(args.length)) return undefined;
    if (form.iterates && !['dyn', 'list', 'map'].includes(range.kind)) {
      const words = `expression of type '${typeText(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
      return this.#mistake(this.#placeOf(of), words);
    }
    const bound = form.iterates ? boundBy(range, isPair) : [DYN];
    const names = isPair ? [first.args, second.args] : [first.args];
    const inner = { ...scope, ...Object.fromEntries(names.map((n, i) => [n, bound[i] ?? DYN])) };
    const bodies = args.slice(names.length);
    if (name === 'all' || name === 'exists') {
      for (const body of bodies) this.#expectBool(body, inner);
      return BOOL;
    }
    const types = bodies.map((body) => this.typeOf(body, inner));
    const last = types.at(-1) ?? DYN;
    const tests = form.tests || bodies.length > 1 ? types[0] : undefined;
    const kept =
      name === 'exists_one' || name === 'existsOne' ? INT : listTypeOf(name === 'filter' ? (bound[0] ?? DYN) : last);
    if (tests && !commonType(tests, BOOL)) {
      const applied = `(${[tests, kept, kept].map(typeText).join(', ')})`;
      return this.#mismatch(this.#placeOf(node), '_?_:_', applied);
    }
    if (kept === INT) return BOOL;
    if (name === 'filter') return range.kind === 'map' ? listTypeOf(range.key) : range;
    return name === 'map' || name === 'transformList' ? listTypeOf(last) : DYN;
  }

  /** The place that the server names for an expression: its dot, its operator or its parenthesis. */
  #placeOf(node: ASTNode): number {
    switch (node.op) {
      case '.':
      case '.?':
        return this.#dot(node);
      case '[]':
      case '[?]':
        return this.#source.indexOf('[', node.args[0].end);
      case 'call':
        return this.#source.indexOf('(', node.start);
      case 'rcall':
        return this.#source.indexOf('(', this.#source.indexOf(node.args[0], node.args[1].end));
      case '?:':
        return this.#source.indexOf('?', node.args[0].end);
      case 'value':
      case 'id':
      case 'list':
      case 'map':
      case '!_':
      case '-_':
        return node.start;
      default:
        return this.#operator(node);
    }
  }

  #dot({ pos }: Node<'.' | '.?'>): number {
    return this.#source.lastIndexOf('.', pos);
  }

  #operator({ op, args: [left] }: Extract<ASTNode, { args: [ASTNode, ASTNode] }>): number {
    return this.#source.indexOf(op, left.end);
  }
}

const textOf = (type: RuleType | undefined) => typeText(type ?? DYN);

interface Macro {
  /** The numbers of arguments with one bound name, and with two. */
  readonly singles: readonly number[];
  readonly pairs: readonly number[];
  /** Whether it goes through a list or a map. The others read an optional value. */
  readonly iterates: boolean;
  /** Whether its first expression must be a bool, even alone. */
  readonly tests?: boolean;
}

const MACROS: Readonly<Record<string, Macro>> = {
  all: { singles: [2], pairs: [3], iterates: true },
  exists: { singles: [2], pairs: [3], iterates: true },
  exists_one: { singles: [2], pairs: [3], iterates: true, tests: true },
  existsOne: { singles: [2], pairs: [3], iterates: true, tests: true },
  filter: { singles: [2], pairs: [], iterates: true, tests: true },
  map: { singles: [2, 3], pairs: [], iterates: true },
  sortBy: { singles: [2], pairs: [], iterates: true },
  transformList: { singles: [], pairs: [3, 4], iterates: true },
  transformMap: { singles: [], pairs: [3, 4], iterates: true },
  transformMapEntry: { singles: [], pairs: [3, 4], iterates: true },
  optMap: { singles: [2], pairs: [], iterates: false },
  optFlatMap: { singles: [2], pairs: [], iterates: false },
};

/** The types of the names that a macro binds: an item, or an index and an item; a key, or a key and a value. */
function boundBy(range: RuleType, isPair: boolean): readonly RuleType[] {
  if (range.kind === 'list') return isPair ? [INT, range.of] : [range.of];
  return range.kind === 'map' ? [range.key, range.of] : [DYN, DYN];
}

function typeOfLiteral(value: unknown): RuleType {
  if (value === null) return { kind: 'null' };
  if (value instanceof Uint8Array) return { kind: 'bytes' };
  switch (typeof value) {
    case 'string':
      return STRING;
    case 'bigint':
      return INT;
    case 'number':
      return { kind: 'double' };
    case 'boolean':
      return BOOL;
    default:
      return typeof value === 'object' && typeof value.valueOf() === 'bigint' ? { kind: 'uint' } : DYN;
  }
}

/** The result of an operation on two values; undefined if there is no such operation. */
function resultOfOperation(op: string, a: RuleType, b: RuleType): RuleType | undefined {
  if (op === 'in') return isIn(a, b) ? BOOL : undefined;
  if (op === '==' || op === '!=') return commonType(a, b) && BOOL;
  const unknown = a.kind === 'dyn' || b.kind === 'dyn';
  if (['<', '<=', '>', '>='].includes(op)) {
    const same = a.kind === b.kind ? ORDERED.has(a.kind) : NUMBERS.has(a.kind) && NUMBERS.has(b.kind);
    return unknown || same ? BOOL : undefined;
  }
  return unknown ? DYN : resultOfArithmetic(op, a, b);
}

function isIn(item: RuleType, range: RuleType): boolean {
  if (range.kind === 'dyn') return true;
  if (range.kind === 'list') return commonType(item, range.of) !== undefined;
  return range.kind === 'map' && commonType(item, range.key) !== undefined;
}

const TIMES: Readonly<Record<string, RuleType>> = {
  'timestamp + duration': { kind: 'timestamp' },
  'duration + timestamp': { kind: 'timestamp' },
  'duration + duration': { kind: 'duration' },
  'timestamp - timestamp': { kind: 'duration' },
  'timestamp - duration': { kind: 'timestamp' },
  'duration - duration': { kind: 'duration' },
};

function resultOfArithmetic(op: string, a: RuleType, b: RuleType): RuleType | undefined {
  const time = TIMES[`${a.kind} ${op} ${b.kind}`];
  if (time) return time;
  if (a.kind === 'list' && b.kind === 'list') return op === '+' ? commonType(a, b) : undefined;
  if (a.kind !== b.kind) return undefined;
  if (a.kind === 'string' || a.kind === 'bytes') return op === '+' ? a : undefined;
  return NUMBERS.has(a.kind) && !(op === '%' && a.kind === 'double') ? a : undefined;
}
