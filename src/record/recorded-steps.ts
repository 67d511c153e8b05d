import type { Recording, Revision } from './recording.ts';
import type { RecordedState } from './state-text.ts';

/** A revision with the states around it. */
export interface RecordedStep {
  readonly revision: Revision;
  readonly state: RecordedState;
  /** Undefined for the first revision of an object. */
  readonly before: RecordedState | undefined;
}

/** Revisions with their states, each made from the one before. Keeps one state of each object that is there. */
export function* recordedSteps(recording: Recording, revisions: Iterable<Revision>): Generator<RecordedStep> {
  const last = new Map<number, RecordedState>();
  for (const revision of revisions) {
    const { object, id, isFirst, event } = revision;
    const before = isFirst ? undefined : (last.get(object) ?? recording.stateAfter(object, id - 1));
    const state = recording.next(revision, before);
    if (event === 'DELETED') last.delete(object);
    else last.set(object, state);
    yield { revision, state, before };
  }
}
