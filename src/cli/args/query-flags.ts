import { bool, count, duration, group, list, text } from './flag.ts';
import { connectionFlags, habitFlags, outputFlags, selectionFlags, serveChoiceFlags } from './shared-flags.ts';

/** Which objects, by values of indexes. */
const indexFlags = group('INDEX', {
  eq: list({ summary: 'objects with this value in an index', helpValue: 'NAME=VALUE' }),
  in: list({ summary: 'objects with one of these values', helpValue: 'NAME=V1,V2' }),
  prefix: list({ summary: 'objects with a value that begins like this', helpValue: 'NAME=TEXT' }),
  range: list({ summary: 'objects with a value in a range', helpValue: 'NAME=FROM..TO' }),
  values: text({ summary: 'the values of an index, and how many objects have each', helpValue: 'NAME' }),
  index: list({ summary: 'an index of your own, for the flags above', helpValue: 'NAME=EXPRESSION' }),
});

/** What is said of the objects that are found. */
const answerFlags = group('ANSWER', {
  count: bool({ summary: 'only how many objects are found' }),
  'group-by': text({ summary: 'how many objects have each value of an expression', helpValue: 'EXPRESSION' }),
  'sort-by': text({
    summary: 'order by an expression; --sort-by=-PATH sorts in descending order',
    helpValue: 'JSONPATH',
  }),
  limit: count({ summary: 'return at most N objects', min: 1 }),
  explain: bool({ summary: 'report on stderr how the answer was found, and how fresh it is' }),
  timeout: duration({ summary: 'time limit of the initial sync: 30s, 2m' }),
});

/** The flags of `query`. */
export const queryFlags = {
  ...selectionFlags,
  ...group('SELECTION', {
    filter: list({ summary: 'only objects for which an expression over object and now is true', helpValue: 'CEL' }),
    where: list({
      summary: `only rows for which an expression over the printed columns is true: 'RESTARTS > 3'`,
      helpValue: 'CEL',
    }),
    name: text({ summary: 'only objects whose name matches', helpValue: 'REGEX' }),
    'exclude-name': text({ summary: 'only objects whose name does not match', helpValue: 'REGEX' }),
  }),
  ...indexFlags,
  ...answerFlags,
  ...outputFlags,
  ...connectionFlags,
  ...serveChoiceFlags,
  ...habitFlags,
};
