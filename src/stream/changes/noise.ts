import { isContainer } from '../../kit/exact-json.ts';
import { isSamePart, sameValue } from '../../kit/same-value.ts';
import { cellsOf } from '../../model/cells.ts';
import type { GroupVersionResource } from '../../model/gvr.ts';
import type { ReadonlyObject } from '../../model/object.ts';

/** Fields that count as equal whatever they hold: by key, `*` for every item of a list. */
type Omitted = ReadonlyMap<string, true | Omitted>;

/** Where leader election wrote before there were Leases: once every few seconds. */
const LEADER = 'control-plane.alpha.kubernetes.io/leader';

const HEARTBEATS: Omitted = new Map<string, true | Omitted>([
  ['lastHeartbeatTime', true],
  ['lastProbeTime', true],
]);

const NOISE: Omitted = new Map<string, true | Omitted>([
  [
    'metadata',
    new Map<string, true | Omitted>([
      ['resourceVersion', true],
      ['managedFields', true],
      ['annotations', new Map([[LEADER, true as const]])],
    ]),
  ],
  ['status', new Map<string, true | Omitted>([['conditions', new Map([['*', HEARTBEATS]])]])],
]);

const LEASE_NOISE: Omitted = new Map([...NOISE, ['spec', new Map([['renewTime', true as const]])]]);

/**
 * Whether an update tells nobody anything: a Lease renewed by its holder, a node's heartbeat, a pod probed again, a leader that says it still
 * leads, or a write that left everything but resourceVersion and managedFields as it was.
 *
 * A Lease that changes hands is no noise. Of objects that came as table rows with metadata alone, the cells are compared too, except Age.
 */
export function isNoise(oldObject: ReadonlyObject, object: ReadonlyObject, { group, resource }: GroupVersionResource): boolean {
  const isLease = group === 'coordination.k8s.io' && resource === 'leases';
  return isSame(oldObject, object, isLease ? LEASE_NOISE : NOISE) && hasSameCells(oldObject, object);
}

function hasSameCells(oldObject: ReadonlyObject, object: ReadonlyObject): boolean {
  const before = cellsOf(oldObject);
  const after = cellsOf(object);
  if (!before || !after) return true;
  return after.columns.every(({ name }, i) => name === 'Age' || sameValue(before.cells[i], after.cells[i]));
}

/** What of an object a table shows beside its name: columns of any priority with `wide`, and labels. */
export interface RowLook {
  readonly wide: boolean;
  readonly labels: readonly string[] | 'all';
}

/**
 * Compares two states of an object as their rows look: every cell that is shown but ages, counts without how long ago they rose, and the labels
 * that are shown. False where one of them came without a row.
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

/** `3 (5m ago)` rises with time alone. */
const withoutAge = (cell: unknown) => (typeof cell === 'string' ? cell.replace(/ \(\S+ ago\)$/, '') : cell);

function haveSameLabels({ metadata: a }: ReadonlyObject, { metadata: b }: ReadonlyObject, shown: RowLook['labels']): boolean {
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
  const within = omittedIn(omitted, '*');
  return a.length === b.length && a.every((item, i) => isSame(item, b[i], within));
}

function isSameMap(a: Fields, b: Fields, omitted: Omitted | undefined): boolean {
  for (const key in a) {
    if (omitted?.get(key) === true) continue;
    if (!isSame(a[key], b[key], omittedIn(omitted, key))) return false;
  }
  for (const key in b) if (!(key in a) && b[key] !== undefined && omitted?.get(key) !== true) return false;
  return true;
}

function omittedIn(omitted: Omitted | undefined, key: string): Omitted | undefined {
  const inner = omitted?.get(key);
  return inner === true ? undefined : inner;
}
