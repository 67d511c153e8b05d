import type { ResourceType } from '../../model/resource-type.ts';

/** The types of a server at one moment. */
export interface DiscoverySnapshot {
  /** In the server's order: the core group first, and in each group the preferred version first. */
  readonly types: readonly ResourceType[];
  /** Groups without a response, usually because an aggregated API server is down. The other groups are complete. */
  readonly failures: readonly DiscoveryFailure[];
}

/** A part of the API whose types could not be read. */
export interface DiscoveryFailure {
  /** `metrics.k8s.io/v1beta1`, or the group alone. */
  readonly group: string;
  readonly message: string;
  /** The error, if there was one. Not kept in a store. */
  readonly error?: unknown;
}
