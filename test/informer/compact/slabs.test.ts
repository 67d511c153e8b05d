import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Extent, Slabs } from '../../../src/informer/compact/slabs.ts';

const MB = 1024 * 1024;

describe('slabs', () => {
  it('give the bytes back as they were stored, whatever is stored and given back, in at most twice the memory, but for the newest slab', () => {
    const step = fc.record({
      size: fc.oneof(fc.nat(1000), fc.integer({ min: 100_000, max: 700_000 }), fc.constantFrom(0, MB, 3 * MB)),
      gone: fc.option(fc.nat(40)),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (script) => {
        const slabs = new Slabs();
        const stored: { extent: Extent; fill: number }[] = [];
        let live = 0;
        for (const [i, { size, gone }] of script.entries()) {
          const fill = i + 1;
          stored.push({ extent: slabs.store(Buffer.alloc(size, fill)), fill });
          live += size;
          const [left] = gone === null ? [] : stored.splice(gone % stored.length, 1);
          if (left) {
            slabs.giveBack(left.extent);
            slabs.giveBack(left.extent); // a second time does nothing
            live -= left.extent.length;
            expect(left.extent.bytes.equals(Buffer.alloc(left.extent.length, left.fill)), 'can still be read').toBe(
              true,
            );
          }
          for (const { extent, fill: own } of stored)
            expect(extent.bytes.equals(Buffer.alloc(extent.length, own))).toBe(true);
          expect(slabs.size).toBeGreaterThanOrEqual(live);
          expect(slabs.size).toBeLessThanOrEqual(2 * live + 3 * MB);
        }
        for (const { extent } of stored) slabs.giveBack(extent);
        expect(slabs.size).toBeLessThanOrEqual(3 * MB);
      }),
      { numRuns: 30 },
    );
  });

  it('count what they take: a slab of 1 MiB for small bytes, and one of its own for large ones', () => {
    const slabs = new Slabs();
    expect(slabs.size).toBe(0);
    const small = [slabs.store(Buffer.alloc(1000)), slabs.store(Buffer.alloc(MB - 1000))];
    expect(slabs.size).toBe(MB);
    const large = slabs.store(Buffer.alloc(2 * MB));
    expect(slabs.size).toBe(3 * MB);
    const half = slabs.store(Buffer.alloc(MB / 2 - 1));
    expect(slabs.size).toBe(4 * MB);
    slabs.store(Buffer.alloc(MB / 2)); // beside the half
    expect(slabs.size).toBe(4 * MB);
    slabs.giveBack(large);
    expect(slabs.size).toBe(2 * MB);
    for (const extent of small) slabs.giveBack(extent);
    expect(slabs.size).toBe(MB);
    slabs.giveBack(half); // less than half of the newest slab is in use, which stays
    expect(slabs.size).toBe(MB);
    slabs.store(Buffer.alloc(MB / 2)); // as large as half of a slab: small bytes do not go into the same one
    slabs.store(Buffer.alloc(MB / 4));
    expect(slabs.size).toBe(3 * MB);
  });

  it('copy what is left of a slab of which less than half is in use, and then free it', () => {
    const slabs = new Slabs();
    const extents = [1, 2, 3, 4, 5, 6, 7, 8].map((fill) => slabs.store(Buffer.alloc(MB / 8, fill)));
    const newest = slabs.store(Buffer.alloc(1000));
    const sizes = extents.slice(0, 5).map((extent) => {
      slabs.giveBack(extent);
      return slabs.size / MB;
    });
    expect(sizes).toEqual([2, 2, 2, 2, 1]);
    expect(extents[7]?.slab).toBe(newest.slab);
    expect(extents[7]?.bytes.equals(Buffer.alloc(MB / 8, 8))).toBe(true);
  });

  it('take about twice what is in use at most, also when most was given back', () => {
    const slabs = new Slabs();
    const extents = Array.from({ length: 2000 }, (_, i) => slabs.store(Buffer.alloc(5000, i)));
    expect(slabs.size).toBeLessThanOrEqual(11 * MB);
    for (const [i, extent] of extents.entries()) if (i % 10 !== 0) slabs.giveBack(extent);
    expect(slabs.size).toBeLessThanOrEqual(2 * 200 * 5000 + MB);
    for (const [i, extent] of extents.entries())
      if (i % 10 === 0) expect(extent.bytes.equals(Buffer.alloc(5000, i))).toBe(true);
  });
});
