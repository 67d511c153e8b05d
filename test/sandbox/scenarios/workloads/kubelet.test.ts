import { describe, expect, it } from 'vitest';
import { ScenarioEvents } from '../../../../src/sandbox/scenarios/workloads/events.ts';
import { Kubelet, type NodeSpec } from '../../../../src/sandbox/scenarios/workloads/kubelet.ts';
import type { Pod } from '../../../../src/sandbox/scenarios/workloads/workload-types.ts';
import { podView, useWorld } from '../../../support/world.ts';

const world = useWorld();
const node = (name: string, schedulable = true): NodeSpec => ({
  name,
  ip: '10.0.0.1',
  podNetwork: '10.244.1',
  schedulable,
});
const kubelet = (...nodes: NodeSpec[]) => new Kubelet(world.actor, new ScenarioEvents(world.actor), nodes);
const pod = () => world.actor.get('Pod', 'default/p');
const waiting = () => pod()?.status.containerStatuses?.[0]?.state.waiting?.reason;
const isReady = () => pod()?.status.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') ?? false;
const withImage = (image: string, ...others: Pod['spec']['containers']): Pod => ({
  ...podView('p'),
  spec: { containers: [{ name: 'c', image }, ...others] },
});

describe('the nodes of a scenario', () => {
  it('take a new pod, start it and make it ready', async () => {
    kubelet(node('control', false), node('n1'));
    world.actor.create(podView('p'), 'test');
    await world.clock.advance(500);
    expect([pod()?.spec.nodeName, pod()?.status.phase]).toEqual(['n1', 'Pending']);
    await world.clock.advance(5_000);
    expect([pod()?.status.phase, pod()?.status.podIP, isReady()]).toEqual([
      'Running',
      expect.stringMatching(/^10\.244\.1\./),
      true,
    ]);
  });

  it('alternate between two reasons for an image that cannot be pulled', async () => {
    kubelet(node('n1'));
    world.actor.create(withImage('web:1-broken'), 'test');
    const seen = new Set<string | undefined>();
    for (let second = 0; second < 30; second++) {
      await world.clock.advance(1_000);
      seen.add(waiting());
    }
    expect(seen).toEqual(
      new Set(['ErrImagePull', 'ImagePullBackOff', 'ContainerCreating'].filter((reason) => seen.has(reason))),
    );
    expect([seen.has('ErrImagePull'), seen.has('ImagePullBackOff'), isReady()]).toEqual([true, true, false]);
  });

  it('pull the other images of a pod, and run their containers; the pod stays Pending', async () => {
    kubelet(node('n1'));
    world.actor.create(withImage('web:1-broken', { name: 'proxy', image: 'mesh:1' }), 'test');
    await world.clock.advance(5_000);
    const { phase, podIP, containerStatuses = [], conditions = [] } = pod()?.status ?? {};
    expect([phase, podIP]).toEqual(['Pending', expect.stringMatching(/^10\./)]);
    const [broken, proxy] = containerStatuses;
    expect([broken?.state.waiting?.reason, broken?.ready]).toEqual([expect.stringMatching(/Pull/), false]);
    expect(proxy).toMatchObject({ ready: true, started: true, state: { running: { startedAt: expect.any(String) } } });
    const ready = conditions.find(({ type }) => type === 'Ready');
    expect(ready).toMatchObject({ status: 'False', message: 'containers with unready status: [c]' });
    const since = proxy?.state.running?.startedAt;
    await world.clock.advance(20_000);
    expect(pod()?.status.containerStatuses?.[1]?.state.running?.startedAt).toBe(since);
  });

  it('restart a crashed container, the second time after a back-off', async () => {
    const nodes = kubelet(node('n1'));
    world.actor.create(podView('p'), 'test');
    await world.clock.advance(6_000);
    nodes.crash('default/p');
    expect([isReady(), pod()?.status.containerStatuses?.[0]?.restartCount]).toEqual([false, 1]);
    await world.clock.advance(5_000);
    expect(isReady()).toBe(true);
    nodes.crash('default/p');
    await world.clock.advance(1_000);
    expect(waiting()).toBe('CrashLoopBackOff');
    await world.clock.advance(15_000);
    expect([isReady(), pod()?.status.containerStatuses?.[0]?.restartCount]).toEqual([true, 2]);
  });

  it('make a pod unready for a short time after a failed probe', async () => {
    const nodes = kubelet(node('n1'));
    world.actor.create(podView('p'), 'test');
    await world.clock.advance(6_000);
    nodes.flap('default/p');
    expect(isReady()).toBe(false);
    await world.clock.advance(2_500);
    expect(isReady()).toBe(true);
  });

  it('stop a deleted pod', async () => {
    kubelet(node('n1'));
    world.actor.create(podView('p'), 'test');
    await world.clock.advance(6_000);
    world.actor.delete('Pod', { name: 'p', namespace: 'default' });
    expect(pod()?.metadata.deletionTimestamp).toBeDefined();
    await world.clock.advance(60_000);
    expect(pod()).toBeUndefined();
  });

  it('continue with unfinished pods after a new start', async () => {
    world.actor.create(podView('p'), 'test');
    kubelet(node('n1')).resume();
    await world.clock.advance(8_000);
    expect(isReady()).toBe(true);
  });

  it('take turns, without cordoned ones', () => {
    const nodes = kubelet(node('n1'), node('n2'), node('n3'));
    world.actor.create(
      { kind: 'Node', metadata: { name: 'n2' }, spec: { unschedulable: true } } as { kind: string; metadata: object },
      'test',
    );
    expect([1, 2, 3].map(() => nodes.nextNode().name)).toEqual(['n1', 'n3', 'n1']);
  });
});
