import { describe, expect, it } from 'vitest';
import { keyOfMeta, keyOfOwner } from '../../../../src/sandbox/scenarios/workloads/actor.ts';
import { podView, useWorld } from '../../../support/world.ts';

const world = useWorld();

describe('an actor', () => {
  it('reads copies, or the stored object itself', () => {
    world.actor.create(podView('a'), 'test');
    const copy = world.actor.get('Pod', 'default/a');
    const stored = world.actor.peek('Pod', 'default/a');
    expect(copy).toEqual(stored);
    expect(copy).not.toBe(stored);
    expect(world.actor.peek('Pod', 'default/a')).toBe(stored);
    expect(world.actor.list('Pod', 'default')).toEqual([stored]);
    expect([world.actor.get('Pod', 'default/b'), world.actor.list('Pod', 'kube-system')]).toEqual([undefined, []]);
  });

  it('does nothing when a write conflicts, and throws for a kind that is not served', () => {
    world.actor.create(podView('a'), 'test');
    expect(world.actor.create(podView('a'), 'test')).toBeUndefined();
    const old = world.actor.get('Pod', 'default/a');
    if (!old) throw new Error('no pod');
    world.actor.update({ ...old, metadata: { ...old.metadata, labels: { a: 'b' } } }, 'test');
    world.actor.update({ ...old, metadata: { ...old.metadata, labels: { a: 'stale' } } }, 'test');
    expect(world.actor.get('Pod', 'default/a')?.metadata.labels).toEqual({ a: 'b' });
    expect(() => world.actor.create({ kind: 'Nonsense', metadata: {} }, 'test')).toThrow(
      'the sandbox serves no Nonsense',
    );
  });

  it('assigns a pod to a node without an owner and a generation', () => {
    world.actor.create(podView('a'), 'test');
    const before = world.actor.get('Pod', 'default/a');
    if (before) world.actor.bind(before, 'n1');
    const bound = world.actor.get('Pod', 'default/a');
    expect([bound?.spec.nodeName, bound?.metadata.generation]).toEqual(['n1', before?.metadata.generation]);
    expect(JSON.stringify(bound?.metadata.managedFields)).not.toContain('nodeName');
  });

  it('keeps status and creation time of a fixture only', () => {
    const given = { ...podView('a', { creationTimestamp: '2020-01-01T00:00:00Z' }), status: { phase: 'Running' } };
    world.actor.create(given, 'test', { fixture: true });
    world.actor.create({ ...given, metadata: { ...given.metadata, name: 'b' } }, 'test');
    const shown = ['a', 'b'].map((name) => world.actor.get('Pod', `default/${name}`));
    expect(shown.map((pod) => pod?.status.phase)).toEqual(['Running', 'Pending']);
    expect(shown.map((pod) => pod?.metadata.creationTimestamp)).toEqual([
      '2020-01-01T00:00:00Z',
      world.actor.timestamp,
    ]);
  });

  it('is called with changes of one kind, and with none after it is disposed; its timers end too', async () => {
    const seen: string[] = [];
    world.actor.onChange('Pod', ({ type }, { name }) => seen.push(`${type} ${name}`));
    world.actor.after(10, () => seen.push('timer'));
    world.actor.create(podView('a'), 'test');
    world.actor.create({ kind: 'ConfigMap', metadata: { name: 'c', namespace: 'default' } }, 'test');
    expect(seen).toEqual(['ADDED a']);
    world.actor[Symbol.dispose]();
    await world.clock.advance(100);
    world.actor.create(podView('b'), 'test');
    expect(seen).toEqual(['ADDED a']);
  });

  it('picks at random, from one source', () => {
    expect(world.actor.pick([])).toBeUndefined();
    expect(new Set(Array.from({ length: 50 }, () => world.actor.pick(['a', 'b'])))).toEqual(new Set(['a', 'b']));
    for (let i = 0; i < 50; i++) {
      const number = world.actor.between(3, 5);
      expect(number >= 3 && number < 5).toBe(true);
    }
  });
});

it('finds the key of an object and of its controlling owner of a kind', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'u' };
  const metadata = { name: 'p', namespace: 'n', ownerReferences: [{ ...owner, controller: true }] };
  expect([keyOfMeta(metadata), keyOfMeta({ name: 'node' })]).toEqual(['n/p', 'node']);
  expect([keyOfOwner(metadata, 'ReplicaSet'), keyOfOwner(metadata, 'Job')]).toEqual(['n/r', undefined]);
  expect(keyOfOwner({ ...metadata, ownerReferences: [owner] }, 'ReplicaSet')).toBeUndefined();
});
