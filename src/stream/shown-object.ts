import { formatGroupVersion, type GroupVersionResource } from '../model/gvr.ts';
import type { ReadonlyObject } from '../model/object.ts';
import type { Redactor } from './redact.ts';

export interface ShownOptions {
  redactor: Redactor;
  /** Keeps metadata.managedFields. */
  showManagedFields?: boolean | undefined;
}

/**
 * An object as users see it, in streams and answers alike: secrets redacted, managedFields left out, and with its apiVersion and kind in
 * front, which items of a list lack. The object itself is not changed; it is given back as it is when nothing has to differ. Keeps its table row.
 */
export function shownObject(
  object: ReadonlyObject,
  { gvr, kind }: { gvr: GroupVersionResource; kind: string },
  { redactor, showManagedFields }: ShownOptions,
): ReadonlyObject {
  let shown: ReadonlyObject = object.kind && object.apiVersion ? object : { apiVersion: formatGroupVersion(gvr), kind, ...object };
  if (!showManagedFields && shown.metadata.managedFields) {
    const { managedFields: _, ...metadata } = shown.metadata;
    shown = { ...shown, metadata };
  }
  return redactor.redact(shown, gvr);
}
