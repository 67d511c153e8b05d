/**
 * The versions that a generated collection speaks of: of its objects, of a list of them, of the changes that follow. All
 * are as long.
 */
export const VERSIONS = { objects: 10_000_000, list: 19_999_999, changes: 20_000_000 };
export const NAMESPACES = 20;

/** Marks in a template, as long as what is written over them. No generated text has a tilde otherwise. */
export const MARKS = {
  serial: '~seri~',
  namespace: '~#',
  uid: `~uid${'~'.repeat(32)}`,
  version: '~versio~',
  node: '~nod~',
  address: '~ip.~~~',
  nanos: '~nanos~~~',
  digits: `~hex${'~'.repeat(60)}`,
  base64: `~b64${'~'.repeat(60)}`,
} as const;
type Mark = keyof typeof MARKS;

/** What all objects of a collection have in common. */
export interface Numbers {
  /** The number from which the first uid is made. */
  readonly uids: number;
  readonly nodes: number;
}

/** Numbered texts of one form. */
export class Texts {
  readonly #templates: readonly Template[];
  readonly #numbers: Numbers;

  constructor(texts: readonly string[], numbers: Numbers) {
    this.#templates = texts.map(templateOf);
    this.#numbers = numbers;
  }

  /** The longest text there is. */
  get maxLength(): number {
    return Math.max(...this.#templates.map(({ bytes }) => bytes.length));
  }

  lengthOf(i: number): number {
    return this.#of(i).bytes.length;
  }

  /** Writes the text of object `i`, at the version given or its first, and returns where it ends. */
  write(target: Buffer, at: number, i: number, version = VERSIONS.objects + i): number {
    const { bytes, slots } = this.#of(i);
    bytes.copy(target, at);
    for (const slot of slots) this.#fill(target, at, slot, { i, version });
    return at + bytes.length;
  }

  text(i: number, version?: number): string {
    const bytes = Buffer.allocUnsafe(this.lengthOf(i));
    this.write(bytes, 0, i, version);
    return bytes.toString('latin1');
  }

  #of(i: number): Template {
    return this.#templates[i % this.#templates.length] as Template;
  }

  #fill(target: Buffer, from: number, { mark, offset }: Slot, { i, version }: { i: number; version: number }): void {
    const at = from + offset;
    if (mark === 'serial') writeSerial(target, at, i);
    else if (mark === 'namespace') writeNumber(target, at, 2, i % NAMESPACES);
    else if (mark === 'uid') writeUid(target, at, this.#numbers.uids + i);
    else if (mark === 'version') writeNumber(target, at, 8, version);
    else if (mark === 'nanos') writeNumber(target, at, 9, mixed(i) % 1e9);
    else if (mark === 'node') writeNumber(target, at, 5, i % this.#numbers.nodes);
    else if (mark === 'digits') writeRandom(target, at, HEX, this.#numbers.uids + Math.imul(i, 0x85ebca6b) + offset);
    else if (mark === 'base64') writeRandom(target, at, BASE64, this.#numbers.uids + Math.imul(i, 0x85ebca6b) + offset);
    else {
      writeNumber(target, at, 3, 100 + (i % 150));
      writeNumber(target, at + 4, 3, 100 + (Math.floor(i / 150) % 150));
    }
  }
}

interface Slot {
  readonly mark: Mark;
  readonly offset: number;
}

interface Template {
  readonly bytes: Buffer;
  readonly slots: readonly Slot[];
}

function templateOf(text: string): Template {
  const slots = (Object.keys(MARKS) as Mark[]).flatMap((mark) => {
    const found: Slot[] = [];
    for (let at = text.indexOf(MARKS[mark]); at >= 0; at = text.indexOf(MARKS[mark], at + 1))
      found.push({ mark, offset: at });
    return found;
  });
  return { bytes: Buffer.from(text, 'latin1'), slots };
}

function writeNumber(target: Buffer, at: number, width: number, value: number): void {
  let rest = value;
  for (let i = at + width - 1; i >= at; i--) {
    target[i] = 0x30 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
}

/** The characters that names made by the API server end with. Source: apimachinery util/rand. */
const SAFE = Buffer.from('bcdfghjklmnpqrstvwxz2456789');
const SERIALS = SAFE.length ** 6;

/** Six characters, others for every number: the factor has no divisor in common with the number of serials. */
function writeSerial(target: Buffer, at: number, i: number): void {
  let rest = (i * 214_013 + 2_531_011) % SERIALS;
  for (let c = 0; c < 6; c++) {
    target[at + c] = SAFE[rest % SAFE.length] as number;
    rest = Math.floor(rest / SAFE.length);
  }
}

const HEX = Buffer.from('0123456789abcdef');
const DASHES = new Set([8, 13, 18, 23]);

function writeUid(target: Buffer, at: number, number: number): void {
  let state = number;
  let bits = 0;
  for (let c = 0, digit = 0; c < 36; c++) {
    if (DASHES.has(c)) {
      target[at + c] = 0x2d;
      continue;
    }
    if (digit++ % 8 === 0) {
      state = (state + 0x6d2b79f5) | 0;
      bits = mixed(state);
    }
    target[at + c] = HEX[bits & 15] as number;
    bits >>>= 4;
  }
}

const BASE64 = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const RANDOM_LENGTH = MARKS.digits.length;

/** Characters of an alphabet whose length is a power of two. */
function writeRandom(target: Buffer, at: number, alphabet: Buffer, number: number): void {
  let state = number;
  for (let c = 0; c < RANDOM_LENGTH; c += 4) {
    state = (state + 0x6d2b79f5) | 0;
    const bits = mixed(state);
    for (let k = 0; k < 4; k++) target[at + c + k] = alphabet[(bits >>> (8 * k)) & (alphabet.length - 1)] as number;
  }
}

/** A bijection of 32 bits. Source: murmur3's finaliser. */
export function mixed(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Two digits. */
export const two = (n: number) => String(n).padStart(2, '0');
/** Eight hexadecimal digits that only this app has. */
export const hashOf = (app: number) =>
  mixed(app + 1)
    .toString(16)
    .padStart(8, '0')
    .slice(0, 8);
export const nameOf = (app: number) => `app-${two(app)}-${hashOf(app)}-${MARKS.serial}`;
export const TIME = '2026-01-01T00:00:00Z';
