import { expect, it } from 'vitest';
import { Sandbox } from '../../src/sandbox/index.ts';
import { agentsOf } from '../support/agents.ts';
import { OBJECTS } from '../support/fixture.ts';

it('a wait ends in time also while its type is first read', async () => {
  await using sandbox = await Sandbox.start({});
  sandbox.apply(OBJECTS);
  sandbox.faults.add({ fault: { kind: 'stall', after: 0 }, match: { path: '/pods' }, times: Number.POSITIVE_INFINITY });
  await using agents = await agentsOf(sandbox);
  const agent = await agents.agent();
  const args = { type: 'pod/late', namespace: 'shop', for: ['create'], timeout: '300ms' };
  expect(await agent.ask('wait', args, 5000)).toEqual({
    isError: false,
    text: expect.stringMatching(/^time ran out after \d+ms\n\| pod\/late is still being read; ask again$/),
  });
});
