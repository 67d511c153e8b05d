import { sameValue } from '../kit/same-value.ts';
import type { ReadonlyObject } from './object.ts';

/**
 * The parts of an object that predicates compare, under the names that `--predicate` accepts. The server increments
 * `generation` when spec changes, not for status or metadata. `finalizers` also changes when a deletion begins.
 */
export const OBJECT_PARTS = {
  generation: (o: ReadonlyObject): unknown => o.metadata.generation,
  labels: (o: ReadonlyObject): unknown => o.metadata.labels ?? {},
  annotations: (o: ReadonlyObject): unknown => o.metadata.annotations ?? {},
  spec: (o: ReadonlyObject): unknown => o.spec,
  status: (o: ReadonlyObject): unknown => o.status,
  finalizers: (o: ReadonlyObject): unknown => [o.metadata.finalizers ?? [], o.metadata.deletionTimestamp],
  resourceVersion: (o: ReadonlyObject): unknown => o.metadata.resourceVersion,
} as const satisfies Record<string, (object: ReadonlyObject) => unknown>;

export type ObjectPart = keyof typeof OBJECT_PARTS;

/**
 * Whether a part differs between two states of an object. Always true for another object of the same name (another
 * uid): upstream compares generations alone, and misses an object that was deleted and created again.
 * Source: controller-runtime pkg/predicate/predicate.go; the uid from kube-rs utils/predicate.rs.
 */
export function partChanged(
  part: (object: ReadonlyObject) => unknown,
  oldObject: ReadonlyObject,
  object: ReadonlyObject,
): boolean {
  if (object.metadata.uid !== oldObject.metadata.uid) return true;
  return !sameValue(part(object), part(oldObject));
}
