import type { Clock } from '../kit/clock.ts';
import type { RandomSource } from '../kit/random.ts';
import type { Features } from './feature-gates.ts';
import type { Store } from './store/object-store.ts';
import type { TypeRegistry } from './types/type-registry.ts';

/** The state that all parts of the server share: the objects, the types, the clock and the source of random numbers. */
export interface Cluster {
  readonly store: Store;
  readonly types: TypeRegistry;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly features: Features;
}

/** A time as in metadata: RFC 3339 in whole seconds. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** A time as in MicroTime fields of leases and events: RFC 3339 with six digits. */
export function microTimestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}
