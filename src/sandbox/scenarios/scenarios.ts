import { InformerError } from '../../kit/error.ts';
import { churn } from './churn.ts';
import { crashloop } from './crashloop.ts';
import { fleet } from './fleet.ts';
import { nodeDrain } from './node-drain.ts';
import { rollout } from './rollout.ts';
import { checkScenarioOptions, type Scenario, type ScenarioOptions } from './scenario.ts';
import type { World } from './world.ts';

/** The name of a scenario. */
export type ScenarioName = 'rollout' | 'crashloop' | 'churn' | 'node-drain' | 'fleet';

const SCENARIOS: Readonly<Record<ScenarioName, Scenario>> = {
  rollout: { namespace: 'shop', begin: rollout },
  crashloop: { namespace: 'shop', begin: crashloop },
  churn: { namespace: 'churn', begin: churn },
  'node-drain': { namespace: 'shop', begin: nodeDrain },
  fleet: { namespace: 'fleet-00', begin: fleet },
};

/** The names of all scenarios. */
export const SCENARIO_NAMES = Object.keys(SCENARIOS) as readonly ScenarioName[];

/** Whether a text is the name of a scenario. */
export function isScenario(name: string): name is ScenarioName {
  return Object.hasOwn(SCENARIOS, name);
}

/** A scenario that runs. */
export interface RunningScenario extends Disposable {
  /** The namespace with most of the changes. */
  readonly namespace: string;
}

/**
 * Creates and starts a scenario. Disposing it stops the changes; the objects stay. The same seed, options and clock
 * give the same run. Throws `argument` for an unknown name or an impossible option.
 */
export function createScenario(name: string, world: World, options: ScenarioOptions = {}): RunningScenario {
  if (!isScenario(name)) {
    const hint = `it is one of ${SCENARIO_NAMES.join(', ')}`;
    throw new InformerError('argument', `there is no scenario ${JSON.stringify(name)}`, { hint });
  }
  checkScenarioOptions(options);
  const { namespace, begin } = SCENARIOS[name];
  const running = begin(world, options);
  return { namespace, [Symbol.dispose]: () => running[Symbol.dispose]() };
}
