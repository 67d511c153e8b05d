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

const OWNERS = '/apis/apps/v1/namespaces/default/deployments';
const reference = (name: string, uid: string, more: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid, ...more });
const make = (name: string, ownerReferences: object[], more: object = {}) =>
  ask(sandbox, 'POST', CONFIG_MAPS, { metadata: { name, ownerReferences, ...more } });

it('collects what a client makes for an owner that is not there, by uid, name or namespace, but not what a fixture brings', async () => {
  const uid = sandbox.apply(configMapNamed('owner'))[0]?.metadata.uid ?? '';
  await make('wrong-uid', [reference('owner', 'another')]);
  await make('wrong-name', [reference('other', uid)]);
  await make('right', [reference('owner', uid)]);
  await make('unknown-kind', [{ ...reference('owner', 'another'), kind: 'Mystery' }]);
  sandbox.apply({ ...configMapNamed('loaded'), metadata: { name: 'loaded', ownerReferences: [reference('gone', 'nobody')] } });
  await clock.advance(1_000);
  expect(names()).toEqual(['loaded', 'owner', 'right', 'unknown-kind']);
});

it('in the foreground waits only for dependents that block, and leaves those that belong to another too', async () => {
  const [a, other] = sandbox.apply([configMapNamed('a'), configMapNamed('other')]).map((o) => o.metadata.uid ?? '');
  const held = { finalizers: ['example.com/x'] };
  await make('blocks', [reference('a', a ?? '', { blockOwnerDeletion: true })], held);
  await make('does-not', [reference('a', a ?? '')], held);
  await make('shared', [reference('a', a ?? '', { blockOwnerDeletion: true }), reference('other', other ?? '')]);
  await ask(sandbox, 'DELETE', `${CONFIG_MAPS}/a`, { propagationPolicy: 'Foreground' });
  await clock.advance(1_000);
  expect(names()).toEqual(['a', 'blocks', 'does-not', 'other', 'shared']);
  await ask(sandbox, 'PATCH', `${CONFIG_MAPS}/blocks`, { metadata: { finalizers: null } });
  await clock.advance(1_000);
  expect(names()).toEqual(['does-not', 'other', 'shared']);
});

it('follows an owner across types, over a deployment that is deleted with what it owns', async () => {
  const spec = {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  };
  const { body } = await ask(sandbox, 'POST', OWNERS, { metadata: { name: 'web' }, spec });
  await make('mine', [{ ...reference('web', body.metadata.uid ?? ''), apiVersion: 'apps/v1', kind: 'Deployment' }]);
  await ask(sandbox, 'DELETE', `${OWNERS}/web`, { propagationPolicy: 'Background' });
  await clock.advance(1_000);
  expect(names()).toEqual([]);
});
