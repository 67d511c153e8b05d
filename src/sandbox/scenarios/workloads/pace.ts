import type { Actor } from './actor.ts';

/** The shortest time between two timers, in ms. Above 100 per second, one timer makes several calls. */
const FINEST_MS = 10;

/**
 * The longest delay whose calls are made up for, in ms, so that a process that was suspended does not make a flood of
 * calls.
 */
const MOST_MADE_UP_MS = 1_000;

/** Calls `step` at an average rate per second until the actor is disposed; never at a rate of 0. */
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

/** Against rounding errors: three thirds of a second are not exactly one second. */
const ROUNDING = 1e-6;
