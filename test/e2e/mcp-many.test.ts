import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ListeningServe, type ProgramAgent, stdioAgent } from '../support/agent-programs.ts';
import { run } from '../support/cli.ts';
import { type Fixture, OBJECTS, pod, startFixture } from '../support/fixture.ts';

let fixture: Fixture;
let env: { KUBECONFIG: string; XDG_RUNTIME_DIR: string };
beforeEach(async () => {
  const pods = Array.from({ length: 50 }, (_, i) => pod(`mine-${i}`, { app: `app-${i}`, namespace: 'other' }));
  fixture = await startFixture([...OBJECTS, ...pods]);
  env = { ...fixture.env, XDG_RUNTIME_DIR: mkdtempSync(path.join(tmpdir(), 'mcp-many-')) };
});
afterEach(async () => {
  await fixture[Symbol.asyncDispose]();
  rmSync(env.XDG_RUNTIME_DIR, { recursive: true, force: true });
});

/** The requests for a type at the API server. A watch of one second only proves that nothing was missed. */
const requestsFor = (resource: string) => {
  const all = fixture.sandbox.requests
    .matching(new RegExp(`/${resource}\\?`))
    .filter(({ path: url }) => !/watch=.*timeoutSeconds=1\b/.test(url));
  return { watches: all.filter(({ path: url }) => url.includes('watch=')).length, all: all.length };
};

/** Has every agent ask at the same time for what is its own, and for types that none has cached before. */
async function asked(programs: readonly ProgramAgent[]) {
  const told: number[] = programs.map(() => 0);
  await Promise.all(
    programs.map(async (program, i) => {
      const { agent } = program;
      agent.client.setNotificationHandler(
        ResourceUpdatedNotificationSchema,
        () => void told.splice(i, 1, (told[i] ?? 0) + 1),
      );
      await agent.client.subscribeResource({ uri: `kube:///pods?namespace=other&labels=app%3Dapp-${i}` });
      const own = { type: 'pods', labels: `app=app-${i}` };
      const [count, rows, settings, deploys] = await Promise.all([
        patiently(program, 'count', own),
        patiently(program, 'query', { ...own, paths: ['.metadata.labels.app'] }),
        patiently(program, 'count', { type: 'configmaps', namespace: 'shop' }),
        patiently(program, 'query', { type: 'deploy', columns: ['READY'] }),
      ]);
      expect(count).toMatch(/^1 found\ncurrent as of/);
      expect(rows).toMatch(new RegExp(`\n\\| other\tmine-${i}\tapp-${i}\n`));
      expect(settings).toMatch(/^1 found\n/);
      expect(deploys).toMatch(/\n\| shop\tweb\t0\/2\n/);
    }),
  );
  return told;
}

/** Processes that start at a time. Each takes half a second of a processor, and then some 45 MB of its own. */
const AT_ONCE = 4;

/** The text of an answer. A machine that is too busy to answer within the limit of a call is asked again. */
async function patiently({ agent }: ProgramAgent, tool: string, args: Record<string, unknown>): Promise<string> {
  for (let i = 1; ; i++) {
    const { text, isError } = await agent.ask(tool, args);
    if (!isError) return text;
    if (i === 5 || !text.includes('no answer within 30 s')) throw new Error(text);
  }
}

describe.skipIf(process.platform === 'win32')('many agents at once', () => {
  it('fifty over HTTP have one watch of each type at the server, and each its own answers and notifications', async () => {
    await using serve = await ListeningServe.start(['pods', '-A'], env);
    const programs = await Promise.all(Array.from({ length: 50 }, () => serve.agent()));
    const told = await asked(programs);
    for (const type of ['pods', 'configmaps', 'deployments'])
      expect([type, requestsFor(type)]).toEqual([type, { watches: 1, all: expect.toSatisfy((n: number) => n <= 2) }]);
    fixture.sandbox.put([{ ...pod('mine-7', { app: 'app-7', namespace: 'other' }), status: { phase: 'Failed' } }] as never); // biome-ignore format: one call
    await expect.poll(() => told, { timeout: 20_000 }).toEqual(programs.map((_, i) => (i === 7 ? 1 : 0)));
    const { client } = (programs[3] as ProgramAgent).agent;
    for (let i = 1; i < 50; i++) await client.subscribeResource({ uri: `kube:///pods?name=${i}` });
    await expect(client.subscribeResource({ uri: 'kube:///pods?name=50' })).rejects.toThrow('at most 50');
    await Promise.all(programs.map((each) => each[Symbol.asyncDispose]()));
    await using last = await serve.agent();
    expect(await last.agent.told('count', { type: 'pods', namespace: 'other' })).toMatch(/^51 found\n/);
  }, 120_000);

  it('more than 200 sessions over HTTP end the one that was silent longest', async () => {
    await using serve = await ListeningServe.start(['pods', '-A'], env);
    const headers = { authorization: `Bearer ${serve.token}`, accept: 'application/json, text/event-stream', 'content-type': 'application/json' }; // biome-ignore format: one record
    const ask = (message: object, id?: string) => fetch(serve.url, { method: 'POST', headers: { ...headers, ...(id && { 'mcp-session-id': id }) }, body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }) }); // biome-ignore format: one call
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'many', version: '1' } };
    const ids: string[] = [];
    for (let i = 0; i < 201; i++) ids.push((await ask({ method: 'initialize', params })).headers.get('mcp-session-id') ?? ''); // biome-ignore format: one line
    expect(new Set(ids).size).toBe(201);
    const statuses = await Promise.all([0, 1, 200].map(async (i) => (await ask({ method: 'ping' }, ids[i])).status));
    expect(statuses).toEqual([404, 200, 200]);
  }, 120_000);

  it('fifty over stdio share one serve: each has its own answers and notifications, the server has one watch of each type, and all end with 0', async () => {
    await using ends = new AsyncDisposableStack();
    const first = ends.use(await stdioAgent(['mcp', 'pods', '-A'], env));
    expect(await first.agent.told('count', { type: 'pods' })).toMatch(/^53 found\n/);
    const programs = [first];
    while (programs.length < 50) {
      const wave = Math.min(AT_ONCE, 50 - programs.length);
      for (const each of await Promise.all(Array.from({ length: wave }, () => stdioAgent(['mcp', '-A'], env))))
        programs.push(ends.use(each));
    }
    const told = await asked(programs);
    expect(new Set(programs.map(({ pid }) => pid)).size).toBe(50);
    for (const { pid } of programs) process.kill(pid, 0); // throws if the process has ended
    for (const type of ['pods', 'configmaps', 'deployments'])
      expect([type, requestsFor(type).watches]).toEqual([type, 1]);
    const { stdout } = await run(['serve', 'status', '-o', 'json'], { env });
    expect(JSON.parse(stdout)).toMatchObject({ pid: first.pid });
    fixture.sandbox.put([{ ...pod('mine-7', { app: 'app-7', namespace: 'other' }), status: { phase: 'Failed' } }] as never); // biome-ignore format: one call
    await expect.poll(() => told, { timeout: 60_000 }).toEqual(programs.map((_, i) => (i === 7 ? 1 : 0)));
    const [ofFirst, ...others] = programs;
    expect(await Promise.all(others.map((each) => each.ended()))).toEqual(others.map(() => 0));
    expect(await ofFirst?.ended()).toBe(0);
  }, 600_000);

  it('a type that the serve reads for longer than an answer may take is read by it alone', async () => {
    await using first = await stdioAgent(['mcp', 'pods', '-A'], env);
    await first.agent.told('count', { type: 'pods' });
    fixture.sandbox.faults.add({ fault: { kind: 'delay', ms: 7_000 }, match: { path: '/configmaps' }, times: 1 });
    await using second = await stdioAgent(['mcp', '-A'], env);
    expect(await second.agent.told('count', { type: 'configmaps', namespace: 'shop' })).toMatch(/^1 found\n/);
    expect(requestsFor('configmaps').watches).toBe(1);
  }, 60_000);
});
