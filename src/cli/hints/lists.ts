import { absentConditions, type ConditionFacts } from './absent-conditions.ts';
import { absentFields, type FieldFacts } from './absent-fields.ts';
import { absentNamespaces, type NamespaceFacts } from './absent-namespaces.ts';
import { type EmptyFacts, emptyResult } from './empty-answer.ts';
import { emptySnapshots, type SnapshotFacts } from './empty-snapshots.ts';
import { type FirstStateFacts, firstState } from './first-state.ts';
import { type Hint, whenEmpty } from './hint.ts';
import { misspeltValues, type ValueFacts } from './misspelt-values.ts';
import { type LookupFacts, nearValues } from './near-values.ts';
import { type NameFacts, notThereYet } from './not-there-yet.ts';
import { type AgeFacts, oldCaches } from './old-caches.ts';
import { type ShardFacts, shardPart } from './shard-part.ts';
import { type MapFacts, uselessMap } from './useless-map.ts';

/** The facts of a `watch` whose initial lists are shown. */
export type WatchFacts = ShardFacts & FirstStateFacts & NameFacts & NamespaceFacts & ConditionFacts & FieldFacts;

/** The hints of `watch` on what expressions name, which need objects. */
export const WATCH_OBJECTS: readonly Hint<WatchFacts>[] = [absentConditions, absentFields];

/** The hints of `watch`, in their order. */
export const WATCH: readonly Hint<WatchFacts>[] = [
  shardPart,
  firstState,
  notThereYet,
  absentNamespaces,
  ...WATCH_OBJECTS,
];

/** The facts of a `query` about its answer from one cluster. */
export type AnswerFacts = ShardFacts &
  LookupFacts &
  ValueFacts &
  FieldFacts &
  AgeFacts &
  NamespaceFacts & {
    /** No object was found. */
    readonly isEmpty: boolean;
  };

/** The hints of `query`, in their order. */
export const QUERY: readonly Hint<AnswerFacts>[] = [
  shardPart,
  whenEmpty(nearValues),
  whenEmpty(misspeltValues),
  absentFields,
  oldCaches,
  absentNamespaces,
];

/** The hints of `query --since-last`. */
export const QUERY_SINCE_LAST: readonly Hint<ShardFacts>[] = [shardPart];

/** The facts of a `query --watch` about its first result. */
export type FirstResultFacts = ShardFacts &
  NameFacts &
  EmptyFacts &
  LookupFacts &
  NamespaceFacts &
  ValueFacts &
  FieldFacts & {
    /** No object was found. */
    readonly isEmpty: boolean;
  };

/** The hints of `query --watch`, in their order. */
export const QUERY_WATCH: readonly Hint<FirstResultFacts>[] = [
  shardPart,
  notThereYet,
  emptyResult,
  whenEmpty(nearValues),
  absentNamespaces,
  whenEmpty(misspeltValues),
  absentFields,
];

/** The hints of `reconcile` on the reconciled objects, on those of each `--watches`, and on the snapshots. */
export const RECONCILE: {
  readonly objects: readonly Hint<NamespaceFacts & FieldFacts>[];
  readonly map: readonly Hint<MapFacts>[];
  readonly snapshots: readonly Hint<SnapshotFacts>[];
} = { objects: [absentNamespaces, absentFields], map: [uselessMap], snapshots: [emptySnapshots] };
