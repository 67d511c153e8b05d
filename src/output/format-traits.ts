import type { Timeline } from '../timeline/timeline.ts';
import type { EventLinesOptions } from './event-lines.ts';
import type { Jq } from './jq/jq-expression.ts';
import type { JsonPathOptions } from './objects/structured.ts';
import type { Printer } from './printer.ts';
import type { CountTableOptions, PrintedCounts } from './tables/count-table.ts';
import type { Rows, RowsOptions } from './tables/rows.ts';
import type { TablePrinterOptions } from './tables/table-printer.ts';
import type { PrintedTrees, TreeTableOptions } from './tables/tree-table.ts';
import type { TimelineTextOptions } from './timeline/timeline-text.ts';

/** The options of all formats. A format uses those that concern it. */
export type PrinterOptions = TablePrinterOptions & JsonPathOptions & Pick<EventLinesOptions, 'only' | 'fullValues'>;

/** A format whose expression is compiled. */
export interface CompiledFormat {
  /** Creates the printer of one stream or one answer. Nothing is compiled or loaded here. */
  createPrinter(options: PrinterOptions): Printer;
  /** The expression for the JSON that the printer makes. */
  readonly jq?: Jq | undefined;
}

/** The printers that are loaded with every command that prints. */
export type Printers = typeof import('./printers.ts');

/** Whether control sequences are escaped, for output to a terminal. */
interface Target {
  readonly terminal: boolean;
}

/** Prints counts, groups and sums. */
export type CountsText = (counts: PrintedCounts, options: Omit<CountTableOptions, 'amounts'> & Target) => string;
/** Prints trees of owners. */
export type TreesText = (trees: PrintedTrees, options: TreeTableOptions & Target) => string;
/** Prints counts or trees as a list of their records; trees are indented where that helps a reader. */
export type ListText = (records: readonly object[], options: Target & { readonly indent?: number }) => string;

/** Prints rows of named columns, as a database gives them. */
export type CreateRows = (names: readonly string[], options: RowsOptions) => Rows;

/** Draws what happened over a stretch of time. */
export type PictureText = (timeline: Timeline, options: TimelineTextOptions) => string;

/** The flags that show in some formats alone: in any other they would be taken and do nothing. */
export const SHOWN_FLAGS = [
  'show-labels',
  'label-columns',
  'timestamps',
  'old',
  'with-changes',
  'full-values',
  'show-managed-fields',
] as const;

/** All that the program knows of a format before it is used. Every format says all of it. */
export interface FormatTraits {
  /** Its name in messages. */
  readonly called: string;
  /** How `--help` shows it. '': not there, but among the words of completion. Undefined: users do not type it. */
  readonly help: string | undefined;
  /**
   * How its value behind `=` is written: a JSONPath template, `HEADING:PATH,…`, the two lines of a file with such
   * columns, a jq program, or the path of a file. The fields it reads, and what completion offers, follow from that.
   */
  readonly value: 'none' | 'template' | 'columns' | 'column-lines' | 'program' | 'path';
  readonly takesEmpty: boolean;
  /** The value where there is no `=`. Throws `argument` if there must be one. Undefined: there is no such format. */
  readonly withoutValue: (() => string) | undefined;
  /** The format that gets the text of the file, for those whose value is the path of one. */
  readonly ofText: string | undefined;
  /** The media type of an answer. */
  readonly mediaType: string;
  /** Needs more of each object than its metadata and cells. */
  readonly needsObject: boolean;
  /** Needs the state before, and metadata.managedFields, which it does not show. */
  readonly needsOld: boolean;
  /** The columns of the server's table that it prints. */
  readonly columns: 'none' | 'usual' | 'wide';
  /** The table that is printed without `-o`: `--live` redraws it. */
  readonly isTable: boolean;
  /** Prints events. Otherwise the noun for what it prints instead, such as `one table`. */
  readonly streams: true | string;
  /** Prints answers: objects as they are. */
  readonly answers: boolean;
  /** Has a place for markers. */
  readonly markers: boolean;
  /** Prints events, markers and changes of a result as whole records, for programs. */
  readonly records: boolean;
  /** An object has the name of its cluster in the field `cluster`, where its type names one. */
  readonly naming: boolean;
  /** Prints an event as a line of JSON, so that the JSON of its object can be a part of it as it is. */
  readonly linesOfJson: boolean;
  /** Lays out, or processes, an initial list as a whole. */
  readonly gathers: boolean;
  /** An answer has one line for each object, below headings. */
  readonly headings: boolean;
  /** An empty answer is put into words on stderr. */
  readonly forPeople: boolean;
  /** Prints what changed between two moments. */
  readonly changesBetween: boolean;
  readonly shows: readonly (typeof SHOWN_FLAGS)[number][];
  /** Prints counts, groups and sums; false: it prints objects alone. */
  readonly counts: false | ((printers: Printers) => CountsText);
  /** Prints trees of owners. */
  readonly trees: false | ((printers: Printers) => TreesText);
  /** Prints rows of SQL. The code for it is loaded at its use. */
  readonly rows: false | (() => Promise<CreateRows>);
  /** Draws a picture of what happened over a stretch of time. */
  readonly draws: false | (() => Promise<PictureText>);
  /**
   * Compiles its expression. A printer that is not among `printers` is loaded here. Throws `argument` for an expression
   * that cannot be read.
   */
  create(value: string, printers: Printers): Promise<CompiledFormat>;
}
