import type { ObjectKey } from '../../model/key.ts';
import type { ReconcileCause } from './causes.ts';

/** A key that is not retried until its object changes or the key is released. */
export interface Parked {
  readonly key: ObjectKey;
  /** `hot-loop`: its own writes ran it again and again. Only the change of another writer unparks it. */
  readonly reason: 'terminal' | 'retries' | 'hot-loop';
  readonly error: string;
  readonly attempts: number;
  /** When it was parked, ms since the Unix epoch. */
  readonly since: number;
  readonly causes: readonly ReconcileCause[];
}
