import { formatHelp, formatWords } from '../../output/formats.ts';
import { count, duration, type FlagValues, group, list, text } from './flag.ts';
import { connectionFlags, outputFlags, selectionFlags, serveChoiceFlags } from './shared-flags.ts';
import { storyFlags } from './story-flags.ts';

/** The flags of commands that record. */
export const recordFlags = group('RECORDING', {
  record: text({
    summary: 'record all that is seen into this file, which query and history then ask; never values of Secrets',
    helpValue: 'FILE',
  }),
  'record-keep': duration({ summary: 'with --record: remove what is older, such as 7d' }),
  'record-size': text({
    summary: 'with --record: remove the oldest when the file is larger, such as 500Mi',
    helpValue: 'SIZE',
  }),
  'record-key': text({
    summary: 'with --record: a file with the key of the marks of Secrets, so that they are comparable between runs',
    helpValue: 'FILE',
  }),
});

/** The flags of commands that ask a recording. */
const recordedFlags = group('RECORDING', {
  from: text({ summary: 'ask this recording in place of the cluster', helpValue: 'FILE' }),
});

/** The moment of a recording that is asked. */
export const momentFlags = group('RECORDING', {
  ...recordedFlags,
  at: text({
    summary: 'with --from: the state at this time, as 2026-11-28T14:03:00Z or 10m (ago); default: the last one',
    helpValue: 'TIME',
  }),
  between: text({
    summary: 'with --from: what appeared (+), changed (~) and vanished (-) between two times, and by whom',
    helpValue: 'T1,T2',
  }),
  sql: text({
    summary: 'with --from: the rows of a SELECT over its tables: pods, deployments, … changes, events, gaps',
    helpValue: 'SELECT',
  }),
});

/** The part of a recording that goes by again. */
export const replayFlags = (what: string, speeds: string) =>
  group('RECORDING', {
    from: text({ summary: what, helpValue: 'FILE' }),
    seek: text({
      summary: 'with --from: begin at this time, as 2026-11-28T14:03:00Z or 10m (before the end)',
      helpValue: 'TIME',
    }),
    speed: text({
      summary: `with --from: 1x as it happened, 10x ten times as fast, or max (${speeds})`,
      helpValue: 'N',
      words: ['1x', '10x', '60x', 'max'],
    }),
  });

/** Every flag of `history`. */
export const historyFlags = {
  ...group('SELECTION', {
    namespace: selectionFlags.namespace,
    since: text({
      summary: 'only what was received since this time, as 2026-11-28T14:03:00Z or 10m (ago)',
      helpValue: 'TIME',
    }),
    until: text({ summary: 'only what was received until this time', helpValue: 'TIME' }),
    path: list({ summary: 'only changes of this field, or of one in it: .spec.replicas', helpValue: 'JSONPATH' }),
    by: list({ summary: 'only changes by this field manager', helpValue: 'MANAGER' }),
    limit: count({ summary: 'only the last N changes', min: 1 }),
  }),
  ...storyFlags,
  ...recordedFlags,
  ...group('OUTPUT', {
    ...outputFlags,
    output: text({
      char: 'o',
      summary: `default: one line for each change; ${formatHelp('streams')}; of a recording a picture: ${formatHelp('draws')}`,
      helpValue: 'FORMAT',
      words: [...formatWords('streams'), ...formatWords('draws')],
    }),
  }),
  ...connectionFlags,
  ...serveChoiceFlags,
};

export type HistoryFlags = FlagValues<typeof historyFlags>;

export type RecordFlags = FlagValues<typeof recordFlags>;

export type ReplayFlags = FlagValues<ReturnType<typeof replayFlags>>;
