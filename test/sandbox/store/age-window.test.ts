import { describe, expect, it } from 'vitest';
import { AgeWindow } from '../../../src/sandbox/store/age-window.ts';

/** A window of 100 s, in steps of 1 s, at a time in seconds that the test sets. */
function windowAt() {
  const now = { s: 0 };
  const ages = new AgeWindow({ monotonic: () => now.s * 1000 }, 100_000);
  return { now, ages };
}

describe('forgetting by age', () => {
  it('starts with nothing too old', () => {
    expect(windowAt().ages.floor).toBe(0);
  });

  it('names the latest revision that is older than the window, late by at most one step', () => {
    const { now, ages } = windowAt();
    ages.note(5);
    now.s = 10;
    ages.note(8);
    now.s = 100;
    expect(ages.floor, 'the window is not over').toBe(0);
    now.s = 101;
    expect(ages.floor).toBe(5);
    now.s = 111;
    expect(ages.floor).toBe(8);
    now.s = 1000;
    expect(ages.floor, 'it stays when nothing new comes').toBe(8);
  });

  it('counts the revisions of one step together, under the last of them', () => {
    const { now, ages } = windowAt();
    for (const [s, revision] of [
      [0, 1],
      [0.5, 2],
      [0.9, 3],
      [1, 4],
    ] as const) {
      now.s = s;
      ages.note(revision);
    }
    now.s = 101;
    expect(ages.floor).toBe(3);
  });

  it('forgets nothing when the window has no end', () => {
    const now = { ms: 0 };
    const ages = new AgeWindow({ monotonic: () => now.ms }, Number.POSITIVE_INFINITY);
    ages.note(5);
    now.ms = Number.MAX_SAFE_INTEGER;
    expect(ages.floor).toBe(0);
  });
});
