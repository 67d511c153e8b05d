import jsonPatch, { type Operation } from 'fast-json-patch';
import { isJsonMap, jsonText, parseJson } from '../../kit/exact-json.ts';
import { formatGroupVersion } from '../../model/gvr.ts';
import type { UnknownObject } from '../../model/object.ts';
import { failure } from '../../model/status.ts';
import { badRequest, invalid, notImplemented, refuse, unsupportedMediaType } from '../status/statuses.ts';
import type { ApiType } from '../types/api-type.ts';
import { copy } from '../types/copy.ts';
import { hasShape, shapeOf } from '../types/merge-rules.ts';
import { own, setOwn } from '../types/own-fields.ts';
import { goJsonProblem } from './decode.ts';
import { checkDepth } from './limits.ts';
import { refusePatched } from './micro-times.ts';
import { strategicMerge } from './strategic-merge.ts';

export const APPLY_PATCH = 'application/apply-patch+yaml';
const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
export const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';

/** The result of a patch. `current` is not changed. Throws 400, 415 or 422 with a Status. */
export function patched(type: ApiType, current: UnknownObject, contentType: string, body: Buffer): UnknownObject {
  if (contentType === JSON_PATCH) return ofKind(type, jsonPatched(current, body));
  if (contentType === MERGE_PATCH) return ofKind(type, mergePatch(current, parsePatch(body)) as UnknownObject);
  if (contentType === STRATEGIC_PATCH && !type.custom) return strategicPatched(type, current, body);
  const strategic = type.custom ? [] : [STRATEGIC_PATCH];
  return unsupportedMediaType([JSON_PATCH, MERGE_PATCH, ...strategic, APPLY_PATCH]);
}

/**
 * A patched object that is still of its kind; 422 for another one. A strategic merge patch cannot change the kind: what
 * it says of it is ignored, as on a real server.
 */
function ofKind(type: ApiType, object: UnknownObject): UnknownObject {
  if (!isJsonMap(object)) return object;
  const wanted = { kind: type.kind, apiVersion: formatGroupVersion(type.gvr) };
  const { kind, apiVersion } = object as { kind?: unknown; apiVersion?: unknown };
  if (type.custom) {
    if (typeof kind !== 'string' || kind === '')
      refusePatched(object, `Object 'Kind' is missing in '${jsonText(object)}'`);
    for (const field of ['kind', 'apiVersion'] as const) {
      if (object[field] === wanted[field]) continue;
      const [group = ''] = field === 'kind' ? [type.gvr.group] : [];
      const detail = `${jsonText(object[field] ?? '')}: must be ${wanted[field]}`;
      invalid({ group, kind: String(kind) }, object.metadata?.name ?? '', [
        { field, reason: 'FieldValueInvalid', detail },
      ]);
    }
    return object;
  }
  if ((kind ?? wanted.kind) === wanted.kind && (apiVersion ?? wanted.apiVersion) === wanted.apiVersion) return object;
  const version = apiVersion ?? wanted.apiVersion;
  const scheme = 'in scheme "pkg/api/legacyscheme/scheme.go:30"';
  return refusePatched(
    object,
    `no kind ${jsonText(kind ?? wanted.kind)} is registered for version ${jsonText(version)} ${scheme}`,
  );
}

function strategicPatched(type: ApiType, current: UnknownObject, body: Buffer): UnknownObject {
  const patch = parsePatch(body, '');
  if (!hasShape(type) && holdsList(patch))
    notImplemented(`strategic merge patches of lists in ${type.kind}; use a merge patch`);
  return strategicMerge(copy(current), patch, shapeOf(type)) as UnknownObject;
}

function holdsList(value: unknown): boolean {
  return Array.isArray(value) || (isJsonMap(value) && Object.values(value).some(holdsList));
}

function jsonPatched(current: UnknownObject, body: Buffer): UnknownObject {
  const operations = decoded(body);
  if (!Array.isArray(operations)) {
    const sort = typeof operations === 'boolean' ? 'bool' : typeof operations;
    badRequest(`error decoding patch: json: cannot unmarshal ${sort} into Go value of type []handlers.jsonPatchOp`);
  }
  if (operations.length > OPERATIONS) {
    const limit = `The allowed maximum operations in a JSON patch is ${OPERATIONS}, got ${operations.length}`;
    refuse(failure(413, 'RequestEntityTooLarge', `Request entity too large: ${limit}`));
  }
  try {
    return withOperations(current, operations as Operation[]);
  } catch {
    return refuse(failure(422, 'Invalid', 'the server rejected our request due to an error in our request', {}));
  }
}

/** A copy of an object with the operations of a JSON patch. Throws an error that is no Status for one that fails. */
export function withOperations(current: UnknownObject, operations: readonly Operation[]): UnknownObject {
  const copies = { left: COPIED };
  return operations.reduce((document, operation) => operated(document, operation, copies), copy(current));
}

/** Source: apiserver endpoints/handlers/patch.go maxJSONPatchOperations. */
const OPERATIONS = 10_000;

/** The most bytes of JSON that the copies of a patch may add. Source: apiserver server/config.go JSONPatchMaxCopyBytes. */
const COPIED = 3 * 1024 * 1024;

function operated(document: UnknownObject, operation: Operation, copies: { left: number }): UnknownObject {
  if (operation.op === 'test' && operation.value === null && isAbsent(document, operation.path)) return document;
  if (operation.op === 'replace' && isAbsent(document, operation.path))
    return applied(document, { ...operation, op: 'add' });
  if (operation.op === 'copy') {
    const value: unknown = jsonPatch.getValueByPointer(document, operation.from);
    copies.left -= Buffer.byteLength(jsonText(value) ?? '');
    if (copies.left < 0) throw new RangeError('the copies of the patch are too large');
    return added(document, operation.path, copy(value));
  }
  if (operation.op === 'move') {
    const value: unknown = jsonPatch.getValueByPointer(document, operation.from);
    return added(applied(document, { op: 'remove', path: operation.from }), operation.path, value);
  }
  return applied(document, operation);
}

const applied = (document: UnknownObject, operation: Operation): UnknownObject =>
  jsonPatch.applyOperation(document, operation, true).newDocument;

/** Copies and moves are applied as additions, because the library copies through JSON, which has no bigints. */
const added = (document: UnknownObject, path: string, value: unknown) => applied(document, { op: 'add', path, value });

/**
 * Whether a path is absent in an object or list that exists. The real server reads null there, and replaces it as any
 * other value.
 */
function isAbsent(document: UnknownObject, path: string): boolean {
  const [last = '', ...steps] = path.split('/').slice(1).map(jsonPatch.unescapePathComponent).reverse();
  const around = steps
    .reverse()
    .reduce<unknown>(
      (at, step) => (isJsonMap(at) ? own(at, step) : Array.isArray(at) ? at[Number(step)] : undefined),
      document,
    );
  return isJsonMap(around) && !Object.hasOwn(around, last);
}

/**
 * RFC 7386, except that a null in an object of a list removes the field, as on a real server. Neither argument is changed.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (Array.isArray(patch)) return patch.map((item) => mergePatch(undefined, item));
  if (!isJsonMap(patch)) return patch;
  const result: Record<string, unknown> = isJsonMap(target) ? copy(target) : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else setOwn(result, name, mergePatch(own(result, name), value));
  }
  return result;
}

function parsePatch(body: Buffer, ofObject = 'error decoding patch: '): Record<string, unknown> {
  const patch = decoded(body, ofObject);
  if (isJsonMap(patch)) return patch;
  const sort = Array.isArray(patch) ? 'array' : typeof patch === 'boolean' ? 'bool' : typeof patch;
  return badRequest(`${ofObject}json: cannot unmarshal ${sort} into Go value of type map[string]interface {}`);
}

function decoded(body: Buffer, prefix = 'error decoding patch: '): unknown {
  const value = read(body, prefix);
  checkDepth(value);
  return value;
}

function read(body: Buffer, prefix: string): unknown {
  const text = body.toString('utf8');
  try {
    return parseJson(text);
  } catch (error) {
    return badRequest(`${prefix}${goJsonProblem(error, text)}`);
  }
}
