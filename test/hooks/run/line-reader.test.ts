import { expect, it } from 'vitest';
import { LineReader, LONGEST_LINE } from '../../../src/hooks/run/line-reader.ts';

function reading(mostOf?: (first: string) => number) {
  const lines: string[] = [];
  return { lines, reader: new LineReader({ onLine: (line) => lines.push(line), mostOf }) };
}

it('gives lines without their ends, however their bytes arrive; the last line needs no end', () => {
  const bytes = Buffer.from('a\r\n\nzwölf 😀\n \nlast');
  for (const size of [1, 2, 3, 100]) {
    const { lines, reader } = reading();
    for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
    expect(lines).toEqual(['a', '', 'zwölf 😀', ' ']);
    reader.end();
    expect(lines.slice(4)).toEqual(['last']);
  }
});

it('gives no last line where there is none, and a broken character as it is read', () => {
  const { lines, reader } = reading();
  reader.push(Buffer.from('a\n'));
  reader.end();
  expect(lines).toEqual(['a']);
  reader.push(Buffer.from([0xc3]));
  reader.end();
  expect(lines).toEqual(['a', '\ufffd']);
});

it('keeps the beginning of a line that is longer than 16384 characters, and counts the rest', () => {
  expect(LONGEST_LINE).toBe(16_384);
  for (const size of [1000, 100_000]) {
    const { lines, reader } = reading();
    const whole = 'x'.repeat(LONGEST_LINE);
    const bytes = Buffer.from(`${whole}\n${whole}yz\r\nshort\n`);
    const cut: boolean[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      reader.push(bytes.subarray(at, at + size));
      cut.push(reader.isCut);
    }
    expect(lines).toEqual([whole, `${whole}… (3 more characters)`, 'short']);
    expect(cut.at(-1)).toBe(false);
  }
  const { reader } = reading();
  reader.push(Buffer.from('x'.repeat(LONGEST_LINE)));
  expect(reader.isCut).toBe(false);
  reader.push(Buffer.from('y'));
  expect(reader.isCut).toBe(true);
});

it('keeps as much of a line as its first character that is not blank decides, for each line by itself', () => {
  const firsts: string[] = [];
  const { lines, reader } = reading((first) => {
    firsts.push(first);
    return first === '{' ? 8 : 3;
  });
  reader.push(Buffer.from('  {12345678\nabcd\n'));
  reader.push(Buffer.from(' '));
  reader.push(Buffer.from(' {1\n'));
  expect(lines).toEqual(['  {12345… (3 more characters)', 'abc… (1 more characters)', '  {1']);
  expect(firsts).toEqual(['{', 'a', '{']);
});
