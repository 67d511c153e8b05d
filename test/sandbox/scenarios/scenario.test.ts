import { expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';

it.each([
  [{ pods: -1 }, 'scenarioOptions.pods is -1'],
  [{ pods: 1.5 }, 'scenarioOptions.pods is 1.5'],
  [{ ratePerSecond: -1 }, 'scenarioOptions.ratePerSecond is -1'],
  [{ ratePerSecond: Number.NaN }, 'scenarioOptions.ratePerSecond is NaN'],
  [{ ratePerSecond: 100_001 }, 'scenarioOptions.ratePerSecond is 100001'],
  [{ size: 5 }, 'size'],
] as [object, string][])('refuses the options %j', async (scenarioOptions, message) => {
  await expect(Sandbox.start({ socket: false, scenario: 'fleet', scenarioOptions })).rejects.toThrow(message);
});
