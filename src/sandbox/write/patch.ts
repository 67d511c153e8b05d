import jsonPatch, { type Operation } from 'fast-json-patch';
import type { UnknownObject } from '../../model/object.ts';
import { failure } from '../../model/status.ts';
import { isMap } from '../apply/fields.ts';
import type { ApiType } from '../discovery/api-type.ts';
import { badRequest, notImplemented, refuse, unsupportedMediaType } from '../http/statuses.ts';
import { copy } from './copy.ts';
import { hasShape, shapeOf } from './shape.ts';
import { strategicMerge } from './strategic-merge.ts';

export const APPLY_PATCH = 'application/apply-patch+yaml';
const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
export const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';

/** The object as a patch makes it. `current` is not changed. Throws 400, 415 or 422 with a Status. */
export function patched(type: ApiType, current: UnknownObject, contentType: string, body: Buffer): UnknownObject {
  if (contentType === JSON_PATCH) return jsonPatched(current, body);
  if (contentType === MERGE_PATCH) return mergePatch(current, parsePatch(body)) as UnknownObject;
  if (contentType === STRATEGIC_PATCH && !type.custom) return strategicPatched(type, current, body);
  const strategic = type.custom ? [] : [STRATEGIC_PATCH];
  return unsupportedMediaType([JSON_PATCH, MERGE_PATCH, ...strategic, APPLY_PATCH]);
}

function strategicPatched(type: ApiType, current: UnknownObject, body: Buffer): UnknownObject {
  const patch = parsePatch(body);
  if (!hasShape(type) && holdsList(patch)) notImplemented(`strategic merge patches of lists in ${type.kind}; use a merge patch`);
  return strategicMerge(copy(current), patch, shapeOf(type)) as UnknownObject;
}

function holdsList(value: unknown): boolean {
  return Array.isArray(value) || (isMap(value) && Object.values(value).some(holdsList));
}

function jsonPatched(current: UnknownObject, body: Buffer): UnknownObject {
  const operations = parseJson(body);
  if (!Array.isArray(operations)) badRequest('json: cannot unmarshal object into Go value of type jsonpatch.Patch');
  try {
    return jsonPatch.applyPatch(copy(current), operations as Operation[], true).newDocument;
  } catch {
    return refuse(failure(422, 'Invalid', 'the server rejected our request due to an error in our request', {}));
  }
}

/** RFC 7386. Neither argument is changed. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const result: Record<string, unknown> = isMap(target) ? copy(target) : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = mergePatch(result[name], value);
  }
  return result;
}

function parsePatch(body: Buffer): Record<string, unknown> {
  const patch = parseJson(body);
  return isMap(patch) ? patch : badRequest('json: cannot unmarshal into Go value of type map[string]interface {}');
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    return badRequest(`error decoding patch: ${error instanceof Error ? error.message : 'not JSON'}`);
  }
}
