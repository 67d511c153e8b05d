import { afterEach, beforeEach, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { ask, CONFIG_MAPS, configMapNamed, PODS, podNamed } from '../../support/sandbox-requests.ts';

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

const names = () => sandbox.list({ apiVersion: 'v1', kind: 'ConfigMap' }).map((o) => o.metadata.name);

/** A config map that belongs to others. */
function ownedBy(name: string, ...owners: string[]): object {
  const ownerReferences = owners.map((owner) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: owner,
    uid: sandbox.get({ apiVersion: 'v1', kind: 'ConfigMap' }, `default/${owner}`)?.metadata.uid ?? '',
    blockOwnerDeletion: true,
  }));
  return { ...configMapNamed(name), metadata: { name, ownerReferences } };
}

function family(): void {
  sandbox.apply([configMapNamed('a'), configMapNamed('other')]);
  sandbox.apply(ownedBy('b', 'a'));
  sandbox.apply(ownedBy('c', 'b'));
  sandbox.apply(ownedBy('shared', 'a', 'other'));
}

it('lets dependents follow their owner, down to the last, unless another owner lives', async () => {
  family();
  await ask(sandbox, 'DELETE', `${CONFIG_MAPS}/a`);
  expect(names()).toEqual(['b', 'c', 'other', 'shared']);
  await clock.advance(1_000);
  expect(names()).toEqual(['other', 'shared']);
  expect(sandbox.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'default/shared')?.metadata.ownerReferences).toHaveLength(1);
});

it('deletes the owner last in the foreground', async () => {
  family();
  await ask(sandbox, 'DELETE', `${CONFIG_MAPS}/a`, { propagationPolicy: 'Foreground' });
  expect(names()).toContain('a');
  await clock.advance(60);
  expect(names()).toContain('a');
  await clock.advance(1_000);
  expect(names()).not.toContain('b');
  expect(names()).not.toContain('a');
});

it('sets dependents free when told to orphan them', async () => {
  family();
  await ask(sandbox, 'DELETE', `${CONFIG_MAPS}/a`, { propagationPolicy: 'Orphan' });
  await clock.advance(1_000);
  expect(names()).toEqual(['b', 'c', 'other', 'shared']);
  expect(sandbox.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'default/b')?.metadata.ownerReferences).toBeUndefined();
});

it('empties a namespace that was deleted and refuses new objects meanwhile', async () => {
  sandbox.apply({ ...configMapNamed('x'), metadata: { name: 'x', namespace: 'doomed' } });
  const marked = await ask(sandbox, 'DELETE', '/api/v1/namespaces/doomed');
  expect(marked.body.status.phase).toBe('Terminating');
  const refused = await ask(sandbox, 'POST', '/api/v1/namespaces/doomed/configmaps', { metadata: { name: 'y' } });
  expect([refused.status, refused.body.reason]).toEqual([403, 'Forbidden']);
  await clock.advance(1_000);
  expect((await ask(sandbox, 'GET', '/api/v1/namespaces/doomed')).status).toBe(404);
  expect(names()).toEqual([]);
});

it('keeps the namespaces nothing works without', async () => {
  expect((await ask(sandbox, 'DELETE', '/api/v1/namespaces/kube-system')).status).toBe(403);
});

it('lets a pod on a node wind down, and one without go at once', async () => {
  await ask(sandbox, 'POST', PODS, podNamed('loose'));
  await ask(sandbox, 'POST', PODS, { ...podNamed('bound'), spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } });
  expect((await ask(sandbox, 'DELETE', `${PODS}/loose`)).body.metadata.deletionGracePeriodSeconds).toBe(0);
  expect((await ask(sandbox, 'GET', `${PODS}/loose`)).status).toBe(404);
  expect((await ask(sandbox, 'DELETE', `${PODS}/bound`)).body.metadata.deletionGracePeriodSeconds).toBe(30);
  expect((await ask(sandbox, 'GET', `${PODS}/bound`)).status).toBe(200);
  await clock.advance(2_000);
  expect((await ask(sandbox, 'GET', `${PODS}/bound`)).status).toBe(404);
});
