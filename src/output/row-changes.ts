import type { RowOp } from '../query/live/continuous.ts';
import type { ResultRecord } from '../query/live/continuous-result.ts';
import type { EventEnvelope, EventWord } from '../stream/envelope.ts';
import type { Marker } from '../stream/markers.ts';
import type { OutputFormat } from './formats.ts';
import { markerLine } from './marker-line.ts';
import { type Painter, plainPainter } from './painter.ts';
import type { PrintedType, Printer } from './printer.ts';

/** One change of a result, as `query --watch -o json` prints it: its fields, then `seq` and `time`, and `error` last. */
export interface RowRecord extends ResultRecord {
  /** The number of the record in this stream, from 1 without gaps. Markers count too. */
  readonly seq: number;
  /** The time at which the change was printed, RFC 3339 in UTC with milliseconds. */
  readonly time: string;
}

/** A record to print. `type` is the type of its object; absent for a group or a count. */
export interface PrintedRowChange {
  readonly record: RowRecord;
  readonly type?: PrintedType | undefined;
}

/** Prints changes of a result. Use one for one stream, because it remembers headings and widths. */
export interface RowChangePrinter {
  changes(batch: readonly PrintedRowChange[]): string;
  /** '' in formats that have no place for markers. */
  marker(marker: Marker): string;
}

export interface RowChangeOptions {
  readonly format: OutputFormat;
  /** The printer of answers in this format. */
  readonly printer: Printer;
  /** Prints the rows of groups and counts: all of one batch, with a heading where one is due. */
  readonly rows: (rows: readonly Readonly<Record<string, unknown>>[]) => string;
  readonly painter?: Painter | undefined;
}

/**
 * The printer for a format. Formats of records print each change as a record of its own. In every other format a line
 * is one that the answer would have, behind its sign and a blank. Headings have blanks there.
 */
export function rowChangePrinter(options: RowChangeOptions): RowChangePrinter {
  const { format, printer } = options;
  if (!format.traits.records) return new SignedLines(options);
  return {
    // a record is printed as data, whatever its fields are
    changes: (batch) =>
      printer.events(batch.map(({ record, type = NO_TYPE }) => ({ event: record as unknown as EventEnvelope, type }))),
    marker: (marker) => printer.marker(marker),
  };
}

const NO_TYPE: PrintedType = { gvr: { group: '', version: '', resource: '' }, kind: '' };

const WORDS: Readonly<Record<RowOp, EventWord>> = { '+': 'ADDED', '-': 'DELETED', '~': 'MODIFIED' };

/** Lines of an answer, each behind the sign of its change. */
class SignedLines implements RowChangePrinter {
  readonly #options: RowChangeOptions;
  readonly #painter: Painter;

  constructor(options: RowChangeOptions) {
    this.#options = options;
    this.#painter = options.painter ?? plainPainter;
  }

  changes(batch: readonly PrintedRowChange[]): string {
    return runsOf(batch)
      .map((run) => this.#run(run))
      .join('');
  }

  marker(marker: Marker): string {
    if (!this.#options.format.traits.markers) return '';
    return `  ${this.#painter.faint(markerLine(marker))}\n`;
  }

  /** Changes of one kind, in a row: they share a layout. Lines before those of the rows are headings. */
  #run(run: readonly PrintedRowChange[]): string {
    const [first] = run;
    if (!first) return '';
    const { op } = first.record;
    const lines = this.#textOf(run).split('\n').slice(0, -1);
    const headings = this.#options.format.traits.headings ? Math.max(0, lines.length - run.length) : 0;
    const sign = this.#painter.event(WORDS[op], op);
    return lines.map((line, i) => (i >= headings ? `${sign} ${line}\n` : line === '' ? '\n' : `  ${line}\n`)).join('');
  }

  #textOf(run: readonly PrintedRowChange[]): string {
    const rows = run.flatMap(({ record: { row } }) => (row ? [row] : []));
    if (rows.length > 0) return this.#options.rows(rows);
    const objects = run.flatMap(({ record: { object }, type }) => (object && type ? { object, type } : []));
    return [...this.#options.printer.objects(objects)].join('');
  }
}

/** Changes of one operation and one type that follow each other. */
function runsOf(batch: readonly PrintedRowChange[]): PrintedRowChange[][] {
  const runs: PrintedRowChange[][] = [];
  let last: PrintedRowChange | undefined;
  for (const change of batch) {
    const continues = last && last.record.op === change.record.op && last.type === change.type;
    if (continues) runs.at(-1)?.push(change);
    else runs.push([change]);
    last = change;
  }
  return runs;
}
