import type { Address } from './address.ts';
import { loadCel } from './cel/load-cel.ts';
import { addressesOf } from './jsonpath/addresses-read.ts';
import { loadPath, type PathValues } from './jsonpath/path-values.ts';

/** An expression that finds values in objects, in kubectl's JSONPath or in CEL. */
export interface ValueExpression extends PathValues {
  /** The fields it reads, as far as they stand in it. */
  readonly reads: readonly Address[];
}

/** Whether an expression names the variable `object`, as CEL does and a path does not. */
const isCel = (text: string): boolean => !/^\s*[.{$[]/.test(text) && /(^|[^\w.'"])object\s*[.[]/.test(text);

/**
 * Compiles a path as `loadPath` does, or CEL over `object`: a list it gives is several values, a missing key none, maps and lists within are JSON.
 * CEL that fails on an object finds nothing there; `onError` is called with each failure that is new. Throws `argument` for what cannot be read.
 */
export async function loadExpression(
  text: string,
  { flag, onError }: { flag: string; onError?: ((error: Error) => void) | undefined },
): Promise<ValueExpression> {
  if (!isCel(text)) return { ...bound(await loadPath(text, { flag })), reads: addressesOf(text) };
  const { compileCel, addressesRead } = await loadCel();
  const program = compileCel(text, { flag, variables: { object: 'dyn' } });
  const told = new Set<unknown>();
  const values = (object: unknown): unknown[] => {
    try {
      const value = program.evaluate({ object });
      return value === undefined ? [] : Array.isArray(value) ? value : [value];
    } catch (error) {
      if (!told.has(error)) onError?.(error as Error);
      told.add(error);
      return [];
    }
  };
  return { text, values, reads: addressesRead(program.ast) };
}

/** A path's methods, to be spread. */
const bound = (path: PathValues): PathValues => ({ text: path.text, values: (object) => path.values(object) });
