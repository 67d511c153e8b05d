import type { JSONPathClass } from 'jsonpath-plus';
import { InformerError, messageOf } from '../../kit/error.ts';
import { goText } from '../go-text.ts';
import { compileJsonPath, isDollarPath, type JsonPath, jsonListOf } from './jsonpath.ts';

/**
 * Compiles kubectl's dialect as {@link compileJsonPath} does, and an expression that begins with `$` with
 * `jsonpath-plus`, which has script filters such as `$.items[?(@.a && @.b > 1)]`. The library is loaded only for such
 * an expression. Throws `argument` for an expression that cannot be parsed.
 */
export async function loadJsonPath(text: string): Promise<JsonPath> {
  return isDollarPath(text) ? loadDollarPath(text) : compileJsonPath(text);
}

/**
 * Compiles a `$…` expression with jsonpath-plus. Filter scripts run in the library's own interpreter (`eval: 'safe'`,
 * never `native`). A script that fails on an object matches nothing there. A script that cannot be parsed throws
 * `argument` here.
 */
async function loadDollarPath(text: string): Promise<JsonPath> {
  refuseRounding(text);
  const { JSONPath } = await import('jsonpath-plus');
  const create = (ignoreEvalErrors: boolean) =>
    JSONPath({ path: text, json: {}, autostart: false, eval: 'safe', wrap: true, ignoreEvalErrors }) as JSONPathClass;
  checkScripts(text, JSONPath.toPathArray, create(false));
  const engine = create(true);
  const values = (object: unknown): unknown[] => {
    const found = engine.evaluate({ path: text, json: object as object, wrap: true });
    return Array.isArray(found) ? found : [];
  };
  return {
    text,
    wantsList: /^\s*\$(\.items|\[['"]items)\b/.test(text),
    values,
    print: (object, clean = (printed) => printed) =>
      values(object)
        .map((value) => clean(goText(value)))
        .join(' '),
    printJson: (object) => jsonListOf(values(object)),
  };
}

/** Refuses whole numbers beyond 2^53. The library's interpreter would round them, and then match other values. */
function refuseRounding(text: string): void {
  const literal = text.replace(/'[^']*'|"[^"]*"/g, '').match(/(?<![\w.])\d{16,}(?![\w.])/)?.[0];
  if (literal === undefined || Number.isSafeInteger(Number(literal))) return;
  throw new InformerError(
    'argument',
    `error parsing jsonpath ${text}: ${literal} is too large for an expression that begins with $`,
    {
      hint: "kubectl's dialect, in braces, is exact: {.items[?(@.spec.id==…)]}",
    },
  );
}

/**
 * Throws for a script that cannot be parsed. The library parses a script only when an item reaches it, so each one runs
 * here on an empty item. A missing key is no fault then.
 */
function checkScripts(text: string, toPathArray: (path: string) => string[], engine: JSONPathClass): void {
  try {
    for (const part of toPathArray(text))
      if (/^\??\(/.test(part)) engine.evaluate({ path: `$[${part}]`, json: [{}], wrap: true });
  } catch (error) {
    const cause = (error as Error).cause ?? error;
    if (cause instanceof TypeError || cause instanceof ReferenceError) return;
    throw new InformerError('argument', `error parsing jsonpath ${text}: ${messageOf(cause)}`, { cause: error });
  }
}
