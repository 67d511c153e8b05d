import { goSprint } from '../../expr/go-text.ts';
import { humanDuration } from '../../kit/duration.ts';
import { isContainer, jsonText } from '../../kit/exact-json.ts';
import { cellAt } from '../../model/cell-ages.ts';
import { type Cells, COLUMNS_WITHOUT_TABLE, type TableColumn } from '../../model/cells.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { EventWord } from '../../stream/envelope.ts';
import { statesOf } from '../cell-states.ts';
import { cellText } from '../escape.ts';
import type { Painter } from '../painter.ts';
import { type PlaceColumn, type PrintedObject, type PrintedType, qualifiedName, typeName } from '../printer.ts';
import { type SeriesText, seriesTextOf } from './event-series.ts';

/** The data of one row. */
export interface RowSource extends PrintedObject {
  readonly cells: Cells | undefined;
  readonly now: number;
  readonly event?: EventWord | undefined;
  /** The formatted time of the event. */
  readonly time?: string;
}

/** One printed column: its heading, and the text of its cell in a row. */
export interface Column {
  readonly heading: string;
  cell(row: RowSource): string;
  /** The cell is the age of the object, where it is known when that was created. It depends on the time of printing. */
  readonly isAge?: true;
  /** The cell as data: every line of it, byte for byte. Absent where that is the cell itself. */
  readonly data?: ((row: RowSource) => string) | undefined;
  /** Adds colours to a padded cell; `text` is the cell without padding. Absent for columns without colours. */
  readonly paint?:
    | ((painter: Painter, filled: string, text: string, event: EventWord | undefined) => string)
    | undefined;
}

export interface ColumnOptions {
  /** Shows the columns of every priority, not only those of priority 0. */
  readonly wide?: boolean | undefined;
  /** The first columns. */
  readonly places?: readonly PlaceColumn[] | undefined;
  /** Adds the column NAMESPACE in front, for types with namespaces. It is for several namespaces. */
  readonly withNamespace?: boolean | undefined;
  /** Prints the type in front of each name. It is for several types. */
  readonly showKind?: boolean | undefined;
  readonly showLabels?: boolean | undefined;
  /** The keys of labels that have a column each. */
  readonly labelColumns?: readonly string[] | undefined;
  /** Adds the column EVENT in front. It is for streams. */
  readonly withEvent?: boolean | undefined;
  /** Adds an empty column NAMESPACE for types without namespaces, so that the columns of several types are aligned. */
  readonly alignTypes?: boolean | undefined;
  /** Adds the column TIME, before EVENT if that is there. */
  readonly withTime?: boolean | undefined;
}

/**
 * The columns of a type: those of the server that are shown, between those that kubectl adds. Without columns of the
 * server they are NAME and AGE.
 * Source: cli-runtime printers/tableprinter.go decorateTable.
 */
export function columnsOf(
  server: readonly TableColumn[] | undefined,
  type: PrintedType,
  options: ColumnOptions,
): Column[] {
  const { wide, places = [], withNamespace, withEvent, withTime, showLabels, labelColumns = [] } = options;
  const named = options.showKind ? type : undefined;
  // others may refer to other types
  const nameColumn = (server ?? COLUMNS_WITHOUT_TABLE).find(
    ({ format, type: of }) => format === 'name' && of === 'string',
  );
  const shown = (server ?? COLUMNS_WITHOUT_TABLE)
    .map((column, i) => ({ column, i }))
    .filter(({ column }) => wide || column.priority === 0);
  const seriesText = wide ? () => '' : seriesTextOf(server, textOf);
  return [
    ...places,
    ...(withTime ? [TIME] : []),
    ...(withEvent ? [EVENT] : []),
    ...(withNamespace && (options.alignTypes || type.namespaced !== false) ? [NAMESPACE] : []),
    ...shown.map(({ column, i }) =>
      column.name === 'Last Seen'
        ? lastSeenColumn(i, seriesText)
        : serverColumn(column, i, column === nameColumn ? named : undefined),
    ),
    ...labelColumns.map(labelColumn),
    ...(showLabels ? [LABELS] : []),
  ];
}

/**
 * The number of columns up to the name, whose widths the tables of several types share. It is 0 if the name is not
 * directly after the columns that every type has.
 */
export function leadingColumns(columns: readonly Column[], type: PrintedType, options: ColumnOptions): number {
  if (options.withNamespace && !options.alignTypes && type.namespaced === false) return 0;
  const name = columns.findIndex(({ heading }) => heading === 'NAME');
  const before = columns.slice(options.places?.length, Math.max(0, name)).every(({ heading }) => BEFORE_NAMES.has(heading)); // biome-ignore format: short
  return before ? name + 1 : 0;
}

const BEFORE_NAMES: ReadonlySet<string> = new Set(['TIME', 'EVENT', 'NAMESPACE']);

/** The column EVENT has the width of its longest word from the start. */
const EVENT: Column = {
  heading: 'EVENT',
  cell: ({ event }) => (event ?? '').padEnd('MODIFIED'.length),
  paint: (painter, filled, _, event) => (event ? painter.event(event, filled) : filled),
};
const TIME: Column = {
  heading: 'TIME',
  cell: ({ time }) => time ?? '',
  paint: (painter, filled) => painter.faint(filled),
};
const NAMESPACE: Column = { heading: 'NAMESPACE', cell: ({ object }) => cellText(object.metadata.namespace ?? '') };
const LABELS: Column = { heading: 'LABELS', cell: ({ object }) => cellText(formatLabels(object.metadata.labels)) };

function serverColumn({ name, format, type }: TableColumn, i: number, kind: PrintedType | undefined): Column {
  const heading = cellText(name.toUpperCase());
  if (format === 'name' && type === 'string') {
    return {
      heading,
      cell: ({ object, cells }) => nameCell(textOf(cells?.cells[i] ?? object.metadata.name), kind),
      ...(kind ? { paint: (painter, filled) => painter.type(typeName(kind), filled) } : {}),
    };
  }
  if (heading === 'AGE')
    return {
      heading,
      isAge: true,
      cell: ({ object, cells, now }) => ageAt(createdMs(object), now) ?? textOf(cells?.cells[i] ?? '<unknown>'),
    };
  return {
    heading,
    cell: ({ cells, now }) => textOf(cells && cellAt(cells, i, now)),
    data: ({ cells, now }) => dataOf(cells && cellAt(cells, i, now)),
    paint: statePaint(heading),
  };
}

/** The time of an Event; of one that was counted it is followed by how often it came. */
function lastSeenColumn(i: number, seriesText: SeriesText): Column {
  return {
    heading: 'LAST SEEN',
    cell: ({ cells, now }) => (cells ? textOf(cellAt(cells, i, now)) + seriesText(cells, now) : ''),
    data: ({ cells, now }) => dataOf(cells && cellAt(cells, i, now)),
  };
}

function statePaint(heading: string): Column['paint'] {
  const stateOf = statesOf(heading);
  if (!stateOf) return undefined;
  return (painter, filled, text) => {
    const state = stateOf(text);
    return state ? painter.state(state, filled) : filled;
  };
}

const nameCell = (name: string, kind: PrintedType | undefined) => (kind ? cellText(qualifiedName(name, kind)) : name);

/** The text of a cell of the server; a map or list is printed as JSON. */
const textOf = (cell: unknown): string => cellText(dataOf(cell));

function dataOf(cell: unknown): string {
  if (typeof cell === 'string') return cell;
  if (cell === null || cell === undefined) return '';
  return isContainer(cell) ? jsonText(cell) : goSprint(cell);
}

/** When an object was created, ms since 1970; NaN if that is not known. */
export const createdMs = ({ metadata }: ReadonlyObject): number => Date.parse(metadata.creationTimestamp ?? '');

/** The age at the time of printing. The AGE of the server is the age at the time of the event. */
export function ageAt(createdMs: number, now: number): string | undefined {
  return Number.isNaN(createdMs) ? undefined : humanDuration(now - createdMs);
}

/** The column of a label; its heading is the last part of the key. */
function labelColumn(key: string): Column {
  return {
    heading: key.slice(key.lastIndexOf('/') + 1).toUpperCase(),
    cell: ({ object }) => cellText(labelOf(object, key)),
  };
}

function labelOf({ metadata: { labels } }: ReadonlyObject, key: string): string {
  return labels && Object.hasOwn(labels, key) ? (labels[key] ?? '') : '';
}

/** `a=b,c=d` by key, or `<none>`. Source: apimachinery labels.FormatLabels. */
function formatLabels(labels: ReadonlyObject['metadata']['labels']): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? '<none>' : pairs.sort().join(',');
}
