import { InformerError, isInformerError } from '../../kit/error.ts';
import { compileJsonPath } from './jsonpath.ts';
import { loadJsonPath } from './load-jsonpath.ts';

/** A path into objects: `.spec`, `.status.conditions[type=Ready].status`, `.metadata.labels.app\.kubernetes\.io/name`, with or without braces. */
export interface PathValues {
  /** As it was written. */
  readonly text: string;
  /** What stands there in an object, in order; nothing where the path leads nowhere. Never throws. */
  values(object: unknown): unknown[];
}

/** Compiles a path of kubectl's dialect. Throws `argument` with the flag and the position of a fault, and for `$…`, which {@link loadPath} takes. */
export function compilePath(text: string, { flag }: { flag: string }): PathValues {
  try {
    return compileJsonPath(text);
  } catch (error) {
    throw naming(flag, error);
  }
}

/** As {@link compilePath}, and `$…` expressions by the library that is loaded for them. */
export async function loadPath(text: string, { flag }: { flag: string }): Promise<PathValues> {
  try {
    return await loadJsonPath(text);
  } catch (error) {
    throw naming(flag, error);
  }
}

/** The paths of a list `.spec,.status.conditions[?(@.type=="a,b")]`: commas inside brackets, braces and quotes do not part them. */
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
