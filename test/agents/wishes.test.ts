import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokensOf } from '../../src/agents/token-count.ts';
import { SCHEMAS, type ToolName } from '../../src/agents/tool-schemas.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { type Agent, agentsOf } from '../support/agents.ts';
import { pod } from '../support/fixture.ts';

let sandbox: Sandbox;
let agents: Awaited<ReturnType<typeof agentsOf>>;
let agent: Agent;
beforeAll(async () => {
  sandbox = await Sandbox.start({});
  sandbox.apply(
    Array.from({ length: 300 }, (_, i) => {
      const { metadata, ...made } = pod(`web-${i}`, { node: `worker-${i % 5}`, app: i % 3 ? 'web' : 'api' });
      const labels = { ...metadata.labels, tier: i % 2 ? 'front' : 'back' };
      const managed = [{ manager: 'kubelet', operation: 'Update', time: '2026-01-01T00:00:00Z', fieldsType: 'FieldsV1', fieldsV1: { 'f:status': {} } }]; // biome-ignore format: one line
      return { ...made, metadata: { ...metadata, labels, managedFields: managed }, status: { phase: i % 50 ? 'Running' : 'Pending' } }; // biome-ignore format: one line
    }),
  );
  agents = await agentsOf(sandbox);
  agent = await agents.agent();
});
afterAll(async () => {
  await agents[Symbol.asyncDispose]();
  await sandbox.stop();
});

const PODS = { type: 'pods', namespace: 'shop' };

/**
 * What users of the most used server for agents ask it for: containers/kubernetes-mcp-server 75, 722 (seven wishes),
 * 877, 967, 668, 876, 1185 and 1244.
 */
describe('the wishes of those who let agents look into clusters', () => {
  it.each<[string, string, Record<string, unknown>, RegExp]>([
    [
      '722.1, 1244: a list is rows, and no manifests',
      'query',
      PODS,
      /^300 found\n\| pods \(each: NAMESPACE=shop.*\n\| NAME\t/,
    ],
    ['722.2, 967: a number without the objects', 'count', { ...PODS, where: ['STATUS == "Pending"'] }, /^6 found\ncurrent as of \S+ ago$/], // biome-ignore format: one row
    ['722.3: the columns of my choice', 'query', { ...PODS, columns: ['STATUS', 'NODE'], limit: 2 }, /\n\| NAME\tSTATUS\tNODE\n/], // biome-ignore format: one row
    ['722.3: one whole object where I ask for it', 'get', { type: 'pod', name: 'web-1', namespace: 'shop' }, /^\| kind: Pod\n.*\n\| spec:\n/s], // biome-ignore format: one row
    ['722.4: the labels that there are, to select by them', 'group', { ...PODS, by: 'object.metadata.labels.map(k, k + "=" + object.metadata.labels[k])' }, /\n\| 200\tapp=web\n(.*\n)*\| 150\ttier=front\n/], // biome-ignore format: one row
    ['722.4: the values of a label', 'values', { ...PODS, of: 'label:app' }, /\n\| 200\tweb\n\| 100\tapi\n/],
    ['722.6: several named objects at once', 'query', { type: 'pod/web-1 pod/web-7', namespace: 'shop', paths: ['.status.phase'] }, /^2 found\n.*\n.*\n\| web-1\n\| web-7\n/], // biome-ignore format: one row
    ['722.7: fields by paths, and no others', 'query', { ...PODS, paths: ['.spec.nodeName'], limit: 1 }, /\n\| NAMESPACE\tNAME\t\.spec\.nodeName\n\| shop\tweb-0\tworker-0\n/], // biome-ignore format: one row
    ['1185: a label selector', 'count', { ...PODS, labels: 'app=web,tier in (front)' }, /^100 found\n/],
    ['621: a field selector', 'count', { ...PODS, fields: 'spec.nodeName=worker-2' }, /^60 found\n/],
    ['876: the status alone', 'get', { type: 'pod', name: 'web-1', namespace: 'shop', paths: ['.status'] }, /\n\| shop\tweb-1\t\{"phase":"Running"/], // biome-ignore format: one row
    ['876: no managedFields', 'get', { type: 'pod', name: 'web-1', namespace: 'shop' }, /^(?!.*managedFields)/s],
    ['75: filters by what objects say', 'query', { ...PODS, where: ['STATUS == "Pending"'], columns: ['STATUS'] }, /^6 found\n/], // biome-ignore format: one row
    ['75: filters by any expression', 'count', { ...PODS, filter: ['object.spec.nodeName == "worker-3"'] }, /^60 found\n/], // biome-ignore format: one row
    ['numbers of each group', 'group', { ...PODS, by: '.status.phase' }, /\n\| 294\tRunning\n\| 6\tPending\n/],
    ['to wait, and not to ask again and again', 'wait', { type: 'pod/web-1', namespace: 'shop', for: ['jsonpath={.status.phase}=Running'] }, /^met after /], // biome-ignore format: one row
  ])('%s', async (_, tool, args, answer) => {
    const text = await agent.told(tool, args);
    expect(text).toMatch(answer);
    expect(tokensOf(text)).toBeLessThanOrEqual(1000);
  });

  it('75: a list of hundreds takes a thousand tokens, where the objects take more than a hundred thousand', async () => {
    const objects = sandbox.list({ group: '', version: 'v1', resource: 'pods' });
    expect(tokensOf(JSON.stringify(objects))).toBeGreaterThan(50_000);
    expect(tokensOf(await agent.told('query', PODS))).toBeLessThanOrEqual(1000);
    expect(tokensOf(await agent.told('query', { ...PODS, tokens: 200 }))).toBeLessThanOrEqual(200);
  });

  it('722.5, 668: a list goes on where the answer before ended, and shows each object once', async () => {
    const names: string[] = [];
    for (let skip: number | undefined = 0; skip !== undefined; ) {
      const text: string = await agent.told('query', { ...PODS, skip });
      names.push(...[...text.matchAll(/^\| (web-\d+)(?:\t|$)/gm)].map(([, name = '']) => name));
      const next: string | undefined = /^skip (\d+) goes on$/m.exec(text)?.[1];
      skip = next === undefined ? undefined : Number(next);
      if (skip !== undefined) expect(skip).toBe(names.length);
    }
    expect(names).toHaveLength(300);
    expect(new Set(names).size).toBe(300);
    expect(await agent.told('query', { ...PODS, skip: 300 })).toMatch(/^300 found\ncurrent/);
  });

  // 877 asks for fewer tokens in the answers of all tools, without an answer that a user needs being lost
  it('877: of every tool the answer about 300 pods takes a thousand tokens at most, and what is left out can be asked for', async () => {
    const calls: Record<ToolName, Record<string, unknown>> = {
      types: {},
      query: PODS,
      count: PODS,
      values: { ...PODS, of: 'node' },
      group: { ...PODS, by: '.metadata.name' },
      tree: PODS,
      get: { type: 'pod', name: 'web-1', namespace: 'shop' },
      changes: { ...PODS, since: '9000d' },
      history: { type: 'pod/web-1', namespace: 'shop' },
      story: { type: 'pod/web-1', namespace: 'shop' },
      wait: { ...PODS, for: ['condition=Ready'], timeout: '1ms' },
      explain: { type: 'pods' },
    };
    expect(Object.keys(calls)).toEqual(Object.keys(SCHEMAS));
    for (const [tool, args] of Object.entries(calls)) {
      const text = await agent.told(tool, args);
      expect([tool, tokensOf(text) <= 1000]).toEqual([tool, true]);
      const more = await agent.told(tool, { ...args, tokens: 20_000 });
      if (/^\d+ more/m.test(text)) expect([tool, more.split('\n').length > text.split('\n').length]).toEqual([tool, true]); // biome-ignore format: one line
    }
  });

  it('877: the tools themselves take few tokens', async () => {
    const { tools } = await agent.client.listTools();
    expect(tokensOf(JSON.stringify(tools))).toBeLessThan(4000);
  });

  it('to follow: who changed what since the last question', async () => {
    await agent.told('count', PODS);
    const since = sandbox.apply({ ...pod('web-2'), metadata: { name: 'web-2', namespace: 'shop', labels: { app: 'web', tier: 'top' } } } as never); // biome-ignore format: one call
    expect(since).toBeDefined();
    await expect
      .poll(() => agent.told('changes', { ...PODS, since: '1m' }))
      .toMatch(/\tshop\/web-2 by \S+\t.*\.metadata\.labels\.tier back → top/);
  });
});
