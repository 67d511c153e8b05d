import { InformerError, isInformerError } from '../../kit/error.ts';
import { compileJsonPath } from './jsonpath.ts';
import { loadJsonPath } from './load-jsonpath.ts';

/**
 * A compiled path into objects, with or without braces: `.spec`, `.status.conditions[type=Ready].status`,
 * `.metadata.labels.app\.kubernetes\.io/name`.
 */
export interface PathValues {
  readonly text: string;
  /** The values at the path in an object, in order; none if the object has no such field. Never throws. */
  values(object: unknown): unknown[];
}

/**
 * Compiles a path of kubectl's dialect. Throws `argument` with the flag and the position of a fault, and for `$…`,
 * which only {@link loadPath} compiles.
 */
export function compilePath(text: string, { flag }: { flag: string }): PathValues {
  try {
    return compileJsonPath(text);
  } catch (error) {
    throw naming(flag, error);
  }
}

/** Compiles a path as {@link compilePath} does, and also `$…` expressions, for which it loads a library. */
export async function loadPath(text: string, { flag }: { flag: string }): Promise<PathValues> {
  try {
    return await loadJsonPath(text);
  } catch (error) {
    throw naming(flag, error);
  }
}

/** The paths of a list, separated by commas: `.spec,.status`. Commas in brackets, braces and quotes do not separate. */
export function splitPaths(text: string): string[] {
  const paths: string[] = [];
  let depth = 0;
  let start = 0;
  let quote = '';
  for (let i = 0; i < text.length; i++) {
    const c = text[i] as string;
    if (c === '\\') i++;
    else if (quote) quote = c === quote ? '' : quote;
    else if (depth > 0 && (c === '"' || c === "'")) quote = c;
    else if ('[({'.includes(c)) depth++;
    else if ('])}'.includes(c)) depth--;
    else if (c === ',' && depth === 0) {
      paths.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return [...paths, text.slice(start)].map((path) => path.trim()).filter((path) => path !== '');
}

function naming(flag: string, error: unknown): unknown {
  if (!isInformerError(error)) return error;
  return new InformerError(error.code, `${flag}: ${error.message}`, { cause: error, hint: error.hint });
}
