import { expect, it } from 'vitest';
import { hasMetadata } from '../../src/model/object.ts';

it.each<[unknown, boolean]>([
  [{ metadata: {} }, true],
  [{ metadata: { name: 'a' }, spec: 1 }, true],
  [{}, false],
  [{ metadata: null }, false],
  [{ metadata: [] }, false],
  [{ metadata: 'a' }, false],
  [null, false],
  [undefined, false],
  ['metadata', false],
])('%j has metadata: %s', (value, expected) => {
  expect(hasMetadata(value)).toBe(expected);
});
