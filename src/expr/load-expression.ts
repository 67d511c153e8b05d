import { loadCel } from './cel/load-cel.ts';
import type { Address } from './field-path.ts';
import { addressesOf } from './jsonpath/fields-read.ts';
import { loadPath, type PathValues } from './jsonpath/path-values.ts';

/** An expression that finds values in objects, in kubectl's JSONPath or in CEL. */
export interface ValueExpression extends PathValues {
  /** The fields that the expression reads, as far as its text names them. */
  readonly reads: readonly Address[];
}

/**
 * Whether an expression names the variable `object`, as CEL does and a path does not. A list or a map of CEL begins
 * with the brackets of a path.
 */
const isCel = (text: string): boolean =>
  (!/^\s*[.{$[]/.test(text) || /^\s*(\[|\{\s*['"])/.test(text)) && /(^|[^\w.'"])object\s*[.[]/.test(text);

/**
 * Compiles a path as {@link loadPath} does, or CEL over the variable `object`. If CEL returns a list, its items are the
 * values; a missing key gives no value. CEL that fails on an object gives no value for it, and `onError` is called
 * once for each different failure. Throws `argument` for an expression that cannot be parsed.
 */
export async function loadExpression(
  text: string,
  { flag, onError }: { flag: string; onError?: ((error: Error) => void) | undefined },
): Promise<ValueExpression> {
  if (!isCel(text)) return { ...bound(await loadPath(text, { flag })), reads: addressesOf(text) };
  const { compileCel, addressesRead } = await loadCel();
  const program = compileCel(text, { flag, variables: { object: 'dyn' } });
  const reported = new Set<unknown>();
  const values = (object: unknown): unknown[] => {
    try {
      const value = program.evaluate({ object });
      return value === undefined ? [] : Array.isArray(value) ? value : [value];
    } catch (error) {
      if (!reported.has(error)) onError?.(error as Error);
      reported.add(error);
      return [];
    }
  };
  return { text, values, reads: addressesRead(program.ast) };
}

/** A plain object with the methods of a path: spreading an instance of a class would lose them. */
const bound = (path: PathValues): PathValues => ({ text: path.text, values: (object) => path.values(object) });
