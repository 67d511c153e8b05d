import { type ASTNode, TypeError as CelTypeError, type Environment, EvaluationError, ParseError } from '@marcbachmann/cel-js';
import { InformerError, messageOf } from '../../kit/error.ts';
import { Compiler } from './compile.ts';
import { type CelType, environmentFor } from './environment.ts';
import { type Frame, placed } from './frame.ts';
import type { Comparison } from './operators.ts';
import { explainFault, explainRefusal, refusal } from './refusal.ts';
import { BLANK, CelFailure, MISSING, toPlain, typeNameOf } from './values.ts';
import { childrenOf } from './walk.ts';

export type { CelType } from './environment.ts';

/** A compiled CEL expression. One serves many objects, one after the other. */
export interface CelProgram {
  /** The flag or field it came from, named by its errors. */
  readonly flag: string;
  readonly source: string;
  /** The top-level variables it reads. */
  readonly variables: ReadonlySet<string>;
  /** Its syntax, for those who take parts of it elsewhere. */
  readonly ast: ASTNode;
  /**
   * The answer: true or false, or why there is none. A test that fails is no match; a missing key is no failure but a no.
   * Never throws. What goes wrong again is the same error again, so that it can be told once.
   */
  test(vars: Readonly<Record<string, unknown>>): boolean | InformerError;
  /** The value as JSON: undefined where it is missing, times as RFC 3339, durations as `300s`. Throws `argument` where `test` returns an error. */
  evaluate(vars: Readonly<Record<string, unknown>>): unknown;
}

export interface CelOptions {
  /** Where the expression comes from (`--filter`), for errors. */
  readonly flag: string;
  readonly variables: Readonly<Record<string, CelType>>;
  /** Names beyond these are variables too, to be checked when they are known. */
  readonly unlisted?: boolean;
  /** Refuses what can be seen to be neither true nor false. */
  readonly wants?: 'bool';
  /** How `==`, `!=`, `<`, `<=`, `>`, `>=` and `in` compare. Default: CEL's rules, with the departures of {@link compileCel}. */
  readonly comparison?: Comparison | undefined;
}

/** The variables of `--filter`, `--until` and their like. */
export const OBJECT_VARIABLES: Readonly<Record<string, CelType>> = { object: 'dyn', oldObject: 'dyn', event: 'string', now: 'timestamp' };

/**
 * Compiles CEL with Kubernetes' additions. Throws `argument` with the flag and the place of what cannot work: syntax, unknown variables and
 * functions, wrong arguments, patterns that are no RE2, expressions that nest too deep.
 *
 * What a missing key means: whatever asks yes or no of it (a comparison, `in`, `startsWith`, `exists`, a bare `object.spec.paused`)
 * gets no, so `x.a != "b"` is false without `a` and `!(x.a == "b")` is true; everything else made of it is missing too, and what is missing
 * is left out of lists. `has(x.a)` and `x.?a.orValue(b)` ask for it. Departures from CEL: that; numbers are one type, so `==` and
 * arithmetic mix them, and `/` drops the rest unless a side is written as a double; text beside a time or duration is read as one.
 */
export function compileCel(source: string, options: CelOptions): CelProgram {
  const environment = environmentFor(options.variables, options.unlisted ?? false);
  try {
    const ast = checked(source, environment, options);
    const compiler = new Compiler(options.comparison);
    return new Program(source, options.flag, ast, compiler.compile(ast), compiler.variables);
  } catch (error) {
    throw refused(error, source, options, environment);
  }
}

/** A program keeps no object alive. */
const NO_VARS = {};

class Program implements CelProgram {
  readonly source: string;
  readonly flag: string;
  readonly ast: ASTNode;
  readonly variables: ReadonlySet<string>;
  readonly #run: (frame: Frame) => unknown;
  /** One error for each thing that goes wrong, by its place and message: there are no more than the source has of both. */
  readonly #told = new Map<string, InformerError>();
  readonly #frame: Frame = { vars: NO_VARS, locals: [], steps: 0, at: 0 };

  constructor(source: string, flag: string, ast: ASTNode, run: (frame: Frame) => unknown, variables: ReadonlySet<string>) {
    this.source = source;
    this.flag = flag;
    this.ast = ast;
    this.#run = run;
    this.variables = variables;
  }

  test(vars: Readonly<Record<string, unknown>>): boolean | InformerError {
    try {
      const value = this.#value(vars);
      if (typeof value === 'boolean') return value;
      if (value === MISSING || value === BLANK) return false;
      return this.#fault(new CelFailure(`expected true or false, got ${typeNameOf(value)}`));
    } catch (error) {
      return this.#fault(error);
    }
  }

  evaluate(vars: Readonly<Record<string, unknown>>): unknown {
    try {
      return toPlain(this.#value(vars));
    } catch (error) {
      throw this.#fault(error);
    }
  }

  #value(vars: Readonly<Record<string, unknown>>): unknown {
    const frame = this.#frame;
    frame.vars = vars;
    frame.steps = 0;
    const value = this.#run(frame);
    frame.vars = NO_VARS;
    return value;
  }

  #fault(error: unknown): InformerError {
    const fault = placed(error, this.#frame);
    const key = `${fault.at} ${fault.message}`;
    const told = this.#told.get(key) ?? explainFault(fault, this.flag, this.source);
    this.#told.set(key, told);
    return told;
  }
}

/** Nesting beyond this is refused, for it would be evaluated by recursion. */
const DEEPEST = 500;

function checked(source: string, environment: Environment, { wants }: CelOptions): ASTNode {
  if (source.trim() === '') throw new CelFailure('the expression is empty');
  const parsed = environment.parse(source);
  refuseDepth(parsed.ast);
  const { valid, type, error } = parsed.check();
  if (!valid) throw error;
  if (wants === 'bool' && type !== 'bool' && type !== 'dyn') throw new CelFailure(`it must be true or false, and this gives ${type}`);
  return parsed.ast;
}

/** Walks with a list of its own, not by recursion. A chain of `&&` or `||` is one level, however long. */
function refuseDepth(root: ASTNode): void {
  const open: { node: ASTNode; depth: number }[] = [{ node: root, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, depth } = next;
    if (depth > DEEPEST) throw new CelFailure('it nests too deep');
    const isChain = node.op === '&&' || node.op === '||';
    for (const child of childrenOf(node)) open.push({ node: child, depth: isChain && child.op === node.op ? depth : depth + 1 });
  }
}

function refused(error: unknown, source: string, options: CelOptions, environment: Environment): InformerError {
  if (error instanceof RangeError) return refusal('it nests too deep', undefined, source, options.flag);
  if (error instanceof CelFailure) return refusal(error.message, error.at, source, options.flag);
  if (error instanceof ParseError || error instanceof CelTypeError || error instanceof EvaluationError) {
    return explainRefusal(error, source, options.flag, Object.keys(options.variables), environment);
  }
  return new InformerError('argument', `${options.flag}: ${messageOf(error)}`, { cause: error });
}
