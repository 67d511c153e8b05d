import { expect, it } from 'vitest';
import { reordered } from '../../../src/sandbox/faults/reordered.ts';

const after = (text: string) => Buffer.from(reordered(Buffer.from(text))).toString();

it.each([
  ['{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}'],
  ['{"a":1,"b":2}\n', '{"b":2,"a":1}\n'],
  ['[{"a":1,"b":2},3]', '[{"b":2,"a":1},3]'],
  ['{"large":9007199254740993,"a":1}', '{"a":1,"large":9007199254740993}'],
  ['"text"', '"text"'],
])('turns the members of %s around: %s', (line, expected) => {
  expect(after(line)).toBe(expected);
});

it.each(['{"a":1', '', 'no JSON\n'])('keeps %j, which is not JSON', (line) => {
  expect(after(line)).toBe(line);
});
