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

/**
 * An object as users see it, in streams and answers alike: secrets redacted, managedFields left out, and with its apiVersion and kind in
 * front, which items of a list lack. The object itself is not changed; it is given back as it is when nothing has to differ. Keeps its table row.
 */
export function shownObject(
  object: ReadonlyObject,
  type: { gvr: GroupVersionResource; kind: string },
  { redactor, showManagedFields }: ShownOptions,
): ReadonlyObject {
  let shown = withKind(object, type);
  if (!showManagedFields && shown.metadata.managedFields) {
    const { managedFields: _, ...metadata } = shown.metadata;
    shown = { ...shown, metadata };
  }
  return redactor.redact(shown, type.gvr);
}
