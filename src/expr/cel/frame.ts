import type { ASTNode } from '@marcbachmann/cel-js';
import { CelFailure } from './cel-values.ts';

/** The state of one evaluation. */
export interface Frame {
  vars: Readonly<Record<string, unknown>>;
  /** The values of the variables that macros bind. */
  readonly locals: unknown[];
  /** The offset in the source of the last operation, for failures. */
  at: number;
}

/** A compiled node: evaluates it. */
export type Run = (frame: Frame) => unknown;

/** Compiles the parts of a node. */
export interface NodeCompiler {
  compile(node: ASTNode): Run;
  /** Compiles the question whether a field exists. */
  compilePresence(node: ASTNode): Run;
  /** Compiles an expression in which `name` is bound to one slot of {@link Frame.locals}. Returns the slot too. */
  compileWith(name: string, node: ASTNode): { slot: number; run: Run };
  /** As {@link compileWith} for two names. The second one has the next slot. */
  compileWithPair(key: string, value: string, node: ASTNode): { slot: number; run: Run };
}

export type Node<Op extends ASTNode['op'] = ASTNode['op']> = Extract<ASTNode, { op: Op }>;

/** Any thrown value as a failure with its place in the source. */
export function placed(error: unknown, frame: Frame): CelFailure {
  const fault =
    error instanceof CelFailure
      ? error
      : new CelFailure(isStackOverflow(error) ? 'it is nested too deep' : 'it cannot be evaluated', { cause: error });
  fault.at ??= frame.at;
  return fault;
}

/** Fails at a known place in the source. */
export function failureAt(message: string, at: number): never {
  const fault = new CelFailure(message);
  fault.at = at;
  throw fault;
}

/** Whether an error is the overflow of the stack. Other RangeErrors are about values. */
export function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && /call stack/i.test(error.message);
}
