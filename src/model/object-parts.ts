import { sameValue } from '../kit/same-value.ts';
import type { ReadonlyObject } from './object.ts';

/**
 * The parts of an object that predicates compare, by the names `--predicate` takes. `generation` is what the server counts up when spec
 * changes, not for status or metadata; `finalizers` also sees a deletion begin.
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
 * Whether a part differs between two states of an object. Another object under the same name (another uid) always differs: where upstream
 * compares generations alone it takes a recreated object for an unchanged one.
 * Source: controller-runtime pkg/predicate/predicate.go; the uid from kube-rs utils/predicate.rs.
 */
export function partChanged(part: (object: ReadonlyObject) => unknown, oldObject: ReadonlyObject, object: ReadonlyObject): boolean {
  if (object.metadata.uid !== oldObject.metadata.uid) return true;
  return !sameValue(part(object), part(oldObject));
}
