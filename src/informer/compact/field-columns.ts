import { hasMember, jsonText, parseJson } from '../../kit/exact-json.ts';
import { type Address, addressText, EACH } from '../../model/field-path.ts';
import { type Block, MOST_COLUMNS } from './block.ts';
import { metadataOf, type PackedObject } from './packed-object.ts';

/** The bytes that the different values of a column may take as JSON. A column with more is given up. */
const MOST_BYTES = 8 * 1024 * 1024;
/** A column is given up, too, when it has more different values than this, each for less than two objects. */
const MANY_VALUES = 100_000;

/** Fields that every handle has, so that no column keeps them: most of them differ in every object. */
const IN_HANDLES = new Set(['name', 'namespace', 'uid', 'resourceVersion', 'labels']);

/** The part of a value that is kept: all, or some members of it. */
interface Part {
  isWhole: boolean;
  readonly members: Map<string, Part>;
  /** The part of each item of a list, or of each member of a map. */
  items: Part | undefined;
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
  readonly #part: Part;
  readonly #numbers = new Map<string, number>();
  /** The values by their number. 0 means that they are not known. */
  readonly #values: unknown[] = [undefined];
  #bytes = 0;
  #objects = 0;
  #isGivenUp = false;

  constructor(fields: readonly Address[], { slot, isKept }: { slot: number; isKept: boolean }) {
    this.id = columnId(fields);
    this.slot = slot;
    this.isKept = isKept;
    this.#part = partOf(fields);
  }

  /** Whether the values differ too much to be worth their memory. */
  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  /** Remembers the fields of an object that was just parsed. */
  note(block: Block, at: number, object: unknown): void {
    if (!this.#isGivenUp) block.setNumber(this.slot, at, this.#numberOf(object));
  }

  /** An object with the fields of a packed one, and what its handle has; undefined if they are not known. */
  fieldsOf(packed: PackedObject): object | undefined {
    const number = packed.block.numberAt(this.slot, packed.at);
    if (number === 0 || this.#isGivenUp) return undefined;
    const fields = this.#values[number] as { metadata?: object };
    return { ...fields, metadata: { ...fields.metadata, ...metadataOf(packed) } };
  }

  #numberOf(object: unknown): number {
    this.#objects++;
    const text = jsonText(picked(object, this.#part));
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#bytes += text.length;
    const number = this.#values.push(parseJson(text)) - 1; // what was picked would keep parts of the object alive
    this.#numbers.set(text, number);
    if (this.#bytes > MOST_BYTES || (number > MANY_VALUES && number * 2 > this.#objects)) this.#giveUp();
    return this.#isGivenUp ? 0 : number;
  }

  #giveUp(): void {
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

  /** The column of these fields. `free` clears a slot in all blocks before another column has it. */
  of(fields: readonly Address[], { isKept, free }: { isKept: boolean; free: (slot: number) => void }): FieldColumn {
    const id = columnId(fields);
    const known = this.#columns.find((column) => column?.id === id);
    const column = known ?? new FieldColumn(fields, { slot: this.#slot(free), isKept });
    this.#columns[column.slot] = column;
    this.#order = [column.slot, ...this.#order.filter((slot) => slot !== column.slot)];
    return column;
  }

  note(block: Block, at: number, object: unknown): void {
    for (const column of this.#columns) column?.note(block, at, object);
  }

  #slot(free: (slot: number) => void): number {
    for (let slot = 0; slot < MOST_COLUMNS; slot++) if (!this.#columns[slot]) return slot;
    const slot = this.#order.findLast((each) => !this.#columns[each]?.isKept) ?? (this.#order.at(-1) as number);
    free(slot);
    return slot;
  }
}

function columnId(fields: readonly Address[]): string {
  return fields.map(addressText).sort().join(' ');
}

function partOf(fields: readonly Address[]): Part {
  const root: Part = { isWhole: false, members: new Map(), items: undefined };
  for (const address of fields) {
    const [first, second] = address;
    if (first === 'metadata' && typeof second === 'string' && IN_HANDLES.has(second)) continue;
    let part = root;
    for (const step of address) {
      let next = step === EACH ? part.items : part.members.get(step);
      if (!next) {
        next = { isWhole: false, members: new Map(), items: undefined };
        if (step === EACH) part.items = next;
        else part.members.set(step, next);
      }
      part = next;
    }
    part.isWhole = true;
  }
  return root;
}

/** The part of a value. Lists keep their length, and what is no map stays what it is. */
function picked(value: unknown, part: Part): unknown {
  if (part.isWhole || typeof value !== 'object' || value === null) return value;
  const { members, items } = part;
  if (Array.isArray(value)) return items ? value.map((item) => picked(item, items)) : value;
  const found: Record<string, unknown> = {};
  for (const key of items ? Object.keys(value) : members.keys()) {
    if (!hasMember(value, key)) continue;
    const member = (value as Record<string, unknown>)[key];
    const of = members.get(key);
    // a member that both parts describe is kept as it is
    const kept = of && items ? member : picked(member, (of ?? items) as Part);
    Object.defineProperty(found, key, { value: kept, enumerable: true, writable: true, configurable: true });
  }
  return found;
}
