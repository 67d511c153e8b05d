import { duration, type FlagValues, group, text } from './flag.ts';

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

export type RecordFlags = FlagValues<typeof recordFlags>;
