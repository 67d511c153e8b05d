import type { Client } from '../client/client.ts';
import { isSuccess, readText, statusErrorOf } from '../client/http/response.ts';
import { pathOf } from '../model/gvr.ts';
import { queryOf } from '../model/list-options.ts';
import type { ResourceType } from '../model/resource-type.ts';
import { type CheckResult, ok, warning } from './finding.ts';

/** One type in one place, as the checks ask for it. */
export interface CheckedType {
  readonly client: Client;
  readonly type: ResourceType;
  /** Undefined = all, or a type without namespaces. */
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
}

/** Lists one object, as an informer would. `onVersion` gets the version of the list. */
export async function listFound(
  { client, type, namespace, signal }: CheckedType,
  onVersion: (version: string) => void,
): Promise<CheckResult> {
  const {
    items,
    resourceVersion,
    remainingItemCount = 0,
  } = await client.resource(type.gvr, { namespace }).list({ limit: 1 }, { signal });
  onVersion(resourceVersion);
  const count = items.length + remainingItemCount;
  const objects = count === 0 ? 'no objects' : count === 1 ? '1 object' : `${count} objects`;
  return ok(`a list works: ${objects}${namespace === undefined ? '' : ` in ${namespace}`}`);
}

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

/** Whether the server prints its own columns, which tables and `--where` use. */
export async function tableFound({ client, type, namespace, signal }: CheckedType): Promise<CheckResult> {
  const path = `${pathOf(type.gvr, { namespace })}?${queryOf({ limit: 1 })}&includeObject=None`;
  const answer = await client.transport.request({ method: 'GET', path, headers: { accept: TABLE }, signal });
  if (!isSuccess(answer)) throw await statusErrorOf(answer, { verb: 'list', resource: type.gvr });
  const { kind, columnDefinitions = [] } = JSON.parse(await readText(answer.body)) as {
    kind?: string;
    columnDefinitions?: { name?: string }[];
  };
  if (kind === 'Table') return ok(`the server prints ${columnDefinitions.map(({ name }) => name).join(', ')}`);
  return warning('the server has no tables for this type: rows have NAME and AGE only, and --where no other columns');
}
