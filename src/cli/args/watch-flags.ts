import { formatHelp, formatWords } from '../../output/formats.ts';
import { TIMESTAMPS } from '../../output/timestamps.ts';
import { overflowPolicies } from '../../stream/overflow/overflow.ts';
import { filterFlags } from './filter-flags.ts';
import { bool, choice, count, duration, type FlagValues, group, list, text } from './flag.ts';
import { recordFlags, replayFlags } from './record-flags.ts';
import {
  clusterChoiceFlags,
  connectionFlags,
  habitFlags,
  outputFlags,
  partSelectionFlags,
  serveChoiceFlags,
} from './shared-flags.ts';
import { storyFlags } from './story-flags.ts';

const waitFlags = group('END CONDITIONS', {
  until: list({ summary: 'end when the expression is true for every selected object', helpValue: 'CEL' }),
  'until-any': list({ summary: 'end when the expression is true for any object', helpValue: 'CEL' }),
  'fail-if': list({ summary: 'end with exit code 5 when the expression is true for any object', helpValue: 'CEL' }),
  for: list({
    summary:
      'as kubectl wait: create, delete, condition=NAME[=VALUE], jsonpath=…; rollout, as kubectl rollout status; or current, as kstatus',
    helpValue: 'CONDITION',
    words: ['create', 'delete', 'rollout', 'current', 'condition=', 'jsonpath='],
  }),
  stays: duration({ summary: '--for, --until and --until-any must stay true for this long' }),
});

const endFlags = group('END CONDITIONS', {
  once: bool({ summary: 'print the objects that exist, and end' }),
  ...waitFlags,
  limit: count({ summary: 'end after N printed events', min: 1 }),
  timeout: duration({ summary: 'end after this time, counted from the start: 90s, 5m' }),
  strict: bool({ summary: 'end with exit code 4 as soon as a change may have been missed' }),
});

const continuityFlags = group('CONTINUITY', {
  'verify-every': duration({ summary: 'compare with a fresh list this often; report and repair differences' }),
  'idle-timeout': duration({
    summary: 'resume a watch that was silent, even without bookmarks, for this long (default: 150s)',
  }),
  overflow: choice(overflowPolicies, {
    summary: 'when the reader is slow: wait for it, skip to the latest states, or drop events',
    default: 'block',
  }),
  'overflow-buffer': count({ summary: 'with --overflow drop: number of events that may wait (default: 1000)', min: 1 }),
});

const streamOutputFlags = group('OUTPUT', {
  ...outputFlags,
  output: text({
    char: 'o',
    summary: `${formatHelp('streams')} (or …-file=FILE)`,
    helpValue: 'FORMAT',
    words: formatWords('streams'),
  }),
  'sort-by': text({
    summary: 'order of the objects at the start, and of --live; -.PATH sorts in descending order',
    helpValue: 'JSONPATH',
  }),
  live: bool({ summary: 'one table, redrawn in place on a terminal; ? lists its keys' }),
  timestamps: choice(TIMESTAMPS, { summary: 'the time of each event', implied: 'received' }),
  markers: bool({ summary: 'also records of syncs, gaps, relists and the end, where they happen' }),
  old: bool({ summary: 'with -o json, yaml or jq: the previous state, as oldObject' }),
  'with-changes': bool({
    summary: 'with -o json, yaml or jq: the changed fields with both values and the writer, as changes',
  }),
  'full-values': bool({ summary: 'with -o diff or changes: whole values, however long' }),
  explain: bool({ summary: 'report on stderr which part of --filter the server evaluates' }),
});

/** Every flag of `watch`. */
export const watchFlags = {
  ...partSelectionFlags,
  ...filterFlags,
  ...endFlags,
  ...streamOutputFlags,
  ...continuityFlags,
  ...storyFlags,
  ...recordFlags,
  ...replayFlags('watch this recording in place of a cluster, until its end', 'default; with --live 1x'),
  ...connectionFlags,
  ...clusterChoiceFlags,
  ...serveChoiceFlags,
  ...habitFlags,
};

export type WatchFlags = FlagValues<typeof watchFlags>;
export type WaitFlags = Partial<FlagValues<typeof waitFlags>>;
