import { InformerError } from '../../kit/error.ts';
import type { Cluster } from '../cluster.ts';
import type { Deleter } from '../write/deleter.ts';
import type { Writer } from '../write/writer.ts';
import { rollout } from './rollout.ts';

/** What a scenario works with: the cluster with a source of chance of its own, and the same write path that clients use. */
export interface World {
  readonly cluster: Cluster;
  readonly writer: Writer;
  readonly deleter: Deleter;
}

const SCENARIOS = { rollout } as const satisfies Record<string, (world: World) => Disposable>;

export type ScenarioName = keyof typeof SCENARIOS;

export const SCENARIO_NAMES = Object.keys(SCENARIOS) as readonly ScenarioName[];

/** The namespace in which a scenario's story goes on. */
export const SCENARIO_NAMESPACE = 'shop';

export function isScenario(name: string): name is ScenarioName {
  return Object.hasOwn(SCENARIOS, name);
}

/**
 * Sets a scenario up and going; disposing it stops it where it is. The same seed and clock give the same run.
 * Throws `argument` when there is none of that name.
 */
export function createScenario(name: string, world: World): Disposable {
  if (isScenario(name)) return SCENARIOS[name](world);
  throw new InformerError('argument', `there is no scenario ${JSON.stringify(name)}`, {
    hint: `it is one of ${SCENARIO_NAMES.join(', ')}`,
  });
}
