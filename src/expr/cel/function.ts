import { failure, typeNameOf } from './values.ts';

/** A function of the language. Its arguments are never missing: the caller answers for that. */
export interface CelFunction {
  /** `name`, or `.name` of a method, whose receiver is the first argument. */
  readonly name: string;
  /** What the type checker is told, where it does not know the function itself. */
  readonly signatures: readonly string[];
  /** Whether it answers a question: no, where an argument is missing. Anything else is missing then. */
  readonly asks: boolean;
  run(...args: readonly unknown[]): unknown;
}

export function define(name: string, signatures: readonly string[], run: (...args: readonly unknown[]) => unknown): CelFunction {
  return { name, signatures, asks: false, run };
}

/** A function that answers yes or no. */
export function ask(name: string, signatures: readonly string[], run: (...args: readonly unknown[]) => boolean): CelFunction {
  return { name, signatures, asks: true, run };
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : failure(`expected a string, got ${typeNameOf(value)}`);
}

export function number(value: unknown): number {
  return typeof value === 'number' ? value : failure(`expected a number, got ${typeNameOf(value)}`);
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : failure(`expected a list, got ${typeNameOf(value)}`);
}
