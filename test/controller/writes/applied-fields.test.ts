import { expect, it } from 'vitest';
import { serverSideApply } from '../../../src/controller/writes/server-side-apply.ts';
import { parseGvr } from '../../../src/model/gvr.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { inProcess } from '../../support/in-process.ts';

const DEPLOYMENTS = parseGvr('apps/v1/deployments');
const OWNER = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '0b9fd4f9-4a0e-4b49-a25b-3f9c4a1f3b11' };

const web = (change: (object: ReturnType<typeof made>) => void = () => {}) => {
  const object = made();
  change(object);
  return object;
};
const made = () => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'web',
    namespace: 'shop',
    labels: { app: 'web' } as Record<string, string>,
    finalizers: ['example.com/a', 'example.com/b'],
    ownerReferences: [OWNER],
  },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [
          {
            name: 'c',
            image: 'nginx',
            args: ['-v'],
            ports: [{ containerPort: 80 }],
            resources: { limits: { cpu: '1' } } as object,
          },
          { name: 'd', image: 'envoy' },
        ] as object[],
      },
    },
  },
});

/** The requests of an apply of `object`, after one of `before` by the same manager, with the object as it is then. */
async function sentFor(before: object, object: object, change: (current: UnknownObject) => void = () => {}) {
  const { sandbox, client, sent } = await inProcess({
    objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }],
  });
  const resource = client.resource(DEPLOYMENTS, { namespace: 'shop' });
  await serverSideApply(resource, before as never, { fieldManager: 'mine' });
  const current = structuredClone(sandbox.get(DEPLOYMENTS, 'shop/web')) as UnknownObject;
  change(current);
  sent.length = 0;
  const { result, object: after } = await serverSideApply(resource, object as never, {
    fieldManager: 'mine',
    force: true,
    current,
  });
  expect((after as UnknownObject).metadata.name).toBe('web');
  return { requests: sent.length, result };
}

it('an apply of what the manager applied before is not sent, though the server added defaults', async () => {
  expect(await sentFor(web(), web())).toEqual({ requests: 0, result: 'unchanged' });
});

it.each([{}, { labels: { app: 'web' } }, { labels: { app: 'web' }, annotations: { a: '1' } }])(
  'an apply whose metadata has only %j beside the name is not sent again',
  async (more) => {
    const object = { ...made(), metadata: { name: 'web', namespace: 'shop', ...more } };
    expect(await sentFor(object, object)).toEqual({ requests: 0, result: 'unchanged' });
  },
);

it.each<[string, Parameters<typeof web>[0]]>([
  [
    'another value',
    (object) => {
      object.spec.replicas = 3;
    },
  ],
  [
    'a field more',
    (object) => {
      object.metadata.labels.tier = 'front';
    },
  ],
  [
    'a field less',
    (object) => {
      object.metadata.labels = {};
    },
  ],
  [
    'another list',
    (object) => void object.spec.template.spec.containers.splice(0, 1, { name: 'c', image: 'nginx', args: [] }),
  ],
  ['an item less', (object) => void object.spec.template.spec.containers.pop()],
  ['an item more', (object) => void object.spec.template.spec.containers.push({ name: 'e', image: 'redis' })],
  ['items in another order', (object) => void object.spec.template.spec.containers.reverse()],
  ['a finalizer less', (object) => void object.metadata.finalizers.pop()],
])('one of %s is sent', async (_, change) => {
  expect(await sentFor(web(), web(change))).toMatchObject({ requests: 1 });
});

it.each<[string, (current: UnknownObject) => void]>([
  ['another writer changed a value', (current) => void Object.assign(current.spec as object, { replicas: 9 })],
  ['another writer changed the order of finalizers', (current) => void current.metadata.finalizers?.reverse()],
  ['another writer removed a finalizer', (current) => void current.metadata.finalizers?.shift()],
  [
    'another writer changed the order of containers',
    (current) => {
      const { template } = current.spec as { template: { spec: { containers: unknown[] } } };
      template.spec.containers.reverse();
    },
  ],
  ['the object has no managedFields', (current) => void delete current.metadata.managedFields],
  [
    'another manager applied it',
    (current) => {
      for (const entry of current.metadata.managedFields ?? []) Object.assign(entry, { manager: 'other' });
    },
  ],
  [
    'it was applied in another version of the type',
    (current) => {
      for (const entry of current.metadata.managedFields ?? []) Object.assign(entry, { apiVersion: 'apps/v1beta1' });
    },
  ],
  [
    'it was applied to another subresource',
    (current) => {
      for (const entry of current.metadata.managedFields ?? []) Object.assign(entry, { subresource: 'status' });
    },
  ],
])('one is sent if %s', async (_, change) => {
  expect(await sentFor(web(), web(), change)).toMatchObject({ requests: 1 });
});

it('one with a value that the server stores in another form is sent, because that is not known', async () => {
  const long = web((object) => {
    object.spec.template.spec.containers[0] = { name: 'c', image: 'nginx', resources: { limits: { cpu: '1000m' } } };
  });
  const { requests } = await sentFor(long, long);
  expect(requests).toBeLessThanOrEqual(1);
});
