import { describe, expect, it } from 'vitest';
import { POD, tableOf, useScenarios } from '../../support/scenario-run.ts';

const start = useScenarios();

describe('node-drain', () => {
  it('cordons a node, makes it NotReady and Ready again, and continues with the next', async () => {
    const { sandbox, clock } = await start({ scenario: 'node-drain' });
    const story: string[] = [];
    for (let second = 0; second < 90; second++) {
      await clock.advance(500);
      const nodes = await tableOf(sandbox, '/api/v1/nodes');
      const line = nodes.filter((n) => n.Status !== 'Ready').map((n) => `${n.Name} ${n.Status}`);
      if (line.join() !== story.at(-1)) story.push(line.join());
    }
    const states = story.filter((line) => line !== '');
    expect(states.slice(0, 3)).toEqual([
      'worker-1 Ready,SchedulingDisabled',
      'worker-1 NotReady,SchedulingDisabled',
      'worker-1 Ready,SchedulingDisabled',
    ]);
    expect(states[3]).toBe('worker-2 Ready,SchedulingDisabled');
  });

  it('moves every pod to other nodes before the node is NotReady', async () => {
    const { sandbox, clock } = await start({ scenario: 'node-drain' });
    const before = sandbox.list(POD).length;
    const isGone = async () =>
      (await tableOf(sandbox, '/api/v1/nodes')).some((n) => String(n.Status).startsWith('NotReady'));
    while (!(await isGone())) await clock.advance(500);
    const pods = sandbox.list(POD);
    expect(pods.map((p) => (p.spec as { nodeName: string }).nodeName)).not.toContain('worker-1');
    await clock.advance(4_000);
    expect(sandbox.list(POD).length).toBe(before);
    const { spec } = sandbox.get({ apiVersion: 'v1', kind: 'Node' }, 'worker-1') as unknown as {
      spec: { taints: { key: string }[] };
    };
    expect(spec.taints.map((t) => t.key)).toEqual([
      'node.kubernetes.io/unschedulable',
      'node.kubernetes.io/unreachable',
    ]);
  });
});
