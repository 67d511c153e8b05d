import type { ASTNode } from '@marcbachmann/cel-js';
import { bytesOf } from './bytes-literal.ts';
import {
  type CelFailure,
  type CelMap,
  celFailure,
  isMap,
  isNumber,
  MISSING,
  Optional,
  TypeName,
  typeNameOf,
} from './cel-values.ts';
import { type Frame, failureAt, type Node, type NodeCompiler, placed, type Run } from './frame.ts';
import type { CelFunction } from './function.ts';
import { functionNamed, optional } from './functions.ts';
import { KeyedMap, mapOf } from './keyed-map.ts';
import { compileMacro, isMacro } from './macros.ts';
import {
  add,
  type Comparison,
  divide,
  equal,
  isIn,
  isYes,
  modulo,
  multiply,
  negate,
  order,
  subtract,
} from './operators.ts';
import { regexFor } from './regex.ts';
import { workOfMaking, workOfReading } from './work.ts';

/**
 * Compiles a checked syntax tree into closures. The library parses and checks expressions. Its evaluator is not used:
 * for Kubernetes objects an evaluator has to accept missing keys and JSON's numbers, and to bound the cost of patterns
 * and of the whole evaluation.
 */
export class Compiler implements NodeCompiler {
  /** The variables that the compiled expressions read, without those that macros bind. */
  readonly variables = new Set<string>();
  readonly #scope: string[] = [];
  readonly #questions: ServeAnswers;
  readonly #argument: Comparison['argument'];

  readonly #found: (value: unknown, key: unknown) => unknown;

  constructor(comparison?: Comparison, strict = false) {
    this.#found = strict ? present : (value) => value;
    this.#questions = comparison ? questionsBy(comparison) : QUESTIONS;
    this.#argument = comparison?.argument;
  }

  compile(node: ASTNode): Run {
    switch (node.op) {
      case 'value':
        return constant(node.args instanceof Uint8Array ? bytesOf(node) : literalOf(node.args));
      case 'id':
        return this.#name(node.args);
      case '.':
        return this.#field(node);
      case '[]':
        return this.#index(node);
      case '.?':
        return this.#optional(node.args[0], constant(node.args[1]), node.pos);
      case '[?]':
        return this.#optional(node.args[0], this.compile(node.args[1]), node.pos);
      case 'call':
      case 'rcall':
        return this.#call(node);
      case 'list':
        return this.#list(node.args);
      case 'map':
        return this.#map(node);
      case '?:':
        return this.#choice(node);
      case '&&':
      case '||':
        return this.#logical(node);
      case '!_':
        return this.#not(node);
      case '-_':
        return this.#negation(node);
      default:
        return this.#binary(node);
    }
  }

  compileWith(name: string, node: ASTNode): { slot: number; run: Run } {
    const slot = this.#scope.push(name) - 1;
    const run = this.compile(node);
    this.#scope.pop();
    return { slot, run };
  }

  compileWithPair(key: string, value: string, node: ASTNode): { slot: number; run: Run } {
    const slot = this.#scope.push(key) - 1;
    const { run } = this.compileWith(value, node);
    this.#scope.pop();
    return { slot, run };
  }

  compilePresence(node: ASTNode): Run {
    const run = this.compile(node.op === '.' ? node.args[0] : node);
    return (frame) => {
      const value = run(frame);
      if (node.op !== '.') return isPresent(value);
      frame.at = node.pos;
      return typeof value === 'object' && isPresent(readKey(value, node.args[1]));
    };
  }

  #name(name: string): Run {
    const slot = this.#scope.lastIndexOf(name);
    if (slot >= 0) return ({ locals }) => locals[slot];
    if (name === 'google') return constant(GOOGLE);
    if (TYPES.has(name)) return constant(new TypeName(name));
    this.variables.add(name);
    return ({ vars }) => {
      const value = vars[name];
      return value === undefined ? MISSING : value;
    };
  }

  #field({ args: [of, name], pos }: Node<'.'>): Run {
    const run = this.compile(of);
    return (frame) => {
      const value = run(frame);
      if (isMap(value)) return this.#found(ownField(value, name), name);
      frame.at = pos;
      return this.#found(readKey(value, name), name);
    };
  }

  #index({ args: [of, key], pos }: Node<'[]'>): Run {
    const run = this.compile(of);
    const runKey = this.compile(key);
    return (frame) => {
      const value = run(frame);
      const index = runKey(frame);
      frame.at = pos;
      return this.#found(readKey(value, index), index);
    };
  }

  #optional(of: ASTNode, runKey: Run, at: number): Run {
    const run = this.compile(of);
    return (frame) => {
      const value = run(frame);
      const key = runKey(frame);
      frame.at = at;
      return new Optional(readKey(value instanceof Optional ? value.value : value, key));
    };
  }

  #list(items: readonly ASTNode[]): Run {
    const runs = items.map((item) => this.compile(item));
    if (items.every(isLiteral)) return constant(runs.map((run) => run(NO_FRAME)));
    return (frame) => runs.map((run) => run(frame)).filter((value) => value !== MISSING);
  }

  #map({ args: entries, pos }: Node<'map'>): Run {
    const runs = entries.map(([key, value]) => [this.compile(key), this.compile(value)] as const);
    return (frame) => {
      const found = runs.map(([key, value]) => [key(frame), value(frame)] as const);
      frame.at = pos;
      return mapOf(found.filter(([key, value]) => key !== MISSING && value !== MISSING));
    };
  }

  #choice({ args: [condition, yes, no], pos }: Node<'?:'>): Run {
    const [test, then, otherwise] = [this.compile(condition), this.compile(yes), this.compile(no)];
    return (frame) => {
      const answer = test(frame);
      frame.at = pos;
      return isYes(answer) ? then(frame) : otherwise(frame);
    };
  }

  #not({ args, pos }: Node<'!_'>): Run {
    const run = this.compile(args);
    return (frame) => {
      const value = run(frame);
      frame.at = pos;
      return !isYes(value);
    };
  }

  /** One operand can decide, even if another one fails. A long chain runs as one loop. */
  #logical(node: Node<'&&' | '||'>): Run {
    const decisive = node.op === '||';
    const operands = operandsOf(node, node.op).map((operand) => ({ run: this.compile(operand), at: operand.pos }));
    return (frame) => {
      let fault: CelFailure | undefined;
      for (const { run, at } of operands) {
        try {
          const value = run(frame);
          if (value === decisive) return decisive;
          if (typeof value !== 'boolean') {
            frame.at = at;
            if (isYes(value) === decisive) return decisive;
          }
        } catch (error) {
          fault ??= placed(error, frame);
        }
      }
      if (fault) throw fault;
      return !decisive;
    };
  }

  #binary(node: Node<BinaryOp>): Run {
    const left = this.compile(node.args[0]);
    const right = this.compile(node.args[1]);
    const asDoubles = isDouble(node.args[0]) || isDouble(node.args[1]);
    const question = this.#questions[node.op];
    if (question) return readQuery(left, right, question, node.pos);
    const operation = ARITHMETIC[node.op] as Arithmetic;
    return (frame) => {
      const a = left(frame);
      const b = right(frame);
      if (a === MISSING || b === MISSING) return MISSING;
      frame.at = node.pos;
      return operation(a, b, asDoubles);
    };
  }

  /** The smallest int is written as the opposite of a number that is too large for an int. */
  #negation({ args: of, pos }: Node<'-_'>): Run {
    if (of.op === 'value' && typeof of.args === 'bigint') return constant(literalOf(-of.args));
    const run = this.compile(of);
    return (frame) => {
      const value = run(frame);
      frame.at = pos;
      return value === MISSING ? MISSING : negate(value);
    };
  }

  #call(node: Node<'call' | 'rcall'>): Run {
    if (isMacro(node)) return compileMacro(this, node);
    const { name, args } = calleeOf(node, this.#scope);
    if (name === '.or' || name === '.orValue') return this.#orElse(node, args, name);
    const called = functionNamed(name) ?? failureAt(`${name}() cannot be called here`, node.pos);
    checkPattern(name, args);
    return this.#apply(called, args, node.pos);
  }

  #apply({ run, asks }: CelFunction, args: readonly ASTNode[], at: number): Run {
    const whenMissing = asks ? false : MISSING;
    const runs = args.map((arg) => this.#given(this.compile(arg)));
    const [first, second] = runs;
    if (args.every(isLiteral)) return folded(() => run(...runs.map((arg) => arg(NO_FRAME))), at);
    if (first && second && runs.length === 2) {
      return (frame) => {
        const a = first(frame);
        const b = second(frame);
        frame.at = at;
        return a === MISSING || b === MISSING ? whenMissing : counted(run, a, b);
      };
    }
    return (frame) => {
      const values = runs.map((arg) => arg(frame));
      frame.at = at;
      return values.includes(MISSING) ? whenMissing : counted(run, ...values);
    };
  }

  #given(run: Run): Run {
    const argument = this.#argument;
    return argument ? (frame) => argument(run(frame)) : run;
  }

  #orElse(node: ASTNode, [of, other]: readonly ASTNode[], name: string): Run {
    const [run, otherwise] = [this.compile(of as ASTNode), this.compile(other as ASTNode)];
    return (frame) => {
      const value = run(frame);
      frame.at = node.pos;
      const given = optional(value);
      if (given.value === MISSING) return otherwise(frame);
      return name === '.or' ? given : given.value;
    };
  }
}

/** The value of a key; fails for a missing one. */
function present(value: unknown, key: unknown): unknown {
  if (value !== MISSING) return value;
  return celFailure(typeof key === 'number' ? `index out of bounds: ${key}` : `no such key: ${String(key)}`);
}

const isPresent = (value: unknown) => (value instanceof Optional ? value.value : value) !== MISSING;

const TYPES = new Set(['string', 'bool', 'int', 'uint', 'double', 'map', 'list', 'bytes', 'null_type', 'type']);
const GOOGLE = {
  protobuf: {
    Duration: new TypeName('google.protobuf.Duration'),
    Timestamp: new TypeName('google.protobuf.Timestamp'),
  },
};
const NO_FRAME: Frame = { vars: {}, locals: [], at: 0 };

const constant =
  (value: unknown): Run =>
  () =>
    value;

const isLiteral = (node: ASTNode) => node.op === 'value';

/** A literal as the evaluation represents it: a whole number is a bigint only beyond 2^53, as in objects. */
function literalOf(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  const isUint = typeof value === 'object' && value !== null && typeof value.valueOf() === 'bigint';
  return isUint ? literalOf(value.valueOf()) : value;
}

function ownField(map: CelMap, name: string): unknown {
  const value = map[name];
  if (value === undefined || (name in Object.prototype && !Object.hasOwn(map, name))) return MISSING;
  return typeof value === 'function' ? MISSING : value; // the toJSON of a map with large numbers
}

/**
 * The value under a key of a map or at an index of a list; MISSING if there is none. Fails for a value without fields.
 */
function readKey(value: unknown, key: unknown): unknown {
  if (value === MISSING || value === null || key === MISSING) return MISSING;
  if (value instanceof Optional) return new Optional(readKey(value.value, key));
  if (Array.isArray(value))
    return isNumber(key)
      ? itemAt(value, Number(key))
      : celFailure('a list has no fields, only items: use [0] or .exists(item, …)');
  if (value instanceof KeyedMap) return value.get(key);
  if (!isMap(value)) return celFailure(`${typeNameOf(value)} has no fields`);
  return typeof key === 'string' || isNumber(key) || typeof key === 'boolean'
    ? ownField(value, String(key))
    : celFailure('the key of a map is a string');
}

function itemAt(items: readonly unknown[], index: number): unknown {
  const item = items[index];
  return item === undefined ? MISSING : item;
}

/** Calls a function. Its reading of texts, and the making of its result, are work. */
function counted(run: CelFunction['run'], ...args: readonly unknown[]): unknown {
  for (const arg of args) workOfReading(arg);
  const made = run(...args);
  if (typeof made === 'string') workOfMaking('text', made.length);
  else if (Array.isArray(made)) workOfMaking('list', made.length);
  return made;
}

type BinaryOp = '!=' | '==' | 'in' | '+' | '-' | '*' | '/' | '%' | '<' | '<=' | '>' | '>=';
type Question = (a: unknown, b: unknown) => boolean;
type Arithmetic = (a: unknown, b: unknown, asDoubles: boolean) => unknown;

type ServeAnswers = Readonly<Partial<Record<BinaryOp, Question>>>;

function questionsBy({ equal: isEqual, order: orderOf }: Comparison): ServeAnswers {
  return {
    '==': isEqual,
    '!=': (a, b) => !isEqual(a, b),
    '<': (a, b) => orderOf(a, b) < 0,
    '<=': (a, b) => orderOf(a, b) <= 0,
    '>': (a, b) => orderOf(a, b) > 0,
    '>=': (a, b) => orderOf(a, b) >= 0,
    in: (a, b) => isIn(a, b, isEqual),
  };
}

const QUESTIONS = questionsBy({ equal, order });

const ARITHMETIC: Readonly<Partial<Record<BinaryOp, Arithmetic>>> = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': divide,
  '%': modulo,
};

/** A comparison. It is false if a side is missing. */
function readQuery(left: Run, right: Run, question: Question, at: number): Run {
  return (frame) => {
    const a = left(frame);
    if (a === MISSING) return false;
    const b = right(frame);
    if (b === MISSING) return false;
    frame.at = at;
    return question(a, b);
  };
}

/** The operands of a chain `a && b && c`, in order. An expression that is no such chain is its only operand. */
export function operandsOf(node: ASTNode, op: '&&' | '||'): ASTNode[] {
  const open = [node];
  const out: ASTNode[] = [];
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.op === op) open.push(next.args[0], next.args[1]);
    else out.push(next);
  }
  return out.reverse();
}

/** Whether the source writes a double or converts to one, so that a division keeps the remainder. */
function isDouble(node: ASTNode): boolean {
  switch (node.op) {
    case 'value':
      return typeof node.args === 'number';
    case '-_':
      return isDouble(node.args);
    case 'call':
      return node.args[0] === 'double';
    case 'rcall':
      return node.args[0] === 'asApproximateFloat';
    case '+':
    case '-':
    case '*':
    case '/':
      return isDouble(node.args[0]) || isDouble(node.args[1]);
    default:
      return false;
  }
}

/** Names before a dot that are no receivers: `sets.contains(a, b)` has two arguments. */
const NAMESPACES = ['sets', 'ip', 'lists', 'strings'];

function calleeOf(node: Node<'call' | 'rcall'>, scope: readonly string[]): { name: string; args: readonly ASTNode[] } {
  if (node.op === 'call') return { name: node.args[0], args: node.args[1] };
  const [name, receiver, args] = node.args;
  const isNamespaced = receiver.op === 'id' && NAMESPACES.includes(receiver.args) && !scope.includes(receiver.args);
  return isNamespaced ? { name: `${receiver.args}.${name}`, args } : { name: `.${name}`, args: [receiver, ...args] };
}

const PATTERNED = ['matches', '.matches', '.find', '.findAll'];

/** Refuses an invalid pattern at compile time, if the pattern is a literal. */
function checkPattern(name: string, [, pattern]: readonly ASTNode[]): void {
  if (!PATTERNED.includes(name) || pattern?.op !== 'value' || typeof pattern.args !== 'string') return;
  folded(() => regexFor(pattern.args as string), pattern.pos);
}

/** Computes a constant at compile time. Fails at its place in the source. */
function folded(compute: () => unknown, at: number): Run {
  try {
    return constant(compute());
  } catch (error) {
    return failureAt(error instanceof Error ? error.message : String(error), at);
  }
}
