import { hasMember, isContainer } from '../../kit/exact-json.ts';
import { isSamePart, sameValue } from '../../kit/same-value.ts';
import { cellsOf } from '../../model/cells.ts';
import type { GroupVersionResource } from '../../model/gvr.ts';
import type { ReadonlyObject } from '../../model/object.ts';

/** The fields that count as equal whatever their values are: by key, with `*` for each item of a list. */
type Omitted = ReadonlyMap<string, Omitted>;

const WHOLE: Omitted = new Map();

/** The annotation in which leader election without Leases is recorded. It is written every few seconds. */
const LEADER = 'control-plane.alpha.kubernetes.io/leader';

const HEARTBEATS: Omitted = new Map([
  ['lastHeartbeatTime', WHOLE],
  ['lastProbeTime', WHOLE],
]);

const NOISE: Omitted = new Map([
  [
    'metadata',
    new Map([
      ['resourceVersion', WHOLE],
      ['managedFields', WHOLE],
      ['annotations', new Map([[LEADER, WHOLE]])],
    ]),
  ],
  ['status', new Map([['conditions', new Map([['*', HEARTBEATS]])]])],
]);

const LEASE_NOISE: Omitted = new Map([...NOISE, ['spec', new Map([['renewTime', WHOLE]])]]);

/**
 * Whether an update has no information for a reader: the holder renewed a Lease, a node sent a heartbeat, a pod was
 * probed again, a leader confirmed that it still leads, or a write changed only resourceVersion and managedFields.
 *
 * A Lease with a new holder is not noise. If both objects came as table rows, their cells are compared too, except Age.
 * Neither object may be nested deeper than `isTooDeep` allows: the comparison is recursive. It does not use
 * `sameValue`, which has no limit of depth and takes twice the time on pods.
 */
export function isNoise(
  oldObject: ReadonlyObject,
  object: ReadonlyObject,
  { group, resource }: GroupVersionResource,
): boolean {
  const isLease = group === 'coordination.k8s.io' && resource === 'leases';
  return isSame(oldObject, object, isLease ? LEASE_NOISE : NOISE) && hasSameCells(oldObject, object);
}

function hasSameCells(oldObject: ReadonlyObject, object: ReadonlyObject): boolean {
  const before = cellsOf(oldObject);
  const after = cellsOf(object);
  if (!before || !after) return true;
  return after.columns.every(({ name }, i) => name === 'Age' || sameValue(before.cells[i], after.cells[i]));
}

/** The cells of an object in a table, besides its name. */
export interface RowLook {
  /** Columns of any priority are shown; otherwise only those of priority 0. */
  readonly wide: boolean;
  /** The keys of the labels that are shown. */
  readonly labels: readonly string[] | 'all';
}

/**
 * Creates a comparison of two states of an object by what their rows show: the shown cells except ages, and the shown
 * labels. Of a count such as `3 (5m ago)` only the number counts. The comparison returns false if one of the two came
 * without a row.
 */
export function sameRows({ wide, labels }: RowLook): (oldObject: ReadonlyObject, object: ReadonlyObject) => boolean {
  return (oldObject, object) => {
    const before = cellsOf(oldObject);
    const after = cellsOf(object);
    if (!before || !after || before.columns.length !== after.columns.length) return false;
    const isShown = (i: number) => wide || after.columns[i]?.priority === 0;
    const cells = after.columns.every(
      ({ name }, i) => !isShown(i) || name === 'Age' || withoutAge(before.cells[i]) === withoutAge(after.cells[i]),
    );
    return cells && haveSameLabels(oldObject, object, labels);
  };
}

/** `3 (5m ago)` changes with the time, so only `3` is compared. */
const withoutAge = (cell: unknown) => (typeof cell === 'string' ? cell.replace(/ \(\S+ ago\)$/, '') : cell);

function haveSameLabels(
  { metadata: a }: ReadonlyObject,
  { metadata: b }: ReadonlyObject,
  shown: RowLook['labels'],
): boolean {
  const keys = shown === 'all' ? [...new Set([...Object.keys(a.labels ?? {}), ...Object.keys(b.labels ?? {})])] : shown;
  return keys.every((key) => a.labels?.[key] === b.labels?.[key]);
}

function isSame(a: unknown, b: unknown, omitted: Omitted | undefined): boolean {
  if (isSamePart(a, b)) return true;
  if (!isContainer(a) || !isContainer(b)) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  return Array.isArray(a) ? isSameList(a, b as unknown[], omitted) : isSameMap(a as Fields, b as Fields, omitted);
}

type Fields = Readonly<Record<string, unknown>>;

function isSameList(a: readonly unknown[], b: readonly unknown[], omitted: Omitted | undefined): boolean {
  const within = omitted?.get('*');
  return a.length === b.length && a.every((item, i) => isSame(item, b[i], within));
}

function isSameMap(a: Fields, b: Fields, omitted: Omitted | undefined): boolean {
  for (const key in a) {
    const within = omitted?.get(key);
    if (within !== WHOLE && !isSame(a[key], b[key], within)) return false;
  }
  for (const key in b) if (!hasMember(a, key) && b[key] !== undefined && omitted?.get(key) !== WHOLE) return false;
  return true;
}
