import type { Clock } from '../kit/clock.ts';
import type { Random } from '../kit/random.ts';
import type { ObjectStore } from './store/object-store.ts';
import type { TypeRegistry } from './types/type-registry.ts';

/** What every part of the server works on: the objects, the types, the time, and chance. */
export interface Cluster {
  readonly store: ObjectStore;
  readonly types: TypeRegistry;
  readonly clock: Clock;
  readonly random: Random;
}

/** A moment as metadata shows it: RFC 3339 in whole seconds. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** A moment as micro-time fields show it (leases, events). */
export function microTimestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}
