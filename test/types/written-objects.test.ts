import type { V1ConfigMap, V1Deployment, V1Pod, V1Service } from '@kubernetes/client-node';
import { describe, expectTypeOf, it } from 'vitest';
import type { HookContext } from '../../src/hooks.ts';
import {
  addFinalizer,
  addFinalizerPatch,
  andPredicate,
  type Client,
  changedPredicate,
  containsFinalizer,
  createController,
  createInformerSource,
  createObjectReconciler,
  createOrUpdate,
  type DeepReadonly,
  enqueueMapped,
  enqueueOwner,
  enqueueSelf,
  finalizerStep,
  generationChanged,
  type InformerFactory,
  type KubeObject,
  labelSelectorPredicate,
  type MutableWire,
  ownerReference,
  type Predicate,
  predicateOf,
  type ReconcileRequest,
  type Reconciler,
  removeFinalizer,
  serverSideApply,
  setControllerReference,
  setOwnerReference,
  type UnknownObject,
  updatePredicate,
  type Wire,
} from '../../src/index.ts';

// Types only: the functions below are checked by the compiler and never called.

const gvr = (group: string, resource: string) => ({ group, version: 'v1', resource });
const PODS = gvr('', 'pods');
const DEPLOYMENTS = gvr('apps', 'deployments');
const CONFIG_MAPS = gvr('', 'configmaps');
const SERVICES = gvr('', 'services');
const APPS = gvr('example.com', 'apps');

/** A custom resource as a user writes it: an interface of its own, without an index signature. */
interface App {
  apiVersion: 'example.com/v1';
  kind: 'App';
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; uid?: string; finalizers?: string[] };
  spec: { image: string; replicas?: number; ports: { name: string; port: number }[] };
  status?: { ready: boolean };
}

type Pod = MutableWire<V1Pod>;
type Deployment = MutableWire<V1Deployment>;
type ConfigMap = MutableWire<V1ConfigMap>;
type Service = MutableWire<V1Service>;

const app: App = {
  apiVersion: 'example.com/v1',
  kind: 'App',
  metadata: { name: 'web' },
  spec: { image: 'nginx', ports: [] },
};
const deployment: Deployment = {
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
  },
};

describe('a mutable wire type', () => {
  it('is an object of Kubernetes whose parts may be changed, where times are texts', () => {
    expectTypeOf<Pod>().toExtend<KubeObject>();
    expectTypeOf<Deployment>().toExtend<KubeObject>();
    expectTypeOf<ConfigMap>().toExtend<KubeObject>();
    expectTypeOf<Service>().toExtend<KubeObject>();
    expectTypeOf<App>().toExtend<KubeObject>();
    expectTypeOf<Pod['metadata']['creationTimestamp']>().toEqualTypeOf<string | undefined>();
    const change = (pod: Pod, config: ConfigMap, service: Service) => {
      pod.metadata.labels = { app: 'web' };
      pod.spec?.containers.push({ name: 'sidecar', image: 'busybox' });
      config.data = { ...config.data, key: 'value' };
      for (const port of service.spec?.ports ?? []) port.port = 80;
      // @ts-expect-error a Date is not what the server sends or takes
      pod.metadata.creationTimestamp = new Date();
      // @ts-expect-error a container has a name
      pod.spec?.containers.push({ image: 'busybox' });
      // @ts-expect-error the values of a ConfigMap are texts
      config.data.key = 5;
      // @ts-expect-error a port is a number
      service.spec?.ports?.push({ port: '80' });
    };
    expectTypeOf(change).toBeFunction();
  });

  it('may be read as a read-only wire type, and not the other way round', () => {
    expectTypeOf<Deployment>().toExtend<Wire<V1Deployment>>();
    expectTypeOf<Wire<V1Deployment>>().not.toExtend<Deployment>();
    // @ts-expect-error a model of client-node has Dates and may lack its metadata
    const refused = (model: V1Deployment): Deployment => model;
    expectTypeOf(refused).toBeFunction();
  });
});

describe('a client of a type', () => {
  it('reads objects that may be changed', () => {
    const read = async (client: Client) => ({
      pod: await client.resource<Pod>(PODS).get('web-1'),
      apps: await client.resource<App>(APPS).list(),
    });
    expectTypeOf<Awaited<ReturnType<typeof read>>['pod']>().toEqualTypeOf<Pod>();
    expectTypeOf<Awaited<ReturnType<typeof read>>['apps']['items']>().toEqualTypeOf<App[]>();
  });

  it('creates and updates what the type allows, also objects of a cache', () => {
    const write = async (client: Client, cached: DeepReadonly<App>, pod: Wire<V1Pod>) => {
      expectTypeOf(await client.resource<Deployment>(DEPLOYMENTS).create(deployment)).toEqualTypeOf<Deployment>();
      expectTypeOf(await client.resource<App>(APPS).create(app)).toEqualTypeOf<App>();
      await client.resource<App>(APPS).update({ ...cached, spec: { ...cached.spec, replicas: 3 } });
      await client.resource<Pod>(PODS).update(pod);
      await client.resource<Wire<V1Pod>>(PODS).create({ ...pod, spec: { containers: [{ name: 'a', image: 'b' }] } });
      await client
        .resource<ConfigMap>(CONFIG_MAPS)
        .create({ metadata: { generateName: 'c-' }, data: { key: 'value' } });
      await client.resource(APPS).create(app);
      const { name, namespace, labels } = pod.metadata; // each of them may be undefined
      await client.resource<Pod>(PODS).create({ metadata: { name, namespace, labels }, spec: { containers: [] } });
      // @ts-expect-error no field of a Deployment
      await client.resource<Deployment>(DEPLOYMENTS).create({ metadata: { name: 'web' }, nonsense: true });
      // @ts-expect-error a Deployment has metadata
      await client.resource<Deployment>(DEPLOYMENTS).create({ spec: deployment.spec });
      // @ts-expect-error an App has an image
      await client.resource<App>(APPS).update({ ...app, spec: { ports: [] } });
      // @ts-expect-error the type of a Service is one of a few, and a text
      await client.resource<Service>(SERVICES).create({ metadata: { name: 'web' }, spec: { type: 5 } });
    };
    expectTypeOf(write).toBeFunction();
  });

  it('patches with a body that fits the type of the patch', () => {
    const patch = async (client: Client) => {
      const deployments = client.resource<Deployment>(DEPLOYMENTS);
      const apps = client.resource<App>(APPS);
      expectTypeOf(await apps.patch('web', { spec: { replicas: null } }, { type: 'merge' })).toEqualTypeOf<App>();
      await apps.patch('web', { metadata: { labels: { seen: 'yes', old: null } } }, { type: 'merge' });
      await apps.patch('web', [{ op: 'replace', path: '/spec/image', value: 'nginx:2' }], { type: 'json' });
      const containers = [{ name: 'web', $patch: 'delete' as const }];
      await deployments.patch('web', { spec: { template: { spec: { containers } } } }, { type: 'strategic' });
      const applied = { apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 3 } };
      await deployments.patch('web', applied, { type: 'apply', fieldManager: 'shop' });
      await client.resource(APPS).patch('web', { spec: { anything: 1 } }, { type: 'merge' });
      // @ts-expect-error a number of replicas is a number
      await apps.patch('web', { spec: { replicas: 'three' } }, { type: 'merge' });
      // @ts-expect-error no field of an App
      await apps.patch('web', { spec: { image: 'nginx', tag: '2' } }, { type: 'merge' });
      // @ts-expect-error a list of operations is no merge patch
      await apps.patch('web', [{ op: 'remove', path: '/spec/replicas' }], { type: 'merge' });
      // @ts-expect-error a JSON patch is a list of operations
      await apps.patch('web', { spec: { replicas: 3 } }, { type: 'json' });
      // @ts-expect-error no operation of a JSON patch
      await apps.patch('web', [{ op: 'delete', path: '/spec/replicas' }], { type: 'json' });
      // @ts-expect-error the server has to know the type of what is applied
      await apps.patch('web', { spec: { replicas: 3 } }, { type: 'apply', fieldManager: 'shop' });
      // @ts-expect-error a patch has a type
      await apps.patch('web', { spec: { replicas: 3 } }, { fieldManager: 'shop' });
    };
    expectTypeOf(patch).toBeFunction();
  });

  it('applies fields that the type has, also from an object of a cache', () => {
    const apply = async (client: Client, cached: DeepReadonly<App>) => {
      const apps = client.resource<App>(APPS);
      const fieldManager = 'shop';
      const named = { apiVersion: 'example.com/v1', kind: 'App', metadata: { name: 'web' } } as const;
      const { object } = await serverSideApply(apps, { ...named, spec: { replicas: 3 } }, { fieldManager });
      expectTypeOf(object).toEqualTypeOf<App>();
      await serverSideApply(apps, cached, { fieldManager });
      await serverSideApply(client.resource(APPS), { ...named, spec: { anything: 1 } }, { fieldManager });
      await serverSideApply(client.resource(APPS), app, { fieldManager });
      // @ts-expect-error a number of replicas is a number
      await serverSideApply(apps, { ...named, spec: { replicas: 'three' } }, { fieldManager });
      // @ts-expect-error no field of an App
      await serverSideApply(apps, { ...named, specs: { replicas: 3 } }, { fieldManager });
      // @ts-expect-error an apply needs a field manager
      await serverSideApply(apps, named, {});
    };
    expectTypeOf(apply).toBeFunction();
  });

  it('takes a type of its own for a subresource', () => {
    interface Scale {
      spec: { replicas: number };
    }
    const scale = async (client: Client) => {
      const deployments = client.resource<Deployment>(DEPLOYMENTS);
      expectTypeOf(await deployments.get<Scale>('web', { subresource: 'scale' })).toEqualTypeOf<Scale>();
      expectTypeOf(await deployments.get('web', { subresource: 'status' })).toEqualTypeOf<Deployment>();
      const body = { spec: { replicas: 3 } };
      const scaled = await deployments.patch<Scale>('web', body, { type: 'merge', subresource: 'scale' });
      expectTypeOf(scaled).toEqualTypeOf<Scale>();
    };
    expectTypeOf(scale).toBeFunction();
  });

  it('of a hook knows the same types', () => {
    const write = async ({ client }: HookContext) => {
      const apps = client.resource<App>(APPS);
      expectTypeOf(await apps.get('web')).toEqualTypeOf<App>();
      expectTypeOf(await apps.patch('web', { spec: { replicas: 3 } }, { type: 'merge' })).toEqualTypeOf<App>();
      // @ts-expect-error an App has an image
      await apps.create({ ...app, spec: { ports: [] } });
      // @ts-expect-error a number of replicas is a number
      await apps.patch('web', { spec: { replicas: 'three' } }, { type: 'merge' });
    };
    expectTypeOf(write).toBeFunction();
  });
});

describe('createOrUpdate', () => {
  it('knows the type by the resource, and its callback may return anything', () => {
    const use = async (client: Client) => {
      await createOrUpdate(client.resource<Deployment>(DEPLOYMENTS), deployment, (found) => {
        expectTypeOf(found).toEqualTypeOf<Deployment>();
      });
      await createOrUpdate(client.resource<App>(APPS), app, (found) => (found.spec.replicas = 3));
      await createOrUpdate(client.resource<App>(APPS), app, async (found) =>
        found.spec.ports.push({ name: 'a', port: 1 }),
      );
      await createOrUpdate(
        client.resource<ConfigMap>(CONFIG_MAPS),
        { metadata: { name: 'web' } },
        (found) => (found.data = { key: 'value' }),
      );
      const { name, namespace } = app.metadata; // under exactOptionalPropertyTypes, too
      await createOrUpdate(client.resource<ConfigMap>(CONFIG_MAPS), { metadata: { name, namespace } }, () => {});
      await createOrUpdate(client.resource(APPS), app, (found) => expectTypeOf(found).toEqualTypeOf<UnknownObject>());
      // @ts-expect-error a number of replicas is a number
      await createOrUpdate(client.resource<App>(APPS), app, (found) => (found.spec.replicas = 'three'));
      // @ts-expect-error an App is no Deployment
      await createOrUpdate(client.resource<Deployment>(DEPLOYMENTS), app, () => {});
    };
    expectTypeOf(use).toBeFunction();
  });
});

describe('helpers for owners and finalizers', () => {
  it('read read-only objects, and change mutable ones only', () => {
    const use = (cached: Wire<V1Deployment>, owner: DeepReadonly<App>, pod: Pod, service: Service) => {
      setControllerReference(owner, pod);
      setControllerReference(app, service);
      setOwnerReference(cached, deployment);
      ownerReference(cached, { controller: true });
      addFinalizer(app, 'example.com/cleanup');
      removeFinalizer(deployment, 'example.com/cleanup');
      containsFinalizer(cached, 'example.com/cleanup');
      finalizerStep(owner, 'example.com/cleanup');
      addFinalizerPatch(owner, 'example.com/cleanup');
      // @ts-expect-error an object of a cache must not be changed
      setControllerReference(owner, cached);
      // @ts-expect-error an object of a cache must not be changed
      addFinalizer(owner, 'example.com/cleanup');
    };
    expectTypeOf(use).toBeFunction();
  });
});

describe('predicates and enqueuers', () => {
  const informerOf = (factory: InformerFactory) => factory.forResource<Deployment>(DEPLOYMENTS).informer;

  it('know the type of their source', () => {
    const use = (factory: InformerFactory) => {
      const pods = factory.forResource<Wire<V1Pod>>(PODS).informer;
      createInformerSource(pods, { name: 'pods', enqueue: enqueueMapped((pod) => [pod.spec?.nodeName ?? '']) });
      createInformerSource(informerOf(factory), {
        name: 'deployments',
        predicate: updatePredicate((old, now) => old.spec?.replicas !== now.spec?.replicas),
      });
      createInformerSource(factory.forResource<App>(APPS).informer, {
        name: 'apps',
        enqueue: enqueueSelf(),
        predicate: andPredicate(
          generationChanged,
          labelSelectorPredicate('app=web'),
          changedPredicate((found) => found.spec.ports),
          predicateOf({ deleted: ({ object }) => object?.spec.replicas !== 0 }),
        ),
      });
      createInformerSource(pods, { name: 'owners', enqueue: enqueueOwner({ group: '', kind: 'Node' }) });
      createInformerSource(pods, {
        name: 'pods',
        // @ts-expect-error no field of a Pod
        enqueue: enqueueMapped((pod) => [pod.spec?.node]),
      });
      createInformerSource(informerOf(factory), {
        name: 'deployments',
        // @ts-expect-error no field of a Deployment
        predicate: updatePredicate((old, now) => old.spec?.size !== now.spec?.size),
      });
      // @ts-expect-error a predicate on Apps is not one on Pods
      createInformerSource(pods, { name: 'pods', predicate: changedPredicate<App>((found) => found.spec.image) });
    };
    expectTypeOf(use).toBeFunction();
  });

  it('get the old and the new state, read-only', () => {
    updatePredicate<App>((old, now) => {
      expectTypeOf(old).toEqualTypeOf<DeepReadonly<App>>();
      expectTypeOf(now).toEqualTypeOf<DeepReadonly<App>>();
      // @ts-expect-error an object of a cache must not be changed
      now.spec.image = 'nginx';
      return old.spec.image !== now.spec.image;
    });
    // @ts-expect-error the result is a boolean
    updatePredicate<App>((old) => old.spec.image);
  });

  it('that need only metadata fit every type, and those of one type fit no other', () => {
    expectTypeOf<Predicate<KubeObject>>().toExtend<Predicate<App>>();
    expectTypeOf<Predicate<KubeObject>>().toExtend<Predicate<Wire<V1Pod>>>();
    expectTypeOf<Predicate<KubeObject>>().toExtend<Predicate>();
    expectTypeOf<Predicate<App>>().not.toExtend<Predicate<Deployment>>();
  });
});

describe('a transform', () => {
  interface Slim {
    metadata: { name?: string; namespace?: string; uid?: string; resourceVersion?: string };
    node: string | undefined;
  }

  it('goes from the objects on the wire to those of the cache', () => {
    const use = (factory: InformerFactory) => {
      const slim = ({ metadata, spec }: Pod): Slim => ({ metadata, node: spec?.nodeName });
      const { lister, informer } = factory.forResource(PODS, { transform: slim });
      expectTypeOf(lister.get('shop/web')).toEqualTypeOf<DeepReadonly<Slim> | undefined>();
      informer.setTransform(slim);
      factory.forResource<Slim, Pod>(PODS, { transform: ({ metadata }) => ({ metadata, node: undefined }) });
      // @ts-expect-error an object of a cache has metadata
      factory.forResource(PODS, { transform: ({ spec }: Pod) => ({ node: spec?.nodeName }) });
      // @ts-expect-error no field of a Pod
      factory.forResource<Slim, Pod>(PODS, { transform: ({ metadata, node }) => ({ metadata, node }) });
      // @ts-expect-error the result lacks a field
      factory.forResource<Slim, Pod>(PODS, { transform: ({ metadata }) => ({ metadata }) });
    };
    expectTypeOf(use).toBeFunction();
  });
});

describe('a reconciler', () => {
  it('knows the type of the earlier states', () => {
    const reconcile: Reconciler<App> = ({ before, gone }) => {
      expectTypeOf(before).toEqualTypeOf<DeepReadonly<App> | undefined>();
      expectTypeOf(gone?.spec.image).toEqualTypeOf<string | undefined>();
    };
    createController({ name: 'apps', reconcile });
    createController<App>({ name: 'apps', reconcile: ({ gone }) => console.log(gone?.spec.image) });
    createController({ name: 'apps', reconcile: ({ gone }) => console.log(gone?.spec) });
    // @ts-expect-error no field of an App
    createController<App>({ name: 'apps', reconcile: ({ gone }) => console.log(gone?.spec.tag) });
  });

  it('of objects gets the type of the lister', () => {
    const use = (factory: InformerFactory) => {
      const { lister } = factory.forResource<App>(APPS);
      const reconcile = createObjectReconciler(lister, (found, request) => {
        expectTypeOf(found).toEqualTypeOf<DeepReadonly<App>>();
        expectTypeOf(request.gone?.spec.image).toEqualTypeOf<string | undefined>();
      });
      createController({ name: 'apps', reconcile });
    };
    expectTypeOf(use).toBeFunction();
    expectTypeOf<ReconcileRequest['before']>().toEqualTypeOf<DeepReadonly<UnknownObject> | undefined>();
  });
});
