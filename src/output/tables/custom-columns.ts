import { goSprint } from '../../expr/go-text.ts';
import type { JsonPath } from '../../expr/jsonpath/jsonpath.ts';
import { loadJsonPath } from '../../expr/jsonpath/load-jsonpath.ts';
import { InformerError } from '../../kit/error.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { whyUnprintable } from '../../stream/shown-object.ts';
import { cellText } from '../escape.ts';
import type { PlaceColumn, PrintedEvent, PrintedObject, Printer } from '../printer.ts';
import { splitColumns } from './column-spec.ts';
import { AlignedTable } from './table.ts';

/** A heading and the path of its cells. */
export interface CustomColumn {
  readonly heading: string;
  readonly path: JsonPath;
}

const HINT = 'for example -o custom-columns=NAME:.metadata.name,NODE:.spec.nodeName';

/**
 * Parses `NAME:.metadata.name,…`. A comma inside brackets or quotes belongs to the path. Throws `argument` in kubectl's
 * words.
 */
export async function parseCustomColumns(spec: string): Promise<CustomColumn[]> {
  if (spec === '') refuse('custom-columns format specified but no custom columns given');
  return Promise.all(splitColumns(spec).map(parseColumn));
}

/** Parses the columns of `-o csv=…`, which are written as custom columns. Throws `argument`. */
export async function parseCsvColumns(spec: string): Promise<CustomColumn[]> {
  const column = splitColumns(spec).find((each) => !each.includes(':'));
  if (column === undefined) return parseCustomColumns(spec);
  throw new InformerError('argument', `-o csv=…: the column ${JSON.stringify(column)} has no path`, {
    hint: 'columns of your own are HEADING:PATH, as in -o csv=NAME:.metadata.name,NODE:.spec.nodeName; -o csv alone has those of the table',
  });
}

/** Parses a file of two lines: headings, and their paths, separated by spaces. Throws `argument` in kubectl's words. */
export async function parseCustomColumnsFile(text: string): Promise<CustomColumn[]> {
  const [headings = [], paths = []] = text
    .split(/\r?\n/)
    .map((line) => line.split(/\s+/).filter((word) => word !== ''));
  const form = 'Expected format is one line of space separated headers, one line of space separated column specs.';
  if (headings.length === 0) refuse(`invalid template, missing header line. ${form}`);
  if (paths.length === 0) refuse(`invalid template, missing spec line. ${form}`);
  if (headings.length !== paths.length) {
    refuse(`number of headers (${headings.length}) and field specifications (${paths.length}) don't match`);
  }
  return Promise.all(
    paths.map(async (path, i) => ({ heading: headings[i] as string, path: await loadJsonPath(path) })),
  );
}

export interface CustomColumnsOptions {
  readonly noHeaders?: boolean | undefined;
  /** The first columns. */
  readonly places?: readonly PlaceColumn[] | undefined;
}

/** Prints the given columns and no others, also in streams. An object that cannot be printed is left out. */
export class CustomColumnsPrinter implements Printer {
  readonly #columns: readonly CustomColumn[];
  readonly #table = new AlignedTable();
  readonly #places: readonly PlaceColumn[];
  #heading: string[] | undefined;

  constructor(columns: readonly CustomColumn[], { noHeaders = false, places = [] }: CustomColumnsOptions = {}) {
    this.#columns = columns;
    this.#places = places;
    const headings = [...places, ...columns].map(({ heading }) => cellText(heading));
    this.#heading = noHeaders ? undefined : headings;
  }

  events(batch: readonly PrintedEvent[]): string {
    return this.#print(batch.map(({ event: { object }, type }) => ({ object, type })));
  }

  marker(): string {
    return '';
  }

  *objects(answer: Iterable<PrintedObject>): Iterable<string> {
    yield this.#print([...answer]);
  }

  #print(printed: readonly PrintedObject[]): string {
    const lines = printed
      .filter(({ object }) => whyUnprintable(object) === undefined)
      .map((row) => [
        ...this.#places.map((place) => place.cell(row)),
        ...this.#columns.map(({ path }) => cellOf(path, row.object)),
      ]);
    if (this.#heading) lines.unshift(this.#heading);
    this.#heading = undefined;
    for (const line of lines) this.#table.fit(line);
    return lines.map((line) => this.#table.line(line)).join('');
  }
}

/**
 * All values, joined by commas; `<none>` if there are none. Line ends are printed as `\n`, so that a row is one line.
 * Source: kubectl customcolumn.go printOneObject.
 */
function cellOf(path: JsonPath, object: ReadonlyObject): string {
  const values = path.values(object);
  return values.length === 0
    ? '<none>'
    : values.map((value) => cellText(goSprint(value).replaceAll('\r\n', '\\r\\n').replaceAll('\n', '\\n'))).join(',');
}

async function parseColumn(column: string): Promise<CustomColumn> {
  const cut = column.indexOf(':');
  if (cut < 0) refuse(`unexpected custom-columns spec: ${column}, expected <header>:<json-path-expr>`);
  return { heading: column.slice(0, cut), path: await loadJsonPath(column.slice(cut + 1)) };
}

function refuse(message: string): never {
  throw new InformerError('argument', message, { hint: HINT });
}
