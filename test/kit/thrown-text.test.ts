import { expect, it } from 'vitest';
import { thrownStack, thrownText } from '../../src/kit/thrown-text.ts';

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
    `    at call (${new URL('../../src/cli/main.js', import.meta.url).href}:3:3)`,
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
  [{ code: 5 }, '{"code":5} was thrown, which is not an Error'],
  [Object.create(null), '{} was thrown, which is not an Error'],
])('%j: %s', (value, text) => {
  expect(thrownText(value)).toBe(text);
});

it('the stack has all frames of the user, those in a folder dist and those of causes too, and no others', () => {
  const cause = Object.assign(new Error('connect'), { stack: 'Error: connect\n    at dial (/app/net.js:3:3)' });
  const stack = [
    'TypeError: x',
    '    at run (node:internal/process:1:1)',
    '    at deep (file:///app/dist/lib.mjs?v=2:12:5)',
    '    at async reconcile (file:///app/guard.ts?v=2:1:9)',
  ].join('\n');
  expect(thrownStack(Object.assign(new TypeError('x', { cause }), { stack }))).toEqual([
    'TypeError: x',
    '    at deep (/app/dist/lib.mjs:12:5)',
    '    at async reconcile (/app/guard.ts:1:9)',
    'Caused by: Error: connect',
    '    at dial (/app/net.js:3:3)',
  ]);
  expect(thrownStack('text')).toEqual([]);
  expect(thrownStack(thrown('TypeError: x\n    at run (node:internal:1:1)'))).toEqual([]);
});
