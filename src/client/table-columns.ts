import type { TableColumn } from '../model/cells.ts';
import { pathOf } from '../model/gvr.ts';
import type { ResourceType } from '../model/resource-type.ts';
import type { Client } from './client.ts';
import { isTable, TABLE_ACCEPT } from './decode/table.ts';

/** The columns that a server prints of a type; an empty list where it makes no tables; undefined when it does not say. */
export async function columnsServed(
  { gvr }: ResourceType,
  namespace: string | undefined,
  { client, signal }: { readonly client: Client; readonly signal: AbortSignal },
): Promise<readonly TableColumn[] | undefined> {
  try {
    const path = `${pathOf(gvr, { namespace })}?limit=1&includeObject=None`;
    const answer: unknown = JSON.parse(await client.raw(path, { accept: TABLE_ACCEPT, signal }));
    return isTable(answer) ? (answer.columnDefinitions ?? []) : [];
  } catch {
    return undefined;
  }
}
