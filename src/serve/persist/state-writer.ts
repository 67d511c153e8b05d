import type { StateChange } from '../../informer/state-change.ts';
import type { Clock } from '../../kit/clock.ts';
import { jsonText, parseJson } from '../../kit/exact-json.ts';
import { rowOfStored, storedCells } from '../../model/cell-ages.ts';
import { cellsOf, type TableColumn, withCells } from '../../model/cells.ts';
import type { ObjectKey } from '../../model/key.ts';
import type { ReadonlyObject, UnknownObject } from '../../model/object.ts';
import type { RowChanges, StoredRow, StoredRows } from './state-file.ts';
import { objectOfText, storedText } from './stored-text.ts';

/** The part of a `StateStore` that a writer needs. */
export interface StepTarget {
  write(scope: string, changes: RowChanges): Promise<void>;
}

export interface StateWriterOptions {
  readonly scope: string;
  readonly target: StepTarget;
  readonly clock: Clock;
  /** The columns of the rows that are stored already. */
  readonly columnsText: string | undefined;
  /** Called once, with the error after which nothing more is stored. */
  onFault(error: unknown): void;
}

/** How long the text of objects is made before other code runs, ms. */
const SLICE_MS = 3;
/** Changes of this time are one transaction, ms. */
const GATHER_MS = 200;
/** The most rows of one transaction. */
const MOST_ROWS = 200;
/** The key of the row that has the columns of the others. No object has it. */
const COLUMNS = '';

/**
 * Writes one source's part of a cache to a store, in the background. What changes while a step is written is gathered by
 * key for the next one, so that never more than the cache itself waits. After a fault it writes nothing more.
 */
export class StateWriter {
  readonly #options: StateWriterOptions;
  #pending = new Map<ObjectKey, ReadonlyObject | undefined>();
  #isWhole = false;
  #version: string | undefined;
  #columns: readonly TableColumn[] | undefined;
  #columnsText: string | undefined;
  #isUniform = true;
  #isBroken = false;
  #writing: Promise<void> | undefined;

  constructor(options: StateWriterOptions) {
    this.#options = options;
    this.#columnsText = options.columnsText;
  }

  /** Takes a step of the cache. Returns at once. */
  take({ isWhole, objects, resourceVersion }: Omit<StateChange<UnknownObject>, 'source'>): void {
    if (this.#isBroken) return;
    if (isWhole) {
      this.#pending = new Map();
      this.#isWhole = true;
    }
    for (const [key, object] of objects) this.#pending.set(key, object as ReadonlyObject | undefined);
    this.#version = resourceVersion;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Resolves when everything that was taken is stored, or nothing more will be. */
  async idle(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    const { clock, target, scope, onFault } = this.#options;
    try {
      while (this.#version !== undefined) {
        await clock.sleep(GATHER_MS);
        for await (const part of this.#parts()) await target.write(scope, part);
      }
    } catch (error) {
      this.#isBroken = true;
      this.#pending.clear();
      onFault(error);
    }
  }

  /** One step in parts of a few rows. Only the last has the version, so that a state is complete or not used. */
  async *#parts(): AsyncGenerator<RowChanges> {
    const { clock } = this.#options;
    const [taken, isWhole, resourceVersion] = [this.#pending, this.#isWhole, this.#version as string];
    this.#pending = new Map();
    this.#isWhole = false;
    this.#version = undefined;
    if (isWhole) this.#columnsText = undefined;
    const at = clock.now();
    let put: StoredRow[] = [];
    let gone: string[] = [];
    let isFirst = true;
    let until = clock.monotonic() + SLICE_MS;
    for (const [key, object] of taken) {
      if (object === undefined) gone.push(key);
      else put.push(...this.#columnsRow(object), rowOf(key, object));
      if (put.length + gone.length >= MOST_ROWS) {
        yield { isWhole: isWhole && isFirst, put, gone, resourceVersion: '', at };
        [put, gone, isFirst] = [[], [], false];
      }
      if (clock.monotonic() < until) continue;
      await clock.yield();
      until = clock.monotonic() + SLICE_MS;
    }
    const version = this.#isUniform ? resourceVersion : '';
    yield { isWhole: isWhole && isFirst, put, gone, resourceVersion: version, at };
  }

  /** The row of the columns, before the first object that has them. Rows with other columns make the state useless. */
  #columnsRow(object: ReadonlyObject): StoredRow[] {
    const columns = cellsOf(object)?.columns;
    if (!columns || (columns === this.#columns && this.#columnsText !== undefined)) return [];
    const text = jsonText(columns);
    this.#columns = columns;
    if (this.#columnsText !== undefined) {
      this.#isUniform &&= text === this.#columnsText;
      return [];
    }
    this.#columnsText = text;
    this.#isUniform = true;
    return [{ key: COLUMNS, uid: '', version: '', text }];
  }
}

function rowOf(key: ObjectKey, object: ReadonlyObject): StoredRow {
  const { uid = '', resourceVersion: version = '' } = object.metadata;
  const row = cellsOf(object);
  const text = storedText(object, false);
  return { key, uid, version, text: row ? `${jsonText(storedCells(row))}\n${text}` : text };
}

export const columnsTextOf = ({ rows }: StoredRows) => rows.find(({ key }) => key === COLUMNS)?.text;

/** The objects of stored rows, with the cells that they had. Throws `SyntaxError`. */
export async function objectsOfRows({ rows }: StoredRows, clock: Clock): Promise<UnknownObject[]> {
  const described = rows.find(({ key }) => key === COLUMNS);
  const columns = described && (parseJson(described.text) as readonly TableColumn[]);
  const objects: UnknownObject[] = [];
  let until = clock.monotonic() + SLICE_MS;
  for (const { key, text } of rows) {
    if (key === COLUMNS) continue;
    const [body = '', cells] = text.split('\n').toReversed(); // JSON has no line breaks
    const object = objectOfText(body);
    const hasCells = columns && cells !== undefined;
    objects.push(hasCells ? withCells(object, rowOfStored(columns, parseJson(cells) as unknown[])) : object);
    if (clock.monotonic() < until) continue;
    await clock.yield();
    until = clock.monotonic() + SLICE_MS;
  }
  return objects;
}
