import { describe, expect, it } from 'vitest';
import { startWatch } from '../../support/sandbox-requests.ts';
import { POD, tableOf, useScenarios } from '../../support/scenario-run.ts';

const start = useScenarios();

describe('churn', () => {
  it.each([5, 200])('makes about %d changes per second', async (ratePerSecond) => {
    const { sandbox, clock } = await start({ scenario: 'churn', scenarioOptions: { ratePerSecond } });
    const before = Number(sandbox.resourceVersion);
    await clock.advance(20_000);
    const rate = (Number(sandbox.resourceVersion) - before) / 20;
    expect(rate).toBeGreaterThan(ratePerSecond * 0.7);
    expect(rate).toBeLessThan(ratePerSecond * 1.4);
  });

  it('moves pods through all their states, and keeps about the wanted number', async () => {
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

  it('changes nothing at a rate of 0', async () => {
    const { sandbox, clock } = await start({ scenario: 'churn', scenarioOptions: { ratePerSecond: 0 } });
    const before = sandbox.resourceVersion;
    await clock.advance(10_000);
    expect(sandbox.resourceVersion).toBe(before);
  });
});
