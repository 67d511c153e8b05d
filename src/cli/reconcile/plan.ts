import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import type { ActionMode } from '../../controller/hooks/action-runner.ts';
import type { WriteLimit } from '../../controller/hooks/manifest.ts';
import type { Address } from '../../expr/field-path.ts';
import type { Logger } from '../../kit/logger.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { IndexDefinition } from '../../query/index-definition.ts';
import type { InformerPlan } from '../session/informers.ts';
import type { StreamFilters } from '../session/stream-filters.ts';
import type { LoadedHook } from './hook-loading.ts';

/** Another type whose objects lead to reconciled ones, by the keys or names that `map` finds in them. */
export interface MappedType {
  readonly selection: ResourceSelection;
  readonly map: (object: ReadonlyObject) => readonly string[];
  /** The fields that `map` reads. */
  readonly reads?: readonly Address[] | undefined;
}

/** A `reconcile` with everything read, resolved and checked. */
export interface ReconcilePlan extends Pick<InformerPlan, 'namespaces' | 'selector' | 'fieldSelector'> {
  readonly hook: LoadedHook;
  readonly primary: ResourceSelection;
  readonly owns: readonly ResourceSelection[];
  readonly watches: readonly MappedType[];
  /** Which events and objects of the reconciled type lead to runs. */
  readonly filters: StreamFilters;
  readonly indexes: readonly IndexDefinition[];
  readonly everyMs: number | undefined;
  /** Silence after which a watch is taken for dead, ms. */
  readonly idleMs: number | undefined;
  readonly workers: number;
  readonly maxRetries: number | undefined;
  readonly hookTimeoutMs: number | undefined;
  readonly finalizer: string | undefined;
  readonly mode: ActionMode;
  readonly maxWrites: WriteLimit | undefined;
  readonly passCredentials: boolean;
  readonly showSecrets: boolean;
  readonly logger: Logger;
}
