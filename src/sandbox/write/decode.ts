import { CORE_SCHEMA, load, YAMLException } from 'js-yaml';
import { isJsonMap, parseJson } from '../../kit/exact-json.ts';
import { formatGroupVersion } from '../../model/gvr.ts';
import type { UnknownObject } from '../../model/object.ts';
import { StatusError } from '../../model/status.ts';
import type { Call, ResourceCall } from '../api/call.ts';
import { EXACT_SCHEMA } from '../api/exact-yaml.ts';
import { MEDIA_TYPES } from '../api/negotiate.ts';
import { badRequest, internal, unsupportedMediaType } from '../status/statuses.ts';
import type { ApiType } from '../types/api-type.ts';
import { duplicateFields } from './duplicate-fields.ts';
import { checkAliases, checkDepth } from './limits.ts';
import { decodeProtobuf, PROTOBUF } from './protobuf.ts';

const APPLY = 'application/apply-patch+yaml';

/** The media type of the body, without parameters. */
export function contentTypeOf({ headers }: Call): string {
  return (headers.get('content-type') ?? 'application/json').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/**
 * The object in a body, from JSON or YAML. Kind and apiVersion default to those of the type; other values are refused.
 */
export function decodeObject(call: Call, type: ApiType): UnknownObject {
  const contentType = contentTypeOf(call);
  const taken = type.custom ? MEDIA_TYPES : [...MEDIA_TYPES, PROTOBUF];
  if (!taken.includes(contentType)) unsupportedMediaType(taken);
  return checkKind(decodeAs(contentType, call.body, type), type);
}

function decodeAs(contentType: string, body: Buffer, type: ApiType): unknown {
  if (contentType === PROTOBUF) return decodeProtobuf(body, { ...type.gvr, kind: type.kind });
  return contentType === 'application/yaml' ? decodeYaml(body, type) : decodeJson(body, type);
}

/** The duplicate fields of a body, in the words of a strict decoder: `duplicate field "spec.foo"`. */
export function duplicatesIn(call: Call): string[] {
  const contentType = contentTypeOf(call);
  if (contentType === PROTOBUF || call.body.length === 0) return [];
  const text = call.body.toString('utf8');
  if (contentType !== 'application/yaml' && contentType !== APPLY && !isJson(text)) return []; // refused when it is decoded
  if (contentType !== 'application/yaml' && contentType !== APPLY)
    return duplicateFields(text).map((path) => `duplicate field "${path}"`);
  const key = duplicateKey(text);
  return key ? [`error converting YAML to JSON: yaml: unmarshal errors:\n  ${key}`] : [];
}

/** The first duplicate key of a YAML text: `line 3: key "a" already set in map`. */
export function duplicateKey(text: string): string | undefined {
  try {
    load(text, { schema: CORE_SCHEMA });
  } catch (error) {
    if (!(error instanceof YAMLException) || error.reason !== 'duplicated mapping key') return undefined;
    const line = error.mark?.line ?? 0;
    const key = (text.split('\n')[line] ?? '')
      .slice(error.mark?.column ?? 0)
      .split(':', 1)[0]
      ?.trim();
    return `line ${line + 1}: key ${JSON.stringify(key?.replaceAll(/^["']|["']$/g, ''))} already set in map`;
  }
  return undefined;
}

/**
 * The options in the body of a delete: DeleteOptions, or an Eviction with DeleteOptions in it. An empty body has no
 * options.
 */
export function decodeDeleteOptions(call: Call): Record<string, unknown> {
  if (call.body.length === 0) return {};
  if (contentTypeOf(call) === PROTOBUF)
    return decodeProtobuf(call.body, { kind: 'DeleteOptions', group: 'meta.k8s.io', version: 'v1' });
  try {
    const options: unknown = JSON.parse(call.body.toString('utf8'));
    if (isJsonMap(options)) return isOptions(options) ? options : unregistered(options);
  } catch (error) {
    if (error instanceof StatusError) throw error;
  }
  return badRequest('the object provided is unrecognized (must be of type DeleteOptions)');
}

function isOptions({ kind }: Record<string, unknown>): boolean {
  return !kind || kind === 'DeleteOptions' || kind === 'Eviction';
}

function unregistered({ kind, apiVersion = '' }: Record<string, unknown>): never {
  return badRequest(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`);
}

/** The configuration of a server-side apply, from YAML or JSON. It must have kind and apiVersion. */
export function decodeConfiguration({ body, namespace = '', name = '' }: ResourceCall, type: ApiType): UnknownObject {
  const value = decodeYaml(body, type);
  const { apiVersion = '', kind = '' } = isJsonMap(value) ? value : {};
  const expected = formatGroupVersion(type.gvr);
  if (isJsonMap(value) && apiVersion !== expected) {
    badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${apiVersion}, expected: ${expected}`,
    );
  }
  if (isJsonMap(value) && kind === '') {
    const gvk = `${type.gvr.group === '' ? '/' : ''}${expected}, Kind=`;
    internal(`failed to create typed patch object (${namespace}/${name}; ${gvk}): no corresponding type for ${gvk}`);
  }
  return checkKind(value, type);
}

function decodeJson(body: Buffer, type: ApiType): unknown {
  const text = body.toString('utf8');
  const value = readJson(text, type);
  checkDepth(value);
  return value;
}

function readJson(text: string, type: ApiType): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    return unrecognized(type, `couldn't get version/kind; json parse error: ${goJsonProblem(error, text)} (${text})`);
  }
}

function decodeYaml(body: Buffer, type: ApiType): unknown {
  const text = body.toString('utf8');
  const value = parseYaml(text, type);
  checkAliases(text, value);
  checkDepth(value);
  return value;
}

function parseYaml(text: string, type: ApiType): unknown {
  try {
    return load(text, { schema: EXACT_SCHEMA, json: true });
  } catch (error) {
    return badRequest(
      `error decoding YAML: ${error instanceof Error ? error.message : 'cannot be read'} (must be of type ${type.kind})`,
    );
  }
}

function unrecognized(type: ApiType, why: string): never {
  badRequest(`the object provided is unrecognized (must be of type ${type.kind}): ${why}`);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The token that Go expects where V8 finds a mistake: a part of V8's message, and Go's words. */
const EXPECTATIONS: readonly (readonly [RegExp, string])[] = [
  [/Expected (?:property name|double-quoted property name)/, 'looking for beginning of object key string'],
  [/Expected ':'/, 'after object key'],
  [/Expected ',' or '}'/, 'after object key:value pair'],
  [/Expected ',' or '\]'/, 'after array element'],
  [/after JSON/, 'after top-level value'],
];

/** A JSON syntax error in the words of Go's encoding/json. */
export function goJsonProblem(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : '';
  const at = /position (\d+)/.exec(message)?.[1];
  const ends = text.trim() === '' || /end of JSON input|Unterminated/.test(message);
  if (ends || (at !== undefined && Number(at) >= text.length)) return 'unexpected end of JSON input';
  const found = at === undefined ? (/token '(.)'/u.exec(message)?.[1] ?? '') : (text[Number(at)] ?? '');
  const wanted = EXPECTATIONS.find(([pattern]) => pattern.test(message))?.[1] ?? 'looking for beginning of value';
  return `invalid character '${found}' ${wanted}`;
}

function checkKind(value: unknown, type: ApiType): UnknownObject {
  if (!isJsonMap(value)) return unrecognized(type, "couldn't get version/kind; json parse error: it is no object");
  const { kind = type.kind, apiVersion = formatGroupVersion(type.gvr), metadata } = value;
  if (kind !== type.kind) {
    badRequest(
      `${kind} in version ${JSON.stringify(type.gvr.version)} cannot be handled as a ${type.kind}: the object is of another kind`,
    );
  }
  if (apiVersion !== formatGroupVersion(type.gvr)) {
    badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${formatGroupVersion(type.gvr)})`,
    );
  }
  return { ...value, metadata: isJsonMap(metadata) ? metadata : {} };
}
