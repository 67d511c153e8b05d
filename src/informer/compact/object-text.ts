import { jsonText, parseJson } from '../../kit/exact-json.ts';
import { rowOfStored, storedCells } from '../../model/cell-ages.ts';
import { type Cells, cellsOf, withCells } from '../../model/cells.ts';
import { readIn } from '../../model/gvr.ts';
import { managedFieldsText, withParsedManagedFields } from '../../model/managed-fields-text.ts';
import { hasMetadata } from '../../model/object.ts';
import type { ColumnLists } from './column-lists.ts';
import { endOfValue, type FieldPart, pickedFrom } from './field-part.ts';

/**
 * The text of an object of a table begins with a bracket: the number of its columns, when it was created, the length of
 * its cells, the cells, and the object.
 */
const OPEN_BRACKET = '[';
const HEAD = /^\[(\d+),(null|"[^"\\]*"),(\d+),/;
/** The bytes in which the cells of most tables end. */
const HEAD_BYTES = 1024;

/**
 * Turns objects into texts and back, with no difference between what went in and what comes out. An object that JSON
 * cannot express stays an object.
 */
export class ObjectTexts {
  /** The columns of tables: a text has only their number. */
  readonly #columns: ColumnLists;
  readonly #isFromServer: () => boolean;

  /** `isFromServer`: the objects were parsed from JSON and not changed, so that they need no check. */
  constructor(isFromServer: () => boolean, columns: ColumnLists) {
    this.#columns = columns;
    this.#isFromServer = isFromServer;
  }

  /**
   * The text of an object; undefined if a text would not be the same object. `bytes` are the text that the object was
   * parsed from, if they are known.
   */
  textOf(object: object, bytes?: Uint8Array): string | Uint8Array | undefined {
    if (readIn(object) !== undefined) return undefined; // the version in which it came is known of the object only
    if (managedFieldsText(object) !== undefined) return this.textOf(withParsedManagedFields(object));
    const isFromServer = this.#isFromServer();
    try {
      if (!isPlain(object)) return undefined;
      const cells = cellsOf(object);
      if (cells === undefined && isFromServer && bytes) return bytes;
      // throws for an object without an end, on which the search for other parts would not end either
      const text = cells ? this.#rowText(cells, object) : jsonText(object);
      const isSame = (isFromServer || isPlainThroughout(object)) && (!cells || isPlainThroughout(cells.cells));
      return isSame ? text : undefined;
    } catch {
      // too deep, or without an end
    }
    return undefined;
  }

  objectOf(text: string): object {
    if (!text.startsWith(OPEN_BRACKET)) return parseJson(text) as object;
    const [number, , , cells, object] = parseJson(text) as [number, unknown, number, Cells['cells'], object];
    return withCells(object, this.#cellsOf(number, cells));
  }

  /** A part of an object, and its cells if they are asked for. The rest of its text is not parsed. */
  partOf(text: Buffer, { part, hasCells }: { readonly part: FieldPart; readonly hasCells: boolean }): object {
    if (text[0] !== OPEN_BRACKET.charCodeAt(0)) return pickedFrom(text, 0, part) as object;
    const ends: number[] = [0];
    while (ends.length < 5) ends.push(endOfValue(text, (ends.at(-1) as number) + 1));
    const [, number, , length, cells] = ends as [number, number, number, number, number];
    const object = pickedFrom(text, cells + 1, part, text.length - 1) as object;
    if (!hasCells) return object;
    const row = parseJson(text.toString('utf8', length + 1, cells)) as Cells['cells'];
    const columns = Number(text.toString('latin1', 1, number));
    return withCells(object, this.#cellsOf(columns, row));
  }

  /** The cells of an object, and when it was created, without the rest of its text; undefined if they are not known. */
  headOf(text: Buffer): { readonly creationTimestamp: string | undefined; readonly cells: Cells } | undefined {
    const head = text.toString('utf8', 0, HEAD_BYTES);
    const [all = '', number, created = '', length] = HEAD.exec(head) ?? [];
    const end = all.length + Number(length);
    if (number === undefined || end >= head.length) return undefined;
    return {
      creationTimestamp: (JSON.parse(created) as string | null) ?? undefined,
      cells: this.#cellsOf(Number(number), parseJson(head.slice(all.length, end)) as Cells['cells']),
    };
  }

  #cellsOf(number: number, stored: Cells['cells']): Cells {
    return rowOfStored(this.#columns.at(number), stored);
  }

  #rowText(row: Cells, object: object): string {
    const { creationTimestamp } = hasMetadata(object) ? object.metadata : {};
    const created = typeof creationTimestamp === 'string' ? creationTimestamp : null;
    const text = jsonText(storedCells(row));
    return `[${this.#columns.numberOf(row.columns)},${JSON.stringify(created)},${text.length},${text},${jsonText(object)}]`;
  }
}

/** Whether an object is a map, and not an instance of a class that takes the place of one. */
function isPlain(object: object): boolean {
  const prototype = Object.getPrototypeOf(object);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Whether every part of a value is what parsing its JSON would give. A member that is undefined counts as one that is
 * missing.
 */
function isPlainThroughout(value: unknown): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'number' && (!Number.isFinite(next) || Object.is(next, -0))) return false;
    if (typeof next === 'function' || typeof next === 'symbol') return false;
    if (typeof next === 'bigint' && Number.isSafeInteger(Number(next))) return false;
    if (typeof next !== 'object' || next === null) continue;
    const isList = Array.isArray(next);
    if (!isList && !isPlain(next)) return false;
    for (const part of Object.values(next)) {
      if (isList && part === undefined) return false;
      open.push(part);
    }
  }
  return true;
}
