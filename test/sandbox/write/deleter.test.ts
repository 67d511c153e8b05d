import { expect, it } from 'vitest';
import { CONFIG_MAPS, type Loose, PODS } from '../../support/sandbox-requests.ts';
import { useSandbox } from '../../support/write-requests.ts';

const server = useSandbox();
const held = { metadata: { name: 'a', finalizers: ['example.com/x'] } };
const pod = { metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } };

it('uses the latest propagation policy, also while the object is being deleted', async () => {
  await server.ask('POST', CONFIG_MAPS, held);
  const finalizers = async (options: object) =>
    (await server.ask('DELETE', `${CONFIG_MAPS}/a`, options)).body.metadata.finalizers;
  expect(await finalizers({ propagationPolicy: 'Orphan' })).toEqual(['example.com/x', 'orphan']);
  expect(await finalizers({})).toEqual(['example.com/x', 'orphan']);
  expect(await finalizers({ propagationPolicy: 'Foreground' })).toEqual(['example.com/x', 'foregroundDeletion']);
  expect(await finalizers({ orphanDependents: true })).toEqual(['example.com/x', 'orphan']);
  expect(await finalizers({ propagationPolicy: 'Background' })).toEqual(['example.com/x']);
});

it('can shorten the grace period of a pod, and never extends it', async () => {
  await server.ask('POST', PODS, { ...pod, metadata: { name: 'p', finalizers: ['example.com/x'] } });
  const times = async (options: object) => {
    const { metadata } = (await server.ask('DELETE', `${PODS}/p`, options)).body;
    return [metadata.deletionGracePeriodSeconds, metadata.deletionTimestamp, metadata.generation];
  };
  expect(await times({ gracePeriodSeconds: 20 })).toEqual([20, '2026-01-01T00:00:20Z', 2]);
  await server.clock.advance(100);
  expect(await times({})).toEqual([20, '2026-01-01T00:00:20Z', 2]);
  expect(await times({ gracePeriodSeconds: 60 })).toEqual([20, '2026-01-01T00:00:20Z', 2]);
  expect(await times({ gracePeriodSeconds: 5 })).toEqual([5, '2026-01-01T00:00:05Z', 2]);
});

it('reports what delays the deletion of a namespace, and completes it afterwards', async () => {
  await server.ask('POST', '/api/v1/namespaces', { metadata: { name: 'doomed' } });
  await server.ask('POST', '/api/v1/namespaces/doomed/configmaps', held);
  const marked = (await server.ask('DELETE', '/api/v1/namespaces/doomed')).body;
  expect(marked.metadata.deletionGracePeriodSeconds).toBeUndefined();
  await server.clock.advance(1_000);
  const { conditions } = (await server.ask('GET', '/api/v1/namespaces/doomed')).body.status as { conditions: Loose[] };
  expect(conditions.map((c) => [c.reason, c.message]).slice(3)).toEqual([
    ['SomeResourcesRemain', 'Some resources are remaining: configmaps. has 1 resource instances'],
    [
      'SomeFinalizersRemain',
      'Some content in the namespace has finalizers remaining: example.com/x in 1 resource instances',
    ],
  ]);
  await server.ask('PATCH', '/api/v1/namespaces/doomed/configmaps/a', { metadata: { finalizers: null } });
  await server.clock.advance(1_000);
  expect((await server.ask('GET', '/api/v1/namespaces/doomed')).status).toBe(404);
});

it('allows finalizing a namespace by hand', async () => {
  await server.ask('POST', '/api/v1/namespaces', { metadata: { name: 'stuck' } });
  await server.ask('POST', '/api/v1/namespaces/stuck/configmaps', held);
  const { body } = await server.ask('DELETE', '/api/v1/namespaces/stuck');
  const ignored = await server.ask('PUT', '/api/v1/namespaces/stuck', { ...body, spec: {} });
  expect(ignored.body.spec.finalizers).toEqual(['kubernetes']);
  const { resourceVersion: _version, ...metadata } = body.metadata;
  expect((await server.ask('PUT', '/api/v1/namespaces/stuck/finalize', { ...body, metadata, spec: {} })).status).toBe(
    200,
  );
  expect((await server.ask('GET', '/api/v1/namespaces/stuck')).status).toBe(404);
});
