import { afterAll, beforeAll, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const clock = new FakeClock();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await Sandbox.start({ socket: false, clock, seed: 1 });
});
afterAll(() => sandbox.stop());

it('a new cluster has the system namespaces, all of them active', () => {
  const namespaces = sandbox.list({ apiVersion: 'v1', kind: 'Namespace' });
  expect(namespaces.map(({ metadata }) => metadata.name)).toEqual([
    'default',
    'kube-node-lease',
    'kube-public',
    'kube-system',
  ]);
  expect(namespaces.map(({ status }) => (status as { phase: string }).phase)).toEqual(Array(4).fill('Active'));
});

it('a new cluster has the service of the API server and the default roles', () => {
  const service = sandbox.get({ apiVersion: 'v1', kind: 'Service' }, 'default/kubernetes');
  expect(service?.spec).toMatchObject({
    clusterIP: '10.0.0.1',
    ports: [{ name: 'https', port: 443, targetPort: 6443 }],
  });
  const roles = sandbox
    .list({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' })
    .map(({ metadata }) => metadata.name);
  expect(roles).toEqual(expect.arrayContaining(['admin', 'cluster-admin', 'edit', 'view']));
});

it('its objects were created now, by kube-apiserver', () => {
  const metadata = sandbox.get({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' }, 'view')?.metadata;
  for (const kind of ['Namespace', 'Service'])
    for (const { metadata } of sandbox.list({ apiVersion: 'v1', kind }))
      expect([Date.parse(metadata.creationTimestamp ?? ''), metadata.name]).toEqual([clock.now(), metadata.name]);
  expect(Date.parse(metadata?.creationTimestamp ?? '')).toBe(clock.now());
  expect(metadata?.managedFields?.map(({ manager }) => manager)).toEqual(['kube-apiserver']);
});

it('another sandbox has objects of its own', async () => {
  await using other = await Sandbox.start({ socket: false, clock, seed: 1 });
  sandbox.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', labels: { changed: 'yes' } } });
  expect(other.get({ apiVersion: 'v1', kind: 'Namespace' }, 'default')?.metadata.labels).not.toHaveProperty('changed');
});
