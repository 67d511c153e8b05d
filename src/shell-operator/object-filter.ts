import type { Clock } from '../kit/clock.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import { compileJq } from '../output/jq/jq-expression.ts';
import type { JqLibrary } from '../output/jq/jq-library.ts';

/** The result of a filter for an object, as JSON; an error if the filter failed on it. */
export type Filtered = string | Error;

/** A jqFilter. */
export interface ObjectFilter {
  /** Applies it to the JSON of many objects in one call of jq, which ends with the signal. */
  apply(objects: readonly string[], signal: AbortSignal): Promise<Filtered[]>;
}

/**
 * Compiles a jqFilter. As in shell-operator, no result is null, and several results are a list. Throws `argument` with
 * `where`, and jq's words, for an expression that cannot be used.
 */
export async function compileFilter(
  expression: string,
  where: string,
  library: JqLibrary,
  clock: Clock,
): Promise<ObjectFilter> {
  try {
    const { readsOn } = await compileJq(expression, library);
    if (readsOn) throw new InformerError('argument', 'it must not read further inputs, or halt');
    const jq = await compileJq(oneResult(expression), library);
    return {
      async apply(objects, signal) {
        if (objects.length === 0) return [];
        const lines = (await jq.results(objects.join('\n'), { clock, signal })).trimEnd().split('\n');
        if (lines.length === objects.length) return lines.map(resultOf);
        throw new InformerError('decode', `${where}: jq gave ${lines.length} results for ${objects.length} objects`);
      },
    };
  } catch (cause) {
    throw new InformerError('argument', `${where}: ${messageOf(cause)}`, {
      cause,
      hint: "try it with: kubectl get TYPE -o json | jq '.items[] | EXPRESSION'",
    });
  }
}

/** Gives one result a line, also where the expression gives none or several, or fails. */
const oneResult = (expression: string) =>
  `try ([${expression}\n] | {v: (if length > 1 then . else .[0] end)}) catch {e: (. | tostring)}`;

function resultOf(line: string): Filtered {
  return line.startsWith('{"v":') ? line.slice('{"v":'.length, -1) : new Error((JSON.parse(line) as { e: string }).e);
}
