import type { Fields } from '../model/field-changes.ts';

/** A change of an object, as an informer or a recording reports it. */
export interface StoryChange {
  /** When it was received, ms since 1970. */
  readonly at: number;
  readonly event: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** `initial`: it was there when the watch began. `relist`: a list showed it, and the time is that of the list. */
  readonly cause: 'initial' | 'watch' | 'relist';
  readonly object: Fields;
  /** The state before; undefined if it is not known. */
  readonly before?: Fields | undefined;
}

/** A container that ended in failure. */
export interface FailedContainer {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** When it ended, as the kubelet wrote it. */
  readonly finishedAt: string;
}

/** Something that happened to an object. */
export interface Fact {
  readonly at: number;
  readonly kind: 'change' | 'rollout' | 'container' | 'status' | 'event';
  /** The field manager, or the reporter of an Event; '' if it is not known. */
  readonly who: string;
  readonly text: string;
  readonly tone: 'good' | 'bad' | 'none';
  readonly failure?: FailedContainer | undefined;
}
