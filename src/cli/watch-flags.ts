import { TIMESTAMPS } from '../output/timestamps.ts';
import { overflowPolicies } from '../stream/overflow.ts';
import { bool, choice, connectionFlags, count, duration, habitFlags, list, outputFlags, selectionFlags, text } from './flags.ts';

const SHOWING = 'WHAT IS SHOWN';
const ENDING = 'WHEN IT ENDS';

/** Every flag of `watch`. */
export const watchFlags = {
  ...selectionFlags,
  name: text({ summary: 'only objects whose name matches', helpValue: 'REGEX', helpGroup: SHOWING }),
  'exclude-name': text({ summary: 'no objects whose name matches', helpValue: 'REGEX', helpGroup: SHOWING }),
  filter: list({
    summary: `only what an expression over object, oldObject, event and now holds for: 'object.spec.replicas > 3'`,
    helpValue: 'CEL',
    helpGroup: SHOWING,
  }),
  where: list({
    summary: `only rows an expression over the printed columns holds for: 'RESTARTS > 3'`,
    helpValue: 'CEL',
    helpGroup: SHOWING,
  }),
  on: list({
    summary: 'only these events: added, modified, deleted (gone), left (ceased to match)',
    helpValue: 'EVENT[,…]',
    split: true,
    helpGroup: SHOWING,
  }),
  changed: list({
    summary: 'only updates that change what a path finds; of those -o diff and changes show only that',
    helpValue: 'JSONPATH[,…]',
    helpGroup: SHOWING,
  }),
  'ignore-changes': list({ summary: 'leave out updates that change only what these find', helpValue: 'JSONPATH[,…]', helpGroup: SHOWING }),
  predicate: list({
    summary: 'only updates that change generation, labels, annotations, spec, status or finalizers',
    helpValue: 'PART[,…]',
    split: true,
    helpGroup: SHOWING,
  }),
  'no-noise': bool({
    summary: 'leave out heartbeats, lease renewals, and updates without a visible change; in a table, rows that look the same',
    helpGroup: SHOWING,
  }),
  'watch-only': bool({ summary: 'leave out what is there at the start', helpGroup: SHOWING }),
  'sort-by': text({
    summary: 'order of what is there at the start, and of --live; -.PATH for the opposite one',
    helpValue: 'JSONPATH',
    helpGroup: SHOWING,
  }),
  explain: bool({ summary: 'say on stderr what of --filter the server does', helpGroup: SHOWING }),
  once: bool({ summary: 'print what is there, and end', helpGroup: ENDING }),
  until: list({ summary: 'end when every selected object meets it', helpValue: 'CEL', helpGroup: ENDING }),
  'until-any': list({ summary: 'end when some object meets it', helpValue: 'CEL', helpGroup: ENDING }),
  'fail-if': list({ summary: 'end with exit code 5 when some object meets it', helpValue: 'CEL', helpGroup: ENDING }),
  for: list({
    summary: 'as kubectl wait: create, delete, condition=NAME[=VALUE], jsonpath=…; or rollout, as kubectl rollout status',
    helpValue: 'CONDITION',
    helpGroup: ENDING,
  }),
  stays: duration({ summary: '--for, --until and --until-any must hold for so long', helpGroup: ENDING }),
  limit: count({ summary: 'end after so many printed events', min: 1, helpGroup: ENDING }),
  timeout: duration({ summary: 'end after so long, counted from the start: 90s, 5m', helpGroup: ENDING }),
  strict: bool({ summary: 'end with exit code 4 as soon as a change may have gone unseen', helpGroup: ENDING }),
  'verify-every': duration({ summary: 'compare with a fresh list this often, and tell and mend what differs' }),
  'idle-timeout': duration({ summary: 'silence, without even a bookmark, after which a watch is taken for dead and resumed (150s)' }),
  overflow: choice(overflowPolicies, {
    summary: 'when the reader is slow: wait for it, skip to the latest states, or drop',
    default: 'block',
  }),
  'overflow-buffer': count({ summary: 'with --overflow drop: how many events may wait (1000)', min: 1 }),
  ...outputFlags,
  output: text({
    char: 'o',
    summary: 'wide, json, yaml, name, diff, changes, jq=…, jsonpath=…, custom-columns=… (or …-file=FILE)',
    helpValue: 'FORMAT',
  }),
  live: bool({ summary: 'one table that is redrawn in place, on a terminal' }),
  timestamps: choice(TIMESTAMPS, { summary: 'when each event came', implied: 'received' }),
  markers: bool({ summary: 'also records of syncs, gaps, relists and the end, where they take place' }),
  old: bool({ summary: 'with -o json, yaml or jq: the state before, as oldObject' }),
  'with-changes': bool({ summary: 'with -o json, yaml or jq: what changed, from what to what, and by whom, as changes' }),
  'full-values': bool({ summary: 'with -o diff or changes: values whole, however long' }),
  ...connectionFlags,
  ...habitFlags,
} as const;
