import type { Client } from '../../client/client.ts';
import { InformerError } from '../../kit/error.ts';
import { formatGroupResource, sameGvr } from '../../model/gvr.ts';
import type { ResourceType } from '../../model/resource-type.ts';

/** The types that Kubernetes' own controllers make for their owners. */
const MADE_BY_CONTROLLERS = [
  'replicasets.apps',
  'replicationcontrollers',
  'jobs.batch',
  'pods',
  'persistentvolumeclaims',
  'endpointslices.discovery.k8s.io',
];

/** The types that operators make for their own types, besides. */
const MADE_BY_OPERATORS = [
  'deployments.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'cronjobs.batch',
  'services',
  'ingresses.networking.k8s.io',
  'configmaps',
  'secrets',
  'serviceaccounts',
  'poddisruptionbudgets.policy',
];

/**
 * The types among which owned objects are looked for: those that controllers make, for custom types also those that
 * operators make, and those that the user names. Types that the server does not offer, or cannot list, are left out.
 * Throws `argument` for a named type that there is not.
 */
export async function treeTypes(
  asked: readonly ResourceType[],
  named: readonly string[],
  { mapper }: Pick<Client, 'mapper'>,
): Promise<ResourceType[]> {
  const words = [...MADE_BY_CONTROLLERS, ...(asked.some(isCustom) ? MADE_BY_OPERATORS : [])];
  const typical = await Promise.all(words.map((word) => mapper.find(word)));
  const own = await Promise.all(named.map((word) => mapper.resolve(word)));
  const mute = own.find(({ verbs }) => !verbs.includes('list'));
  if (mute)
    throw new InformerError('argument', `--tree=${formatGroupResource(mute.gvr)}: the server cannot list this type`, {
      hint: 'leave it out',
    });
  const types: ResourceType[] = [];
  for (const type of [...typical, ...own]) {
    if (type?.verbs.includes('list') && !types.some(({ gvr }) => sameGvr(gvr, type.gvr))) types.push(type);
  }
  return types;
}

/** Groups of Kubernetes have no dot, or end with k8s.io. */
const isCustom = ({ gvr: { group } }: ResourceType) => group.includes('.') && !/(^|\.)k8s\.io$/.test(group);
