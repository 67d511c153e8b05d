import type { GroupVersionResource } from './gvr.ts';

/**
 * The description of one resource in one version, from discovery. Source: apimachinery meta/v1 APIResource, KEP-3352
 * APIResourceDiscovery.
 */
export interface ResourceType {
  readonly gvr: GroupVersionResource;
  /** `Pod`. */
  readonly kind: string;
  /** `pod`; the kind in lower case when the server gives no singular. */
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  /** `status`, `scale`, … */
  readonly subresources: readonly string[];
  /** Whether this is the version the server prefers for the resource within its group. */
  readonly preferred: boolean;
  /** The name of the cluster that serves it, in a stream of several clusters. Absent in all other places. */
  readonly cluster?: string | undefined;
}

/** Whether the type can be listed and watched, which an informer needs. */
export function isWatchable(type: ResourceType): boolean {
  return type.verbs.includes('list') && type.verbs.includes('watch');
}
