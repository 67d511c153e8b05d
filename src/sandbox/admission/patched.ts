import jsonPatch, { type Operation } from 'fast-json-patch';
import type { UnknownObject } from '../../model/object.ts';
import { internalError } from '../status/statuses.ts';
import { decodeProblem, emptyNulls, mismatches } from '../types/field-types.ts';
import { withOperations } from '../write/patch.ts';
import type { Shown } from './hooks.ts';

/** An object with the patch of a webhook. Throws 500 with the words of a real server for an operation that fails. */
export function patchedBy(object: UnknownObject, operations: readonly Operation[]): UnknownObject {
  return operations.reduce((document, operation) => {
    try {
      return withOperations(document, [operation]);
    } catch {
      return internalError(problemOf(document, operation));
    }
  }, object);
}

/** Source: github.com/evanphx/json-patch v4 patch.go. */
function problemOf(document: UnknownObject, { op, path }: Operation): string {
  const at = path.lastIndexOf('/');
  const last = path.slice(at + 1);
  const isKey = valueAt(document, path.slice(0, at)) !== undefined;
  switch (op) {
    case 'test':
      return `testing value ${path} failed: test failed`;
    case 'remove':
      if (!isKey) return `remove operation does not apply: doc is missing path: ${JSON.stringify(path)}: missing value`;
      return `error in remove for path: '${path}': Unable to remove nonexistent key: ${last}: missing value`;
    case 'replace':
      return `replace operation does not apply: doc is missing ${isKey ? 'key' : 'path'}: ${path}: missing value`;
    default:
      return `${op} operation does not apply: doc is missing path: ${JSON.stringify(path)}: missing value`;
  }
}

function valueAt(document: UnknownObject, path: string): unknown {
  try {
    return jsonPatch.getValueByPointer(document, path);
  } catch {
    return undefined;
  }
}

/** Throws 500 for a patched object that cannot be read as its type. */
export function checkReadable({ type }: Shown, object: UnknownObject): void {
  if (type.custom) return; // the schema is checked where the object is written
  emptyNulls(type, object);
  const [first] = mismatches(type, object);
  if (first) internalError(decodeProblem(type, first));
}
