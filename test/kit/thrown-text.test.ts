import { expect, it } from 'vitest';
import { thrownText } from '../../src/kit/thrown-text.ts';

function thrown(stack: string): Error {
  return Object.assign(new TypeError('x is not a function'), { stack });
}

it('names the class, the message and the place of an error', () => {
  expect(thrownText(new RangeError('too much'))).toMatch(/^RangeError: too much \(at thrown-text\.test\.ts:\d+:\d+\)$/);
});

it('skips frames of Node, packages and the built program', () => {
  const stack = [
    'TypeError: x is not a function',
    '    at run (node:internal/process:1:1)',
    '    at apply (file:///app/node_modules/pkg/index.js:2:2)',
    '    at call (file:///app/dist/main.js:3:3)',
    '    at guard (file:///app/hooks/guard.ts:12:5)',
    '    at later (/app/other.ts:9:9)',
  ].join('\n');
  expect(thrownText(thrown(stack))).toBe('TypeError: x is not a function (at guard.ts:12:5)');
});

it.each(['', 'TypeError: x\n    at run (node:internal:1:1)'])('has no place in the stack %j', (stack) => {
  expect(thrownText(thrown(stack))).toBe('TypeError: x is not a function');
});

it.each([
  ['text', 'text was thrown, which is not an Error'],
  [undefined, 'undefined was thrown, which is not an Error'],
])('%j: %s', (value, text) => {
  expect(thrownText(value)).toBe(text);
});
