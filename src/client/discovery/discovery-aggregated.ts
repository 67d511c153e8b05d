import type { ResourceType } from '../../model/resource-type.ts';
import { isDamaged, objectsIn, textOr, textsIn } from '../decode/lenient-lists.ts';
import type { DiscoveryFailure, DiscoverySnapshot } from './discovery-snapshot.ts';

const GROUP = 'apidiscovery.k8s.io';

/** The Accept header for aggregated discovery (stable, then beta), else for the plain lists. */
export const AGGREGATED_ACCEPT = [
  `application/json;g=${GROUP};v=v2;as=APIGroupDiscoveryList`,
  `application/json;g=${GROUP};v=v2beta1;as=APIGroupDiscoveryList`,
  'application/json',
].join(',');

/** An aggregated response. Source: KEP-3352, k8s.io/api apidiscovery/v2. */
interface GroupDiscoveryList {
  kind: 'APIGroupDiscoveryList';
  items?: { metadata?: { name?: string }; versions?: VersionDiscovery[] | null }[] | null;
}

interface VersionDiscovery {
  version: string;
  resources?: ResourceDiscovery[] | null;
  freshness?: string;
}

interface ResourceDiscovery {
  resource: string;
  /** Its group and version are empty if they are the same as those of the resource. */
  responseKind?: { kind?: string };
  scope?: string;
  singularResource?: string;
  verbs?: string[] | null;
  shortNames?: string[] | null;
  categories?: string[] | null;
  subresources?: { subresource: string }[] | null;
}

/** Whether a response has the aggregated form. */
export function isAggregated(value: unknown): value is GroupDiscoveryList {
  return (value as { kind?: unknown } | null)?.kind === 'APIGroupDiscoveryList';
}

/** The types in an aggregated response. A version that the server calls stale is a failure, and its types are kept. */
export function typesOfAggregated(list: GroupDiscoveryList): DiscoverySnapshot {
  const types: ResourceType[] = [];
  const failures: DiscoveryFailure[] = [];
  if (isDamaged(list.items)) failures.push({ group: 'apis', message: DAMAGED });
  for (const { metadata, versions } of objectsIn(list.items)) {
    const group = textOr(metadata?.name, '');
    if (isDamaged(versions)) failures.push({ group: group || 'core', message: DAMAGED });
    const seen = new Set<string>();
    for (const version of objectsIn(versions)) {
      if (typeof version.version !== 'string') {
        failures.push({ group: group || 'core', message: DAMAGED });
        continue;
      }
      if (version.freshness === 'Stale')
        failures.push({ group: `${group}/${version.version}`, message: 'stale: its server does not answer' });
      if (isDamaged(version.resources))
        failures.push({ group: group === '' ? 'core' : `${group}/${version.version}`, message: DAMAGED });
      for (const resource of objectsIn(version.resources)) {
        if (typeof resource.resource !== 'string') continue;
        types.push(typeOf(group, version.version, resource, !seen.has(resource.resource)));
        seen.add(resource.resource);
      }
    }
  }
  return { types, failures };
}

const DAMAGED = 'its answer is damaged';

function typeOf(group: string, version: string, resource: ResourceDiscovery, preferred: boolean): ResourceType {
  const kind = textOr(resource.responseKind?.kind, '');
  return {
    gvr: { group, version, resource: resource.resource },
    kind,
    singular: textOr(resource.singularResource, '') || kind.toLowerCase(),
    shortNames: textsIn(resource.shortNames),
    categories: textsIn(resource.categories),
    namespaced: resource.scope === 'Namespaced',
    verbs: textsIn(resource.verbs),
    subresources: textsIn(objectsIn(resource.subresources).map(({ subresource }) => subresource)),
    preferred,
  };
}
