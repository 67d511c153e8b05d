import { describe, expect, it } from 'vitest';
import type { ReadonlyObject } from '../../../src/model/object.ts';
import { compileSameBut } from '../../../src/stream/changes/path-mask.ts';

const with_ = (list: readonly unknown[]) => ({ metadata: { name: 'a' }, spec: { list } }) as unknown as ReadonlyObject;
const same = (paths: string[], before: readonly unknown[], after: readonly unknown[]) => compileSameBut(paths)(with_(before), with_(after));

describe('several paths into one list', () => {
  it('each mean the place they name, whatever the others take out', () => {
    expect(same(['.spec.list[0]', '.spec.list[1]'], ['a', 'b', 'c'], ['x', 'y', 'c'])).toBe(true);
    expect(same(['.spec.list[0]', '.spec.list[1]'], ['a', 'b', 'c'], ['a', 'b', 'z'])).toBe(false);
    expect(same(['.spec.list[0]', '.spec.list[1].a'], [1, { a: 1, b: 1 }, { a: 1 }], [2, { a: 2, b: 1 }, { a: 1 }])).toBe(true);
    expect(same(['.spec.list[0]', '.spec.list[1].a'], [1, { a: 1, b: 1 }, { a: 1 }], [1, { a: 1, b: 1 }, { a: 2 }])).toBe(false);
    expect(same(['.spec.list[-1]', '.spec.list[-2]'], ['a', 'b', 'c'], ['a', 'y', 'z'])).toBe(true);
    expect(same(['.spec.list[-1]', '.spec.list[-2]'], ['a', 'b', 'c'], ['x', 'b', 'c'])).toBe(false);
  });

  it('still leave out what they find, so that its number does not count', () => {
    const [keep, drop] = [{ name: 'keep' }, { name: 'drop' }];
    expect(same(['.spec.list[?(@.name=="drop")]', '.spec.list[5]'], [drop, keep], [keep, drop, drop])).toBe(true);
    expect(same(['.spec.list[*]', '.spec.list[0].a'], [{ a: 1 }], [])).toBe(true);
    expect(same(['.spec.list[0][0]', '.spec.list[0][1]'], [[1, 2, 3]], [[4, 5, 3]])).toBe(true);
    expect(same(['..name', '.spec.list[0]'], [{ name: 1 }, { name: 2, a: 1 }], [{ name: 3 }, { name: 4, a: 1 }])).toBe(true);
  });
});
