import { hasMember, parseJson } from '../../kit/exact-json.ts';
import { type Address, EACH } from '../../model/field-path.ts';

/** The part of a value that is kept: all, or some members of it. */
export interface FieldPart {
  isWhole: boolean;
  readonly members: Map<string, FieldPart>;
  /** The members by their names in a text. */
  readonly names: { readonly bytes: Buffer; readonly name: string }[];
  /** The part of each item of a list, or of each member of a map. */
  items: FieldPart | undefined;
}

const newPart = (isWhole = false): FieldPart => ({ isWhole, members: new Map(), names: [], items: undefined });

const WHOLE = newPart(true);

/** The part of an object that has these fields. */
export function fieldPartOf(fields: readonly Address[]): FieldPart {
  const root = newPart();
  for (const address of fields) {
    let part = root;
    for (const step of address) part = step === EACH ? itemsOf(part) : memberOf(part, step);
    part.isWhole = true;
  }
  return root;
}

function itemsOf(part: FieldPart): FieldPart {
  part.items ??= newPart();
  return part.items;
}

function memberOf(part: FieldPart, name: string): FieldPart {
  const known = part.members.get(name);
  if (known) return known;
  const member = newPart();
  part.members.set(name, member);
  part.names.push({ name, bytes: Buffer.from(name) });
  return member;
}

/** A member that both parts describe is kept as it is. */
const partOfMember = ({ members, items }: FieldPart, name: string): FieldPart | undefined =>
  items && members.has(name) ? WHOLE : (members.get(name) ?? items);

/** The part of a value. Lists keep their length, and a value that is no map stays what it is. */
export function picked(value: unknown, part: FieldPart): unknown {
  if (part.isWhole || typeof value !== 'object' || value === null) return value;
  const { members, items } = part;
  if (Array.isArray(value)) return items ? value.map((item) => picked(item, items)) : value;
  const found: Record<string, unknown> = {};
  for (const name of items ? Object.keys(value) : members.keys())
    if (hasMember(value, name))
      setMember(found, name, picked((value as Record<string, unknown>)[name], partOfMember(part, name) as FieldPart));
  return found;
}

function setMember(map: object, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(map, name, { value, enumerable: true, configurable: true });
  else (map as Record<string, unknown>)[name] = value;
}

/**
 * The part of the value whose JSON begins at a place. Only that part is parsed; the rest is passed over. `end`: the value
 * ends there and was written by `jsonText`, so that no map has a member twice, and no more is passed over than must be.
 */
export function pickedFrom(text: Buffer, from: number, part: FieldPart, end?: number): unknown {
  const reader = new PartReader(text, from);
  return (end === undefined ? undefined : reader.lastMember(part, end)) ?? reader.value(part, end !== undefined);
}

/**
 * The place behind the value that begins at a place of a JSON text. Most of a search is spent here: of a string three
 * bytes are looked at in a turn.
 */
export function endOfValue(text: Uint8Array, from: number): number {
  const { length } = text;
  let depth = 0;
  for (let at = from; at < length; ) {
    const byte = text[at++] as number;
    if (byte === QUOTE) {
      while (at < length) {
        const first = text[at++];
        if (first === QUOTE) break;
        if (first === BACKSLASH) {
          at++;
          continue;
        }
        const second = text[at++];
        if (second === QUOTE) break;
        if (second === BACKSLASH) {
          at++;
          continue;
        }
        const third = text[at++];
        if (third === QUOTE) break;
        if (third === BACKSLASH) at++;
      }
      if (depth === 0) return at;
    } else if ((byte & ~OTHER_BIT) === OPEN_LIST) depth++;
    else if ((byte & ~OTHER_BIT) === CLOSE_LIST) {
      if (depth === 0) return at - 1;
      if (--depth === 0) return at;
    } else if (byte === COMMA && depth === 0) return at - 1;
  }
  return length;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_MAP = 0x7b;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COMMA = 0x2c;
const SPACE = 0x20;

/** The bit in which a brace differs from a bracket. */
const OTHER_BIT = 0x20;
const isOpening = (byte: number) => (byte & ~OTHER_BIT) === OPEN_LIST;
const isClosing = (byte: number) => (byte & ~OTHER_BIT) === CLOSE_LIST;

/** The member with which the texts of most objects end: it is found sooner from there. */
const LAST_MEMBER = 'status';
const BEFORE_LAST = `,${JSON.stringify(LAST_MEMBER)}:`;

class PartReader {
  readonly #text: Buffer;
  #at: number;

  constructor(text: Buffer, from: number) {
    this.#text = text;
    this.#at = from;
  }

  /**
   * The part of an object of which only the status is wanted. It is searched for from the end of the text. Undefined
   * where that does not prove that it is a member of the object.
   */
  lastMember({ members, names, items, isWhole }: FieldPart, end: number): object | undefined {
    const [wanted] = names;
    if (isWhole || items || wanted?.name !== LAST_MEMBER || names.length > 1) return undefined;
    const before = this.#at;
    const found = {};
    this.#at = this.#text.lastIndexOf(`${BEFORE_LAST}{`, end);
    if (this.#at > before) {
      this.#at += BEFORE_LAST.length;
      setMember(found, wanted.name, this.value(members.get(wanted.name) as FieldPart));
      while (this.#isAtNext()) {
        this.#at = endOfValue(this.#text, this.#at) + 1;
        this.#at = endOfValue(this.#text, this.#at);
      }
      if (this.#at === end) return found;
    }
    this.#at = before;
    return undefined;
  }

  /** `isLast`: nothing behind the part is wanted, and no map has a member twice. */
  value(part: FieldPart, isLast = false): unknown {
    this.#passSpace();
    const first = this.#text[this.#at];
    if (!part.isWhole && first === OPEN_MAP) return this.#map(part, isLast);
    if (!part.isWhole && first === OPEN_LIST && part.items) return this.#list(part.items);
    const from = this.#at;
    this.#at = endOfValue(this.#text, from);
    return parseJson(this.#text.toString('utf8', from, this.#at));
  }

  #list(items: FieldPart): unknown[] {
    const found: unknown[] = [];
    while (this.#isAtNext()) found.push(this.value(items));
    return found;
  }

  #map(part: FieldPart, isLast: boolean): object {
    const found = {};
    let missing = part.items ? Number.POSITIVE_INFINITY : part.members.size;
    while (this.#isAtNext()) {
      const from = this.#at;
      const end = endOfValue(this.#text, from);
      this.#at = end;
      this.#passSpace();
      this.#at++; // the colon
      const name = this.#nameOf(from, end, part);
      const member = name === undefined ? undefined : partOfMember(part, name);
      if (member) {
        missing--;
        setMember(found, name as string, this.value(member, isLast && missing === 0));
        if (isLast && missing === 0) break;
      } else this.#at = endOfValue(this.#text, this.#at);
    }
    return found;
  }

  /** Goes to the next item or member; behind the end if there is none. */
  #isAtNext(): boolean {
    this.#passSpace();
    const byte = this.#text[this.#at++] as number;
    if (byte !== COMMA && !isOpening(byte)) return false;
    this.#passSpace();
    if (!isClosing(this.#text[this.#at] as number)) return true;
    this.#at++;
    return false;
  }

  /** The name of a member, if it is wanted. Names that are written with escapes are parsed. */
  #nameOf(from: number, end: number, { names, items }: FieldPart): string | undefined {
    const text = this.#text;
    const isEscaped = text.subarray(from, end).includes(BACKSLASH);
    if (items || isEscaped) return JSON.parse(text.toString('utf8', from, end)) as string;
    const length = end - from - 2;
    for (const { bytes, name } of names)
      if (bytes.length === length && text.compare(bytes, 0, length, from + 1, end - 1) === 0) return name;
    return undefined;
  }

  #passSpace(): void {
    while ((this.#text[this.#at] as number) <= SPACE) this.#at++;
  }
}
