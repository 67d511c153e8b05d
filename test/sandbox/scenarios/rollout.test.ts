import { afterEach, describe, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { ask, startWatch, type Watching } from '../../support/sandbox-requests.ts';

const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' };
const REPLICA_SET = { apiVersion: 'apps/v1', kind: 'ReplicaSet' };
const POD = { apiVersion: 'v1', kind: 'Pod' };
const open: Sandbox[] = [];

async function start(seed: number): Promise<{ sandbox: Sandbox; clock: FakeClock }> {
  const clock = new FakeClock();
  const sandbox = await Sandbox.start({ socket: false, clock, seed, scenario: 'rollout' });
  open.push(sandbox);
  return { sandbox, clock };
}

afterEach(async () => {
  for (const sandbox of open.splice(0)) await sandbox.stop();
});

function watchBoth(sandbox: Sandbox): Promise<Watching[]> {
  const since = sandbox.resourceVersion;
  const paths = ['/api/v1/pods', '/apis/apps/v1/deployments'];
  return Promise.all(paths.map((path) => startWatch(sandbox, `${path}?watch=1&resourceVersion=${since}`)));
}

describe('rollout', () => {
  it('gives the same run for the same seed, byte for byte, and a different run for another seed', async () => {
    const run = async (seed: number) => {
      const { sandbox, clock } = await start(seed);
      const watches = await watchBoth(sandbox);
      await clock.advance(30_000);
      return watches.map((w) => w.text());
    };
    const [first, again, other] = [await run(7), await run(7), await run(8)];
    expect(first[0]?.length).toBeGreaterThan(10_000);
    expect(first).toEqual(again);
    expect(first).not.toEqual(other);
  });

  it('shows something in pods or deployments every second or two, without end', async () => {
    const { sandbox, clock } = await start(3);
    const [pods, deployments] = await watchBoth(sandbox);
    const counts: number[] = [];
    for (let second = 0; second < 60; second += 2) {
      const before = (pods?.events.length ?? 0) + (deployments?.events.length ?? 0);
      await clock.advance(2_000);
      counts.push((pods?.events.length ?? 0) + (deployments?.events.length ?? 0) - before);
    }
    expect(counts.filter((n) => n === 0)).toEqual([]);
  });

  it('begins with a settled cluster: every pod is ready, every owner exists', async () => {
    const { sandbox } = await start(1);
    const deployments = new Map(sandbox.list(DEPLOYMENT).map((o) => [o.metadata.uid, o]));
    const sets = new Map(sandbox.list(REPLICA_SET).map((o) => [o.metadata.uid, o]));
    const pods = sandbox.list(POD);
    expect(pods.length).toBeGreaterThan(10);
    for (const pod of pods) {
      const set = sets.get(pod.metadata.ownerReferences?.[0]?.uid ?? '');
      expect(deployments.has(set?.metadata.ownerReferences?.[0]?.uid ?? '')).toBe(true);
      const { phase, containerStatuses } = pod.status as { phase: string; containerStatuses: { ready: boolean }[] };
      expect([phase, containerStatuses.every((c) => c.ready)]).toEqual(['Running', true]);
    }
    for (const { status } of deployments.values()) expect(status).not.toHaveProperty('unavailableReplicas');
  });

  it('rolls a new image out within the limits of the strategy, and deletes the old pods', async () => {
    const { sandbox, clock } = await start(2);
    const path = '/apis/apps/v1/namespaces/kube-system/deployments/coredns';
    const patch = { spec: { template: { spec: { containers: [{ name: 'coredns', image: 'coredns:new' }] } } } };
    await ask(sandbox, 'PATCH', path, patch, { 'content-type': 'application/strategic-merge-patch+json' });
    const totals: number[] = [];
    for (let i = 0; i < 200; i++) {
      await clock.advance(100);
      totals.push(
        sandbox
          .list(POD, { namespace: 'kube-system' })
          .filter((p) => p.metadata.labels?.app === 'coredns' && !p.metadata.deletionTimestamp).length,
      );
    }
    expect(Math.max(...totals)).toBe(3);
    expect(Math.min(...totals)).toBe(2);
    const images = sandbox.list(POD, { namespace: 'kube-system' }).map((p) => JSON.stringify(p.spec));
    expect(images.filter((spec) => spec.includes('coredns:new'))).toHaveLength(2);
    expect(images.filter((spec) => spec.includes('coredns/coredns:'))).toEqual([]);
  });

  it('reacts to clients: it creates scaled pods, replaces deleted ones, and deletes the pods of a deleted deployment', async () => {
    const { sandbox, clock } = await start(4);
    const mine = () => sandbox.list(POD, { namespace: 'default' }).filter((p) => !p.metadata.deletionTimestamp);
    const template = { metadata: { labels: { app: 'mine' } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } };
    sandbox.apply({
      ...DEPLOYMENT,
      metadata: { name: 'mine' },
      spec: { replicas: 2, selector: { matchLabels: { app: 'mine' } }, template },
    });
    await clock.advance(10_000);
    expect(mine()).toHaveLength(2);
    await ask(sandbox, 'PATCH', '/apis/apps/v1/namespaces/default/deployments/mine/scale', { spec: { replicas: 4 } });
    await clock.advance(10_000);
    expect(mine()).toHaveLength(4);
    const [victim] = mine();
    sandbox.delete(POD, `default/${victim?.metadata.name}`);
    await clock.advance(10_000);
    expect(mine()).toHaveLength(4);
    expect(mine().map((p) => p.metadata.uid)).not.toContain(victim?.metadata.uid);
    sandbox.delete(DEPLOYMENT, 'default/mine');
    await clock.advance(10_000);
    expect(mine()).toEqual([]);
    expect(sandbox.list(REPLICA_SET, { namespace: 'default' })).toEqual([]);
  });

  it('gives a rolled back release the newest revision and its new change cause', async () => {
    const { sandbox, clock } = await start(4);
    const release = async (image: string, cause: string) => {
      const template = { metadata: { labels: { app: 'mine' } }, spec: { containers: [{ name: 'c', image }] } };
      const metadata = { name: 'mine', annotations: { 'kubernetes.io/change-cause': cause } };
      sandbox.apply({
        ...DEPLOYMENT,
        metadata,
        spec: { replicas: 1, selector: { matchLabels: { app: 'mine' } }, template },
      });
      await clock.advance(10_000);
    };
    const annotations = () =>
      sandbox.list(REPLICA_SET, { namespace: 'default' }).map((s) => s.metadata.annotations ?? {});
    const revisions = () =>
      Object.fromEntries(
        annotations().map((a) => [a['deployment.kubernetes.io/revision'], a['kubernetes.io/change-cause']]),
      );
    await release('a:1', 'one');
    await release('a:2', 'two');
    expect(revisions()).toEqual({ 1: 'one', 2: 'two' });
    await release('a:1', 'one again');
    expect(revisions()).toEqual({ 2: 'two', 3: 'one again' });
    expect(annotations().map((a) => a['deployment.kubernetes.io/revision-history'])).toContain('1');
    expect(sandbox.get(DEPLOYMENT, 'default/mine')?.metadata.annotations?.['deployment.kubernetes.io/revision']).toBe(
      '3',
    );
  });

  it('does not grow: old events and replica sets are deleted', async () => {
    const { sandbox, clock } = await start(5);
    await clock.advance(400_000);
    expect(sandbox.list({ apiVersion: 'v1', kind: 'Event' }).length).toBeLessThanOrEqual(300);
    expect(sandbox.list(REPLICA_SET).length).toBeLessThan(30);
    expect(sandbox.list(POD).length).toBeLessThan(40);
  });

  it('changes nothing after it is stopped', async () => {
    const { sandbox, clock } = await start(6);
    await clock.advance(5_000);
    sandbox.stopScenario();
    await clock.advance(5_000);
    const before = sandbox.resourceVersion;
    await clock.advance(60_000);
    expect(sandbox.resourceVersion).toBe(before);
    expect(clock.pending).toBe(0);
  });

  it('continues where it was when it is started again', async () => {
    const { sandbox, clock } = await start(6);
    await clock.advance(8_000);
    sandbox.stopScenario();
    const before = new Set(sandbox.list(DEPLOYMENT).map((o) => o.metadata.uid));
    sandbox.startScenario('rollout');
    await clock.advance(60_000);
    expect(new Set(sandbox.list(DEPLOYMENT).map((o) => o.metadata.uid))).toEqual(before);
    const stuck = sandbox
      .list(POD)
      .filter((p) => Date.parse(p.metadata.creationTimestamp ?? '') < clock.now() - 30_000);
    expect(stuck.filter((p) => !(p.spec as { nodeName?: string }).nodeName)).toEqual([]);
  });

  it('refuses an unknown scenario', async () => {
    await expect(Sandbox.start({ socket: false, scenario: 'nope' })).rejects.toThrow('there is no scenario "nope"');
  });
});
