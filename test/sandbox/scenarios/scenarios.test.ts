import { describe, expect, it } from 'vitest';
import { SCENARIO_NAMES } from '../../../src/sandbox/index.ts';
import { startWatch } from '../../support/sandbox-requests.ts';
import { useScenarios } from '../../support/scenario-run.ts';

const start = useScenarios();

describe.each(SCENARIO_NAMES)('%s', (scenario) => {
  it('gives the same run for the same seed, byte for byte, and a different run for another seed', async () => {
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
    await clock.advance(5_000); // for pods that are terminating
    expect(clock.pending).toBe(0);
  });

  it('has its namespace in the kubeconfig', async () => {
    const { sandbox } = await start({ scenario });
    expect(sandbox.get({ apiVersion: 'v1', kind: 'Namespace' }, sandbox.namespace)).toBeDefined();
    expect(sandbox.kubeconfig()).toContain(`namespace: ${sandbox.namespace}`);
  });
});
