import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Bell } from '../../src/kit/bell.ts';
import { Heap } from '../../src/kit/heap.ts';
import { Latch } from '../../src/kit/latch.ts';
import { nearest } from '../../src/kit/nearest.ts';
import { seededRandom } from '../../src/kit/random.ts';
import { Ring } from '../../src/kit/ring.ts';

describe('Heap', () => {
  it('gives back any numbers in order', () => {
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
});

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
});

describe('Latch', () => {
  it('lets everybody through once open, early or late', async () => {
    const latch = new Latch();
    const early = latch.wait();
    latch.open();
    latch.fail(new Error('too late'));
    await early;
    await latch.wait();
    expect(latch.isOpen).toBe(true);
  });

  it('turns everybody away once failed, also those who wait already', async () => {
    const latch = new Latch();
    const early = latch.wait();
    latch.fail(new Error('gone'));
    latch.fail(new Error('gone again'));
    latch.open();
    await expect(early).rejects.toThrow('gone');
    await expect(latch.wait()).rejects.toThrow(/^gone$/);
    expect(latch.isOpen).toBe(false);
  });

  it('lets go of a waiter whose signal aborts, and of its listener', async () => {
    const controller = new AbortController();
    const waiting = new Latch().wait(controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});

describe('Bell', () => {
  it('wakes all who wait and none who come later', async () => {
    const bell = new Bell();
    let late = false;
    const both = Promise.all([bell.wait(), bell.wait()]);
    bell.wake();
    await both;
    void bell.wait().then(() => {
      late = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(late).toBe(false);
  });

  it('forgets a waiter whose signal aborts', async () => {
    const bell = new Bell();
    const controller = new AbortController();
    const waiting = bell.wait(controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    bell.wake();
  });
});

describe('seededRandom', () => {
  it('repeats itself for a seed and differs between seeds', () => {
    const draw = (seed: number) => Array.from({ length: 5 }, seededRandom(seed));
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
    expect(draw(3).every((n) => n >= 0 && n < 1)).toBe(true);
  });
});

describe('nearest', () => {
  it('finds slips of the hand and nothing far off', () => {
    const words = ['deployments', 'daemonsets', 'pods', 'nodes'];
    expect(nearest('deplyoments', words)).toEqual(['deployments']);
    expect(nearest('pdos', words)).toEqual(['pods']);
    expect(nearest('zebra', words)).toEqual([]);
  });
});
