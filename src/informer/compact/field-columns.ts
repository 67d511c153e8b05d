import { jsonText, parseJson } from '../../kit/exact-json.ts';
import { isSince } from '../../model/cell-ages.ts';
import { type Cells, cellsOf, cellVariable, headingOf, type TableColumn, withCells } from '../../model/cells.ts';
import { type Address, addressText } from '../../model/field-path.ts';
import { type Block, MOST_COLUMNS } from './block.ts';
import type { ColumnLists } from './column-lists.ts';
import { type FieldPart, fieldPartOf, picked } from './field-part.ts';
import { metadataOf, type PackedObject } from './packed-object.ts';

/** The bytes that the different values of a column may take as JSON. A column with more is given up. */
const MOST_BYTES = 8 * 1024 * 1024;
/** A column is given up, too, when it has more different values than this, each for less than two objects. */
const MANY_VALUES = 100_000;
/** The part of these bytes that a column may need after it was renumbered, so that this is not done again and again. */
const STILL_FULL = 0.75;

/** Fields that every handle has, and that differ in every object, so that no column keeps them. */
const OF_EACH = new Set(['name', 'uid', 'resourceVersion']);
/** All fields that a handle has. */
const OF_HANDLES = new Set([...OF_EACH, 'namespace', 'labels']);
/** Further fields that are known without a look at the rest of a row. */
const OF_ROWS = new Set([...OF_HANDLES, 'creationTimestamp']);

/** The parts of an object that are looked at. */
export interface LookedAt {
  readonly fields: readonly Address[];
  /** Cells of its row in a table, by headings or by the names of their variables; `*`: all. */
  readonly cells?: readonly string[] | undefined;
}

/**
 * The values of some fields of the objects, so that a search of them decodes nothing. Objects with the same values
 * share them: an object costs four bytes.
 */
export class FieldColumn {
  /** The same for the same fields. */
  readonly id: string;
  /** The place of its numbers in each block. */
  readonly slot: number;
  /** Whether it stays although other columns are used more. */
  readonly isKept: boolean;
  /** A field is among them of which each object has its own value, which only its handle has. */
  readonly isOfEach: boolean;
  /** Whether the head of a row has all of it, so that the rest need not be parsed. */
  readonly isOfHead: boolean;
  /** Whether a handle has all of it, so that no text is read. */
  readonly isOfHandle: boolean;
  /** The fields that are kept. */
  readonly part: FieldPart;
  /** The fields that are read from a text: a handle has the others. */
  readonly textPart: FieldPart;
  readonly hasCells: boolean;
  readonly #cells: CellPicker | undefined;
  readonly #numbers = new Map<string, number>();
  /** The values by their number. 0 means that they are not known. */
  readonly #values: unknown[] = [undefined];
  #bytes = 0;
  #objects = 0;
  #isGivenUp = false;
  #generation = 0;

  constructor(looked: LookedAt, { slot, isKept, lists }: { slot: number; isKept: boolean; lists: ColumnLists }) {
    const { fields, cells = [] } = looked;
    this.id = columnId(looked);
    this.slot = slot;
    this.isKept = isKept;
    this.isOfEach = fields.some((address) => isIn(OF_EACH, address));
    this.isOfHead = cells.length > 0 && fields.every((address) => isIn(OF_ROWS, address));
    this.part = fieldPartOf(fields.filter((address) => !isIn(OF_EACH, address)));
    const ofTexts = fields.filter((address) => !isIn(OF_HANDLES, address));
    this.textPart = fieldPartOf(ofTexts);
    this.hasCells = cells.length > 0;
    this.isOfHandle = ofTexts.length === 0 && !this.hasCells;
    this.#cells = this.hasCells ? new CellPicker(cells, lists) : undefined;
  }

  /** Whether the values differ too much to be worth their memory. */
  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  /** Changes when the numbers of the values do. */
  get generation(): number {
    return this.#generation;
  }

  /** Whether it is time to look for values that no object has any more: see {@link renumber}. */
  get isFull(): boolean {
    const values = this.#values.length - 1;
    const areMany = values > MANY_VALUES && values * 2 > this.#objects;
    return !this.#isGivenUp && (this.#bytes > MOST_BYTES || areMany);
  }

  /** Remembers the fields of an object that was just parsed. */
  note(block: Block, at: number, object: unknown): void {
    if (!this.#isGivenUp) block.setNumber(this.slot, at, this.#numberOf(object));
  }

  /** An object with the fields of a packed one, and what its handle has; undefined if they are not known. */
  fieldsOf(packed: PackedObject): object | undefined {
    const fields = this.sharedOf(packed);
    return fields && withMetadata(fields, packed);
  }

  /** The fields of a packed object, in the one object that all with equal fields share; undefined if they are not known. */
  sharedOf({ block, at }: PackedObject): object | undefined {
    return this.#values[block.numberAt(this.slot, at)] as object | undefined;
  }

  /** The number of the value that a packed object shares with others; 0 if it is not known, or shared with none. */
  numberOf({ block, at }: PackedObject): number {
    return this.isOfEach || this.#isGivenUp ? 0 : block.numberAt(this.slot, at);
  }

  valueOf(number: number): object {
    return this.#values[number] as object;
  }

  /** Forgets the values that no object in these blocks has. Gives the column up if the others take most of its memory. */
  renumber(blocks: Iterable<Block>): void {
    const all = [...blocks];
    this.#generation++;
    const used = new Map<number, number>();
    for (const block of all)
      block.renumber(this.slot, (number) => {
        const known = used.get(number) ?? used.size + 1;
        used.set(number, known);
        return known;
      });
    const values = this.#values.slice();
    this.#values.length = 1;
    this.#bytes = 0;
    for (const [from, to] of used) this.#values[to] = values[from];
    for (const [text, number] of [...this.#numbers]) {
      const now = used.get(number);
      if (now === undefined) this.#numbers.delete(text);
      else this.#numbers.set(text, now);
      if (now !== undefined) this.#bytes += text.length;
    }
    this.#objects = all.reduce((sum, { live }) => sum + live, 0);
    const isStillFull = used.size > MANY_VALUES && used.size * 2 > this.#objects;
    if (this.#bytes > MOST_BYTES * STILL_FULL || isStillFull) this.giveUp();
  }

  #numberOf(object: unknown): number {
    this.#objects++;
    const row = this.#cells?.textOf(object as object);
    const text = jsonText(picked(object, this.part)) + (row ?? '');
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#bytes += text.length;
    // what was picked would keep parts of the object alive
    const fields = parseJson(row === undefined ? text : text.slice(0, -row.length)) as { metadata?: object };
    fields.metadata ??= {};
    const number = this.#values.push(row === undefined ? fields : this.#cells?.withRow(fields, object as object)) - 1;
    this.#numbers.set(text, number);
    return number;
  }

  /** Keeps nothing any more: a search that still has the column reads the objects. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.#numbers.clear();
    this.#values.length = 1;
  }
}

/** The columns of one store: those that were asked for beforehand, and those of the last searches. */
export class FieldColumns {
  /** By slot. */
  readonly #columns: (FieldColumn | undefined)[] = [];
  /** The slots, that of the last search first. */
  #order: number[] = [];
  readonly #lists: ColumnLists;

  constructor(lists: ColumnLists) {
    this.#lists = lists;
  }

  /** The column that there is already. */
  find(id: string): FieldColumn | undefined {
    return this.#columns.find((column) => column?.id === id);
  }

  /** The column of these fields. `free` clears a slot in all blocks before another column has it. */
  of(looked: LookedAt, { isKept, free }: { isKept: boolean; free: (slot: number) => void }): FieldColumn {
    const id = columnId(looked);
    const known = this.find(id);
    const column = known ?? new FieldColumn(looked, { slot: this.#slot(free), isKept, lists: this.#lists });
    this.#columns[column.slot] = column;
    this.#order = [column.slot, ...this.#order.filter((slot) => slot !== column.slot)];
    return column;
  }

  /** `blocks` are all there are. */
  note(block: Block, at: number, object: unknown, blocks: Iterable<Block>): void {
    for (const column of this.#columns) {
      column?.note(block, at, object);
      if (column?.isFull) column.renumber(blocks);
    }
  }

  #slot(free: (slot: number) => void): number {
    for (let slot = 0; slot < MOST_COLUMNS; slot++) if (!this.#columns[slot]) return slot;
    const slot = this.#order.findLast((each) => !this.#columns[each]?.isKept) ?? (this.#order.at(-1) as number);
    this.#columns[slot]?.giveUp();
    free(slot);
    return slot;
  }
}

/** An object with these fields, and the metadata that a handle has. */
export function withMetadata(fields: object, packed: PackedObject): object {
  const { metadata } = fields as { metadata?: object };
  return { ...fields, metadata: { ...metadata, ...metadataOf(packed) } }; // with its cells
}

const columnId = ({ fields, cells = [] }: LookedAt): string =>
  [...fields.map(addressText).sort(), ...[...cells].sort()].join(' ');

const isIn = (names: ReadonlySet<string>, [first, second]: Address) =>
  first === 'metadata' && typeof second === 'string' && names.has(second);

/** Picks cells of rows. */
class CellPicker {
  readonly #names: readonly string[];
  readonly #lists: ColumnLists;
  readonly #places = new Map<number, readonly number[]>();

  constructor(names: readonly string[], lists: ColumnLists) {
    this.#names = names;
    this.#lists = lists;
  }

  /** The picked cells as a text; undefined for an object without a row. */
  textOf(object: object): string | undefined {
    const row = cellsOf(object);
    if (!row) return undefined;
    const number = this.#lists.numberOf(row.columns);
    const picked = jsonText(this.#placesIn(number).map((place) => row.cells[place]));
    return `${number}${picked}${this.#timeOf(row, number) ?? ''}`;
  }

  /** Adds the picked cells of an object, which has a row, to its fields. */
  withRow(fields: object, object: object): object {
    const row = cellsOf(object) as Cells;
    const number = this.#lists.numberOf(row.columns);
    const cells: unknown[] = [];
    for (const place of this.#placesIn(number)) cells[place] = row.cells[place];
    const at = this.#timeOf(row, number);
    return withCells(fields, { columns: this.#lists.at(number), cells, ...(at === undefined ? {} : { at }) });
  }

  /** When the row was printed, if a picked cell is the time since something happened. */
  #timeOf({ columns, at }: Cells, number: number): number | undefined {
    if (at === undefined) return undefined;
    const isPicked = (place: number) => isSince(columns[place] as TableColumn);
    return this.#placesIn(number).some(isPicked) ? at : undefined;
  }

  #placesIn(number: number): readonly number[] {
    const known = this.#places.get(number);
    if (known) return known;
    const places = this.#lists.at(number).flatMap((column, i) => (this.#has(column) ? [i] : []));
    this.#places.set(number, places);
    return places;
  }

  #has(column: TableColumn): boolean {
    const heading = headingOf(column);
    return [heading, cellVariable(heading), '*'].some((name) => this.#names.includes(name));
  }
}
