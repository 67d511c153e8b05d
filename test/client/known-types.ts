import type { DiscoveryFailure } from '../../src/client/discovery-snapshot.ts';
import { type DiscoverySource, RestMapper } from '../../src/client/rest-mapper.ts';
import { parseGvr } from '../../src/model/gvr.ts';
import type { ResourceType } from '../../src/model/resource-type.ts';

function type(
  gvr: string,
  kind: string,
  shortNames: string[] = [],
  categories: string[] = [],
  more: Partial<ResourceType> = {},
): ResourceType {
  const verbs = ['get', 'list', 'watch'];
  return {
    gvr: parseGvr(gvr),
    kind,
    singular: kind.toLowerCase(),
    shortNames,
    categories,
    namespaced: true,
    verbs,
    subresources: [],
    preferred: true,
    ...more,
  };
}

/** What a small server has, in its order. */
export const TYPES: readonly ResourceType[] = [
  type('v1/bindings', 'Binding', [], ['all'], { verbs: ['create'] }),
  type('v1/events', 'Event', ['ev']),
  type('v1/pods', 'Pod', ['po'], ['all']),
  type('v1/services', 'Service', ['svc'], ['all']),
  type('apps/v1/deployments', 'Deployment', ['deploy'], ['all']),
  type('events.k8s.io/v1/events', 'Event', ['ev']),
  type('autoscaling/v2/horizontalpodautoscalers', 'HorizontalPodAutoscaler', ['hpa'], ['all']),
  type('autoscaling/v1/horizontalpodautoscalers', 'HorizontalPodAutoscaler', ['hpa'], ['all'], { preferred: false }),
  type('stable.example.com/v1/myapples', 'MyApple', ['ma'], ['all', 'fruit']),
];

export interface FakeSource extends DiscoverySource {
  /** What the next fetch will find. */
  next: readonly ResourceType[];
  fresh: boolean;
  invalidated: number;
}

export function source(types: readonly ResourceType[], failures: readonly DiscoveryFailure[] = []): FakeSource {
  let current = types;
  return {
    next: types,
    fresh: false,
    invalidated: 0,
    snapshot: async () => ({ types: current, failures }),
    isFresh() {
      return this.fresh;
    },
    async invalidate() {
      this.invalidated++;
      this.fresh = true;
      current = this.next;
    },
  };
}

export function mapper(): RestMapper {
  return new RestMapper(source(TYPES));
}
