import type { FieldReads } from '../../model/field-path.ts';
import type { Shard } from '../../model/shard.ts';
import type { OutputFormat } from '../../output/formats.ts';
import { type Sample, samplesOf, unnarrowedSamples } from '../../query/answer/samples.ts';
import type { ChangeGate, GateRules } from '../../stream/change-gate.ts';
import { absentNamespaces } from './absent-namespaces.ts';
import { conditionAdvice } from './condition-advice.ts';
import type { InformerPlan, WatchTarget } from './informers.ts';
import { notThereYet } from './missing-names.ts';
import { countText, pathAdvice } from './path-advice.ts';
import type { Session } from './session.ts';
import { shardNotice } from './shard-choice.ts';
import { type Judging, valueAdvice } from './value-advice.ts';

export interface InitialListAdviceOptions {
  readonly plan: Pick<InformerPlan, 'namespaces' | 'narrowings' | 'selector' | 'fieldSelector'> & {
    readonly shard: Shard | undefined;
    readonly reads: readonly FieldReads[];
    /** The conditions that `--for` names. */
    readonly conditionsNamed: readonly string[];
    readonly rules: Pick<GateRules, 'conditions' | 'name' | 'excludeName'>;
    readonly once: boolean;
    readonly ignoreNotFound: boolean;
    readonly judging: Judging;
    readonly format: OutputFormat;
  };
  readonly targets: readonly WatchTarget[];
  /** What to say when there are no objects at all; undefined where that goes without saying. */
  readonly nothingFound: () => string | undefined;
  /** Events shown so far. */
  readonly shown: () => number;
  /** Another line reports the state. */
  readonly isReportedElsewhere: boolean;
}

/**
 * What a person should know after the first states: that there is nothing, that nothing of it matches, which names and
 * namespaces are not there, and which fields that expressions name are in none of the objects. Without objects the fields are looked for when the first one comes.
 */
export class InitialListAdvice {
  readonly #session: Session;
  readonly #options: InitialListAdviceOptions;
  #isSynced = false;
  #hasAdvised = false;
  #settled: Promise<void> = Promise.resolve();

  constructor(session: Session, options: InitialListAdviceOptions) {
    this.#session = session;
    this.#options = options;
    const { reads, conditionsNamed } = options.plan;
    this.#hasAdvised = reads.every(({ addresses }) => addresses.length === 0) && conditionsNamed.length === 0;
  }

  /** Everything there is to say has been said. Never rejects. */
  get settled(): Promise<void> {
    return this.#settled;
  }

  /** The first states of all targets are whole, and shown. */
  synced(): void {
    this.#isSynced = true;
    this.#settled = this.#look();
  }

  /** The gate, with a look at the first object that comes after an empty start. */
  watching(gate: ChangeGate): ChangeGate {
    const look = this;
    return {
      pass(change, target) {
        if (look.#isSynced && !look.#hasAdvised) look.#settled = look.#advise(look.#samples());
        return gate.pass(change, target);
      },
      unmet: (object, target) => gate.unmet(object, target),
      get errors() {
        return gate.errors;
      },
    };
  }

  async #look(): Promise<void> {
    const { targets, nothingFound, plan } = this.#options;
    const here = this.#samples();
    if (plan.shard) this.#say(shardNotice(plan.shard, here));
    const isEmpty = here.every(({ objects }) => objects.length === 0);
    const samples =
      isEmpty && targets.some((target) => this.#isNarrowed(target))
        ? await unnarrowedSamples(
            targets,
            { ...plan, as: plan.judging.filters.length > 0 ? 'object' : 'metadata' },
            this.#session,
          )
        : here;
    const all = samples.reduce((sum, { objects }) => sum + objects.length, 0);
    if (all === 0) this.#say(nothingFound());
    else if (this.#options.shown() === 0 && this.#judges && !this.#options.isReportedElsewhere) {
      const misspelt = await valueAdvice(plan.judging, samples, this.#session.clock.now());
      if (plan.once || isEmpty || misspelt.length > 0 || this.#session.io.stderr.isTerminal)
        this.#say(`none of ${countText(samples.filter(({ objects }) => objects.length > 0))} matches`);
      for (const line of misspelt) this.#say(line);
    } else if (
      this.#options.shown() === 0 &&
      !this.#options.isReportedElsewhere &&
      !plan.once &&
      this.#session.io.stderr.isTerminal
    )
      this.#say(`${countText(samples.filter(({ objects }) => objects.length > 0))}; changes are shown as they come`);
    for (const line of this.#namesToCome()) this.#say(line);
    for (const line of await absentNamespaces(plan, here, this.#session)) this.#say(line);
    await this.#advise(samples);
  }

  /** The error of a command that answers once, and the progress of a wait, name what is missing themselves. */
  #namesToCome(): string[] {
    const { targets, plan, isReportedElsewhere } = this.#options;
    const isSelected = plan.selector || plan.fieldSelector || targets.some((target) => this.#isNarrowed(target));
    return plan.once || plan.ignoreNotFound || isReportedElsewhere || isSelected ? [] : notThereYet(targets);
  }

  get #judges(): boolean {
    const { conditions = [], name, excludeName } = this.#options.plan.rules;
    return conditions.length > 0 || name !== undefined || excludeName !== undefined;
  }

  async #advise(samples: readonly Sample[]): Promise<void> {
    if (this.#hasAdvised || samples.every(({ objects }) => objects.length === 0)) return;
    this.#hasAdvised = true;
    const { reads, conditionsNamed } = this.#options.plan;
    for (const line of conditionAdvice(conditionsNamed, samples)) this.#say(line);
    for (const line of await pathAdvice(reads, samples, this.#session)) this.#say(line);
  }

  #say(text: string | undefined): void {
    if (text !== undefined && !this.#session.signal.aborted) this.#session.notice(text);
  }

  #samples(): Sample[] {
    return this.#options.targets.map(samplesOf);
  }

  #isNarrowed({ type }: WatchTarget): boolean {
    const narrowing = this.#options.plan.narrowings?.get(type);
    return narrowing?.labelSelector !== undefined || narrowing?.fieldSelector !== undefined;
  }
}
