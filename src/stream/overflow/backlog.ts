import type { ObjectChange } from '../envelope.ts';

/**
 * Events that a reader did not get. `coalesced`: `events` were merged into later events of `objects`. `dropped`:
 * `events` were left out.
 */
export type Loss =
  | { readonly how: 'coalesced'; readonly events: number; readonly objects: number }
  | { readonly how: 'dropped'; readonly events: number };

/** An action that runs at its position among the changes. It is never lost. */
export type BacklogStep = () => void | Promise<void>;

/** The functions that report losses. */
export interface LossListener {
  /**
   * Called at the position of the loss: before the merged events are written, or after the last event before the
   * dropped ones.
   */
  readonly lost: (loss: Loss) => void | Promise<void>;
  /** Called at once when events are lost, with their number. */
  readonly onLost: (how: Loss['how'], events: number) => void;
}

/** A change that waits for a slow reader. */
export interface Waiting<T> {
  readonly change: ObjectChange;
  readonly target: T;
  readonly receivedMs: number;
}

/** The changes and steps that wait for a slow reader. */
export interface Backlog<T> {
  /** The number of changes that wait. */
  readonly waiting: number;
  /** The losses that no call of `lost` has reported yet; undefined when there are none. */
  readonly unreported: Loss | undefined;
  push(item: Waiting<T>): void;
  pushStep(step: BacklogStep): void;
  /** Removes and returns the next change or step; undefined when nothing waits. */
  shift(): Waiting<T> | BacklogStep | undefined;
}
