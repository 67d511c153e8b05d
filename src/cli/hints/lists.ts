import { absentConditions } from './absent-conditions.ts';
import { absentFields } from './absent-fields.ts';
import { absentNamespaces } from './absent-namespaces.ts';
import { emptySnapshots, type SnapshotFacts } from './empty-snapshots.ts';
import { firstState, type StreamFacts } from './first-state.ts';
import { type Hint, whenEmpty } from './hint.ts';
import { oldCaches } from './last-proof.ts';
import { misspeltValues } from './misspelt-values.ts';
import { nearValues } from './near-values.ts';
import { notThereYet } from './not-there-yet.ts';
import { emptyResult, type QueryFacts } from './nothing-found.ts';
import { partSize } from './part-size.ts';
import { type MapFacts, uselessMap } from './useless-map.ts';

/** The hints of each command, in their order. */

/** Hints that need an object: after an empty start they wait for the first one. */
export const WATCH_OBJECTS: readonly Hint[] = [absentConditions, absentFields];

export const WATCH: readonly Hint<StreamFacts>[] = [
  partSize,
  firstState,
  notThereYet,
  absentNamespaces,
  ...WATCH_OBJECTS,
];

export const QUERY: readonly Hint[] = [
  partSize,
  whenEmpty(nearValues),
  whenEmpty(misspeltValues),
  absentFields,
  oldCaches,
  absentNamespaces,
];

export const QUERY_SINCE_LAST: readonly Hint[] = [partSize];

export const QUERY_WATCH: readonly Hint<QueryFacts>[] = [
  partSize,
  notThereYet,
  emptyResult,
  whenEmpty(nearValues),
  absentNamespaces,
  whenEmpty(misspeltValues),
  absentFields,
];

export const RECONCILE: readonly Hint[] = [absentNamespaces, absentFields];

/** The hints for each `--watches`. */
export const RECONCILE_MAP: readonly Hint<MapFacts>[] = [uselessMap];

export const RECONCILE_SNAPSHOTS: readonly Hint<SnapshotFacts>[] = [emptySnapshots];
