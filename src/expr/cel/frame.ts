import type { ASTNode } from '@marcbachmann/cel-js';
import { CelFailure } from './values.ts';

/** What one evaluation works on. */
export interface Frame {
  vars: Readonly<Record<string, unknown>>;
  /** Values of the variables that macros bind. */
  readonly locals: unknown[];
  /** Items that macros went through. */
  steps: number;
  /** Where in the source the last operation stands, for failures. */
  at: number;
}

/** A compiled node. */
export type Run = (frame: Frame) => unknown;

/** What compiles the parts of a node. */
export interface NodeCompiler {
  compile(node: ASTNode): Run;
  /** Compiles an expression in which `name` is bound to the value in a slot of the frame's locals. */
  compileWith(name: string, node: ASTNode): { slot: number; run: Run };
}

export type Node<Op extends ASTNode['op'] = ASTNode['op']> = Extract<ASTNode, { op: Op }>;

/** The failure with its place in the source. */
export function placed(error: unknown, frame: Frame): CelFailure {
  const fault =
    error instanceof CelFailure
      ? error
      : new CelFailure(error instanceof RangeError ? 'it goes too deep' : 'it cannot be evaluated', { cause: error });
  fault.at ??= frame.at;
  return fault;
}

/** Fails at a known place in the source. */
export function failureAt(message: string, at: number): never {
  const fault = new CelFailure(message);
  fault.at = at;
  throw fault;
}
