import { describe, expect, it } from 'vitest';
import { compareResourceVersions, isLaterVersion } from '../../src/model/resource-version.ts';

describe('resource versions', () => {
  it('compare exactly, also above the largest safe integer', () => {
    expect(compareResourceVersions('9', '10')).toBeLessThan(0);
    expect(compareResourceVersions('99999999999999999999', '99999999999999999998')).toBeGreaterThan(0);
    expect(compareResourceVersions('7', '7')).toBe(0);
  });

  it('are not comparable unless both are plain decimals', () => {
    for (const odd of ['', '0', '01', 'abc', '-1']) expect(compareResourceVersions(odd, '5')).toBeUndefined();
  });

  it('are later than lower ones of the same order only', () => {
    const pairs = [
      ['10', '9'],
      ['9', '10'],
      ['9', '9'],
      ['abc', '9'],
      ['9', ''],
      ['9', undefined],
      [undefined, '9'],
    ] as const;
    expect(pairs.map(([a, b]) => isLaterVersion(a, b))).toEqual([true, ...Array(6).fill(false)]);
  });
});
