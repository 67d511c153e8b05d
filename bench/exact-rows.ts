import { parseJson, parseManyJson } from '../src/kit/exact-json.ts';
import { ObjectTexts } from './generator.ts';
import { median, ratioRow, type TargetRow } from './target-row.ts';

/** Digits as an annotation has them: a time in nanoseconds, and a digest. */
const DIGITS = '1700000000123456789 sha256:0000000000000000000000000000000000000000000000001234567890123456';
const LARGE = '9007199254740993';

/** What exact numbers cost beside JSON.parse of the same texts, in turns of some objects. */
export function exactRows(rounds: number, objects = 2_000): TargetRow[] {
  const pods = new ObjectTexts().as('object');
  const plain = Array.from({ length: objects }, (_, i) => pods.text(i));
  const digits = plain.map((text) => text.replace('{', `{"note":"${DIGITS}",`));
  const large = plain.map((text) => text.replace('{', `{"large":${LARGE},`));
  return [
    ratioRow(
      'a pod with runs of digits in its texts, read from its bytes',
      1.02,
      'the same without them',
      ratioOf(digits, 'bytes', rounds) / ratioOf(plain, 'bytes', rounds),
      'A run of digits in a text is stepped over. Both are beside JSON.parse of the same texts.',
    ),
    ratioRow(
      'a pod with one large whole number',
      1.3,
      'JSON.parse',
      ratioOf(large, 'text', rounds),
      'The number is put into the parsed object by its path, which a second pass over the text finds.',
    ),
  ];
}

function ratioOf(texts: readonly string[], from: 'bytes' | 'text', rounds: number): number {
  const all = texts.map((text) => ({ text, bytes: Buffer.from(text) }));
  const exactly = () => {
    for (const { text, bytes } of all) from === 'bytes' ? parseManyJson(bytes, text) : parseJson(text);
  };
  const plainly = () => {
    for (const { text } of all) JSON.parse(text);
  };
  for (let i = 0; i < 3; i++) [exactly, plainly].forEach(timed);
  const ratios = Array.from({ length: rounds }, (_, i) => {
    const first = i % 2 === 0 ? timed(exactly) : undefined;
    const base = timed(plainly);
    return (first ?? timed(exactly)) / base;
  });
  return median(ratios);
}

function timed(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
