import { type Sample, samplesOf, unnarrowedSamples } from '../../query/answer/samples.ts';
import type { ChangeGate } from '../../stream/change-gate.ts';
import { filled } from '../hints/count-text.ts';
import { giveHints } from '../hints/hint.ts';
import { WATCH, WATCH_OBJECTS, type WatchFacts } from '../hints/lists.ts';
import type { WatchTarget } from '../session/informers.ts';
import type { Session } from '../session/session.ts';
import type { WatchPlan } from './plan.ts';

export interface StartHintsOptions {
  readonly plan: WatchPlan;
  /** The targets that may be read. */
  readonly targets: () => readonly WatchTarget[];
  /** Says that there are no objects at all; undefined where that goes without saying. */
  readonly nothingFound: () => string | undefined;
  /** The events shown so far. */
  readonly shown: () => number;
  /** Another line reports the state. */
  readonly isReportedElsewhere: boolean;
}

/** Gives the hints of `watch` on the initial lists. After an empty start those that need objects wait for the first one. */
export class StartHints {
  readonly #session: Session;
  readonly #options: StartHintsOptions;
  /** There were no objects at the start, and none has come since. */
  #isEmpty = false;
  #settled: Promise<void> = Promise.resolve();

  constructor(session: Session, options: StartHintsOptions) {
    this.#session = session;
    this.#options = options;
  }

  /** Resolves when all hints that are due have been given. Never rejects. */
  get settled(): Promise<void> {
    return this.#settled;
  }

  /** The initial lists of all targets are complete, and shown. */
  synced(): void {
    this.#settled = this.#onInitialLists();
  }

  /** The gate, with a look at the first object that comes after an empty start. */
  watching(gate: ChangeGate): ChangeGate {
    const hints = this;
    return {
      pass(change, target) {
        if (hints.#isEmpty) hints.#onFirstObject();
        return gate.pass(change, target);
      },
      unmet: (object, target) => gate.unmet(object, target),
      get errors() {
        return gate.errors;
      },
    };
  }

  async #onInitialLists(): Promise<void> {
    const { plan } = this.#options;
    const cached = this.#cached();
    const as = plan.judging.filters.length > 0 ? 'object' : 'metadata';
    const samples =
      filled(cached).length === 0 && this.#isNarrowed
        ? await unnarrowedSamples(this.#options.targets(), { ...plan, as }, this.#session)
        : cached;
    this.#isEmpty = filled(samples).length === 0;
    await giveHints(WATCH, this.#facts(cached, samples), this.#session);
  }

  #onFirstObject(): void {
    const samples = this.#cached();
    if (filled(samples).length === 0) return;
    this.#isEmpty = false;
    const facts = this.#facts(samples, samples);
    this.#settled = this.#settled.then(() => giveHints(WATCH_OBJECTS, facts, this.#session));
  }

  #facts(cached: readonly Sample[], samples: readonly Sample[]): WatchFacts {
    const { plan, targets, nothingFound, shown, isReportedElsewhere } = this.#options;
    const session = this.#session;
    return {
      plan,
      cached,
      samples,
      session,
      judging: plan.judging,
      targets: targets(),
      shown: shown(),
      nothingFound,
      isReportedElsewhere,
      areNamesReported: plan.once || isReportedElsewhere || this.#isNarrowed,
      isTerminal: session.io.stderr.isTerminal,
    };
  }

  #cached(): Sample[] {
    return this.#options.targets().map(samplesOf);
  }

  /** The server was asked for less than the user's own selectors give. */
  get #isNarrowed(): boolean {
    const { plan, targets } = this.#options;
    return targets().some(({ type }) => {
      const { labelSelector, fieldSelector } = plan.narrowings?.get(type) ?? {};
      return labelSelector !== undefined || fieldSelector !== undefined;
    });
  }
}
