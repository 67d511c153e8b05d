import type { TableColumn } from '../../model/cells.ts';

/** The lists of columns of tables: all rows of a table share theirs, and equal lists are one. */
export class ColumnLists {
  readonly #lists: (readonly TableColumn[])[] = [];

  at(number: number): readonly TableColumn[] {
    return this.#lists[number] as readonly TableColumn[];
  }

  numberOf(columns: readonly TableColumn[]): number {
    const known = this.#lists.indexOf(columns);
    if (known !== -1) return known;
    const text = JSON.stringify(columns);
    const equal = this.#lists.findIndex((other) => JSON.stringify(other) === text);
    return equal === -1 ? this.#lists.push(columns) - 1 : equal;
  }
}
