import { Discovery } from '../../src/client/discovery/discovery.ts';
import { RestMapper } from '../../src/client/discovery/rest-mapper.ts';
import { definition, type InProcessSetup, inProcess } from '../support/in-process.ts';

export const APPLES = definition('myapples.stable.example.com', ['v1'], {
  kind: 'MyApple',
  shortNames: ['ma'],
  categories: ['all', 'fruit'],
});

/** The listable types of the category `all` on a server with apples, in the order of the server. */
export const ALL = [
  'v1/pods',
  'v1/replicationcontrollers',
  'v1/services',
  'apps/v1/daemonsets',
  'apps/v1/deployments',
  'apps/v1/replicasets',
  'apps/v1/statefulsets',
  'autoscaling/v2/horizontalpodautoscalers',
  'batch/v1/cronjobs',
  'batch/v1/jobs',
  'stable.example.com/v1/myapples',
];

/** A mapper of the types of a server, which has apples unless other objects are given. */
export async function served(
  { objects = [APPLES], ...setup }: InProcessSetup = {},
  options?: ConstructorParameters<typeof RestMapper>[1],
) {
  const { sandbox, clock, transport } = await inProcess({ objects, ...setup });
  const mapper = new RestMapper(new Discovery(transport, { clock }), options);
  const fetches = () => sandbox.requests.matching(/^\/apis$/).length;
  return { sandbox, clock, transport, mapper, fetches };
}
