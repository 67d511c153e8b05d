import { InformerFactory } from '../../informer/informer-factory.ts';
import { InformerError } from '../../kit/error.ts';
import { checkArgument, checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import { checkGvr, formatGvr, type GroupVersionResource, parseGvr, sameGvr, type TypedGvr } from '../../model/gvr.ts';
import type { ObjectKey } from '../../model/key.ts';
import { isWatchable, type ResourceType } from '../../model/resource-type.ts';
import { servedTypesOf } from '../../model/served-types.ts';
import { type Enqueuer, enqueueMapped } from '../sources/enqueue.ts';
import { createInformerSource } from '../sources/informer-source.ts';
import type { Predicate } from '../sources/predicate.ts';
import type { Source } from '../sources/source.ts';

/**
 * A kind to watch: the type of a resource, such as `parseGvr<Shop>('example.com/v1/shops')`, or its name as kubectl takes
 * it: `Deployment`, `deployments.apps`, `apps/v1/deployments`.
 */
export type WatchedKind<T> = TypedGvr<T> | GroupVersionResource | string;

/** The clusters of a controller: a factory of informers, or several ones by the names of their clusters. */
export type ClusterFactories<C extends string = string> = InformerFactory | Readonly<Record<C, InformerFactory>>;

/** Options of a watched kind. */
export interface KindOptions<T> {
  /** The name in logs, and the `source` of causes. Default: the kind in lower case, `deployment`. */
  name?: string | undefined;
  /** Events that do not pass lead to no run. Default: all pass. */
  predicate?: Predicate<T> | undefined;
}

/** Options of {@link ControllerBuilder.watches}. */
export interface WatchesOptions<T> extends KindOptions<T> {
  /**
   * Watches the objects of another factory, such as one of another cluster, for each cluster of the controller. Default:
   * those of the controller's own.
   */
  from?: InformerFactory | undefined;
}

/** The name of the cluster of a request or an event, if a controller has several ones. */
export type InClusters<C extends string> = [C] extends [never] ? unknown : { readonly cluster: C };

const KNOWN_OPTIONS = { name: 'text', predicate: 'function' } satisfies KnownOptionsOf<KindOptions<never>>;

/** Throws `argument` for a kind or for options that cannot be watched. */
export function checkWatched(where: string, kind: unknown, options: object, known: object = {}): void {
  if (typeof kind !== 'string') checkGvr(where, kind);
  checkOptions(where, options, { ...KNOWN_OPTIONS, ...known });
}

/** The factories by the names of their clusters; a single one has no name. Throws `argument` for anything else. */
export function factoriesOf(where: string, clusters: ClusterFactories): Map<string | undefined, InformerFactory> {
  if (clusters instanceof InformerFactory) return new Map([[undefined, clusters]]);
  const named = Object.entries(Object(clusters) as Record<string, unknown>);
  const areFactories = named.every(([name, each]) => /^[^/]+$/.test(name) && each instanceof InformerFactory);
  if (named.length > 0 && areFactories) return new Map(named as [string, InformerFactory][]);
  throw new InformerError('argument', `${where} takes a factory of informers, or several ones by cluster`, {
    hint: 'dynamicInformerFactory(client), or { eu: factory, us: factory }; a name has no slash',
  });
}

/**
 * The type of a kind on the server of a factory. Rejects with `discovery`, and the nearest one, for one that the server
 * does not serve.
 */
export async function servedKind(factory: InformerFactory, kind: WatchedKind<never>): Promise<ResourceType> {
  const served = servedTypesOf(factory);
  if (!served)
    throw new InformerError('argument', 'the source of the factory does not say which types its server has', {
      hint: 'a client does; without one, use createController with createInformerSource and enqueueOwner',
    });
  const gvr = typeof kind !== 'string' ? kind : kind.includes('/') ? parseGvr(kind) : undefined;
  const type = await served.resolve(gvr ? `${gvr.resource}.${gvr.version}.${gvr.group}` : (kind as string));
  if (gvr && !sameGvr(type.gvr, gvr))
    throw new InformerError('discovery', `the server does not serve ${formatGvr(gvr)}`, {
      hint: `did you mean ${formatGvr(type.gvr)}?`,
    });
  if (isWatchable(type)) return type;
  throw new InformerError('argument', `${formatGvr(type.gvr)} cannot be watched`, {
    hint: `it has the verbs ${type.verbs.join(', ')}`,
  });
}

/** A kind to watch, whose enqueuer is made when the types are known. */
export interface PlannedWatch {
  readonly kind: WatchedKind<never>;
  readonly options: KindOptions<never>;
  /** Another factory than those of the controller. */
  readonly from?: InformerFactory | undefined;
  readonly isPrimary?: boolean | undefined;
  /** Undefined: the object itself is reconciled. */
  readonly enqueue?: ((type: ResourceType, cluster: string | undefined) => Enqueuer<never>) | undefined;
}

/** A function of a user from an object and its event to what is reconciled. */
export type AnyMap<R> = (object: never, event: never) => Iterable<R>;

/** The watch of a kind whose objects are mapped to what is reconciled. */
export function mappedWatch<R>(
  kind: WatchedKind<never>,
  map: AnyMap<R>,
  given: WatchesOptions<never>,
  keyOf: (target: R, cluster: string | undefined) => ObjectKey,
): PlannedWatch {
  checkWatched('watches', kind, given, { from: true });
  checkArgument('watches', 'map', map, 'function');
  const { from, ...options } = given;
  if (from) factoriesOf('from of watches', from);
  const enqueue = (_: ResourceType, cluster: string | undefined) =>
    enqueueMapped<never>((object, event) => {
      const seen = cluster === undefined ? event : { ...event, cluster };
      return Array.from(map(object as never, seen as never), (target) => keyOf(target, cluster));
    });
  return { kind, options, from, enqueue };
}

/** The sources of planned watches on one factory: with the informers of the factory, which all share that watch a kind. */
export async function builtSources(
  watches: readonly PlannedWatch[],
  { factory, cluster }: { readonly factory: InformerFactory; readonly cluster: string | undefined },
): Promise<Source[]> {
  const found = await Promise.all(
    watches.map(async (watch) => ({ ...watch, type: await servedKind(watch.from ?? factory, watch.kind) })),
  );
  return found.map(({ type, options: { name = type.kind.toLowerCase(), predicate }, enqueue, isPrimary, from }) => {
    const { informer } = (from ?? factory).forResource(type.gvr);
    return createInformerSource(informer, {
      name: cluster === undefined ? name : `${cluster}/${name}`,
      enqueue: enqueue?.(type, cluster) as Enqueuer | undefined,
      predicate: predicate as Predicate | undefined,
      isPrimary,
    });
  });
}
