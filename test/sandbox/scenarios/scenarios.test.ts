import { afterEach, describe, expect, it } from 'vitest';
import { Sandbox, type SandboxOptions, SCENARIO_NAMES } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { ask, startWatch } from '../../support/sandbox-requests.ts';

const open: Sandbox[] = [];
afterEach(async () => {
  for (const sandbox of open.splice(0)) await sandbox.stop();
});

async function start(options: SandboxOptions): Promise<{ sandbox: Sandbox; clock: FakeClock }> {
  const clock = new FakeClock();
  const sandbox = await Sandbox.start({ socket: false, clock, seed: 1, ...options });
  open.push(sandbox);
  return { sandbox, clock };
}

const AS_TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

/** The rows of a type as kubectl shows them, by column. */
async function tableOf(sandbox: Sandbox, path: string): Promise<Record<string, unknown>[]> {
  const { body } = await ask(sandbox, 'GET', path, undefined, AS_TABLE);
  const names = (body.columnDefinitions ?? []).map((c) => c.name);
  return body.rows.map(({ cells }) => Object.fromEntries(cells.map((cell, i) => [names[i] ?? '', cell])));
}

const POD = { apiVersion: 'v1', kind: 'Pod' };

describe.each(SCENARIO_NAMES)('%s', (scenario) => {
  it('gives the same run for the same seed, byte for byte, and another for another', async () => {
    const run = async (seed: number) => {
      const { sandbox, clock } = await start({ scenario, seed, scenarioOptions: { pods: 40 } });
      const paths = ['/api/v1/pods', '/api/v1/nodes', '/api/v1/configmaps', '/api/v1/events'];
      const watches = await Promise.all(paths.map((path) => startWatch(sandbox, `${path}?watch=1`)));
      await clock.advance(25_000);
      return watches.map((w) => w.text());
    };
    const [first, again, other] = [await run(7), await run(7), await run(8)];
    expect(first).toEqual(again);
    expect(first).not.toEqual(other);
  });

  it('leaves no timer when it is stopped', async () => {
    const { sandbox, clock } = await start({ scenario });
    await clock.advance(15_000);
    sandbox.stopScenario();
    await clock.advance(5_000); // pods that are on their way out
    expect(clock.pending).toBe(0);
  });

  it('is to be seen in the namespace of the kubeconfig', async () => {
    const { sandbox } = await start({ scenario });
    expect(sandbox.get({ apiVersion: 'v1', kind: 'Namespace' }, sandbox.namespace)).toBeDefined();
    expect(sandbox.kubeconfig()).toContain(`namespace: ${sandbox.namespace}`);
  });
});

describe('crashloop', () => {
  it('shows a growing back-off: Error, CrashLoopBackOff, restarts with how long ago', async () => {
    const { sandbox, clock } = await start({ scenario: 'crashloop' });
    const [statuses, restarts] = [new Set<unknown>(), new Set<unknown>()];
    for (let second = 0; second < 120; second++) {
      for (const row of await tableOf(sandbox, '/api/v1/namespaces/shop/pods?labelSelector=app%3Dapi')) {
        statuses.add(row.Status);
        restarts.add(row.Restarts);
      }
      await clock.advance(1_000);
    }
    expect([...statuses].sort()).toEqual(['CrashLoopBackOff', 'Error', 'Running']);
    expect([...restarts].some((r) => /^3 \(\d+s ago\)$/.test(String(r)))).toBe(true);
  });

  it('waits 10 s, then 20, 40, 80, 160 and never more than five minutes, after a first restart at once', async () => {
    const { sandbox, clock } = await start({ scenario: 'crashloop' });
    const waits: string[] = [];
    await using pods = await startWatch(sandbox, '/api/v1/pods?watch=1');
    await clock.advance(1_800_000);
    const first = pods.events.find((e) => e.object.metadata.labels?.app === 'worker')?.object.metadata.name;
    for (const { object } of pods.events.filter((e) => e.object.metadata.name === first)) {
      const { containerStatuses } = object.status as { containerStatuses: { state: { waiting?: { message: string } } }[] };
      const { waiting } = containerStatuses[0]?.state ?? {};
      if (waiting) waits.push(waiting.message.split(' ')[1] ?? '');
    }
    expect(waits.slice(0, 7)).toEqual(['10s', '20s', '40s', '1m20s', '2m40s', '5m0s', '5m0s']);
  });

  it('leaves the other apps alone, and tells why with events', async () => {
    const { sandbox, clock } = await start({ scenario: 'crashloop' });
    await clock.advance(60_000);
    const web = await tableOf(sandbox, '/api/v1/namespaces/shop/pods?labelSelector=app%3Dweb');
    expect(web.map((r) => [r.Status, r.Restarts])).toEqual(web.map(() => ['Running', '0']));
    const events = await tableOf(sandbox, '/api/v1/namespaces/shop/events');
    expect(events.some((e) => e.Reason === 'BackOff' && String(e.Message).startsWith('Back-off restarting failed container api'))).toBe(
      true,
    );
    const [worker] = await tableOf(sandbox, '/api/v1/namespaces/shop/pods?labelSelector=app%3Dworker');
    expect(String(worker?.Restarts)).not.toBe('0');
  });
});

describe('churn', () => {
  it.each([5, 200])('makes about %d changes per second', async (ratePerSecond) => {
    const { sandbox, clock } = await start({ scenario: 'churn', scenarioOptions: { ratePerSecond } });
    const before = Number(sandbox.resourceVersion);
    await clock.advance(20_000);
    const rate = (Number(sandbox.resourceVersion) - before) / 20;
    expect(rate).toBeGreaterThan(ratePerSecond * 0.7);
    expect(rate).toBeLessThan(ratePerSecond * 1.4);
  });

  it('takes pods through their lives, and keeps about as many as were asked for', async () => {
    const { sandbox, clock } = await start({ scenario: 'churn', scenarioOptions: { ratePerSecond: 200, pods: 20 } });
    await using pods = await startWatch(sandbox, '/api/v1/namespaces/churn/pods?watch=1');
    const statuses = new Set<unknown>();
    for (let second = 0; second < 30; second++) {
      await clock.advance(1_000);
      for (const row of await tableOf(sandbox, '/api/v1/namespaces/churn/pods')) statuses.add(row.Status);
    }
    expect([...statuses].sort()).toEqual(['Completed', 'ContainerCreating', 'Pending', 'Running']);
    expect(new Set(pods.events.map((e) => e.type))).toEqual(new Set(['ADDED', 'MODIFIED', 'DELETED']));
    const { length } = sandbox.list(POD, { namespace: 'churn' });
    expect(length).toBeGreaterThan(8);
    expect(length).toBeLessThan(45);
  });

  it('stands still at a rate of 0', async () => {
    const { sandbox, clock } = await start({ scenario: 'churn', scenarioOptions: { ratePerSecond: 0 } });
    const before = sandbox.resourceVersion;
    await clock.advance(10_000);
    expect(sandbox.resourceVersion).toBe(before);
  });
});

describe('node-drain', () => {
  it('cordons a node, empties it, lets it go away and come back, and goes on with the next', async () => {
    const { sandbox, clock } = await start({ scenario: 'node-drain' });
    const story: string[] = [];
    for (let second = 0; second < 90; second++) {
      await clock.advance(500);
      const nodes = await tableOf(sandbox, '/api/v1/nodes');
      const line = nodes.filter((n) => n.Status !== 'Ready').map((n) => `${n.Name} ${n.Status}`);
      if (line.join() !== story.at(-1)) story.push(line.join());
    }
    const told = story.filter((line) => line !== '');
    expect(told.slice(0, 3)).toEqual([
      'worker-1 Ready,SchedulingDisabled',
      'worker-1 NotReady,SchedulingDisabled',
      'worker-1 Ready,SchedulingDisabled',
    ]);
    expect(told[3]).toBe('worker-2 Ready,SchedulingDisabled');
  });

  it('moves every pod of the node elsewhere before it goes', async () => {
    const { sandbox, clock } = await start({ scenario: 'node-drain' });
    const before = sandbox.list(POD).length;
    const isGone = async () => (await tableOf(sandbox, '/api/v1/nodes')).some((n) => String(n.Status).startsWith('NotReady'));
    while (!(await isGone())) await clock.advance(500);
    const pods = sandbox.list(POD);
    expect(pods.map((p) => (p.spec as { nodeName: string }).nodeName)).not.toContain('worker-1');
    await clock.advance(4_000);
    expect(sandbox.list(POD).length).toBe(before);
    const { spec } = sandbox.get({ apiVersion: 'v1', kind: 'Node' }, 'worker-1') as unknown as { spec: { taints: { key: string }[] } };
    expect(spec.taints.map((t) => t.key)).toEqual(['node.kubernetes.io/unschedulable', 'node.kubernetes.io/unreachable']);
  });
});

describe('fleet', () => {
  it('spreads as many pods as asked for over namespaces and nodes, all running', async () => {
    const { sandbox } = await start({ scenario: 'fleet', scenarioOptions: { pods: 2_500 } });
    const rows = await tableOf(sandbox, '/api/v1/pods');
    expect(rows.length).toBe(2_500);
    expect(new Set(rows.map((r) => `${r.Status} ${r.Restarts}`))).toEqual(new Set(['Running 0']));
    expect(sandbox.list({ apiVersion: 'v1', kind: 'Node' }).length).toBe(25);
    expect(new Set(rows.map((r) => r.Node)).size).toBe(25);
    expect(new Set(sandbox.list(POD).map((p) => p.metadata.uid)).size).toBe(2_500);
    expect(sandbox.list(POD, { namespace: 'fleet-02' }).length).toBe(500);
  });

  it('changes their status at the rate asked for', async () => {
    const { sandbox, clock } = await start({ scenario: 'fleet', scenarioOptions: { pods: 300, ratePerSecond: 500 } });
    const before = Number(sandbox.resourceVersion);
    await clock.advance(4_000);
    expect(Number(sandbox.resourceVersion) - before).toBe(2_000);
    expect(new Set((await tableOf(sandbox, '/api/v1/pods')).map((r) => r.Ready))).toContain('0/1');
  });

  it('makes its pods as the write path would: a client may change one', async () => {
    const { sandbox } = await start({ scenario: 'fleet', scenarioOptions: { pods: 20, ratePerSecond: 0 } });
    const pod = sandbox.list(POD).at(-1);
    const path = `/api/v1/namespaces/fleet-00/pods/${pod?.metadata.name}`;
    const { status, body } = await ask(sandbox, 'PATCH', path, { metadata: { labels: { touched: 'yes' } } });
    expect([status, body.metadata.labels?.touched]).toEqual([200, 'yes']);
    const others = sandbox.list(POD).filter((p) => p.metadata.labels?.touched);
    expect(others.map((p) => p.metadata.name)).toEqual([pod?.metadata.name]);
  });
});

it.each([
  [{ pods: -1 }, 'scenarioOptions.pods is -1'],
  [{ pods: 1.5 }, 'scenarioOptions.pods is 1.5'],
  [{ ratePerSecond: -1 }, 'scenarioOptions.ratePerSecond is -1'],
  [{ ratePerSecond: Number.NaN }, 'scenarioOptions.ratePerSecond is NaN'],
])('refuses the options %j', async (scenarioOptions, message) => {
  await expect(Sandbox.start({ socket: false, scenario: 'fleet', scenarioOptions })).rejects.toThrow(message);
});
