import { expect, it } from 'vitest';
import { copy } from '../../../src/sandbox/types/copy.ts';

it('copies JSON at every depth', () => {
  const value = { a: [{ b: 1 }, [null, 'x']], c: { d: true }, e: null, f: 12345678901234567890n };
  const made = copy(value);
  expect(made).toEqual(value);
  expect(made.a).not.toBe(value.a);
  expect(made.a[0]).not.toBe(value.a[0]);
  expect(made.c).not.toBe(value.c);
});

const FROZEN_LIST: unknown[] = [];
Object.freeze(FROZEN_LIST);

it('copies what is frozen into what can be changed', () => {
  const made = copy(Object.freeze({ list: FROZEN_LIST }));
  made.list.push(1);
  expect(made).toEqual({ list: [1] });
});

it.each([null, undefined, 5, 'text', true])('returns %o itself', (value) => {
  expect(copy(value)).toBe(value);
});
