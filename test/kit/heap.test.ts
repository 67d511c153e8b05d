import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Heap } from '../../src/kit/heap.ts';

describe('Heap', () => {
  it('returns any numbers in order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (numbers) => {
        const heap = new Heap<number>((a, b) => a < b);
        for (const n of numbers) heap.push(n);
        const out = Array.from({ length: numbers.length }, () => heap.pop());
        expect(out).toEqual([...numbers].sort((a, b) => a - b));
        expect(heap.pop()).toBeUndefined();
      }),
    );
  });

  it('shows the smallest item and the size without a change', () => {
    const heap = new Heap<number>((a, b) => a < b);
    expect([heap.peek(), heap.size]).toEqual([undefined, 0]);
    for (const n of [2, 1, 3]) heap.push(n);
    expect([heap.peek(), heap.size, heap.pop(), heap.size]).toEqual([1, 3, 1, 2]);
  });
});
