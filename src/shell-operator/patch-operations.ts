import { InformerError, messageOf } from '../kit/error.ts';
import { isJsonMap, parseJson } from '../kit/exact-json.ts';
import { anything, type FieldShape, fields, oneOf, textField, truth } from './shape.ts';

/** A change of an object that a hook asks for. */
export type PatchOperation = CreateOperation | DeleteOperation | ChangeOperation;

export interface CreateOperation {
  readonly operation: 'Create' | 'CreateOrUpdate' | 'CreateIfNotExists';
  readonly object: Readonly<Record<string, unknown>>;
}

interface Named {
  /** '' = the version that the server prefers. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export interface DeleteOperation extends Named {
  readonly operation: 'Delete' | 'DeleteInBackground' | 'DeleteNonCascading';
}

export interface ChangeOperation extends Named {
  readonly operation: 'MergePatch' | 'JSONPatch' | 'JQPatch';
  /** The patch; of a JQPatch the expression. */
  readonly patch: unknown;
  readonly subresource: string | undefined;
  readonly ignoreMissingObject: boolean;
  /** Carried out also when the hook fails, if it is about the status. */
  readonly ignoreHookError: boolean;
}

/**
 * Reads the operations that a hook wrote: JSON documents one after the other, or YAML documents. Throws `hook` with the
 * number of the operation and its field for one that cannot be carried out. Source: shell-operator
 * pkg/kube/object_patch.
 */
export async function readOperations(written: string): Promise<PatchOperation[]> {
  const documents = jsonDocuments(written) ?? (await yamlDocuments(written));
  const operations: PatchOperation[] = [];
  for (const [i, each] of documents.entries())
    if (each !== null && each !== undefined) operations.push(operationOf(await withTexts(each), i + 1));
  return operations;
}

/** Objects and patches may be texts of JSON or YAML. */
async function withTexts(given: unknown): Promise<unknown> {
  if (!isJsonMap(given)) return given;
  const read = { ...given };
  for (const field of ['object', 'mergePatch', 'jsonPatch']) {
    const value = read[field];
    if (typeof value === 'string') read[field] = (await yamlDocuments(value))[0];
  }
  return read;
}

const refuse = (number: number, faults: readonly string[]): never => {
  throw new InformerError('hook', `operation ${number} in KUBERNETES_PATCH_PATH cannot be used: ${faults.join('; ')}`);
};

/** Undefined if it is no JSON. Documents need nothing between them. */
function jsonDocuments(written: string): unknown[] | undefined {
  const documents: unknown[] = [];
  let depth = 0;
  let from = -1;
  for (let i = 0; i < written.length; i++) {
    const char = written[i] as string;
    if (depth === 0 && from < 0 && /\s/.test(char)) continue;
    if (depth === 0 && char !== '{') return undefined;
    if (char === '"') i = endOfText(written, i);
    else if (char === '{' || char === '[') {
      if (depth++ === 0) from = i;
    } else if ((char === '}' || char === ']') && --depth === 0) {
      try {
        documents.push(parseJson(written.slice(from, i + 1)));
      } catch {
        return undefined;
      }
      from = -1;
    }
  }
  return depth === 0 ? documents : undefined;
}

function endOfText(written: string, from: number): number {
  for (let i = from + 1; i < written.length; i++) {
    if (written[i] === '\\') i++;
    else if (written[i] === '"') return i;
  }
  return written.length;
}

async function yamlDocuments(written: string): Promise<unknown[]> {
  const { CORE_SCHEMA, loadAll } = await import('js-yaml');
  try {
    return loadAll(written, { schema: CORE_SCHEMA });
  } catch (cause) {
    throw new InformerError(
      'hook',
      `KUBERNETES_PATCH_PATH has neither JSON nor YAML: ${messageOf(cause).split('\n')[0]}`,
      {
        cause,
      },
    );
  }
}

const CREATES = ['Create', 'CreateOrUpdate', 'CreateIfNotExists'];
const DELETES = ['Delete', 'DeleteInBackground', 'DeleteNonCascading'];
/** The field that has the patch. */
const PATCHES: Readonly<Record<string, string>> = {
  MergePatch: 'mergePatch',
  JSONPatch: 'jsonPatch',
  JQPatch: 'jqFilter',
};

const named = {
  apiVersion: textField,
  kind: textField,
  namespace: textField,
  name: textField,
  subresource: textField,
};
/** Fields that have no meaning for an operation do no harm. */
const shape = (known: Readonly<Record<string, FieldShape>>, required: string[]): FieldShape => {
  const all = { ...OTHERS, ...known, operation: oneOf(...CREATES, ...DELETES, ...Object.keys(PATCHES)) };
  return fields(all, { required: ['operation', ...required] });
};
const OTHERS = Object.fromEntries(
  [
    ...Object.keys(named),
    'object',
    'jqFilter',
    'mergePatch',
    'jsonPatch',
    'ignoreMissingObject',
    'ignoreHookError',
  ].map((name) => [name, anything]),
);
const CREATE = shape({}, ['object']);
const DELETE = shape(named, ['kind', 'name']);

function operationOf(given: unknown, number: number): PatchOperation {
  const { operation } = Object(given) as { operation?: string };
  const patch = PATCHES[operation ?? ''];
  const changing = { ...named, ignoreMissingObject: truth, ignoreHookError: truth };
  const isCreate = CREATES.includes(operation ?? '');
  const needed = isCreate ? CREATE : patch === undefined ? DELETE : shape(changing, ['kind', 'name', patch]);
  const faults = needed(given, '');
  if (faults.length > 0) refuse(number, faults);
  const fieldsOf = given as Record<string, unknown>;
  if (isCreate) return { operation, object: objectOf(fieldsOf.object, number) } as CreateOperation;
  const { apiVersion = '', kind, namespace = '', name } = fieldsOf;
  const target = { operation, apiVersion, kind, namespace, name };
  if (patch === undefined) return target as DeleteOperation;
  const { subresource, ignoreMissingObject = false, ignoreHookError = false } = fieldsOf;
  return {
    ...target,
    patch: patchOf(fieldsOf[patch], operation as ChangeOperation['operation'], number),
    subresource: (subresource as string | undefined)?.replace(/^\//, '') || undefined,
    ignoreMissingObject,
    ignoreHookError,
  } as ChangeOperation;
}

function objectOf(given: unknown, number: number): CreateOperation['object'] {
  if (!isJsonMap(given) || Object.keys(given).length === 0) return refuse(number, ['object must be an object']);
  for (const field of ['apiVersion', 'kind'] as const)
    if (typeof given[field] !== 'string') refuse(number, [`object.${field} is missing`]);
  return given;
}

function patchOf(given: unknown, operation: ChangeOperation['operation'], number: number): unknown {
  if (operation === 'JQPatch')
    return typeof given === 'string' && given !== '' ? given : refuse(number, ['jqFilter must be a text']);
  if (operation === 'JSONPatch')
    return Array.isArray(given) && given.length > 0 ? given : refuse(number, ['jsonPatch must be a list']);
  return isJsonMap(given) && Object.keys(given).length > 0 ? given : refuse(number, ['mergePatch must be an object']);
}
