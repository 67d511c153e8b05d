import { afterEach, beforeEach, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { ask, CONFIG_MAPS, configMapNamed } from '../../support/sandbox-requests.ts';

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

it('deletes dependents after their owner, and their dependents, unless another owner exists', async () => {
  family();
  await ask(sandbox, 'DELETE', `${CONFIG_MAPS}/a`);
  expect(names()).toEqual(['b', 'c', 'other', 'shared']);
  await clock.advance(1_000);
  expect(names()).toEqual(['other', 'shared']);
  expect(sandbox.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'default/shared')?.metadata.ownerReferences).toHaveLength(
    1,
  );
});

it('deletes the owner last in foreground deletion', async () => {
  family();
  await ask(sandbox, 'DELETE', `${CONFIG_MAPS}/a`, { propagationPolicy: 'Foreground' });
  expect(names()).toContain('a');
  await clock.advance(60);
  expect(names()).toContain('a');
  await clock.advance(1_000);
  expect(names()).not.toContain('b');
  expect(names()).not.toContain('a');
});

it('removes the references of dependents when the policy is Orphan', async () => {
  family();
  await ask(sandbox, 'DELETE', `${CONFIG_MAPS}/a`, { propagationPolicy: 'Orphan' });
  await clock.advance(1_000);
  expect(names()).toEqual(['b', 'c', 'other', 'shared']);
  expect(sandbox.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'default/b')?.metadata.ownerReferences).toBeUndefined();
});

const OWNERS = '/apis/apps/v1/namespaces/default/deployments';
const reference = (name: string, uid: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid,
  ...more,
});
const make = (name: string, ownerReferences: object[], more: object = {}) =>
  ask(sandbox, 'POST', CONFIG_MAPS, { metadata: { name, ownerReferences, ...more } });

it('deletes what a client creates for an owner with another uid or name, keeps it for an unknown kind, and keeps what a fixture creates', async () => {
  const uid = sandbox.apply(configMapNamed('owner'))[0]?.metadata.uid ?? '';
  await make('wrong-uid', [reference('owner', 'another')]);
  await make('wrong-name', [reference('other', uid)]);
  await make('right', [reference('owner', uid)]);
  await make('unknown-kind', [{ ...reference('owner', 'another'), kind: 'Mystery' }]);
  sandbox.apply({
    ...configMapNamed('loaded'),
    metadata: { name: 'loaded', ownerReferences: [reference('former', 'unknown-uid')] },
  });
  await clock.advance(1_000);
  expect(names()).toEqual(['loaded', 'owner', 'right', 'unknown-kind']);
});

it('waits in foreground deletion only for dependents that block, and keeps those that have another owner', async () => {
  const [a, other] = sandbox.apply([configMapNamed('a'), configMapNamed('other')]).map((o) => o.metadata.uid ?? '');
  const kept = { finalizers: ['example.com/x'] };
  await make('blocks', [reference('a', a ?? '', { blockOwnerDeletion: true })], kept);
  await make('does-not', [reference('a', a ?? '')], kept);
  await make('shared', [reference('a', a ?? '', { blockOwnerDeletion: true }), reference('other', other ?? '')]);
  await ask(sandbox, 'DELETE', `${CONFIG_MAPS}/a`, { propagationPolicy: 'Foreground' });
  await clock.advance(1_000);
  expect(names()).toEqual(['a', 'blocks', 'does-not', 'other', 'shared']);
  await ask(sandbox, 'PATCH', `${CONFIG_MAPS}/blocks`, { metadata: { finalizers: null } });
  await clock.advance(1_000);
  expect(names()).toEqual(['does-not', 'other', 'shared']);
});

it('deletes dependents of another type than their owner, here of a Deployment', async () => {
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

it('knows the owners of objects that were restored from a snapshot', async () => {
  family();
  await sandbox.restore(sandbox.snapshot());
  await clock.advance(1_000);
  expect(names()).toEqual(['a', 'b', 'c', 'other', 'shared']);
  await ask(sandbox, 'DELETE', `${CONFIG_MAPS}/a`);
  await clock.advance(1_000);
  expect(names()).toEqual(['other', 'shared']);
});

it('keeps what a fixture created without its owner, also after the server was restored', async () => {
  sandbox.apply({
    ...configMapNamed('loaded'),
    metadata: { name: 'loaded', ownerReferences: [reference('former', 'unknown-uid')] },
  });
  await sandbox.restore(sandbox.snapshot());
  await clock.advance(1_000);
  expect(names()).toEqual(['loaded']);
});

it('deletes the dependents of objects that go with their definition, but not those of an owner in another namespace', async () => {
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'apples.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'apples', kind: 'Apple' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  };
  const [, apple] = sandbox.apply([
    definition,
    { apiVersion: 'example.com/v1', kind: 'Apple', metadata: { name: 'a', namespace: 'default' } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'elsewhere' } },
  ]);
  const child = (namespace: string, uid = apple?.metadata.uid) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'child',
      namespace,
      ownerReferences: [{ apiVersion: 'example.com/v1', kind: 'Apple', name: 'a', uid }],
    },
  });
  await ask(sandbox, 'POST', CONFIG_MAPS, child('default'));
  sandbox.apply(child('elsewhere'));
  await ask(sandbox, 'DELETE', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/apples.example.com');
  await clock.advance(2_000);
  expect(sandbox.list({ apiVersion: 'v1', kind: 'ConfigMap' }).map((o) => o.metadata.namespace)).toEqual(['elsewhere']);
  await ask(sandbox, 'POST', CONFIG_MAPS, child('default', 'another'));
  await clock.advance(2_000);
  expect(names()).toContain('child');
  expect(sandbox.list({ apiVersion: 'v1', kind: 'ConfigMap' })).toHaveLength(2);
});
