import type { KeyPlace } from '../../workqueue/work-queue.ts';
import type { EventEffect } from './trail.ts';

/** The effect of an event on its key. `staysParked` is undefined for a key that is not parked. */
export function effectOfEvent(staysParked: boolean | undefined, place: KeyPlace | undefined): EventEffect {
  if (staysParked !== undefined) return staysParked ? 'ignored' : 'unparked';
  return place === undefined ? 'queued' : EFFECTS[place];
}

const EFFECTS = {
  queued: 'merged',
  delayed: 'sooner',
  processing: 'runs-again',
  'runs-again': 'runs-again',
} as const satisfies Record<KeyPlace, EventEffect>;
