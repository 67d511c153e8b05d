import type { Actor } from './actor.ts';

/** The finest step in which a rate is kept, ms. Beyond 100 per second several calls come at once. */
const FINEST_MS = 10;

/** What was missed is made up for, but of no more than this, ms: a process that stood still does not come back with a flood. */
const MOST_MADE_UP_MS = 1_000;

/** Calls `step` so many times per second on average until the actor's end. Never, at a rate of 0. */
export function pace(actor: Actor, ratePerSecond: number, step: () => void): void {
  if (ratePerSecond <= 0) return;
  const everyMs = Math.max(FINEST_MS, 1000 / ratePerSecond);
  let seen = actor.monotonic;
  let due = 0;
  const tick = () => {
    const { monotonic } = actor;
    due += (Math.min(MOST_MADE_UP_MS, monotonic - seen) * ratePerSecond) / 1000;
    seen = monotonic;
    for (; due > 1 - ROUNDING; due--) step();
    actor.after(everyMs, tick);
  };
  actor.after(everyMs, tick);
}

/** Thirds of a second do not add up to whole ones exactly. */
const ROUNDING = 1e-6;
