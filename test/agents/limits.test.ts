import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SCHEMAS } from '../../src/agents/tool-schemas.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { agentsOf } from '../support/agents.ts';
import { OBJECTS, SECRET_VALUE } from '../support/fixture.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await Sandbox.start({});
  sandbox.apply(OBJECTS);
});
afterEach(() => sandbox.stop());

const ALWAYS = { times: Number.POSITIVE_INFINITY };

describe('agents', () => {
  it('write nothing, whatever tool they call', async () => {
    await using agents = await agentsOf(sandbox);
    const agent = await agents.agent();
    for (const [name, { example }] of Object.entries(SCHEMAS))
      await agent.told(name, 'timeout' in example ? { ...example, timeout: '1ms' } : example);
    expect(sandbox.requests.matching('/apis/').length).toBeGreaterThan(0);
    expect(sandbox.requests.matching('', { writes: true })).toEqual([]);
  });

  it('have the rights of the kubeconfig: a refusal is the answer', async () => {
    sandbox.faults.add({ fault: { kind: 'status', code: 403 }, match: { path: '/secrets' }, ...ALWAYS });
    await using agents = await agentsOf(sandbox);
    const agent = await agents.agent();
    for (const tool of ['count', 'changes', 'explain'])
      expect(await agent.ask(tool, { type: 'secrets' })).toEqual({
        isError: true,
        text: expect.stringMatching(/^not answered:\n\| .*(forbidden|Forbidden)/),
      });
  });

  it('have 128 calls answered at the same time, and no more', async () => {
    await using agents = await agentsOf(sandbox);
    const agent = await agents.agent();
    await agent.told('count', { type: 'pods' });
    const cancelled = new AbortController();
    const args = { type: 'pod/never', namespace: 'shop', for: ['create'], timeout: '5m' };
    const waits = Array.from({ length: 128 }, () =>
      agent.client.callTool({ name: 'wait', arguments: args }, undefined, { signal: cancelled.signal }).catch(() => {}),
    );
    expect(await agent.ask('count', { type: 'pods' })).toEqual({
      isError: true,
      text: expect.stringContaining('128 calls are being answered; try again'),
    });
    cancelled.abort(new Error('enough'));
    await Promise.all(waits);
    await expect.poll(() => agent.ask('count', { type: 'pods' })).toMatchObject({ isError: false });
  });

  it('have 40 types cached, and no more', async () => {
    await using agents = await agentsOf(sandbox);
    const agent = await agents.agent();
    const { types } = await agents.caches.session.client.discovery.snapshot();
    const listed = types.filter(
      ({ preferred, verbs }) => preferred && verbs.includes('list') && verbs.includes('watch'),
    );
    const names = [...new Set(listed.map(({ gvr }) => `${gvr.resource}.${gvr.version}.${gvr.group}`))];
    const answers: boolean[] = [];
    for (const name of names.slice(0, 44)) answers.push((await agent.ask('count', { type: name })).isError);
    expect(answers.filter((isError) => !isError)).toHaveLength(40);
    expect(await agent.ask('count', { type: names[43] as string })).toEqual({
      isError: true,
      text: expect.stringMatching(/40 types are cached, and no more are\n.*those that the tool types shows/),
    });
    expect(agents.caches.types.targets).toHaveLength(40);
  });

  it('learn after a time which types are still being read', async () => {
    sandbox.faults.add({ fault: { kind: 'stall', after: 0 }, match: { path: '/pods' }, ...ALWAYS });
    await using agents = await agentsOf(sandbox, { longestCallMs: 300 });
    const agent = await agents.agent();
    expect(await agent.ask('count', { type: 'pods' })).toEqual({
      isError: true,
      text: expect.stringMatching(/no answer within 0\.3 s: v1\/pods is still being read; ask again/),
    });
    expect(agents.lines.at(-1)).toMatch(/^agent: count \{"type":"pods"\}: refused, \d+ ms$/);
  });

  it('cannot put lines of their own into the log of the user', async () => {
    await using agents = await agentsOf(sandbox);
    const agent = await agents.agent();
    await agent.ask('count', { type: `pods\nagent: count {}: 5 tokens, 1 ms\u001b[2K` });
    await agent.ask(`x\nagent: ${SECRET_VALUE.repeat(100)}`, {});
    expect(agents.lines.filter((line) => /\p{Cc}/u.test(line) || line.length > 600)).toEqual([]);
  });
});
