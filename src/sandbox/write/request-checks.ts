import { parseJson } from '../../kit/exact-json.ts';
import type { UnknownObject } from '../../model/object.ts';
import { failure } from '../../model/status.ts';
import type { ResourceCall } from '../api/call.ts';
import { badRequest, conflict, invalid, refuse } from '../status/statuses.ts';
import type { ApiType } from '../types/api-type.ts';
import { copy } from '../types/copy.ts';
import { unknownField, unknownFieldsOf } from '../types/custom/custom-resource.ts';
import { decodeProblem, emptyNulls, mismatches } from '../types/field-types.ts';
import { goPlusV } from '../types/go-text.ts';
import { dropUnknownFields } from '../types/known-fields.ts';
import { contentTypeOf, duplicateKey } from './decode.ts';
import { refusePatched } from './micro-times.ts';
import { STRATEGIC_PATCH } from './patch.ts';
import type { WriteRules } from './writer.ts';

/** Source: apiserver server.Config MaxRequestBodyBytes. */
const BODY_BYTES = 3 * 1024 * 1024;

/** Throws 413 for a body that is too large. */
export function checkSize({ body }: ResourceCall): void {
  if (body.length > BODY_BYTES)
    refuse(failure(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${BODY_BYTES}`));
}

/** Throws 400 for a body with values that do not have the types of their fields. */
export function checkTypes({ type }: ResourceCall, object: UnknownObject): void {
  emptyNulls(type, object);
  const [first] = mismatches(type, object);
  if (!first) return;
  badRequest(
    `${type.kind} in version "${type.gvr.version}" cannot be handled as a ${type.kind}: ${decodeProblem(type, first)}`,
  );
}

/** Throws 422 for a patched object with values that do not have the types of their fields. */
export function checkPatchedTypes(call: ResourceCall, object: UnknownObject): void {
  emptyNulls(call.type, object);
  const [first] = mismatches(call.type, object);
  if (first) refusePatch(call, object, decodeProblem(call.type, first));
}

/** Throws the 422 for a patch. It shows the patch itself for a strategic merge patch, the result for others. */
function refusePatch(call: ResourceCall, object: UnknownObject, problem: string): never {
  if (contentTypeOf(call) !== STRATEGIC_PATCH) return refusePatched(object, problem);
  const detail = `${JSON.stringify(goPlusV(parseJson(call.body.toString('utf8'))))}: ${problem}`;
  return invalid({ group: '', kind: '' }, '', [{ field: 'patch', reason: 'FieldValueInvalid', detail }]);
}

/** An object with the namespace of the request. */
export function within({ namespace }: ResourceCall, object: UnknownObject): UnknownObject {
  return { ...object, metadata: { ...object.metadata, ...(namespace ? { namespace } : {}) } };
}

/** An object without a resourceVersion, as a create needs it. */
export function withoutVersion(object: UnknownObject): UnknownObject {
  const { resourceVersion: _version, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Throws 409 for a uid in an object that would be created: the client means an object that exists. */
export function checkIsNew({ gvr }: ApiType, { metadata }: UnknownObject, how: 'apply' | 'update' = 'update'): void {
  const { uid, name = '' } = metadata;
  if (!uid) return;
  if (how === 'apply') {
    conflict(gvr, name, `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`);
  }
  conflict(gvr, name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: `);
}

/** Throws 422 for a patch that changes the uid. As on a real server, the Status has the problem twice. */
export function checkSameUid({ gvr, kind }: ApiType, before: UnknownObject, { metadata }: UnknownObject): void {
  const { uid, name = '' } = metadata;
  if (!uid || uid === before.metadata.uid) return;
  const detail = `${JSON.stringify(uid)}: field is immutable`;
  const problem = { field: 'metadata.uid', reason: 'FieldValueInvalid', detail } as const;
  invalid({ group: gvr.group, kind }, name, [problem, problem]);
}

/**
 * Removes unknown fields from a patched object, and reports them and duplicates: with 422 when validation is strict,
 * else as warnings.
 */
export function reportPatchedFields(
  call: ResourceCall,
  object: UnknownObject,
  { fieldValidation, duplicates = [], warn }: WriteRules,
): void {
  const { type } = call;
  const whole = fieldValidation === 'Strict' ? copy(object) : object;
  const unknown = type.custom ? unknownFieldsOf(type, object) : dropUnknownFields(type, object);
  const problems = [...duplicates, ...unknown.map(unknownField)];
  if (fieldValidation === 'Ignore' || problems.length === 0) return;
  if (fieldValidation !== 'Strict') {
    for (const problem of problems) warn?.(problem);
    return;
  }
  refusePatch(call, whole, `strict decoding error: ${problems.join(', ')}`);
}

/** Reports duplicate keys of an applied configuration: with 400 when validation is strict, else as a warning. */
export function reportDuplicateKeys({ body }: ResourceCall, { fieldValidation, warn }: WriteRules): void {
  const key = duplicateKey(body.toString('utf8'));
  if (!key) return;
  const problem = `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  ${key}`;
  if (fieldValidation === 'Strict') badRequest(problem);
  warn?.(problem);
}
