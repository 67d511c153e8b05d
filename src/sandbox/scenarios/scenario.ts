import { InformerError } from '../../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import type { World } from './world.ts';

/** How large and how fast a scenario is. What it has no use for it does not look at. */
export interface ScenarioOptions {
  /** How many pods there are: of `fleet` 1,000 unless said, of `churn` about 30. */
  readonly pods?: number | undefined;
  /** Changes per second: of `fleet` 50 unless said, of `churn` 20. 0 = nothing moves. */
  readonly ratePerSecond?: number | undefined;
}

/** A story that goes on by itself in a cluster. */
export interface Scenario {
  /** Where most of it is to be seen. */
  readonly namespace: string;
  /** Sets it up and going; disposing the result stops it where it is. */
  readonly begin: (world: World, options: ScenarioOptions) => Disposable;
}

/** Throws `argument` on a number that cannot be one of these. */
export function checkScenarioOptions(options: ScenarioOptions): void {
  checkOptions('scenarioOptions', options, { pods: true, ratePerSecond: true } satisfies KnownOptionsOf<ScenarioOptions>);
  const { pods, ratePerSecond } = options;
  if (pods !== undefined && !(Number.isInteger(pods) && pods >= 0)) throw refused('pods', pods, 'a whole number');
  if (ratePerSecond !== undefined && !(ratePerSecond >= 0 && ratePerSecond <= FASTEST)) {
    throw refused('ratePerSecond', ratePerSecond, `a number up to ${FASTEST}`);
  }
}

const FASTEST = 100_000;

function refused(option: string, value: number, what: string): InformerError {
  return new InformerError('argument', `scenarioOptions.${option} is ${value}`, { hint: `give ${what}` });
}
