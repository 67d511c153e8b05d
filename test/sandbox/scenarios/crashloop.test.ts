import { describe, expect, it } from 'vitest';
import { startWatch } from '../../support/sandbox-requests.ts';
import { tableOf, useScenarios } from '../../support/scenario-run.ts';

const start = useScenarios();

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

  it('restarts at once first, then waits 10 s, 20, 40, 80, 160 and never more than five minutes', async () => {
    const { sandbox, clock } = await start({ scenario: 'crashloop' });
    const waits: string[] = [];
    await using pods = await startWatch(sandbox, '/api/v1/pods?watch=1');
    await clock.advance(1_800_000);
    const first = pods.events.find((e) => e.object.metadata.labels?.app === 'worker')?.object.metadata.name;
    for (const { object } of pods.events.filter((e) => e.object.metadata.name === first)) {
      const { containerStatuses } = object.status as {
        containerStatuses: { state: { waiting?: { message: string } } }[];
      };
      const { waiting } = containerStatuses[0]?.state ?? {};
      if (waiting) waits.push(waiting.message.split(' ')[1] ?? '');
    }
    expect(waits.slice(0, 7)).toEqual(['10s', '20s', '40s', '1m20s', '2m40s', '5m0s', '5m0s']);
  });

  it('does not affect the other apps, and reports the reasons as events', async () => {
    const { sandbox, clock } = await start({ scenario: 'crashloop' });
    await clock.advance(60_000);
    const web = await tableOf(sandbox, '/api/v1/namespaces/shop/pods?labelSelector=app%3Dweb');
    expect(web.map((r) => [r.Status, r.Restarts])).toEqual(web.map(() => ['Running', '0']));
    const events = await tableOf(sandbox, '/api/v1/namespaces/shop/events');
    expect(
      events.some(
        (e) => e.Reason === 'BackOff' && String(e.Message).startsWith('Back-off restarting failed container api'),
      ),
    ).toBe(true);
    const [worker] = await tableOf(sandbox, '/api/v1/namespaces/shop/pods?labelSelector=app%3Dworker');
    expect(String(worker?.Restarts)).not.toBe('0');
  });
});
