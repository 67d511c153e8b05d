import { bool, type FlagValues, group, list, text } from './flag.ts';

/** Which changes are shown by `watch`, and lead to a run of the hook of `reconcile`. */
export const filterFlags = group('FILTER', {
  name: text({ summary: 'only objects whose name matches', helpValue: 'REGEX' }),
  'exclude-name': text({ summary: 'only objects whose name does not match', helpValue: 'REGEX' }),
  filter: list({
    summary: `only events for which an expression over object, oldObject, event and now is true: 'object.spec.replicas > 3'`,
    helpValue: 'CEL',
  }),
  where: list({
    summary: `only rows for which an expression over the printed columns is true: 'RESTARTS > 3'`,
    helpValue: 'CEL',
  }),
  on: list({
    summary: 'only these events: added, modified, deleted (gone), left (no longer matches)',
    helpValue: 'EVENT[,…]',
    split: true,
    words: ['added', 'modified', 'deleted', 'left'],
  }),
  changed: list({
    summary: 'only updates that change what a path finds; -o diff and changes then show only that part',
    helpValue: 'JSONPATH[,…]',
  }),
  'ignore-changes': list({ summary: 'no updates that change only what these paths find', helpValue: 'JSONPATH[,…]' }),
  predicate: list({
    summary: 'only updates that change generation, labels, annotations, spec, status or finalizers',
    helpValue: 'PART[,…]',
    split: true,
    words: ['generation', 'labels', 'annotations', 'spec', 'status', 'finalizers'],
  }),
  'no-noise': bool({
    summary: 'no heartbeats, lease renewals, or updates without a visible change; in a table, no row twice',
  }),
  'watch-only': bool({ summary: 'no objects that exist at the start' }),
});

export type FilterFlags = Partial<FlagValues<typeof filterFlags>>;
