import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { argumentsOf } from '../../src/agents/subscriptions.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { type Agent, agentsOf } from '../support/agents.ts';
import { OBJECTS, pod } from '../support/fixture.ts';

let sandbox: Sandbox;
let agents: Awaited<ReturnType<typeof agentsOf>>;
let agent: Agent;
let updated: string[];
beforeEach(async () => {
  sandbox = await Sandbox.start({});
  sandbox.apply(OBJECTS);
  agents = await agentsOf(sandbox);
  agent = await agents.agent();
  updated = [];
  agent.client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updated.push(params.uri));
});
afterEach(async () => {
  await agents[Symbol.asyncDispose]();
  await sandbox.stop();
});

const SHOP = 'kube:///pods?namespace=shop&labels=app%3Dweb';

describe('a subscription', () => {
  it('notifies of many changes at once, of no other objects, and nothing after its end', async () => {
    await agent.client.subscribeResource({ uri: SHOP });
    await agent.client.subscribeResource({ uri: 'kube:///pods?namespace=other' });
    for (let i = 0; i < 100; i++) sandbox.apply(pod(`burst-${i}`));
    await expect.poll(() => updated, { timeout: 10_000 }).toContain(SHOP);
    expect(updated.length).toBeLessThan(4);
    expect(updated).not.toContain('kube:///pods?namespace=other');
    await agent.client.unsubscribeResource({ uri: SHOP });
    const before = updated.length;
    sandbox.apply(pod('later'));
    sandbox.apply(pod('db-2', { namespace: 'other' }));
    await expect.poll(() => updated.slice(before), { timeout: 10_000 }).toEqual(['kube:///pods?namespace=other']);
  });

  it('goes on over an outage and a relist, and what is read meanwhile says that it is not current', async () => {
    await agent.client.subscribeResource({ uri: SHOP });
    const restarting = sandbox.restart({ keepHistory: false, downMs: 3000 });
    await expect
      .poll(() => agent.told('count', { type: 'pods' }), { timeout: 10_000 })
      .toMatch(/^NOT CURRENT: pods has had no connection since /m);
    sandbox.apply(pod('after'));
    await restarting;
    const read = async () => {
      const { contents } = await agent.client.readResource({ uri: SHOP });
      return (contents[0] as { text: string }).text;
    };
    await expect.poll(read, { timeout: 20_000 }).toMatch(/\| after\s.*current as of \d+m?s ago$/s);
    await expect.poll(() => updated, { timeout: 10_000 }).toContain(SHOP);
    expect(await agent.told('explain', { type: 'pods' })).toMatch(/1 relists.*gap at /s);
  }, 60_000);

  it('ends a strict wait with lost continuity, and is reported by any other', async () => {
    await agent.told('count', { type: 'pods' });
    const args = { type: 'pod/never', namespace: 'shop', for: ['create'], timeout: '30s' };
    const strict = agent.told('wait', { ...args, strict: true });
    const patient = agent.told('wait', { ...args, type: 'pod/after' });
    const restarting = sandbox.restart({ keepHistory: false, downMs: 200 });
    sandbox.apply(pod('unseen'));
    await restarting;
    expect(await strict).toMatch(/^continuity lost after /);
    sandbox.apply(pod('after'));
    expect(await patient).toMatch(/^met after \S+\nchanges may have been missed \d+ times meanwhile/);
  }, 60_000);

  it('has a limit', async () => {
    for (let i = 0; i < 50; i++) await agent.client.subscribeResource({ uri: `kube:///pods?name=${i}` });
    await expect(agent.client.subscribeResource({ uri: 'kube:///pods?name=50' })).rejects.toThrow('at most 50');
  });
});

it('a resource is the arguments of query', () => {
  expect(argumentsOf('kube:///apps/v1/deployments?namespace=shop&where=READY%3D%3D1&where=x&tokens=200')).toEqual({
    type: 'apps/v1/deployments',
    namespace: 'shop',
    where: ['READY==1', 'x'],
    tokens: 200,
  });
  expect(() => argumentsOf('file:///etc/passwd')).toThrow('a resource is');
});
