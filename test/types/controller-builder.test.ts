import type { V1Secret } from '@kubernetes/client-node';
import { expectTypeOf, it } from 'vitest';
import type { ControllerBuilder } from '../../src/controller/builder/controller-builder.ts';
import {
  type Client,
  type Controller,
  controllerFor,
  controllerForKeys,
  type DeepReadonly,
  type GroupVersionResource,
  generationChanged,
  type InformerFactory,
  type Lister,
  labelledPredicate,
  parseGvr,
  type ReconcileContext,
  type ResourceApi,
  type TypedGvr,
  type UnknownObject,
  type Wire,
} from '../../src/index.ts';

// Types only: the functions below are checked by the compiler and never called.

/** A custom resource as a user writes it: an interface of its own, without an index signature. */
interface Shop {
  apiVersion: 'example.com/v1';
  kind: 'Shop';
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  spec: { colour: 'red' | 'blue' };
}
declare const SHOPS: TypedGvr<Shop>;
declare const SECRETS: TypedGvr<Wire<V1Secret>>;
declare const PODS: GroupVersionResource;
declare const client: Client;
declare const factory: InformerFactory;
declare const factories: { eu: InformerFactory; us: InformerFactory };

it('a resource type may say the type of its objects, which a client and a factory take from it', () => {
  expectTypeOf(parseGvr<Shop>).returns.toEqualTypeOf<TypedGvr<Shop>>();
  const plain = () => parseGvr('v1/pods');
  expectTypeOf(plain).returns.toEqualTypeOf<GroupVersionResource>();
  const api = () => client.resource(SHOPS);
  expectTypeOf(api).returns.toEqualTypeOf<ResourceApi<Shop>>();
  const lister = () => factory.forResource(SHOPS).lister;
  expectTypeOf(lister).returns.toEqualTypeOf<Lister<Shop>>();
  const untyped = () => [client.resource(PODS), client.resource<Shop>(PODS), factory.forResource(PODS)] as const;
  expectTypeOf(untyped).returns.toExtend<
    readonly [ResourceApi, ResourceApi<Shop>, { lister: Lister<UnknownObject> }]
  >();
});

it('a builder knows the type of each kind, in predicates, mappers and the reconciler, without a cast', () => {
  const built = () =>
    controllerFor(factory, SHOPS, {
      predicate: ({ object }) => {
        expectTypeOf(object).toEqualTypeOf<DeepReadonly<Shop> | undefined>();
        return object?.spec.colour === 'red';
      },
    })
      .owns(SECRETS, { predicate: labelledPredicate('typed', ({ object }) => object?.data?.key === 'x') })
      .owns('Deployment', { predicate: generationChanged })
      .watches(SECRETS, (secret, event) => {
        expectTypeOf(secret).toEqualTypeOf<DeepReadonly<Wire<V1Secret>>>();
        expectTypeOf(event).not.toHaveProperty('cluster');
        return [`${secret.metadata?.namespace}/${secret.data?.shop}`, { namespace: 'a', name: 'b' }];
      })
      .watches<Shop>('Shop', ({ spec }) => [spec.colour])
      .watches(PODS, (pod) => {
        expectTypeOf(pod).toEqualTypeOf<DeepReadonly<UnknownObject>>();
        return [];
      })
      .finalizer('example.com/dns', ({ spec }) => expectTypeOf(spec.colour).toEqualTypeOf<'red' | 'blue'>() as never)
      .reconcile(
        async (shop, request, context) => {
          expectTypeOf(shop).toEqualTypeOf<DeepReadonly<Shop>>();
          expectTypeOf(request.before).toEqualTypeOf<DeepReadonly<Shop> | undefined>();
          expectTypeOf(request).not.toHaveProperty('cluster');
          expectTypeOf(context).toEqualTypeOf<ReconcileContext>();
          return { requeueAfterMs: 1 };
        },
        {
          workers: 2,
          gone: ({ gone }) => expectTypeOf(gone?.spec.colour).toEqualTypeOf<'red' | 'blue' | undefined>() as never,
        },
      );
  expectTypeOf(built).returns.resolves.toEqualTypeOf<Controller>();
  const named = () => controllerFor<Shop>(factory, 'Shop');
  expectTypeOf(named).returns.toEqualTypeOf<ControllerBuilder<Shop>>();
});

it('a builder over several clusters knows their names', () => {
  const built = () =>
    controllerFor(factories, SHOPS)
      .watches(SECRETS, (_, { cluster }) => {
        expectTypeOf(cluster).toEqualTypeOf<'eu' | 'us'>();
        return [{ cluster: 'us', namespace: 'a', name: 'b' }, { name: 'c' }, 'a/b'];
      })
      .reconcile((shop, { cluster, namespace }) => {
        expectTypeOf(shop).toEqualTypeOf<DeepReadonly<Shop>>();
        expectTypeOf(cluster).toEqualTypeOf<'eu' | 'us'>();
        expectTypeOf(namespace).toEqualTypeOf<string>();
      });
  expectTypeOf(built).returns.resolves.toEqualTypeOf<Controller>();
  const wrong = () =>
    // @ts-expect-error there is no such cluster
    controllerFor(factories, SHOPS).watches(SECRETS, () => [{ cluster: 'asia', name: 'b' }]);
  expectTypeOf(wrong).toBeFunction();
});

it('a builder of keys knows the type of the keys', () => {
  const built = () =>
    controllerForKeys<{ tenant: string }>(factory)
      .watches(SHOPS, ({ spec }) => [{ tenant: spec.colour }])
      .reconcile(({ tenant }, { key }) => expectTypeOf([tenant, key]).toEqualTypeOf<string[]>() as never, {
        name: 'a',
      });
  expectTypeOf(built).returns.resolves.toEqualTypeOf<Controller>();
  const wrong = () =>
    // @ts-expect-error this is no such record
    controllerForKeys<{ tenant: string }>(factory).watches(SHOPS, () => [{ tenants: 'a' }]);
  expectTypeOf(wrong).toBeFunction();
});
