import { afterEach, beforeEach, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { ask, configMapNamed } from '../../support/sandbox-requests.ts';

let clock: FakeClock;
let sandbox: Sandbox;

beforeEach(async () => {
  clock = new FakeClock();
  sandbox = await Sandbox.start({ socket: false, clock, seed: 1 });
});
afterEach(async () => {
  await sandbox.stop();
  expect(clock.pending).toBe(0);
});

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };

it('empties a deleted namespace, and no object can be created in it meanwhile', async () => {
  sandbox.apply({ ...configMapNamed('x'), metadata: { name: 'x', namespace: 'doomed' } });
  const marked = await ask(sandbox, 'DELETE', '/api/v1/namespaces/doomed');
  expect(marked.body.status.phase).toBe('Terminating');
  const refused = await ask(sandbox, 'POST', '/api/v1/namespaces/doomed/configmaps', { metadata: { name: 'y' } });
  expect([refused.status, refused.body.reason]).toEqual([403, 'Forbidden']);
  await clock.advance(1_000);
  expect((await ask(sandbox, 'GET', '/api/v1/namespaces/doomed')).status).toBe(404);
  expect(sandbox.list(CONFIG_MAP)).toEqual([]);
});

it('refuses to delete a system namespace', async () => {
  expect((await ask(sandbox, 'DELETE', '/api/v1/namespaces/kube-system')).status).toBe(403);
});

it('says in the status what is left, while finalizers delay the deletion', async () => {
  const metadata = { name: 'x', namespace: 'doomed', finalizers: ['example.com/a', 'example.com/b'] };
  sandbox.apply([
    { ...configMapNamed('x'), metadata },
    { ...configMapNamed('y'), metadata: { ...metadata, name: 'y', finalizers: ['example.com/a'] } },
    { ...configMapNamed('z'), metadata: { name: 'z', namespace: 'doomed' } },
  ]);
  await ask(sandbox, 'DELETE', '/api/v1/namespaces/doomed');
  await clock.advance(1_000);
  expect(sandbox.list(CONFIG_MAP, { namespace: 'doomed' }).map((o) => o.metadata.name)).toEqual(['x', 'y']);
  const { body } = await ask(sandbox, 'GET', '/api/v1/namespaces/doomed');
  const conditions = body.status.conditions as { type: string; status: string; message: string }[];
  expect(
    conditions.filter(({ status }) => status === 'True').map(({ type, message }) => `${type}: ${message}`),
  ).toEqual([
    'NamespaceContentRemaining: Some resources are remaining: configmaps. has 2 resource instances',
    'NamespaceFinalizersRemaining: Some content in the namespace has finalizers remaining: example.com/a in 2 resource instances, example.com/b in 1 resource instances',
  ]);
  expect(conditions.filter(({ status }) => status === 'False').map(({ type }) => type)).toEqual([
    'NamespaceDeletionDiscoveryFailure',
    'NamespaceDeletionGroupVersionParsingFailure',
    'NamespaceDeletionContentFailure',
  ]);
  for (const name of ['x', 'y']) {
    await ask(sandbox, 'PATCH', `/api/v1/namespaces/doomed/configmaps/${name}`, { metadata: { finalizers: null } });
  }
  await clock.advance(1_000);
  expect((await ask(sandbox, 'GET', '/api/v1/namespaces/doomed')).status).toBe(404);
});

it('leaves other namespaces and objects without a namespace', async () => {
  sandbox.apply([
    { ...configMapNamed('x'), metadata: { name: 'x', namespace: 'doomed' } },
    { ...configMapNamed('x'), metadata: { name: 'x', namespace: 'doomed-not' } },
    { apiVersion: 'v1', kind: 'Node', metadata: { name: 'doomed' } },
  ]);
  await ask(sandbox, 'DELETE', '/api/v1/namespaces/doomed');
  await clock.advance(1_000);
  expect(sandbox.list(CONFIG_MAP).map((o) => o.metadata.namespace)).toEqual(['doomed-not']);
  expect(sandbox.get({ apiVersion: 'v1', kind: 'Node' }, 'doomed')).toBeDefined();
});

it('continues the deletion of a namespace in a restored server', async () => {
  sandbox.apply({
    ...configMapNamed('x'),
    metadata: { name: 'x', namespace: 'doomed', finalizers: ['example.com/a'] },
  });
  await ask(sandbox, 'DELETE', '/api/v1/namespaces/doomed');
  const snapshot = sandbox.snapshot();
  await sandbox.restore(snapshot);
  await ask(sandbox, 'PATCH', '/api/v1/namespaces/doomed/configmaps/x', { metadata: { finalizers: null } });
  await clock.advance(1_000);
  expect((await ask(sandbox, 'GET', '/api/v1/namespaces/doomed')).status).toBe(404);
});
