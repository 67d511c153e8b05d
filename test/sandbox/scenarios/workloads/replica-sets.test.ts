import { describe, expect, it } from 'vitest';
import { ScenarioEvents } from '../../../../src/sandbox/scenarios/workloads/events.ts';
import {
  controllerReference,
  ReplicaSetController,
  settledSetStatus,
} from '../../../../src/sandbox/scenarios/workloads/replica-sets.ts';
import type { Pod, ReplicaSet } from '../../../../src/sandbox/scenarios/workloads/workload-types.ts';
import { useWorld } from '../../../support/world.ts';

const world = useWorld();

const set = (replicas: number): ReplicaSet => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } },
  },
  status: { replicas: 0 },
});

const pods = () => world.actor.list('Pod', 'default').filter((pod) => !pod.metadata.deletionTimestamp);
const scale = (replicas: number) => {
  const stored = world.actor.get('ReplicaSet', 'default/web');
  if (stored) world.actor.update({ ...stored, spec: { ...stored.spec, replicas } } as ReplicaSet, 'test');
};
const makeReady = (name: string | undefined) => {
  const pod = world.actor.get('Pod', `default/${name}`);
  if (pod)
    world.actor.updateStatus(
      { ...pod, status: { ...pod.status, conditions: [{ type: 'Ready', status: 'True' }] } } as Pod,
      'test',
    );
};

describe('the replica set controller', () => {
  it('creates the wanted number of pods, which the set owns', async () => {
    new ReplicaSetController(world.actor, new ScenarioEvents(world.actor));
    world.actor.create(set(3), 'test');
    await world.clock.advance(200);
    const owner = world.actor.get('ReplicaSet', 'default/web');
    expect(pods().map(({ metadata }) => metadata.ownerReferences?.[0]?.uid)).toEqual(
      Array(3).fill(owner?.metadata.uid),
    );
    expect(pods()[0]?.metadata).toMatchObject({ labels: { app: 'web' }, generateName: 'web-' });
    expect(owner?.status).toMatchObject({ replicas: 3, fullyLabeledReplicas: 3 });
  });

  it('deletes pods that are not ready first, and reports the ready ones', async () => {
    new ReplicaSetController(world.actor, new ScenarioEvents(world.actor));
    world.actor.create(set(3), 'test');
    await world.clock.advance(200);
    const ready = pods()
      .slice(1, 3)
      .map(({ metadata }) => metadata.name);
    for (const name of ready) makeReady(name);
    scale(2);
    await world.clock.advance(200);
    expect(pods().map(({ metadata }) => metadata.name)).toEqual(ready);
    expect(world.actor.get('ReplicaSet', 'default/web')?.status).toMatchObject({
      replicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
    });
  });

  it('replaces a deleted pod', async () => {
    new ReplicaSetController(world.actor, new ScenarioEvents(world.actor));
    world.actor.create(set(1), 'test');
    await world.clock.advance(200);
    const [before] = pods();
    world.actor.delete('Pod', before?.metadata ?? {});
    await world.clock.advance(500);
    expect(pods()).toHaveLength(1);
    expect(pods()[0]?.metadata.uid).not.toBe(before?.metadata.uid);
  });
});

it('makes the status of a set whose pods are all ready', () => {
  expect(settledSetStatus(2)).toEqual({
    replicas: 2,
    fullyLabeledReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
    observedGeneration: 1,
  });
  expect(settledSetStatus(0)).toEqual({ replicas: 0, observedGeneration: 1 });
});

it('refers to the controller of an object', () => {
  expect(
    controllerReference({ apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'web', uid: 'u' } }),
  ).toEqual({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: 'web',
    uid: 'u',
    controller: true,
    blockOwnerDeletion: true,
  });
});
