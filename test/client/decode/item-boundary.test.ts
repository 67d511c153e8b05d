import { describe, expect, it } from 'vitest';
import { ItemBoundary } from '../../../src/client/decode/item-boundary.ts';

const item = '{"kind":"Foo","metadata":{"name":"a"},"spec":{}}';

function learned(...items: string[]): ItemBoundary {
  const boundary = new ItemBoundary();
  for (const each of items) boundary.learn(Buffer.from(each));
  return boundary;
}

describe('ItemBoundary', () => {
  it('finds the end of an item by the start of the next one, wherever the search stopped before', () => {
    const bytes = Buffer.from(`[${item},${item},${item}]`);
    for (const searched of [0, 10, item.length, item.length + 1]) {
      expect(learned(item).find(bytes, 1, searched)).toBe(1 + item.length);
    }
    expect(learned(item).find(bytes, 2 + item.length, 0)).toBe(2 + 2 * item.length);
    expect(learned(item).find(bytes, 3 + 2 * item.length, 0)).toBe(-1);
  });

  it.each(['{}', '[1]', '"x"', '{"a":1}', `{"${'a'.repeat(200)}":{}}`, '["a",{}]', '{ "a":{}}'])(
    'learns nothing from %s',
    (odd) => {
      const boundary = learned(odd);
      expect([boundary.isKnown, boundary.find(Buffer.from(`${odd},${odd}`), 0, 0), boundary.mayEndLater(1)]).toEqual([
        false,
        -1,
        false,
      ]);
    },
  );

  it('does not wait for an end that is too far away', () => {
    const bytes = Buffer.from(`${item.slice(0, -1)}${' '.repeat(100_000)}},${item}`);
    expect(learned(item).find(bytes, 0, 0)).toBe(-1);
    expect([learned(item).mayEndLater(1000), learned(item).mayEndLater(100_000)]).toEqual([true, false]);
  });

  it('finds an end in more bytes than it searches', () => {
    const bytes = Buffer.from(`${item},${item}${' '.repeat(100_000)}`);
    expect(learned(item).find(bytes, 0, 0)).toBe(item.length);
  });

  it.each([
    [0, 8],
    [7, 8],
    [8, 9],
    [16, 10],
  ])('allows, after %i right guesses, %i wrong ones', (hits, misses) => {
    const boundary = learned(item);
    for (let i = 0; i < hits; i++) boundary.hit();
    for (let i = 0; i < misses; i++) boundary.missed();
    boundary.learn(Buffer.from(item));
    expect(boundary.isKnown).toBe(true);
    boundary.missed();
    boundary.learn(Buffer.from(item));
    expect(boundary.isKnown).toBe(false);
  });

  it('gives up when too many guesses were wrong', () => {
    const boundary = learned(item);
    for (let i = 0; i < 100; i++) boundary.hit();
    for (let i = 0; i < 20; i++) boundary.missed();
    boundary.learn(Buffer.from(item));
    expect(boundary.isKnown).toBe(true);
    boundary.missed();
    boundary.learn(Buffer.from(item));
    expect(boundary.isKnown).toBe(false);
  });
});
