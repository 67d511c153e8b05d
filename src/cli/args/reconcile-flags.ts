import { SHARDED_KEYS } from '../../model/shard.ts';
import { filterFlags } from './filter-flags.ts';
import { bool, choice, count, duration, type FlagValues, group, list, rate, text } from './flag.ts';
import { recordFlags, replayFlags } from './record-flags.ts';
import { connectionFlags, outputFlags, selectionFlags } from './shared-flags.ts';

/** Flags about the program that runs; a hook's own config cannot set them. */
const hookFlags = group('HOOK', {
  hook: text({ summary: 'a .js or .ts module, or an executable', helpValue: 'FILE' }),
  exec: text({ summary: 'a command line; {{.path}} is replaced by a value of the object', helpValue: 'COMMAND' }),
  shell: bool({ summary: 'with --exec: sh reads the line; placeholders must be outside of quotes' }),
  'hook-mode': choice(['once', 'warm'], {
    summary: 'warm: keep the processes of an executable; one request and one reply a line, with the same id',
    default: 'once',
  }),
  'on-startup': bool({ summary: 'run the executable once before all keys, with event "startup" in its request' }),
  reload: bool({ summary: 'load the hook again when its file changes, and run it for every key' }),
  index: list({ summary: 'an index for ctx.index', helpValue: 'NAME=EXPRESSION' }),
  'shell-operator': text({
    summary: 'in place of TYPE and a hook: run all hooks of a folder, written for shell-operator',
    helpValue: 'DIR',
  }),
});

const {
  namespace,
  'all-namespaces': allNamespaces,
  selector,
  'field-selector': fieldSelector,
  'wait-for-crd': waitForCrd,
} = selectionFlags;

/** Flags that a hook's own config can set too. */
export const configurableFlags = {
  namespace,
  'all-namespaces': allNamespaces,
  selector,
  'field-selector': fieldSelector,
  ...group('TRIGGER', {
    owns: list({
      summary: 'types of objects that reconciled objects own: their changes count too',
      helpValue: 'TYPE[,…]',
      split: true,
    }),
    watches: list({ summary: 'another type whose objects lead to reconciled ones, by --map', helpValue: 'TYPE' }),
    map: list({
      summary: 'for each --watches: what its objects lead to, by JSONPath, CEL over object, or index:NAME',
      helpValue: 'EXPRESSION',
    }),
    every: duration({ summary: 'queue every key again this often' }),
    schedule: list({ summary: 'queue every key at the times of a cron expression: "0 3 * * *"', helpValue: 'CRON' }),
    'schedule-zone': text({ summary: 'time zone of --schedule (default: UTC)', helpValue: 'ZONE' }),
    with: list({
      summary: 'objects of another type that the hook gets as snapshots.NAME',
      helpValue: 'NAME=TYPE[:SELECTOR]',
    }),
  }),
  ...filterFlags,
  ...group('FILTER', {
    where: list({
      summary: `only objects for whose row an expression over the printed columns is true: 'RESTARTS > 3'`,
      helpValue: 'CEL',
    }),
    on: list({
      summary: 'only these events: added, modified, deleted, left (no longer matches); default: all but left',
      helpValue: 'EVENT[,…]',
      split: true,
      words: ['added', 'modified', 'deleted', 'left'],
    }),
    changed: list({ summary: 'only updates that change what a path finds', helpValue: 'JSONPATH[,…]' }),
    'no-noise': bool({ summary: 'no heartbeats, lease renewals, or updates without a visible change' }),
  }),
  ...group('QUEUE', {
    workers: count({ summary: 'number of keys processed at the same time (default: 1)', min: 1 }),
    'max-retries': count({ summary: 'give up a failing key after N retries' }),
    'retry-base': duration({ summary: 'delay of the first retry of a key, which then doubles (default: 5ms)' }),
    'retry-max': duration({ summary: 'longest delay of a retry (default: 1000s)' }),
    'retry-qps': rate({ summary: 'retries of all keys together, a second (default: 10)' }),
    'retry-burst': count({ summary: 'retries of all keys that may happen at once (default: 100)', min: 1 }),
    'hook-timeout': duration({ summary: 'time limit of one run' }),
  }),
  ...group('WRITE', {
    'allow-write': bool({ summary: 'send what the hook asks for' }),
    'dry-run': bool({ summary: 'send it as a server-side dry run' }),
    'max-writes': text({ summary: 'delay writes beyond this rate (default: 600/m)', helpValue: 'N/TIME' }),
    'hot-loop': count({
      summary: 'park a key that its own writes run N times in a row within a minute (default: 10; 0: never)',
    }),
    consistency: choice(['own-writes', 'none'], {
      summary: 'none: runs do not wait until the caches show what earlier runs of the key wrote',
    }),
    finalizer: text({
      summary: 'run the hook before a deletion, which waits until the hook succeeds',
      helpValue: 'NAME',
    }),
  }),
  ...group('ACCESS', {
    'pass-credentials': bool({ summary: "give the hook's process access to the cluster (KUBECONFIG)" }),
    'show-secrets': bool({ summary: "give the hook Secrets' values instead of hmac:… marks" }),
  }),
};

/** A lease is the operator's to name: a hook's own config has no part in it. */
const electionFlags = group('LEADER ELECTION', {
  'leader-elect': bool({ summary: 'run the hook only while this process has the lease; others wait' }),
  'leader-elect-lease-name': text({ summary: 'name of the Lease (default: from the hook and the type)' }),
  'leader-elect-namespace': text({ summary: 'namespace of the Lease (default: that of the objects)' }),
  'leader-elect-lease-duration': duration({ summary: 'how long others respect a lease (default: 15s)' }),
  'leader-elect-renew-deadline': duration({ summary: 'stop if the lease is not renewed within (default: 10s)' }),
  'leader-elect-retry-period': duration({ summary: 'time between two renewals (default: 2s)' }),
});

/** How the work is shared is the operator's to say, too. */
const sharingFlags = group('SHARING', {
  shards: count({ summary: 'share the keys with other replicas: N parts, each at one replica at a time', min: 1 }),
  'shard-by': choice(SHARDED_KEYS, { summary: 'what decides about the part of an object (default: uid)' }),
});

/** Every flag of `reconcile`. */
export const reconcileFlags = {
  ...hookFlags,
  ...configurableFlags,
  ...electionFlags,
  ...sharingFlags,
  ...group('QUEUE', {
    'per-object': bool({
      summary: 'with --shell-operator: tasks of different objects side by side, --workers at once (default: 4)',
    }),
  }),
  ...group('WRITE', {
    journal: text({
      summary: 'keep actions in this folder until they are done, so that a crash neither loses nor doubles one',
      helpValue: 'DIR',
    }),
  }),
  ...group('ACCESS', {
    'pass-env': list({
      summary: 'with --shell-operator: also give the hooks these variables of the environment',
      helpValue: 'NAME[,…]',
      split: true,
    }),
    observe: text({
      summary: 'note the kinds of requests made in this file, for reconcile rbac --observed',
      helpValue: 'FILE',
    }),
  }),
  'wait-for-crd': waitForCrd,
  ...recordFlags,
  ...replayFlags('run the hook on this recording in place of a cluster; nothing is sent', 'default: max'),
  ...group('CONTINUITY', {
    'idle-timeout': duration({
      summary: 'resume a watch that was silent, even without bookmarks, for this long (default: 150s)',
    }),
  }),
  ...group('OPERATION', {
    metrics: text({
      summary: 'serve metrics, health and debug pages; :8080 = for this machine only',
      helpValue: '[HOST]:PORT',
    }),
    grace: duration({ summary: 'time for running hooks to finish after SIGTERM or Ctrl-C (default: 25s)' }),
  }),
  ...group('OUTPUT', { color: outputFlags.color }),
  ...group('LOG', {
    'log-format': choice(['text', 'json'], { summary: 'format of the lines on stderr', default: 'text' }),
  }),
  ...connectionFlags,
};

export type HookFlags = Pick<
  FlagValues<typeof hookFlags>,
  'hook' | 'exec' | 'shell' | 'hook-mode' | 'on-startup' | 'reload'
>;
export type ElectionFlags = FlagValues<typeof electionFlags>;
export type SharingFlags = FlagValues<typeof sharingFlags>;
export type ConfigurableFlags = FlagValues<typeof configurableFlags>;
