import { expect, it } from 'vitest';
import { Lines } from '../../../src/serve/client/lines.ts';

it('lines are given when they are complete, however their bytes arrive', () => {
  const text = 'a\n\nzwölf 😀\nlast';
  const bytes = Buffer.from(text);
  for (const size of [1, 2, 3, 100]) {
    const lines = new Lines(100);
    const given: string[] = [];
    for (let at = 0; at < bytes.length; at += size) given.push(...lines.add(bytes.subarray(at, at + size)));
    expect(given).toEqual(['a', '', 'zwölf 😀']);
    expect(lines.add(Buffer.from('\n'))).toEqual(['last']);
  }
});

it('a line that grows beyond the limit is an error, one of exactly the limit is not', () => {
  const lines = new Lines(5);
  expect(lines.add(Buffer.from('12345'))).toEqual([]);
  expect(() => lines.add(Buffer.from('6'))).toThrow('a line has more than 5 characters');
});
