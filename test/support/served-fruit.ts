import { formatGvr } from '../../src/model/gvr.ts';
import type { ResourceType } from '../../src/model/resource-type.ts';
import { definition, type InProcessSetup, inProcess, withoutAggregatedDiscovery } from './in-process.ts';

const FRUIT = [
  definition('apples.fruit.example.com', ['v1', 'v1beta1'], { shortNames: ['ap'], categories: ['all', 'fruit'] }),
  definition('pears.fruit.example.com', ['v1beta1']),
];

/** A sandbox with two custom types besides the built-in ones; `requests` are those for discovery. */
export async function serving(form: 'aggregated' | 'legacy' = 'aggregated', setup: InProcessSetup = {}) {
  const { sandbox, clock, transport, sent } = await inProcess({ objects: FRUIT, ...setup });
  return {
    sandbox,
    clock,
    transport: form === 'legacy' ? withoutAggregatedDiscovery(transport) : transport,
    requests: sent,
  };
}

/** The names of types; `!` marks the preferred version. */
export const namesOf = (types: readonly ResourceType[]) =>
  types.map((t) => `${formatGvr(t.gvr)}${t.preferred ? '!' : ''}`);

/** The names of the custom types. */
export const fruitOf = (types: readonly ResourceType[]) => namesOf(types).filter((name) => name.startsWith('fruit.'));
