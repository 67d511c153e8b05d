import type { ObjectChange } from '../envelope.ts';

/** What a reader was not shown: `events` were merged into later ones of `objects`, or left out. */
export type Loss =
  | { readonly how: 'coalesced'; readonly events: number; readonly objects: number }
  | { readonly how: 'dropped'; readonly events: number };

/** Something that is to happen in its place, and is never lost. */
export type BacklogStep = () => void | Promise<void>;

/** Who is told of losses. */
export interface LossListener {
  /** Called in the place of the loss: before what was written in its stead, or behind what was written before it. */
  readonly lost: (loss: Loss) => void | Promise<void>;
  /** Called at once for every event that is lost. */
  readonly onLost: (how: Loss['how'], events: number) => void;
}

/** A change that waits for its reader. */
export interface Waiting<T> {
  readonly change: ObjectChange;
  readonly target: T;
  readonly receivedMs: number;
}

/** What waits for a slow reader. */
export interface Backlog<T> {
  /** Changes that wait. */
  readonly waiting: number;
  /** What was lost since `lost` was last called, or has been pushed behind what waits; undefined for nothing. */
  readonly untold: Loss | undefined;
  push(item: Waiting<T>): void;
  pushStep(step: BacklogStep): void;
  shift(): Waiting<T> | BacklogStep | undefined;
}
