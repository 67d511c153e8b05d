import type { TableColumn } from '../../model/cells.ts';
import data from '../types/data/columns.json' with { type: 'json' };

/**
 * The columns of the built-in types as a kube-apiserver describes them, by storage key. Under `''`: the columns of a
 * type without a printer. Taken from recordings, texts included. `tools/kubernetes-data.mjs` updates the file.
 */
const COLUMNS: Readonly<Record<string, readonly TableColumn[]>> = data;

const DEFAULT = data[''];

/** The columns of a built-in type; name and creation time for a type without a printer. */
export function builtinColumns(storage: string): readonly TableColumn[] {
  return COLUMNS[storage] ?? DEFAULT;
}

/** The first column of every table except that of events. */
export const NAME_COLUMN: TableColumn = DEFAULT[0] as TableColumn;
