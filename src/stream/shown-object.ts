import { isTooDeep, TOO_DEEP } from '../kit/depth.ts';
import { cellsOf, withCells } from '../model/cells.ts';
import { formatGroupVersion, type GroupVersionResource } from '../model/gvr.ts';
import type { ReadonlyObject } from '../model/object.ts';
import type { Redactor } from './redact.ts';

export interface ShownOptions {
  redactor: Redactor;
  /** Keeps metadata.managedFields. */
  showManagedFields?: boolean | undefined;
}

/** The type from which an object takes its apiVersion and kind if it lacks them. */
export interface KindSource {
  readonly gvr: GroupVersionResource;
  readonly kind?: string | undefined;
  /** The name of the cluster; absent where there is only one. */
  readonly cluster?: string | undefined;
}

/**
 * The object with apiVersion and kind, which items of a list lack; the object itself if it has them. It keeps its table
 * row.
 */
export function withKind(object: ReadonlyObject, { gvr, kind }: KindSource): ReadonlyObject {
  return kind === undefined || (object.kind && object.apiVersion)
    ? object
    : { apiVersion: formatGroupVersion(gvr), kind, ...object };
}

const REASONS = new WeakMap<object, string>();

/** The reason why an object is shown with its name only; undefined for every other object. */
export function whyUnprintable(shown: ReadonlyObject): string | undefined {
  return REASONS.get(shown);
}

/** Says of an object that no format can print why. `name` is its name in the output. */
export const unprintableText = (name: string, shown: ReadonlyObject): string =>
  `${name} cannot be printed: ${whyUnprintable(shown)}`;

/** The replacement of an object that cannot be printed: what identifies it, and the reason. It keeps its table row. */
function unprintable(object: ReadonlyObject, reason: string): ReadonlyObject {
  const { apiVersion, kind, metadata } = object;
  const known = (['name', 'namespace', 'uid', 'resourceVersion'] as const).filter(
    (field) => typeof metadata[field] === 'string',
  );
  const shown: ReadonlyObject = {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
    metadata: Object.fromEntries(known.map((field) => [field, metadata[field]])),
    error: `this object cannot be printed: ${reason}`,
  };
  REASONS.set(shown, reason);
  const cells = cellsOf(object);
  return cells ? withCells(shown, cells) : shown;
}

/**
 * The form of an object in output, for streams and for answers: redacted, without managedFields, and with apiVersion
 * and kind in front. The given object is not modified; it is returned itself if nothing has to differ. It keeps its
 * table row. An object that is nested too deep to print is replaced by its name and an `error` with the reason.
 */
export function shownObject(
  object: ReadonlyObject,
  type: { gvr: GroupVersionResource; kind: string },
  { redactor, showManagedFields }: ShownOptions,
): ReadonlyObject {
  let shown = withKind(object, type);
  if (isTooDeep(shown)) return unprintable(shown, TOO_DEEP);
  if (!showManagedFields && shown.metadata.managedFields) {
    const { managedFields: _, ...metadata } = shown.metadata;
    shown = { ...shown, metadata };
  }
  return redactor.redact(shown, type.gvr);
}
