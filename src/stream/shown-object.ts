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

/** A type, as far as an object that lacks its own apiVersion and kind takes them from it. */
export interface KindSource {
  readonly gvr: GroupVersionResource;
  readonly kind?: string | undefined;
}

/** The object with its apiVersion and kind, which items of a list lack. Given back as it is where it has them. Keeps its table row. */
export function withKind(object: ReadonlyObject, { gvr, kind }: KindSource): ReadonlyObject {
  return kind === undefined || (object.kind && object.apiVersion) ? object : { apiVersion: formatGroupVersion(gvr), kind, ...object };
}

const REASONS = new WeakMap<object, string>();

/** Why only the name of an object is shown; undefined for every other object. */
export function whyUnprintable(shown: ReadonlyObject): string | undefined {
  return REASONS.get(shown);
}

/** What is shown in place of an object that cannot be printed: which one it is, and why. Keeps its table row. */
function unprintable(object: ReadonlyObject, reason: string): ReadonlyObject {
  const { apiVersion, kind, metadata } = object;
  const known = (['name', 'namespace', 'uid', 'resourceVersion'] as const).filter((field) => typeof metadata[field] === 'string');
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
 * An object as users see it, in streams and answers alike: secrets redacted, managedFields left out, and with its apiVersion and kind in
 * front, which items of a list lack. The object itself is not changed; it is given back as it is when nothing has to differ. Keeps its table row.
 * Of an object nested too deep to be printed only the name is shown, and `error` says why.
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
