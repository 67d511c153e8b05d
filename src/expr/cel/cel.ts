import {
  type ASTNode,
  TypeError as CelTypeError,
  type Environment,
  EvaluationError,
  ParseError,
} from '@marcbachmann/cel-js';
import { InformerError, messageOf } from '../../kit/error.ts';
import { type ExpressionOrigin, explainFault, explainRefusal, refusal } from './cel-errors.ts';
import { BLANK, CelFailure, MISSING, typeNameOf } from './cel-values.ts';
import { Compiler } from './compile.ts';
import { type CelType, environmentFor } from './environment.ts';
import { type Frame, isStackOverflow, placed } from './frame.ts';
import { acceptPaths } from './has-paths.ts';
import type { Comparison } from './operators.ts';
import { toPlain } from './plain-value.ts';
import { childrenOf } from './walk.ts';
import { withLimitedWork } from './work.ts';

export type { CelType } from './environment.ts';

/** A compiled CEL expression. It is evaluated for many objects, one after the other. */
export interface CelProgram {
  /** The flag or field that the expression comes from. Errors name it. */
  readonly flag: string;
  readonly source: string;
  /** The top-level variables that the expression reads. */
  readonly variables: ReadonlySet<string>;
  /** The syntax tree, for callers that analyse the expression. */
  readonly ast: ASTNode;
  /**
   * Evaluates a condition. Returns true or false, or the error if the evaluation failed, which callers treat as no
   * match. A missing key is not a failure: it makes the condition false. Never throws. The same failure in the same
   * place returns the same error object, so that a caller can report it once.
   */
  test(vars: Readonly<Record<string, unknown>>): boolean | InformerError;
  /**
   * Evaluates the expression to a JSON value: undefined where it is missing, times as RFC 3339, durations as `300s`.
   * Throws `argument` where {@link test} returns an error.
   */
  evaluate(vars: Readonly<Record<string, unknown>>): unknown;
}

export interface CelOptions {
  /** The flag that the expression comes from (`--filter`), for errors. */
  readonly flag: string;
  readonly variables: Readonly<Record<string, CelType>>;
  /** Whether other names are variables too, of unknown type. The caller checks them later. Default false. */
  readonly unlisted?: boolean;
  /** `bool` refuses an expression whose type is known to be another one. */
  readonly wants?: 'bool';
  /**
   * How `==`, `!=`, `<`, `<=`, `>`, `>=` and `in` compare. Default: CEL's rules, with the differences that
   * {@link compileCel} lists.
   */
  readonly comparison?: Comparison | undefined;
  /** A missing key is an error, as CEL has it: `no such key: replicas`. Default false. */
  readonly strict?: boolean | undefined;
}

/** The variables of `--filter`, `--until` and similar flags. */
export const OBJECT_VARIABLES: Readonly<Record<string, CelType>> = {
  object: 'dyn',
  oldObject: 'dyn',
  event: 'string',
  now: 'timestamp',
};

/**
 * Compiles CEL with Kubernetes' additions. Throws `argument` with the flag and the place of the fault: wrong syntax, an
 * unknown variable or function, wrong arguments, a pattern that is not RE2, an expression that is nested too deep.
 *
 * Three differences from CEL:
 * - A missing key is not an error. Every yes-or-no operation on a missing value (a comparison, `in`, `startsWith`,
 *   `exists`, a bare `object.spec.paused`) gives false. So without `a`, `x.a != "b"` is false and `!(x.a == "b")` is
 *   true. Every other operation on a missing value gives a missing value. Lists leave missing values out. `has(x.a)`
 *   and `x.?a.orValue(b)` test for a key.
 * - All numbers have one type. `==` and arithmetic mix ints and doubles, and `/` drops the remainder unless one side is
 *   written as a double.
 * - A string that is compared with a time or a duration is parsed as one.
 */
export function compileCel(source: string, options: CelOptions): CelProgram {
  const environment = environmentFor(options.variables, options.unlisted ?? false);
  try {
    const ast = checked(source, environment, options);
    const compiler = new Compiler(options.comparison, options.strict);
    return new Program({ source, flag: options.flag }, ast, compiler.compile(ast), compiler.variables);
  } catch (error) {
    throw refused(error, { source, flag: options.flag, variables: Object.keys(options.variables), environment });
  }
}

/** The variables between two evaluations, so that a program keeps no object alive. */
const NO_VARS = {};

class Program implements CelProgram {
  readonly source: string;
  readonly flag: string;
  readonly ast: ASTNode;
  readonly variables: ReadonlySet<string>;
  readonly #run: (frame: Frame) => unknown;
  /** The errors returned so far, by place and message. The length of the source limits their number. */
  readonly #faults = new Map<string, InformerError>();
  readonly #frame: Frame = { vars: NO_VARS, locals: [], at: 0 };

  constructor(
    { source, flag }: ExpressionOrigin,
    ast: ASTNode,
    run: (frame: Frame) => unknown,
    variables: ReadonlySet<string>,
  ) {
    this.source = source;
    this.flag = flag;
    this.ast = ast;
    this.#run = run;
    this.variables = variables;
  }

  test(vars: Readonly<Record<string, unknown>>): boolean | InformerError {
    try {
      const value = withLimitedWork(() => this.#value(vars));
      if (typeof value === 'boolean') return value;
      if (value === MISSING || value === BLANK) return false;
      return this.#fault(new CelFailure(`expected true or false, got ${typeNameOf(value)}`));
    } catch (error) {
      return this.#fault(error);
    }
  }

  evaluate(vars: Readonly<Record<string, unknown>>): unknown {
    try {
      return withLimitedWork(() => toPlain(this.#value(vars)));
    } catch (error) {
      throw this.#fault(error);
    }
  }

  #value(vars: Readonly<Record<string, unknown>>): unknown {
    const frame = this.#frame;
    frame.vars = vars;
    const value = this.#run(frame);
    frame.vars = NO_VARS;
    return value;
  }

  #fault(error: unknown): InformerError {
    const fault = placed(error, this.#frame);
    const key = `${fault.at} ${fault.message}`;
    const known = this.#faults.get(key) ?? explainFault(fault, this);
    this.#faults.set(key, known);
    return known;
  }
}

/** The deepest nesting that is accepted. Deeper expressions could overflow the stack when they are evaluated. */
const DEEPEST = 500;

function checked(source: string, environment: Environment, { wants }: CelOptions): ASTNode {
  if (source.trim() === '') throw new CelFailure('the expression is empty');
  const parsed = environment.parse(source);
  refuseDepth(parsed.ast);
  acceptPaths(parsed.ast);
  const { valid, type, error } = parsed.check();
  if (!valid) throw error;
  if (wants === 'bool' && type !== 'bool' && type !== 'dyn')
    throw new CelFailure(`it must be true or false, but its type is ${type}`);
  return parsed.ast;
}

/** Walks the tree without recursion. A chain of `&&` or `||` counts as one level, however long it is. */
function refuseDepth(root: ASTNode): void {
  const open: { node: ASTNode; depth: number }[] = [{ node: root, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, depth } = next;
    if (depth > DEEPEST) throw new CelFailure('it is nested too deep');
    const isChain = node.op === '&&' || node.op === '||';
    for (const child of childrenOf(node))
      open.push({ node: child, depth: isChain && child.op === node.op ? depth : depth + 1 });
  }
}

function refused(error: unknown, origin: Parameters<typeof explainRefusal>[1]): InformerError {
  if (isStackOverflow(error)) return refusal('it is nested too deep', origin, undefined);
  if (error instanceof CelFailure) return refusal(error.message, origin, error.at);
  if (error instanceof ParseError || error instanceof CelTypeError || error instanceof EvaluationError) {
    return explainRefusal(error, origin);
  }
  return new InformerError('argument', `${origin.flag}: ${messageOf(error)}`, { cause: error });
}
