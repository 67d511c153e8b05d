import { InformerError } from '../kit/error.ts';
import type { TableColumn } from '../model/cells.ts';
import { formatGvr, type GroupVersionResource } from '../model/gvr.ts';
import type { ListPage } from '../model/object.ts';
import { isStatus, StatusError } from '../model/status.ts';
import { ItemsSplitter } from './items-splitter.ts';
import { dropManagedFields } from './object-decoder.ts';
import { isTable, objectOfRow, type TableRow } from './table.ts';

/** What a LIST was about. */
export interface ListBodyOptions {
  gvr: GroupVersionResource;
  /** Whether a table was asked for; the server may send plain objects all the same. */
  table: boolean;
  dropManagedFields: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the body of a LIST as it arrives: never as one string, and each object once.
 * Objects of built-in types get the kind and apiVersion that their list has for all of them. Rejects with `decode` when the body is broken
 * or no list, with `list` when it is a table nobody asked for.
 */
export async function readList<T extends object>(body: AsyncIterable<Uint8Array>, options: ListBodyOptions): Promise<ListPage<T>> {
  const splitter = new ItemsSplitter<unknown>({ keys: options.table ? ['items', 'rows'] : ['items'] });
  const items: unknown[] = [];
  let finished = 0;
  const finishItems = () => {
    const finish = splitter.arrayKey === 'rows' ? rowFinisher(splitter.fields, options) : itemFinisher(splitter.fields, options);
    for (; finished < items.length; finished++) items[finished] = finish(items[finished]);
  };
  for await (const chunk of body) {
    for (const item of splitter.push(chunk)) items.push(item);
    if (hasHead(splitter)) finishItems();
  }
  splitter.finish();
  checkIsList(splitter, options);
  finishItems();
  return { items: items as T[], ...position(splitter.fields) };
}

/** Whether what finishing an item needs has come before the items, as servers send it. */
function hasHead({ arrayKey, fields }: ItemsSplitter<unknown>): boolean {
  return arrayKey === 'rows' ? fields.columnDefinitions !== undefined : fields.kind !== undefined && fields.apiVersion !== undefined;
}

function checkIsList({ fields, arrayKey }: ItemsSplitter<unknown>, { gvr, table }: ListBodyOptions): void {
  if (isStatus(fields)) throw new StatusError(fields);
  if (!table && isTable(fields)) throw new InformerError('list', `unsupported list gvk: ${gvkOf(fields)}`);
  if (arrayKey === undefined && !('items' in fields) && !('rows' in fields)) {
    throw new InformerError('decode', `the answer to listing ${formatGvr(gvr)} is no list but ${gvkOf(fields)}`);
  }
}

function gvkOf({ apiVersion, kind }: { apiVersion?: unknown; kind?: unknown }): string {
  return `${apiVersion ?? 'no apiVersion'}, Kind=${kind ?? ''}`;
}

/** Source: apimachinery unstructured/unstructured_list.go and unstructured/helpers.go (decodeToList). */
function itemFinisher({ kind, apiVersion }: Fields, options: ListBodyOptions): (item: unknown) => unknown {
  const itemKind = typeof kind === 'string' ? kind.replace(/List$/, '') : '';
  const trim = options.dropManagedFields ? dropManagedFields<object> : (item: object) => item;
  return (item) => {
    const object = trim(item as object);
    return itemKind === '' || (object as { kind?: unknown }).kind !== undefined ? object : { kind: itemKind, apiVersion, ...object };
  };
}

function rowFinisher({ columnDefinitions }: Fields, options: ListBodyOptions): (row: unknown) => unknown {
  const columns = (columnDefinitions ?? []) as TableColumn[];
  return (value) => {
    const row = value as TableRow;
    if (options.dropManagedFields) dropManagedFields(row.object);
    return objectOfRow(row, columns);
  };
}

function position({ metadata }: Fields): Omit<ListPage<never>, 'items'> {
  const { resourceVersion = '', continue: token, remainingItemCount } = (metadata ?? {}) as Partial<ListPage<never>>;
  return {
    resourceVersion,
    ...(token ? { continue: token } : {}),
    ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
  };
}
