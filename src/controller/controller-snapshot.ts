import type { QueueSnapshot } from '../workqueue/work-queue.ts';
import type { ControllerFacts } from './explanation.ts';
import type { Parked } from './history/parked.ts';
import type { DelayReason } from './history/trail.ts';

/** A key of a queue, with the runs of it that failed in a row. */
export type WithFailures<T> = T & { readonly failures: number };

/** The content of a controller at one moment. */
export interface ControllerSnapshot {
  readonly queued: readonly WithFailures<QueueSnapshot['queued'][number]>[];
  readonly processing: readonly WithFailures<QueueSnapshot['processing'][number]>[];
  /** `why`: what the key waits for. */
  readonly delayed: readonly (WithFailures<QueueSnapshot['delayed'][number]> & { readonly why: DelayReason })[];
  readonly parked: readonly Parked[];
  readonly counts: {
    readonly queued: number;
    readonly processing: number;
    readonly delayed: number;
    readonly parked: number;
    /** The runs that have begun so far. */
    readonly runs: number;
  };
  /** How long the key has waited that has been in line longest, ms. 0 if no key is in line. */
  readonly oldestWaitMs: number;
  readonly controller: ControllerFacts;
}
