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
  filter: list({ summary: 'only what an expression holds for: object, oldObject, event, now', helpValue: 'CEL', helpGroup: SHOWING }),
  where: list({
    summary: `only rows an expression over the printed columns holds for: 'RESTARTS > 3'`,
    helpValue: 'CEL',
    helpGroup: SHOWING,
  }),
  on: list({ summary: 'only these events: added, modified, deleted', helpValue: 'EVENT[,…]', split: true, helpGroup: SHOWING }),
  changed: list({ summary: 'only updates that change what a path finds', helpValue: 'JSONPATH[,…]', helpGroup: SHOWING }),
  'ignore-changes': list({ summary: 'no updates that change nothing else', helpValue: 'JSONPATH[,…]', helpGroup: SHOWING }),
  predicate: list({
    summary: 'only updates of generation, labels, annotations, spec, status or finalizers',
    helpValue: 'PART[,…]',
    split: true,
    helpGroup: SHOWING,
  }),
  'no-noise': bool({ summary: 'no heartbeats, lease renewals, and updates without a visible change', helpGroup: SHOWING }),
  'watch-only': bool({ summary: 'leave out the state at the start', helpGroup: SHOWING }),
  'sort-by': text({ summary: 'order of the state at the start', helpValue: 'JSONPATH', helpGroup: SHOWING }),
  explain: bool({ summary: 'say on stderr what of --filter the server does', helpGroup: SHOWING }),
  once: bool({ summary: 'print the state at the start and end', helpGroup: ENDING }),
  until: list({ summary: 'end when every selected object meets it', helpValue: 'CEL', helpGroup: ENDING }),
  'until-any': list({ summary: 'end when some object meets it', helpValue: 'CEL', helpGroup: ENDING }),
  'fail-if': list({ summary: 'end with exit code 5 when some object meets it', helpValue: 'CEL', helpGroup: ENDING }),
  for: list({ summary: 'as kubectl wait: create, delete, condition=NAME[=VALUE], jsonpath=…', helpValue: 'CONDITION', helpGroup: ENDING }),
  stays: duration({ summary: 'what ends it must hold for so long', helpGroup: ENDING }),
  limit: count({ summary: 'end after so many events', min: 1, helpGroup: ENDING }),
  timeout: duration({ summary: 'end after so long', helpGroup: ENDING }),
  strict: bool({ summary: 'end with exit code 4 as soon as changes may have gone unseen', helpGroup: ENDING }),
  'verify-every': duration({ summary: 'compare with a fresh list this often, and tell and mend what differs' }),
  overflow: choice(overflowPolicies, {
    summary: 'when the reader is slow: wait for it, skip to the latest states, or drop',
    default: 'block',
  }),
  'overflow-buffer': count({ summary: 'with --overflow drop: how many events may wait (1000)', min: 1 }),
  ...outputFlags,
  output: text({ char: 'o', summary: 'wide, json, yaml, name, diff, changes, jsonpath=…, custom-columns=…, jq=…', helpValue: 'FORMAT' }),
  live: bool({ summary: 'one table that is redrawn in place' }),
  timestamps: choice(TIMESTAMPS, { summary: 'when each event came', implied: 'received' }),
  markers: bool({ summary: 'records of syncs, gaps, relists and the end, in their places in the stream' }),
  old: bool({ summary: 'with -o json, yaml or jq: the state before, as oldObject' }),
  ...connectionFlags,
  ...habitFlags,
} as const;
