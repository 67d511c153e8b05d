import type { InformerFactory } from '../../informer/informer-factory.ts';
import { checkArgument, checkIsOptions } from '../../kit/known-options.ts';
import type { GroupVersionResource, TypedGvr } from '../../model/gvr.ts';
import type { UnknownObject } from '../../model/object.ts';
import { type Controller, createController } from '../controller.ts';
import { type ControllerOptions, checkControllerOptions, checkSource } from '../controller-options.ts';
import type { ReconcileContext, ReconcileRequest, Reconciler } from '../reconciler.ts';
import type { CachedObject, ResourceEvent } from '../resource-event.ts';
import type { Source } from '../sources/source.ts';
import { recordKey } from './typed-keys.ts';
import {
  type AnyMap,
  builtSources,
  type ClusterFactories,
  factoriesOf,
  type InClusters,
  mappedWatch,
  type PlannedWatch,
  type WatchedKind,
  type WatchesOptions,
} from './watched-kinds.ts';

/** Options of {@link KeyedControllerBuilder.reconcile}. `name` is needed. */
export type KeyedOptions = Omit<ControllerOptions, 'sources' | 'reconcile' | 'splitKey'>;

/**
 * Begins a controller whose keys are records of your own, not objects: `{ tenant: 'a', zone: 'eu' }`. Equal records are
 * one key. A key is as JSON keeps it: of texts, numbers, lists and plain objects.
 * @example
 * const controller = await controllerForKeys<{ tenant: string }>(factory)
 *   .watches('Pod', (pod) => [{ tenant: pod.metadata.labels?.tenant ?? '' }])
 *   .reconcile(({ tenant }) => console.log(tenant), { name: 'tenants' });
 */
export function controllerForKeys<K extends object>(factory: InformerFactory): KeyedControllerBuilder<K>;
export function controllerForKeys<K extends object, C extends string = string>(
  factories: Readonly<Record<C, InformerFactory>>,
): KeyedControllerBuilder<K, C>;
export function controllerForKeys(clusters: ClusterFactories): unknown {
  return new KeyedControllerBuilder(clusters);
}

/** A controller of records that is not made yet: see {@link controllerForKeys}. */
export class KeyedControllerBuilder<K extends object, C extends string = never> {
  readonly #factories: ReadonlyMap<string | undefined, InformerFactory>;
  readonly #watches: PlannedWatch[] = [];
  readonly #sources: Source[] = [];

  constructor(clusters: ClusterFactories) {
    this.#factories = factoriesOf('controllerForKeys', clusters);
  }

  /** Watches the objects of a kind, in each cluster, and reconciles the records that `map` returns for each. */
  watches<W extends object>(
    kind: TypedGvr<W>,
    map: (object: CachedObject<W>, event: ResourceEvent<W> & InClusters<C>) => Iterable<K>,
    options?: WatchesOptions<NoInfer<W>>,
  ): this;
  watches<W extends object = UnknownObject>(
    kind: GroupVersionResource | string,
    map: (object: CachedObject<W>, event: ResourceEvent<W> & InClusters<C>) => Iterable<K>,
    options?: WatchesOptions<NoInfer<W>>,
  ): this;
  watches(kind: WatchedKind<never>, map: AnyMap<K>, options: WatchesOptions<never> = {}): this {
    this.#watches.push(mappedWatch(kind, map, options, recordKey));
    return this;
  }

  /** Adds another source of keys, such as a timer. Its keys are made by {@link recordKey}. */
  source(source: Source): this {
    checkSource(source);
    this.#sources.push(source);
    return this;
  }

  /** Makes the controller: see {@link ControllerBuilder.reconcile}. */
  async reconcile(
    reconcile: (key: K, request: ReconcileRequest, context: ReconcileContext) => ReturnType<Reconciler>,
    options: KeyedOptions,
  ): Promise<Controller> {
    checkArgument('reconcile', 'reconcile', reconcile, 'function');
    checkIsOptions('reconcile', options);
    checkControllerOptions({ ...options, reconcile: () => {} });
    const sources = await Promise.all(
      Array.from(this.#factories, ([cluster, factory]) => builtSources(this.#watches, { factory, cluster })),
    );
    return createController({
      ...options,
      sources: [...sources.flat(), ...this.#sources],
      reconcile: (request, context) => reconcile(JSON.parse(request.key) as K, request, context),
      splitKey: (key) => ({ namespace: '', name: key }),
    });
  }
}
