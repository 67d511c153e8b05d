import fc from 'fast-check';
import { objectText, valueText } from '../client/decode/json-text.ts';

/** Characters that a terminal obeys, hides or reorders, that formats escape, and that are more than one unit. */
const ODD_CHARACTERS = [
  ...'\x1b\x9b\x07\x00\x7f\x85\r\n\t\u202e\u200b\u2028\u2066\ufeff\u{e0041}\ud800a\udfff',
  ...'漢é🙂\'"\\/.,:;={}[]()<>&|$#%@!?*+-_ ~`^',
  ...'aZ019',
];

/** Names that JavaScript's own objects have. */
export const OWN_NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'toJSON', 'then', 'length'];

/** A text with any characters, short. */
export const oddText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: fc.constantFrom(...ODD_CHARACTERS), maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
  { weight: 2, arbitrary: fc.constantFrom('', 'a', 'name', 'spec', ...OWN_NAMES) },
);

/** The text of a whole number of any width, near the ends of 16, 32, 53, 63, 64 and 128 bits too. */
export const wholeNumberText: fc.Arbitrary<string> = fc.oneof(
  fc
    .tuple(fc.constantFrom(15n, 16n, 31n, 32n, 53n, 54n, 63n, 64n, 128n, 1024n), fc.integer({ min: -2, max: 2 }))
    .map(([bits, off]) => String(2n ** bits + BigInt(off))),
  fc.tuple(fc.constantFrom(...'123456789'), fc.stringMatching(/^\d{0,40}$/)).map(([head, rest]) => head + rest),
  fc.nat().map(String),
);

/** The text of a number of JSON, of any size and precision. */
export const numberText: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', '-'),
    wholeNumberText,
    fc.oneof(
      fc.constant(''),
      fc.stringMatching(/^\d{1,20}$/).map((digits) => `.${digits}`),
    ),
    fc.oneof(
      { weight: 3, arbitrary: fc.constant('') },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom('e', 'E', 'e+', 'E-', 'e-'), fc.integer({ min: 0, max: 420 }))
          .map(([e, power]) => `${e}${power}`),
      },
    ),
  )
  .map((parts) => parts.join(''));

/** The text of a JSON value with odd texts, the names of JavaScript's own objects as keys, and numbers of any size. */
export const oddJson: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom('null', 'true', 'false', '""', '0'),
    oddText.map((text) => JSON.stringify(text)),
    numberText,
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    members(tie('value')),
    members(tie('value')),
  ),
})).value;

/** The text of a JSON object as of {@link oddJson}. */
export const oddObject: fc.Arbitrary<string> = members(oddJson);

function members(value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const member = fc.tuple(oddText, value).map(([key, text]) => `${JSON.stringify(key)}:${text}`);
  return fc.array(member, { maxLength: 4 }).map((all) => `{${all.join(',')}}`);
}

/** The text of an object as a server writes it, with odd texts as its names. */
const namedObject = fc
  .tuple(oddText, oddText, fc.constantFrom('', ',"managedFields":[{"manager":"m"}]'))
  .map(([name, uid, managed]) => {
    const [a, b] = [name, uid].map((text) => JSON.stringify(text));
    return `{"metadata":{"namespace":${b},"name":${a},"uid":${b},"resourceVersion":"7"${managed}},"spec":{"a":${a}}}`;
  });

/** The text of an item of a list: in the form of a server's object, or any other. */
export const itemText: fc.Arbitrary<string> = fc.oneof(objectText, namedObject, oddObject, valueText);

/** Where to cut bytes, as lengths of chunks that repeat. */
export const chunkLengths: fc.Arbitrary<number[]> = fc.array(fc.integer({ min: 1, max: 60 }), {
  minLength: 1,
  maxLength: 4,
});

/** Cuts bytes into chunks of the given lengths, over and over. */
export function chunksOf(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const length = lengths[i % lengths.length] ?? 1;
    chunks.push(bytes.subarray(at, at + length));
    at += length;
  }
  return chunks;
}

/** One change of a text in transit: bytes are lost, come twice, or become others. */
interface Damage {
  readonly at: number;
  readonly kind: 'drop' | 'repeat' | 'replace' | 'insert' | 'cut';
  readonly length: number;
  readonly byte: number;
}

const damage: fc.Arbitrary<Damage> = fc.record({
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  kind: fc.constantFrom('drop', 'repeat', 'replace', 'replace', 'insert', 'insert', 'cut'),
  length: fc.integer({ min: 1, max: 6 }),
  byte: fc.oneof(fc.constantFrom(...Buffer.from('"\\{}[],:\n 0e-.\x00\x80\xff\xed')), fc.nat(255)),
});

/** Bytes of texts, usually whole, else with one to three damages. */
export function damaged(texts: fc.Arbitrary<string>): fc.Arbitrary<Buffer> {
  return fc
    .tuple(texts, fc.oneof(fc.constant([]), fc.array(damage, { minLength: 1, maxLength: 3 })))
    .map(([text, damages]) => damages.reduce(withDamage, Buffer.from(text)));
}

function withDamage(bytes: Buffer, { at, kind, length, byte }: Damage): Buffer {
  const from = Math.floor(at * bytes.length);
  const [before, part, after] = [
    bytes.subarray(0, from),
    bytes.subarray(from, from + length),
    bytes.subarray(from + length),
  ];
  switch (kind) {
    case 'drop':
      return Buffer.concat([before, after]);
    case 'repeat':
      return Buffer.concat([before, part, part, after]);
    case 'replace':
      return Buffer.concat([before, Buffer.from([byte]), after]);
    case 'insert':
      return Buffer.concat([before, Buffer.from([byte]), part, after]);
    case 'cut':
      return Buffer.from(before);
  }
}
