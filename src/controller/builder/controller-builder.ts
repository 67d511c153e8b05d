import type { InformerFactory, InformerHandle } from '../../informer/informer-factory.ts';
import { InformerError } from '../../kit/error.ts';
import { checkArgument, checkIsOptions, checkOptions } from '../../kit/known-options.ts';
import type { GroupVersionResource, TypedGvr } from '../../model/gvr.ts';
import { joinKey, type ObjectKey, splitKey } from '../../model/key.ts';
import type { UnknownObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { type Controller, createController } from '../controller.ts';
import { type ControllerOptions, checkControllerOptions, checkSource } from '../controller-options.ts';
import { type Cleanup, createFinalizerReconciler, type FinalizerClient } from '../finalizer-reconciler.ts';
import {
  createObjectReconciler,
  type ReconcileContext,
  type ReconcileRequest,
  type Reconciler,
} from '../reconciler.ts';
import type { CachedObject, ResourceEvent } from '../resource-event.ts';
import { enqueueOwner } from '../sources/enqueue.ts';
import type { Source } from '../sources/source.ts';
import { clusterSource } from './cluster-source.ts';
import { type ClusterPlace, clusterKey, splitClusterKey, withoutCluster } from './typed-keys.ts';
import {
  type AnyMap,
  builtSources,
  type ClusterFactories,
  checkWatched,
  factoriesOf,
  type InClusters,
  type KindOptions,
  mappedWatch,
  type PlannedWatch,
  servedKind,
  type WatchedKind,
  type WatchesOptions,
} from './watched-kinds.ts';

/** Options of {@link ControllerBuilder.owns}. */
export interface OwnsOptions<T> extends KindOptions<T> {
  /** Whether every owner of the kind is reconciled, not only the one that is the controller. Default false. */
  everyOwner?: boolean | undefined;
}

/** Brings the world to what an object asks for: see {@link Reconciler}. */
export type ObjectRun<T, C extends string> = (
  object: CachedObject<T>,
  request: ReconcileRequest<T> & InClusters<C>,
  context: ReconcileContext,
) => ReturnType<Reconciler>;

/** An object to reconcile: its key, or its name and what else is known of its place. */
export type Target<C extends string> =
  | ObjectKey
  | { readonly cluster?: C | undefined; readonly namespace?: string | undefined; readonly name: string };

/** Options of {@link ControllerBuilder.reconcile}: those of a controller, without what the builder says. */
export interface BuiltOptions<T, C extends string>
  extends Omit<ControllerOptions<T>, 'name' | 'sources' | 'reconcile' | 'splitKey'> {
  /** The name in logs and metrics. Default: the name of the reconciled type, `shops`. */
  name?: string | undefined;
  /** Called for a key without an object: it was deleted, or never existed. Default: nothing is done. */
  gone?:
    | ((request: ReconcileRequest<T> & InClusters<C>, context: ReconcileContext) => ReturnType<Reconciler>)
    | undefined;
}

/**
 * Begins a controller that reconciles the objects of a kind. With several factories, by the names of their clusters, it
 * reconciles those of all of them: a request then says its `cluster`, and keys are `cluster/namespace/name`.
 *
 * It asks the servers for the kinds, so only {@link ControllerBuilder.reconcile} makes the controller. Controllers over
 * one factory share its caches and its watches. Source: controller-runtime pkg/builder.
 * @example
 * const SHOPS = parseGvr<KubeObject & { spec: { colour: string } }>('example.com/v1/shops');
 * const controller = await controllerFor(factory, SHOPS, { predicate: generationChanged })
 *   .owns('Deployment')
 *   .watches('Secret', ({ metadata: { namespace, name = '' } }) => [{ namespace, name }])
 *   .reconcile(async (shop, { key }) => {
 *     console.log(key, shop.spec.colour);
 *   });
 * const manager = createManager();
 * manager.add(factory);
 * manager.add(controller);
 * await manager.run(signal);
 */
export function controllerFor<T extends object>(
  factory: InformerFactory,
  kind: TypedGvr<T>,
  options?: KindOptions<NoInfer<T>>,
): ControllerBuilder<T>;
export function controllerFor<T extends object = UnknownObject>(
  factory: InformerFactory,
  kind: GroupVersionResource | string,
  options?: KindOptions<NoInfer<T>>,
): ControllerBuilder<T>;
export function controllerFor<T extends object, C extends string>(
  factories: Readonly<Record<C, InformerFactory>>,
  kind: TypedGvr<T>,
  options?: KindOptions<NoInfer<T>>,
): ControllerBuilder<T, C>;
export function controllerFor<T extends object = UnknownObject, C extends string = string>(
  factories: Readonly<Record<C, InformerFactory>>,
  kind: GroupVersionResource | string,
  options?: KindOptions<NoInfer<T>>,
): ControllerBuilder<T, C>;
export function controllerFor(
  clusters: ClusterFactories,
  kind: WatchedKind<never>,
  options: KindOptions<never> = {},
): unknown {
  return new ControllerBuilder(clusters, kind, options);
}

/** A controller that is not made yet: see {@link controllerFor}. */
export class ControllerBuilder<T extends object, C extends string = never> {
  readonly #factories: ReadonlyMap<string | undefined, InformerFactory>;
  readonly #primary: PlannedWatch;
  readonly #planned: ((primary: ResourceType) => PlannedWatch)[] = [];
  readonly #sources: Source[] = [];
  readonly #cleanups: Record<string, Cleanup<CachedObject<T>>> = {};

  constructor(clusters: ClusterFactories, kind: WatchedKind<T>, options: KindOptions<T>) {
    checkWatched('controllerFor', kind, options);
    this.#factories = factoriesOf('controllerFor', clusters);
    this.#primary = { kind: kind as WatchedKind<never>, options, isPrimary: true };
  }

  /**
   * Watches the objects of a kind that the reconciled objects own, and reconciles the owner of each. It is the owner that
   * is the controller, as `setControllerReference` makes it. The server says its kind, and whether it has a namespace.
   */
  owns<O extends object>(kind: TypedGvr<O>, options?: OwnsOptions<NoInfer<O>>): this;
  owns<O extends object = UnknownObject>(kind: GroupVersionResource | string, options?: OwnsOptions<NoInfer<O>>): this;
  owns(kind: WatchedKind<never>, given: OwnsOptions<never> = {}): this {
    checkWatched('owns', kind, given, { everyOwner: 'boolean' });
    const { everyOwner = false, ...options } = given;
    this.#planned.push(({ gvr: { group }, kind: owner, namespaced }) => ({
      kind,
      options,
      enqueue(own) {
        if (!namespaced || own.namespaced)
          return enqueueOwner({ group, kind: owner, namespaced, onlyController: !everyOwner });
        throw new InformerError('argument', `owns: a ${own.kind} has no namespace, so no ${owner} can own it`, {
          hint: 'watch it with watches, and map it to what it belongs to',
        });
      },
    }));
    return this;
  }

  /**
   * Watches the objects of a kind, and reconciles what `map` returns for each: keys in the same cluster, or names with
   * their namespace and cluster. For an update it is called with the old and with the new state.
   */
  watches<W extends object>(
    kind: TypedGvr<W>,
    map: (object: CachedObject<W>, event: ResourceEvent<W> & InClusters<C>) => Iterable<Target<C>>,
    options?: WatchesOptions<NoInfer<W>>,
  ): this;
  watches<W extends object = UnknownObject>(
    kind: GroupVersionResource | string,
    map: (object: CachedObject<W>, event: ResourceEvent<W> & InClusters<C>) => Iterable<Target<C>>,
    options?: WatchesOptions<NoInfer<W>>,
  ): this;
  watches(kind: WatchedKind<never>, map: AnyMap<Target<string>>, options: WatchesOptions<never> = {}): this {
    const watch = mappedWatch(kind, map, options, keyOfTarget);
    this.#planned.push(() => watch);
    return this;
  }

  /** Adds another source of keys, such as a timer. */
  source(source: Source): this {
    checkSource(source);
    this.#sources.push(source);
    return this;
  }

  /**
   * Cleans up before an object is deleted: the finalizer is added before the first reconcile, and removed when the cleanup
   * succeeded. The client of the factory writes it. See {@link createFinalizerReconciler}.
   */
  finalizer(name: string, cleanup: Cleanup<CachedObject<T>>): this {
    this.#cleanups[name] = cleanup;
    return this;
  }

  /**
   * Makes the controller. `reconcile` gets the object itself, as the cache has it when the run begins. Await it before
   * the factories are started: the informers of the kinds are made here.
   *
   * Rejects with `discovery`, and the nearest kind, if a server does not serve a kind; with the error of the request if a
   * server does not answer.
   */
  async reconcile(reconcile: ObjectRun<T, C>, options: BuiltOptions<T, C> = {}): Promise<Controller> {
    checkArgument('reconcile', 'reconcile', reconcile, 'function');
    checkIsOptions('reconcile', options);
    const { gone, name, ...rest } = options;
    checkOptions('reconcile', { gone }, { gone: 'function' });
    checkControllerOptions({ ...rest, name: name ?? 'new', reconcile: () => {} } as ControllerOptions);
    const clusters = await Promise.all(
      Array.from(this.#factories, async ([cluster, factory]) => {
        const type = await servedKind(factory, this.#primary.kind);
        const watches = [this.#primary, ...this.#planned.map((plan) => plan(type))];
        const own = await builtSources(watches, { factory, cluster });
        const sources = cluster === undefined ? own : own.map((source) => clusterSource(cluster, source));
        return { cluster, sources, gvr: type.gvr, run: this.#runOf({ cluster, factory, type, reconcile, gone }) };
      }),
    );
    const runs = new Map(clusters.map(({ cluster, run }) => [cluster, run]));
    const split = this.#factories.has(undefined) ? splitKey : (key: ObjectKey) => knownCluster(key, this.#factories);
    return createController<T>({
      ...rest,
      name: name ?? clusters.map(({ gvr }) => gvr.resource)[0] ?? '',
      sources: [...clusters.flatMap(({ sources }) => sources), ...this.#sources],
      reconcile: (request, context) => {
        const { cluster } = { cluster: undefined, ...split(request.key) };
        return runs.get(cluster)?.(request, context);
      },
      splitKey: split,
    });
  }

  /** The reconciler of one cluster. */
  #runOf(of: {
    cluster: string | undefined;
    factory: InformerFactory;
    type: ResourceType;
    reconcile: ObjectRun<T, C>;
    gone: BuiltOptions<T, C>['gone'];
  }): Reconciler<T> {
    const { cluster, factory, type, reconcile, gone } = of;
    const { lister } = factory.forResource(type.gvr) as unknown as InformerHandle<T>;
    const get = (key: ObjectKey) => lister.get(cluster === undefined ? key : withoutCluster(key));
    const placed = (request: object) =>
      (cluster === undefined ? request : { ...request, cluster }) as ReconcileRequest<T> & InClusters<C>;
    const found = (object: CachedObject<T>, request: object, context: ReconcileContext) =>
      reconcile(object, placed(request), context);
    const run =
      Object.keys(this.#cleanups).length === 0
        ? createObjectReconciler({ get }, found)
        : createFinalizerReconciler({
            client: factory.source as unknown as FinalizerClient,
            gvr: type.gvr,
            objects: { get },
            finalizers: this.#cleanups,
            reconcile: found,
          });
    return (request, context) =>
      gone && get(request.key) === undefined ? gone(placed(request), context) : run(request as never, context);
  }
}

function keyOfTarget(target: Target<string>, cluster: string | undefined): ObjectKey {
  if (typeof target === 'string') return target;
  const { cluster: named = cluster, namespace, name } = target;
  return named === undefined ? joinKey(namespace, name) : clusterKey({ cluster: named, namespace, name });
}

function knownCluster(key: ObjectKey, factories: ReadonlyMap<string | undefined, unknown>): ClusterPlace {
  const place = splitClusterKey(key);
  if (factories.has(place.cluster)) return place;
  throw new InformerError('argument', `the controller has no cluster ${JSON.stringify(place.cluster)}`, {
    hint: `it has ${[...factories.keys()].join(', ')}`,
  });
}
