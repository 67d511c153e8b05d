import { formatHelp, formatWords } from '../../output/formats.ts';
import { bool, count, duration, group, list, text } from './flag.ts';
import { momentFlags } from './record-flags.ts';
import {
  clusterChoiceFlags,
  connectionFlags,
  habitFlags,
  outputFlags,
  partSelectionFlags,
  serveChoiceFlags,
} from './shared-flags.ts';

/** Which objects, by values of indexes. */
const indexFlags = group('INDEX', {
  eq: list({ summary: 'objects with this value in an index', helpValue: 'NAME=VALUE' }),
  in: list({ summary: 'objects with one of these values', helpValue: 'NAME=V1,V2' }),
  prefix: list({ summary: 'objects with a value that begins like this', helpValue: 'NAME=TEXT' }),
  range: list({ summary: 'objects with a value in a range', helpValue: 'NAME=FROM..TO' }),
  values: text({ summary: 'the values of an index, and how many objects have each', helpValue: 'NAME' }),
  index: list({ summary: 'an index of your own, for the flags above', helpValue: 'NAME=EXPRESSION' }),
});

const answerFlags = group('ANSWER', {
  count: bool({ summary: 'only how many objects are found' }),
  'group-by': text({ summary: 'how many objects have each value of an expression', helpValue: 'EXPRESSION' }),
  tree: text({
    summary: 'show owners and what they own; TYPEs are looked for besides the usual ones',
    helpValue: 'TYPE[,…]',
    implied: '',
  }),
  sum: list({ summary: 'the sum of an expression, of each group or of all', helpValue: '[NAME=]EXPRESSION' }),
  min: list({ summary: 'its least value', helpValue: '[NAME=]EXPRESSION' }),
  max: list({ summary: 'its largest value', helpValue: '[NAME=]EXPRESSION' }),
  avg: list({ summary: 'its average', helpValue: '[NAME=]EXPRESSION' }),
  'sort-by': text({
    summary: 'order by an expression, or groups by count, value, sum, …; with - before it in descending order',
    helpValue: 'JSONPATH',
  }),
  limit: count({ summary: 'show at most the first N objects or groups', min: 1 }),
  explain: bool({ summary: 'report on stderr how the answer was found, and how fresh it is' }),
  'since-last': bool({ summary: 'what changed since your last query --since-last of the same types and selection' }),
  timeout: duration({ summary: 'end after this time, counted from the start: 30s, 2m' }),
});

/** How old an answer may be. */
const freshnessFlags = group('FRESHNESS', {
  fresh: duration({ summary: 'the cache must have proved to be current within this time; else wait, or exit with 4' }),
  'at-least-rv': text({
    summary: 'the answer must have seen this resourceVersion, as of your last kubectl apply; else wait, or exit with 4',
    helpValue: 'VERSION',
  }),
});

const continuousFlags = group('WATCH', {
  watch: bool({ char: 'w', summary: 'print the result, then each row that enters (+), changes (~) or leaves (-)' }),
  merge: duration({ summary: 'with --watch: gather changes for this long before rows are printed (default: 100ms)' }),
  markers: bool({ summary: 'with --watch: also records of syncs, gaps, relists and the end, where they happen' }),
  strict: bool({ summary: 'with --watch: end with exit code 4 as soon as a change may have been missed' }),
  'idle-timeout': duration({ summary: 'with --watch: resume a watch that was silent for this long (default: 150s)' }),
});

/** The flags of `query`. */
export const queryFlags = {
  ...partSelectionFlags,
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
  ...freshnessFlags,
  ...momentFlags,
  ...outputFlags,
  ...group('OUTPUT', {
    output: text({
      char: 'o',
      summary: formatHelp('answers'),
      helpValue: 'FORMAT',
      words: formatWords('answers'),
    }),
  }),
  ...connectionFlags,
  ...clusterChoiceFlags,
  ...serveChoiceFlags,
  ...habitFlags,
  ...continuousFlags,
};
