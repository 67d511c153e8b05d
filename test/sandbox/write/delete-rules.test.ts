import { afterEach, beforeEach, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { ask, CONFIG_MAPS, type Loose, PODS } from '../../support/sandbox-requests.ts';

const JOBS = '/apis/batch/v1/namespaces/default/jobs';
let clock: FakeClock;
let sandbox: Sandbox;

beforeEach(async () => {
  clock = new FakeClock();
  sandbox = await Sandbox.start({ socket: false, clock, seed: 1 });
});
afterEach(() => sandbox.stop());

const held = { metadata: { name: 'a', finalizers: ['example.com/x'] } };
const pod = { metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } };

it.each([
  [
    { propagationPolicy: 'Sideways' },
    'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
  ],
  [
    { propagationPolicy: 'Orphan', orphanDependents: true },
    'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
  ],
])('refuses options that say nothing: %o', async (options, message) => {
  await ask(sandbox, 'POST', CONFIG_MAPS, held);
  const { status, body } = await ask(sandbox, 'DELETE', `${CONFIG_MAPS}/a`, options);
  expect([status, body.message]).toEqual([422, message]);
});

it('takes the latest word on what becomes of dependents, also while it is deleting', async () => {
  await ask(sandbox, 'POST', CONFIG_MAPS, held);
  const finalizers = async (options: object) => (await ask(sandbox, 'DELETE', `${CONFIG_MAPS}/a`, options)).body.metadata.finalizers;
  expect(await finalizers({ propagationPolicy: 'Orphan' })).toEqual(['example.com/x', 'orphan']);
  expect(await finalizers({})).toEqual(['example.com/x', 'orphan']);
  expect(await finalizers({ propagationPolicy: 'Foreground' })).toEqual(['example.com/x', 'foregroundDeletion']);
  expect(await finalizers({ orphanDependents: true })).toEqual(['example.com/x', 'orphan']);
  expect(await finalizers({ propagationPolicy: 'Background' })).toEqual(['example.com/x']);
});

it('leaves the pods of a job unless told otherwise, and warns of it', async () => {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
  await ask(sandbox, 'POST', JOBS, { metadata: { name: 'j' }, spec: { template } });
  const { headers, body } = await ask(sandbox, 'DELETE', `${JOBS}/j`);
  expect(body.metadata.finalizers).toEqual(['orphan']);
  expect(headers.warning).toBe(
    '299 - "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"',
  );
  await clock.advance(100);
  expect((await ask(sandbox, 'GET', `${JOBS}/j`)).status).toBe(404);
});

it('shortens the time a pod has, and never lengthens it', async () => {
  await ask(sandbox, 'POST', PODS, { ...pod, metadata: { name: 'p', finalizers: ['example.com/x'] } });
  const times = async (options: object) => {
    const { metadata } = (await ask(sandbox, 'DELETE', `${PODS}/p`, options)).body;
    return [metadata.deletionGracePeriodSeconds, metadata.deletionTimestamp, metadata.generation];
  };
  expect(await times({ gracePeriodSeconds: 20 })).toEqual([20, '2026-01-01T00:00:20Z', 2]);
  await clock.advance(100);
  expect(await times({})).toEqual([20, '2026-01-01T00:00:20Z', 2]);
  expect(await times({ gracePeriodSeconds: 60 })).toEqual([20, '2026-01-01T00:00:20Z', 2]);
  expect(await times({ gracePeriodSeconds: 5 })).toEqual([5, '2026-01-01T00:00:05Z', 2]);
});

it('says of a namespace that is going what holds it, and lets it go with that', async () => {
  await ask(sandbox, 'POST', '/api/v1/namespaces', { metadata: { name: 'doomed' } });
  await ask(sandbox, 'POST', '/api/v1/namespaces/doomed/configmaps', held);
  const marked = (await ask(sandbox, 'DELETE', '/api/v1/namespaces/doomed')).body;
  expect(marked.metadata.deletionGracePeriodSeconds).toBeUndefined();
  await clock.advance(1_000);
  const { conditions } = (await ask(sandbox, 'GET', '/api/v1/namespaces/doomed')).body.status as { conditions: Loose[] };
  expect(conditions.map((c) => [c.reason, c.message]).slice(3)).toEqual([
    ['SomeResourcesRemain', 'Some resources are remaining: configmaps. has 1 resource instances'],
    ['SomeFinalizersRemain', 'Some content in the namespace has finalizers remaining: example.com/x in 1 resource instances'],
  ]);
  await ask(sandbox, 'PATCH', '/api/v1/namespaces/doomed/configmaps/a', { metadata: { finalizers: null } });
  await clock.advance(1_000);
  expect((await ask(sandbox, 'GET', '/api/v1/namespaces/doomed')).status).toBe(404);
});

it('lets a namespace be finalized by hand', async () => {
  await ask(sandbox, 'POST', '/api/v1/namespaces', { metadata: { name: 'stuck' } });
  await ask(sandbox, 'POST', '/api/v1/namespaces/stuck/configmaps', held);
  const { body } = await ask(sandbox, 'DELETE', '/api/v1/namespaces/stuck');
  const ignored = await ask(sandbox, 'PUT', '/api/v1/namespaces/stuck', { ...body, spec: {} });
  expect(ignored.body.spec.finalizers).toEqual(['kubernetes']);
  const { resourceVersion: _version, ...metadata } = body.metadata;
  expect((await ask(sandbox, 'PUT', '/api/v1/namespaces/stuck/finalize', { ...body, metadata, spec: {} })).status).toBe(200);
  expect((await ask(sandbox, 'GET', '/api/v1/namespaces/stuck')).status).toBe(404);
});
