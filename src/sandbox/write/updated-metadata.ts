import type { ManagedFieldsEntry, ObjectMeta, UnknownObject } from '../../model/object.ts';
import { badRequest } from '../status/statuses.ts';
import { copy } from '../types/copy.ts';

/** The namespace of a new object must be the one of the request, if the object names one. */
export function checkNamespaceOf(object: UnknownObject, namespace: string | undefined): void {
  const named = object.metadata.namespace;
  if (!named || namespace === undefined || named === namespace) return;
  badRequest(`the namespace of the provided object does not match the namespace sent on the request`);
}

/** The name of a written object must be the one of the URL, and its namespace too, if it names one. Source: apiserver checkName. */
export function checkNameOf({ metadata }: UnknownObject, name: string, namespace: string | undefined): void {
  if (!metadata.name) badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (metadata.name !== name) badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  if (!namespace || !metadata.namespace || metadata.namespace === namespace) return;
  badRequest(`the namespace of the object (${metadata.namespace}) does not match the namespace on the request (${namespace})`);
}

/** What a client may change in metadata, over what the server keeps. */
export function writableMetadata(before: ObjectMeta, given: ObjectMeta): ObjectMeta {
  const { labels: _l, annotations: _a, ownerReferences: _o, finalizers: _f, managedFields, ...kept } = before; // whose entries never change
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
 * The managed fields an update builds on: those it carries, so that a client can move or drop them; those that are stored where it carries
 * none, or none that can be read, or came through a subresource. Source: apimachinery util/managedfields/internal decodeLiveOrNew.
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
    typeof manager === 'string' && (operation === 'Apply' || operation === 'Update') && fieldsType === 'FieldsV1' && fieldsV1 !== undefined
  );
}

/** An object under other managed fields. */
export function withManagedFields(object: UnknownObject, managedFields: ManagedFieldsEntry[] | undefined): UnknownObject {
  if (managedFields === object.metadata.managedFields) return object;
  const { managedFields: _replaced, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, ...(managedFields ? { managedFields } : {}) } };
}
