import { isJsonMap, parseJson } from '../../kit/exact-json.ts';
import type { ResourceCall } from '../api/call.ts';
import type { WriteAttempt } from '../write/gate.ts';

const API_VERSION = 'meta.k8s.io/v1';

/**
 * The options of a request as admission sees them: those of the query, and of the body of a delete. A patch has those of
 * an update, or of a create if it creates the object.
 * Source: apiserver endpoints/handlers create.go, update.go, patch.go, delete.go.
 */
export function optionsOf(call: ResourceCall, { operation, type, oldObject }: WriteAttempt): object {
  const { query } = call;
  const [dryRun, fieldManager, fieldValidation] = [
    query.getAll('dryRun'),
    query.get('fieldManager'),
    query.get('fieldValidation'),
  ];
  if (operation === 'DELETE') {
    const { uid } = oldObject?.metadata ?? {};
    const preconditions = type.storage === 'namespaces' && uid ? { preconditions: { uid } } : {};
    return { ...deleteOptions(call, dryRun), ...preconditions };
  }
  return {
    kind: operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions',
    apiVersion: API_VERSION,
    ...(dryRun.length > 0 ? { dryRun } : {}),
    ...(fieldManager ? { fieldManager } : {}),
    ...(fieldValidation ? { fieldValidation } : {}),
  };
}

function deleteOptions({ body, query }: ResourceCall, dryRun: readonly string[]): object {
  const head = { kind: 'DeleteOptions', apiVersion: API_VERSION };
  const given = bodyOf(body);
  if (given) {
    const { kind: _kind, apiVersion: _version, ...options } = given;
    return { ...head, ...options };
  }
  const grace = query.get('gracePeriodSeconds');
  const policy = query.get('propagationPolicy');
  return {
    ...head,
    ...(grace ? { gracePeriodSeconds: Number(grace) } : {}),
    ...(policy ? { propagationPolicy: policy } : {}),
    ...(dryRun.length > 0 ? { dryRun } : {}),
  };
}

function bodyOf(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value = parseJson(body.toString('utf8'));
    return isJsonMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
