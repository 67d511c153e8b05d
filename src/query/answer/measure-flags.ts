import { loadExpression, type ValueExpression } from '../../expr/path-or-cel.ts';
import { InformerError } from '../../kit/error.ts';
import { nearest } from '../../kit/nearest.ts';
import type { GroupOrder } from './groups.ts';
import { splitSortOrder } from './sort-order.ts';
import { VERBS, type Verb } from './sums.ts';

/** One `--sum`, `--min`, `--max` or `--avg`. */
export interface Measure {
  readonly verb: Verb;
  /** The name of the measure: the user's, or the last field of the expression. */
  readonly name: string;
  readonly expression: Pick<ValueExpression, 'text' | 'values' | 'reads' | 'seen'>;
}

/** The flags of measures. */
export type MeasureFlags = { readonly [V in Verb]?: readonly string[] | undefined };

/**
 * Reads the measures, each an expression, or NAME=EXPRESSION. Throws `argument`, with the place, for an expression that
 * cannot be read, and for two of one name.
 */
export async function measuresOf(flags: MeasureFlags, onError: (error: Error) => void): Promise<Measure[]> {
  const asked = VERBS.flatMap((verb) => (flags[verb] ?? []).map((text) => ({ verb, text })));
  const measures = await Promise.all(
    asked.map(async ({ verb, text }) => {
      const [, given, named] = /^([A-Za-z][\w-]*)=(?!=)(.*)$/s.exec(text) ?? [];
      const expression = await loadExpression(named ?? text, { flag: `--${verb}`, onError });
      return { verb, name: given ?? nameOf(expression.text), expression };
    }),
  );
  const columns = measures.map(columnOf);
  const twice = columns.find((column, i) => columns.indexOf(column) < i);
  if (twice === undefined) return measures;
  throw new InformerError('argument', `there are two columns ${twice}`, {
    hint: 'give them names: --sum limit=.spec.containers[*].resources.limits.cpu',
  });
}

/** The name of a measure's column: `sum(cpu)`. */
export const columnOf = ({ verb, name }: Pick<Measure, 'verb' | 'name'>): string => `${verb}(${name})`;

/** The last field that an expression names: `cpu` of `.spec.containers[*].resources.requests.cpu`. */
function nameOf(text: string): string {
  const words = text
    .replace(/\[[^[\]]*\]/g, (part) => part.replace(/^\[['"](.*)['"]\]$/, '.$1'))
    .match(/[A-Za-z_][\w-]*/g);
  return words?.at(-1) ?? text;
}

/**
 * Reads `--sort-by` of groups: `count`, `value`, or a measure by its verb, its name or both, with `-` before it for the
 * largest first. Throws `argument`, with the words there are, for anything else.
 */
export function groupOrderOf(text: string, measures: readonly Measure[]): GroupOrder {
  const { expression: word, isDescending } = splitSortOrder(text);
  if (word === 'count' || word === 'value') return { by: word, isDescending };
  const named = measures.flatMap((measure, i) =>
    [measure.verb, measure.name, columnOf(measure)].includes(word) ? [i] : [],
  );
  const exact = measures.findIndex((measure) => columnOf(measure) === word);
  const [by] = exact >= 0 ? [exact] : named;
  if (by !== undefined && (exact >= 0 || named.length === 1)) return { by, isDescending };
  const words = ['count', 'value', ...measures.map(columnOf)];
  const [near] = nearest(word, words, 1);
  throw new InformerError(
    'argument',
    `--sort-by: ${JSON.stringify(word)} ${named.length > 1 ? 'is more than one column' : 'is no column'} of the groups`,
    { hint: `${near && named.length === 0 ? `did you mean ${near}? ` : ''}The columns are ${words.join(', ')}` },
  );
}
