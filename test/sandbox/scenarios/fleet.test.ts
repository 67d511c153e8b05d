import { describe, expect, it } from 'vitest';
import { ask } from '../../support/sandbox-requests.ts';
import { POD, tableOf, useScenarios } from '../../support/scenario-run.ts';

const start = useScenarios();

describe('fleet', () => {
  it('spreads the given number of running pods over namespaces and nodes', async () => {
    const { sandbox } = await start({ scenario: 'fleet', scenarioOptions: { pods: 2_500 } });
    const rows = await tableOf(sandbox, '/api/v1/pods');
    expect(rows.length).toBe(2_500);
    expect(new Set(rows.map((r) => `${r.Status} ${r.Restarts}`))).toEqual(new Set(['Running 0']));
    expect(sandbox.list({ apiVersion: 'v1', kind: 'Node' }).length).toBe(25);
    expect(new Set(rows.map((r) => r.Node)).size).toBe(25);
    expect(new Set(sandbox.list(POD).map((p) => p.metadata.uid)).size).toBe(2_500);
    expect(sandbox.list(POD, { namespace: 'fleet-02' }).length).toBe(500);
  });

  it('changes their status at the given rate', async () => {
    const { sandbox, clock } = await start({ scenario: 'fleet', scenarioOptions: { pods: 300, ratePerSecond: 500 } });
    const before = Number(sandbox.resourceVersion);
    await clock.advance(4_000);
    expect(Number(sandbox.resourceVersion) - before).toBe(2_000);
    expect(new Set((await tableOf(sandbox, '/api/v1/pods')).map((r) => r.Ready))).toContain('0/1');
  });

  it('makes the same pods as the write path: a client can change one', async () => {
    const { sandbox } = await start({ scenario: 'fleet', scenarioOptions: { pods: 20, ratePerSecond: 0 } });
    const pod = sandbox.list(POD).at(-1);
    const path = `/api/v1/namespaces/fleet-00/pods/${pod?.metadata.name}`;
    const { status, body } = await ask(sandbox, 'PATCH', path, { metadata: { labels: { touched: 'yes' } } });
    expect([status, body.metadata.labels?.touched]).toEqual([200, 'yes']);
    const others = sandbox.list(POD).filter((p) => p.metadata.labels?.touched);
    expect(others.map((p) => p.metadata.name)).toEqual([pod?.metadata.name]);
  });
});
