import type { ResourceType } from '../../model/resource-type.ts';

/** What a server has, at one moment. */
export interface DiscoverySnapshot {
  /** In the server's order: core group first, within a group the preferred version first. */
  readonly types: readonly ResourceType[];
  /** Groups that could not be asked, mostly because an aggregated API server is down. The rest is usable. */
  readonly failures: readonly DiscoveryFailure[];
}

/** A part of the API that could not be asked. */
export interface DiscoveryFailure {
  /** `metrics.k8s.io/v1beta1`, or the group alone. */
  readonly group: string;
  readonly message: string;
  /** What was thrown, where something was. Not kept in a store. */
  readonly error?: unknown;
}
