import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Ring } from '../../src/kit/ring.ts';

describe('Ring', () => {
  it('is a first-in-first-out queue under any mix of pushes and shifts', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.integer())), (steps) => {
        const ring = new Ring<number>(2);
        const model: number[] = [];
        for (const step of steps) {
          if (step === null) expect(ring.shift()).toBe(model.shift());
          else {
            ring.push(step);
            model.push(step);
          }
          expect(ring.size).toBe(model.length);
          expect(ring.at(0)).toBe(model[0]);
          expect(ring.at(model.length)).toBeUndefined();
        }
      }),
    );
  });

  it('is empty after clear(), and can be used again', () => {
    const ring = new Ring<number>();
    for (let i = 0; i < 40; i++) ring.push(i);
    ring.clear();
    expect([ring.size, ring.peek(), ring.shift()]).toEqual([0, undefined, undefined]);
    ring.push(7);
    expect([ring.peek(), ring.size]).toEqual([7, 1]);
  });
});
