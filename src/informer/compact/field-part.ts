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

const setMember = (map: object, name: string, value: unknown) =>
  Object.defineProperty(map, name, { value, enumerable: true, writable: true, configurable: true });

/** The part of the value whose JSON begins at a place. Only that part is parsed; the rest is passed over. */
export const pickedFrom = (text: Buffer, from: number, part: FieldPart): unknown =>
  new PartReader(text, from).value(part);

/** The place behind the value that begins at a place of a JSON text. */
export function endOfValue(text: Uint8Array, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const step = STEPS[text[at] as number] as number;
    if (step === 0) continue;
    if (step === STRING) at = endOfString(text, at) - 1;
    else if (step === OPEN) depth++;
    else if (depth === 0) return at;
    else if (step === CLOSE) depth--;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

function endOfString(text: Uint8Array, from: number): number {
  let at = from + 1;
  for (let byte = text[at]; byte !== QUOTE && byte !== undefined; byte = text[at]) at += byte === BACKSLASH ? 2 : 1;
  return at + 1;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_MAP = 0x7b;
const OPEN_LIST = 0x5b;
const COMMA = 0x2c;
const SPACE = 0x20;

const STRING = 1;
const OPEN = 2;
const CLOSE = 3;
const NEXT = 4;
/** The steps of a search for the end of a value, by byte. */
const STEPS = new Uint8Array(256);
for (const [step, characters] of [[STRING, '"'], [OPEN, '{['], [CLOSE, '}]'], [NEXT, ',']] as const) // biome-ignore format: one table
  for (const byte of Buffer.from(characters)) STEPS[byte] = step;

class PartReader {
  readonly #text: Buffer;
  #at: number;

  constructor(text: Buffer, from: number) {
    this.#text = text;
    this.#at = from;
  }

  value(part: FieldPart): unknown {
    this.#passSpace();
    const first = this.#text[this.#at];
    if (!part.isWhole && first === OPEN_MAP) return this.#map(part);
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

  #map(part: FieldPart): object {
    const found = {};
    while (this.#isAtNext()) {
      const from = this.#at;
      const end = endOfString(this.#text, from);
      this.#at = end;
      this.#passSpace();
      this.#at++; // the colon
      const name = this.#nameOf(from, end, part);
      const member = name === undefined ? undefined : partOfMember(part, name);
      if (member) setMember(found, name as string, this.value(member));
      else this.#at = endOfValue(this.#text, this.#at);
    }
    return found;
  }

  /** Goes to the next item or member; behind the end if there is none. */
  #isAtNext(): boolean {
    this.#passSpace();
    const byte = this.#text[this.#at++] as number;
    if (byte !== COMMA && STEPS[byte] !== OPEN) return false;
    this.#passSpace();
    if (STEPS[this.#text[this.#at] as number] !== CLOSE) return true;
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
