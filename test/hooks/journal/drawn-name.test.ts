import { expect, it } from 'vitest';
import { drawnName } from '../../../src/hooks/journal/drawn-name.ts';

it('a drawn name is the base and ten characters, at most 63 in all, and another one each time', () => {
  expect(drawnName('run-')).toMatch(/^run-[bcdfghjklmnpqrstvwxz2456789]{10}$/);
  expect(drawnName('a'.repeat(80))).toHaveLength(63);
  expect(new Set(Array.from({ length: 50 }, () => drawnName('run-'))).size).toBe(50);
});
