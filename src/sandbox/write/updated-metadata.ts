import type { ManagedFieldsEntry, ObjectMeta, UnknownObject } from '../../model/object.ts';
import { badRequest } from '../status/statuses.ts';
import { copy } from '../types/copy.ts';

/** Throws 400 when a new object has another namespace than the request. */
export function checkNamespaceOf(object: UnknownObject, namespace: string | undefined): void {
  const named = object.metadata.namespace;
  if (!named || namespace === undefined || named === namespace) return;
  badRequest(`the namespace of the provided object does not match the namespace sent on the request`);
}

/**
 * Throws 400 when an object has no name, or another name or namespace than the URL. The namespace can be absent.
 * Source: apiserver checkName.
 */
export function checkNameOf({ metadata }: UnknownObject, name: string, namespace: string | undefined): void {
  if (!metadata.name)
    badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (metadata.name !== name)
    badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  if (!namespace || !metadata.namespace || metadata.namespace === namespace) return;
  badRequest(
    `the namespace of the object (${metadata.namespace}) does not match the namespace on the request (${namespace})`,
  );
}

/** The metadata after an update: the parts that a client can change are from `given`, the others stay. */
export function writableMetadata(before: ObjectMeta, given: ObjectMeta): ObjectMeta {
  const { labels: _l, annotations: _a, ownerReferences: _o, finalizers: _f, managedFields, ...kept } = before;
  const { labels, annotations, ownerReferences, finalizers } = given;
  return {
    ...copy(kept),
    ...(managedFields ? { managedFields } : {}),
    ...(labels ? { labels } : {}),
    ...(annotations ? { annotations } : {}),
    ...(ownerReferences ? { ownerReferences } : {}),
    ...(finalizers ? { finalizers } : {}),
  };
}

/**
 * The managed fields on which an update builds. They are those in the update, so that a client can change or clear
 * them. They are the stored ones when the update has none, when they cannot be read, or when it is of a subresource.
 * Source: apimachinery util/managedfields/internal decodeLiveOrNew.
 */
export function managedFieldsToBuildOn(
  { metadata: stored }: UnknownObject,
  { metadata: given }: UnknownObject,
  { subresource, fixture }: { readonly subresource?: string | undefined; readonly fixture?: boolean | undefined },
): ManagedFieldsEntry[] | undefined {
  const entries = given.managedFields;
  if (subresource || fixture || !Array.isArray(entries) || entries.length === 0) return stored.managedFields;
  if (entries.length === 1 && entries[0] && Object.keys(entries[0]).length === 0) return undefined;
  return entries.every((entry) => entry !== null && isReadable(entry)) ? entries : stored.managedFields;
}

function isReadable({ manager, operation, fieldsType, fieldsV1 }: ManagedFieldsEntry): boolean {
  return (
    typeof manager === 'string' &&
    (operation === 'Apply' || operation === 'Update') &&
    fieldsType === 'FieldsV1' &&
    fieldsV1 !== undefined
  );
}

/** An object with other managed fields. */
export function withManagedFields(
  object: UnknownObject,
  managedFields: ManagedFieldsEntry[] | undefined,
): UnknownObject {
  if (managedFields === object.metadata.managedFields) return object;
  const { managedFields: _replaced, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, ...(managedFields ? { managedFields } : {}) } };
}
