import { celFailure, typeNameOf } from './cel-values.ts';

/** A function of CEL. The caller handles missing arguments, so `run` never gets one. */
export interface CelFunction {
  /** `name` of a function, or `.name` of a method. The receiver of a method is its first argument. */
  readonly name: string;
  /** The signatures for the type checker, where the library does not have the function. */
  readonly signatures: readonly string[];
  /** Whether it is a yes-or-no function. With a missing argument it is false; other functions give a missing value. */
  readonly asks: boolean;
  run(...args: readonly unknown[]): unknown;
}

export function define(
  name: string,
  signatures: readonly string[],
  run: (...args: readonly unknown[]) => unknown,
): CelFunction {
  return { name, signatures, asks: false, run };
}

/** A yes-or-no function. */
export function ask(
  name: string,
  signatures: readonly string[],
  run: (...args: readonly unknown[]) => boolean,
): CelFunction {
  return { name, signatures, asks: true, run };
}

/** The value as a string. Fails for any other type. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : celFailure(`expected a string, got ${typeNameOf(value)}`);
}

/** The value as a number. Fails for any other type, and for a whole number beyond 2^53. */
export function asNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  return celFailure(
    typeof value === 'bigint' ? 'the number is too large' : `expected a number, got ${typeNameOf(value)}`,
  );
}

/** The value as a list. Fails for any other type. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : celFailure(`expected a list, got ${typeNameOf(value)}`);
}
