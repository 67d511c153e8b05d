import type { Clock } from '../../kit/clock.ts';
import type { RandomSource } from '../../kit/random.ts';
import type { UnknownObject } from '../../model/object.ts';
import type { Cluster } from '../cluster.ts';
import { copy } from '../types/copy.ts';
import { equalJson } from '../types/equal.ts';
import type { Gate, WriteAttempt } from '../write/gate.ts';

export type Phase = 'mutating' | 'validating';

/** A question of a write that has no answer yet. It ends the run of the write; a later run finds the answer. */
export class Suspension {
  readonly phase: Phase;
  readonly attempt: WriteAttempt;

  constructor(phase: Phase, attempt: WriteAttempt) {
    this.phase = phase;
    this.attempt = attempt;
  }
}

/** The decision about an attempt: the object to write, or the error that refuses it. */
export type AdmissionDecision =
  | { readonly kind: 'admitted'; readonly object: UnknownObject | undefined }
  | { readonly kind: 'refused'; readonly error: unknown };

/**
 * The answers to the questions of one write. The write is synchronous, so that nothing happens between its checks and
 * the store; an answer takes time. So the write runs up to a question, ends, and runs again when the answer is there. If
 * the object was changed meanwhile, the question is another one, and is asked: so does a real server after a conflict.
 */
export class Answers implements Gate {
  readonly #known: { readonly asked: Suspension; readonly decision: AdmissionDecision }[] = [];

  add(asked: Suspension, decision: AdmissionDecision): void {
    this.#known.push({ asked, decision });
  }

  mutate(attempt: WriteAttempt): UnknownObject | undefined {
    return this.#decisionOn('mutating', attempt);
  }

  validate(attempt: WriteAttempt): void {
    this.#decisionOn('validating', attempt);
  }

  #decisionOn(phase: Phase, attempt: WriteAttempt): UnknownObject | undefined {
    const { decision } = this.#known.find(({ asked }) => asked.phase === phase && isSame(asked.attempt, attempt)) ?? {};
    if (decision?.kind === 'refused') throw decision.error;
    if (decision) return decision.object;
    throw new Suspension(phase, { ...attempt, object: copy(attempt.object), oldObject: copy(attempt.oldObject) });
  }
}

function isSame(a: WriteAttempt, b: WriteAttempt): boolean {
  return a.operation === b.operation && equalJson(a.object, b.object) && equalJson(a.oldObject, b.oldObject);
}

/** A cluster for the runs of one write: they see one time, and {@link Rerun.rewind} lets them draw the same numbers. */
export interface Rerun {
  readonly cluster: Cluster;
  rewind(): void;
}

export function rerun(cluster: Cluster): Rerun {
  const drawn: number[] = [];
  let next = 0;
  const random: RandomSource = () => {
    const value = drawn[next] ?? cluster.random();
    drawn[next++] = value;
    return value;
  };
  const rewind = () => {
    next = 0;
  };
  return { cluster: { ...cluster, random, clock: stoppedAt(cluster.clock) }, rewind };
}

function stoppedAt(clock: Clock): Clock {
  const now = clock.now();
  return {
    now: () => now,
    monotonic: () => clock.monotonic(),
    sleep: (ms, options) => clock.sleep(ms, options),
    after: (ms, run) => clock.after(ms, run),
    yield: () => clock.yield(),
  };
}
