import { InformerError } from '../../kit/error.ts';
import type { GivenFlag, QueryRequest } from '../../serve/protocol.ts';
import { shapesOf } from '../args/flag.ts';
import { queryFlags } from '../args/query-flags.ts';
import { clusterChoiceFlags, connectionFlags } from '../args/shared-flags.ts';

/** The parameter that is no flag: a word each, such as `pods`, `pods,deploy` or `deploy/web`. */
const WORD = 'type';

const SHAPES = new Map(shapesOf(queryFlags).map((shape) => [shape.name, shape]));

/**
 * Reads the question of a GET: `type=pods&eq=node=w1&output=yaml`. The parameters are the flags of `query` by their long
 * names. Without `namespace` all namespaces are asked, without `output` it is JSON. Throws `argument` for any other
 * parameter.
 */
export function requestOfParameters(query: URLSearchParams): QueryRequest {
  const words = query.getAll(WORD);
  if (words.length === 0)
    throw new InformerError('argument', 'the parameter type is missing', {
      hint: 'for example /v1/query?type=pods&eq=node=w1; the other parameters are the flags of query',
    });
  const given: Record<string, GivenFlag> = {
    ...(query.has('namespace') ? {} : { 'all-namespaces': flag(['true']) }),
    output: flag(['json']),
  };
  for (const name of new Set(query.keys())) if (name !== WORD) given[name] = flag(valuesOf(name, query.getAll(name)));
  return { words, given, config: { indexes: {} }, terminal: { isTerminal: false }, env: {} };
}

const flag = (values: readonly string[]): GivenFlag => ({ values, origin: 'flag' });

function valuesOf(name: string, texts: readonly string[]): readonly string[] {
  const shape = SHAPES.get(name);
  if (!shape || Object.hasOwn(connectionFlags, name) || Object.hasOwn(clusterChoiceFlags, name))
    throw new InformerError('argument', `there is no parameter ${JSON.stringify(name)}`, {
      hint: 'the parameters are type, and the flags of query by their long names',
    });
  if (shape.kind === 'boolean') {
    const value = texts.at(-1) || 'true';
    if (value === 'true' || value === 'false') return [value];
    throw new InformerError('argument', `the parameter ${name} is true or false, not ${JSON.stringify(value)}`);
  }
  const values = shape.split ? texts.flatMap((text) => text.split(',')).filter((text) => text !== '') : texts;
  return shape.repeatable ? values : values.slice(-1);
}
