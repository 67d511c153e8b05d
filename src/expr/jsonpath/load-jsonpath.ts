import type { JSONPathClass } from 'jsonpath-plus';
import { InformerError, messageOf } from '../../kit/error.ts';
import { goText } from '../go-text.ts';
import { compileJsonPath, isDollarPath, type JsonPath } from './jsonpath.ts';

/**
 * Compiles kubectl's dialect as {@link compileJsonPath} does, and expressions that begin with `$` by `jsonpath-plus` (script
 * filters such as `$.items[?(@.a && @.b > 1)]`), which is loaded then and only then. Throws `argument` for what cannot be read.
 */
export async function loadJsonPath(text: string): Promise<JsonPath> {
  return isDollarPath(text) ? loadDollarPath(text) : compileJsonPath(text);
}

/**
 * Compiles a `$…` expression by jsonpath-plus, whose filter scripts run in its own interpreter (`eval: 'safe'`, never `native`).
 * One instance serves every object. A script that fails on an object matches nothing there; one that cannot be read throws `argument` here.
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
  };
}

/** The library's interpreter would round such a number, and then find what is not there. */
function refuseRounding(text: string): void {
  const literal = text.replace(/'[^']*'|"[^"]*"/g, '').match(/(?<![\w.])\d{16,}(?![\w.])/)?.[0];
  if (literal === undefined || Number.isSafeInteger(Number(literal))) return;
  throw new InformerError('argument', `error parsing jsonpath ${text}: ${literal} is beyond what expressions that begin with $ can hold`, {
    hint: "kubectl's dialect, in braces, is exact: {.items[?(@.spec.id==…)]}",
  });
}

/** Scripts are read only when an item reaches them; here each is tried on an empty item, where a missing key is no fault. */
function checkScripts(text: string, toPathArray: (path: string) => string[], engine: JSONPathClass): void {
  try {
    for (const part of toPathArray(text)) if (/^\??\(/.test(part)) engine.evaluate({ path: `$[${part}]`, json: [{}], wrap: true });
  } catch (error) {
    const cause = (error as Error).cause ?? error;
    if (cause instanceof TypeError || cause instanceof ReferenceError) return;
    throw new InformerError('argument', `error parsing jsonpath ${text}: ${messageOf(cause)}`, { cause: error });
  }
}
