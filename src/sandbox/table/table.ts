import { humanDuration } from '../../kit/duration.ts';
import { isContainer, jsonText } from '../../kit/exact-json.ts';
import type { TableColumn } from '../../model/cells.ts';
import type { UnknownObject } from '../../model/object.ts';
import type { ApiType, CustomTraits } from '../types/api-type.ts';
import { CLUSTER_CELLS } from './cluster-cells.ts';
import { builtinColumns, NAME_COLUMN } from './columns.ts';
import { GATED_CELLS } from './gated-cells.ts';
import { findPath } from './json-path.ts';
import { NETWORK_CELLS } from './network-cells.ts';
import { podCells, podRowConditions } from './pod-cells.ts';
import { WORKLOAD_CELLS } from './workload-cells.ts';

const CELLS: Readonly<Record<string, (object: UnknownObject, now: number) => unknown[]>> = {
  pods: podCells,
  ...WORKLOAD_CELLS,
  ...CLUSTER_CELLS,
  ...NETWORK_CELLS,
  ...GATED_CELLS,
};

export function tableColumns(type: ApiType): readonly TableColumn[] {
  return type.custom ? [NAME_COLUMN, ...type.custom.columns.map((c) => c.column)] : builtinColumns(type.storage);
}

/** Whether a type has more cells than name and creation time. */
export function hasPrinter(type: ApiType): boolean {
  return type.custom !== undefined || Object.hasOwn(CELLS, type.storage);
}

const definitions = new WeakMap<ApiType, string>();

/** The columns as JSON, made once per type. */
export function columnDefinitions(type: ApiType): string {
  let json = definitions.get(type);
  if (json === undefined) {
    json = JSON.stringify(tableColumns(type));
    definitions.set(type, json);
  }
  return json;
}

/** The cells of an object as it is stored. `now` is in ms since 1970; ages are counted to it. */
export function row(type: ApiType, object: UnknownObject, now: number): unknown[] {
  if (type.custom) return customRow(type.custom, object, now);
  const cells = CELLS[type.storage];
  return cells ? cells(object, now) : [object.metadata.name ?? '', object.metadata.creationTimestamp ?? null];
}

/** The conditions of a row: what a Table reports about it besides its cells. Undefined when there are none. */
export function rowConditions(type: ApiType, object: UnknownObject): object[] | undefined {
  return type.storage === 'pods' ? podRowConditions(object) : undefined;
}

function customRow({ columns }: CustomTraits, object: UnknownObject, now: number): unknown[] {
  const cells = columns.map(({ column, jsonPath }) => customCell(column.type, findPath(object, jsonPath)[0], now));
  return [object.metadata.name ?? '', ...cells];
}

/** Source: apiextensions-apiserver registry/customresource/tableconvertor cellForJSONValue. */
function customCell(type: string, value: unknown, now: number): unknown {
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'integer':
      return typeof value === 'bigint' ? value : typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date': {
      const time = Date.parse(String(value));
      return Number.isNaN(time) ? '<invalid>' : humanDuration(now - time);
    }
    default:
      return isContainer(value) ? jsonText(value) : String(value);
  }
}
