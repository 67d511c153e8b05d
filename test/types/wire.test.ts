import type {
  V1ConfigMap,
  V1CustomResourceDefinition,
  V1Deployment,
  V1LeaseSpec,
  V1NetworkPolicy,
  V1ObjectMeta,
  V1Pod,
} from '@kubernetes/client-node';
import { describe, expectTypeOf, it } from 'vitest';
import type { InformerFactory } from '../../src/informer/informer-factory.ts';
import type { DeepReadonly, KubeObject } from '../../src/model/object.ts';
import type { Wire } from '../../src/model/wire.ts';

type Present<T> = NonNullable<T>;

describe('a Pod on the wire', () => {
  type Pod = Wire<V1Pod>;
  type Status = Present<Pod['status']>;

  it('has its metadata, and times in it are texts', () => {
    expectTypeOf<Pod['metadata']>().toExtend<object>();
    expectTypeOf<Pod['metadata']['creationTimestamp']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Status['startTime']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Present<V1ObjectMeta['creationTimestamp']>>().toEqualTypeOf<Date>();
  });

  it('keeps texts, numbers and maps as they are, and optional what is optional', () => {
    expectTypeOf<Present<Pod['spec']>['nodeName']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Present<Pod['spec']>['terminationGracePeriodSeconds']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Present<Pod['metadata']['labels']>>().toEqualTypeOf<{ readonly [key: string]: string }>();
  });

  it('is read-only all the way down, through lists too', () => {
    const mutate = (pod: Pod, container: Present<Pod['spec']>['containers'][number]) => {
      // @ts-expect-error the object itself
      pod.spec = undefined;
      // @ts-expect-error its metadata
      pod.metadata.labels = {};
      // @ts-expect-error a map in it
      if (pod.metadata.labels) pod.metadata.labels.app = 'web';
      // @ts-expect-error a list in it
      pod.spec?.containers.push(container);
      // @ts-expect-error what the list holds
      container.image = 'nginx';
    };
    expectTypeOf(mutate).toBeFunction();
  });
});

describe('a Deployment on the wire', () => {
  type Deployment = Wire<V1Deployment>;
  type Spec = Present<Deployment['spec']>;

  it('has texts for the times in its conditions', () => {
    type Condition = Present<Present<Deployment['status']>['conditions']>[number];
    expectTypeOf<Condition['lastTransitionTime']>().toEqualTypeOf<string | undefined>();
  });

  it('keeps numbers or texts where both may be, and the metadata of its template optional', () => {
    type Rolling = Present<Present<Spec['strategy']>['rollingUpdate']>;
    expectTypeOf<Rolling['maxSurge']>().toEqualTypeOf<number | string | undefined>();
    expectTypeOf<undefined>().toExtend<Spec['template']['metadata']>();
  });
});

describe('a NetworkPolicy on the wire', () => {
  type Ingress = Present<Present<Wire<V1NetworkPolicy>['spec']>['ingress']>[number];

  it('has `from`, which client-node calls _from', () => {
    expectTypeOf<keyof Ingress>().toEqualTypeOf<'from' | 'ports'>();
    expectTypeOf<Present<Present<Ingress['from']>[number]['ipBlock']>['cidr']>().toEqualTypeOf<string>();
  });
});

describe('a ConfigMap on the wire', () => {
  it('has maps of texts', () => {
    expectTypeOf<Present<Wire<V1ConfigMap>['data']>>().toEqualTypeOf<{ readonly [key: string]: string }>();
    expectTypeOf<Present<Wire<V1ConfigMap>['binaryData']>>().toEqualTypeOf<{ readonly [key: string]: string }>();
  });
});

describe('a CustomResourceDefinition on the wire', () => {
  type Version = Wire<V1CustomResourceDefinition>['spec']['versions'][number];
  type Schema = Present<Present<Version['schema']>['openAPIV3Schema']>;

  it("has the schema's own words: default, enum, x-kubernetes-…, $ref", () => {
    expectTypeOf<Schema>().toHaveProperty('default');
    expectTypeOf<Schema>().toHaveProperty('enum');
    expectTypeOf<Schema>().toHaveProperty('$ref');
    expectTypeOf<Schema['x-kubernetes-preserve-unknown-fields']>().toEqualTypeOf<boolean | undefined>();
    expectTypeOf<Present<Schema['x-kubernetes-list-map-keys']>>().toEqualTypeOf<readonly string[]>();
    expectTypeOf<Extract<keyof Schema, `_${string}` | `x_${string}` | 'ref'>>().toEqualTypeOf<never>();
  });

  it('goes down as far as schemas do, and keeps `schema` where it is a name of its own', () => {
    expectTypeOf<Present<Schema['properties']>[string]['allOf']>().toEqualTypeOf<readonly Schema[] | undefined>();
    expectTypeOf<Version>().toHaveProperty('schema');
  });
});

it('micro-times are texts too', () => {
  expectTypeOf<Wire<V1LeaseSpec>['renewTime']>().toEqualTypeOf<string | undefined>();
});

it('an informer takes Wire types, and own interfaces as they are', () => {
  expectTypeOf<Wire<V1Pod>>().toExtend<DeepReadonly<KubeObject>>();
  expectTypeOf<Wire<V1CustomResourceDefinition>>().toExtend<DeepReadonly<KubeObject>>();
  const podOf = (factory: InformerFactory) =>
    factory.forResource<Wire<V1Pod>>({ group: '', version: 'v1', resource: 'pods' }).lister.get('a/b');
  type Found = NonNullable<ReturnType<typeof podOf>>;
  expectTypeOf<Found['metadata']['creationTimestamp']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<NonNullable<Found['spec']>['nodeName']>().toEqualTypeOf<string | undefined>();
});
