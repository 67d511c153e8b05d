import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sandbox } from '../../src/sandbox/index.ts';
import { type Agent, agentsOf } from '../support/agents.ts';
import { OBJECTS, pod } from '../support/fixture.ts';

let sandbox: Sandbox;
let agents: Awaited<ReturnType<typeof agentsOf>>;
let agent: Agent;
beforeEach(async () => {
  sandbox = await Sandbox.start({});
  sandbox.apply(OBJECTS);
  agents = await agentsOf(sandbox);
  agent = await agents.agent();
});
afterEach(async () => {
  await agents[Symbol.asyncDispose]();
  await sandbox.stop();
});

/** The server goes away and forgets its history, while an object changes: the cache is listed again. */
async function listedAgain(change: () => void): Promise<void> {
  const restarting = sandbox.restart({ keepHistory: false, downMs: 1500 });
  await expect.poll(() => agent.told('count', { type: 'pods' }), { timeout: 10_000 }).toContain('NOT CURRENT');
  change();
  await restarting;
  await expect.poll(() => agent.told('explain', { type: 'pods' }), { timeout: 20_000 }).toMatch(/1 relists/);
}

describe('changes of a cache that was listed again', () => {
  it('are not called complete since a time or a version before that list', async () => {
    await agent.told('count', { type: 'pods' });
    sandbox.apply(pod('first'));
    await expect.poll(() => agent.told('changes', { type: 'pods', since: '1h' })).toContain('first');
    const version = sandbox.resourceVersion;
    expect(await agent.told('changes', { type: 'pods', since: version })).not.toContain('every change is known since');
    await listedAgain(() => sandbox.apply(pod('second')));
    expect(await agent.told('changes', { type: 'pods', since: version })).toContain('every change is known since');
  }, 60_000);

  it('have the deletions that the list showed, also since a version that is newer than the deleted state', async () => {
    sandbox.apply(pod('old'));
    await agent.told('count', { type: 'pods' });
    sandbox.apply(pod('newer'));
    const version = sandbox.resourceVersion;
    await listedAgain(() => sandbox.delete({ apiVersion: 'v1', kind: 'Pod' }, 'shop/old', { gracePeriodSeconds: 0 }));
    await expect
      .poll(() => agent.told('changes', { type: 'pods', since: version }), { timeout: 20_000 })
      .toMatch(/DELETED \(relist\)\tshop\/old/);
  }, 60_000);
});
