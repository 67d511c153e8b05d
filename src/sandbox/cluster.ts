import type { Clock } from '../kit/clock.ts';
import type { RandomSource } from '../kit/random.ts';
import type { ObjectStore } from './store/object-store.ts';
import type { TypeRegistry } from './types/type-registry.ts';

/** The state that all parts of the server share: the objects, the types, the clock and the source of random numbers. */
export interface Cluster {
  readonly store: ObjectStore;
  readonly types: TypeRegistry;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly features: Features;
}

/** The abilities of a server that a feature gate turns on, by the name of the gate. */
export interface Features {
  /** Lists and watches of a part of a collection, by hash. Source: KEP-5866. */
  readonly shardedListAndWatch: boolean;
  /** Answers without managedFields where Accept asks for that. Source: KEP-5958. */
  readonly managedFieldsOptOut: boolean;
  /** Streaming lists as gzip. Source: apiserver endpoints/handlers/watch.go of 1.37. */
  readonly watchListCompression: boolean;
  /** The type ClusterTrustBundle of certificates.k8s.io/v1. A server has it since 1.37. */
  readonly clusterTrustBundle: boolean;
  /** The type PodCertificateRequest of certificates.k8s.io/v1. A server has it since 1.37. */
  readonly podCertificateRequest: boolean;
  /** The type DeviceTaintRule of resource.k8s.io/v1. A server has it since 1.37. */
  readonly draDeviceTaintRules: boolean;
  /** The type StorageVersionMigration of storagemigration.k8s.io/v1. A server has it since 1.37. */
  readonly storageVersionMigrator: boolean;
}

/** A time as in metadata: RFC 3339 in whole seconds. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** A time as in MicroTime fields of leases and events: RFC 3339 with six digits. */
export function microTimestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}
