import { InformerError } from '../../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import type { World } from './world.ts';

/** The size and speed of a scenario. A scenario ignores options that it does not use. */
export interface ScenarioOptions {
  /** The number of pods. Default: 1,000 for `fleet`, about 30 for `churn`. */
  readonly pods?: number | undefined;
  /** Changes per second; 0 for none. Default: 50 for `fleet`, 20 for `churn`. */
  readonly ratePerSecond?: number | undefined;
}

/** A sequence of changes that runs by itself in a cluster. */
export interface Scenario {
  /** The namespace with most of the changes. */
  readonly namespace: string;
  /** Creates the objects and starts the changes. Disposing the result stops the changes; the objects stay. */
  readonly begin: (world: World, options: ScenarioOptions) => Disposable;
}

/** Throws `argument` for a number that is not possible. */
export function checkScenarioOptions(options: ScenarioOptions): void {
  checkOptions('scenarioOptions', options, {
    pods: true,
    ratePerSecond: true,
  } satisfies KnownOptionsOf<ScenarioOptions>);
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
