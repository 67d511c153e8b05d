import { expect, it } from 'vitest';
import { AUTO_ABOVE_ROWS, isWorthPacking } from '../../../src/informer/compact/auto-compaction.ts';

it.each([
  { objects: 5_000, above: undefined, isPacked: false },
  { objects: 5_001, above: undefined, isPacked: true },
  { objects: 3, above: 3, isPacked: false },
  { objects: 4, above: 3, isPacked: true },
  { objects: 1, above: 0, isPacked: true },
  { objects: 100_000, above: AUTO_ABOVE_ROWS, isPacked: false },
  { objects: 100_001, above: AUTO_ABOVE_ROWS, isPacked: true },
])(
  'a store of kind auto that is to have $objects objects, with the limit $above, packs them: $isPacked',
  ({ objects, above, isPacked }) => {
    expect(isWorthPacking(objects, above)).toBe(isPacked);
  },
);
