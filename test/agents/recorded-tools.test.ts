import { expect, it } from 'vitest';
import { isOfPast } from '../../src/agents/recorded-tools.ts';

// an empty text is no text, as for the arguments of all tools
it.each([
  ['count', { at: '10m' }, true],
  ['history', {}, true],
  ['story', {}, true],
  ['count', {}, false],
  ['count', { at: null }, false],
  ['count', { at: '' }, false],
] as const)('a call of %s with %j is of the past: %s', (tool, given, isPast) => {
  expect(isOfPast({ tool, given })).toBe(isPast);
});
