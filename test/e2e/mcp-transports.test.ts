import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ListeningServe, type ProgramAgent, stdioAgent } from '../support/agent-programs.ts';
import { agentOn } from '../support/agents.ts';
import { type Fixture, pod, SECRET_VALUE, startFixture } from '../support/fixture.ts';

let fixture: Fixture;
let serve: ListeningServe;
let env: { KUBECONFIG: string; XDG_RUNTIME_DIR: string };
beforeAll(async () => {
  fixture = await startFixture();
  const runtime = mkdtempSync(path.join(tmpdir(), 'mcp-transports-'));
  env = { ...fixture.env, XDG_RUNTIME_DIR: runtime };
  const record = path.join(runtime, 'shop.rec');
  serve = await ListeningServe.start(['pods,deploy,events', '-A', '--record', record], env);
});
afterAll(async () => {
  await serve[Symbol.asyncDispose]();
  await fixture[Symbol.asyncDispose]();
  rmSync(env.XDG_RUNTIME_DIR, { recursive: true, force: true });
});

const SHOP = { namespace: 'shop' };

/** A question to each tool, and the beginning of its answer. */
const QUESTIONS: readonly [tool: string, args: Record<string, unknown>, answer: RegExp][] = [
  ['query', { type: 'pods', ...SHOP, columns: ['STATUS'], labels: 'app=web', name: '^web-[12]$' }, /^2 found\n\| pods \(each: NAMESPACE=shop, STATUS=Running\)/], // biome-ignore format: one row
  ['query', { type: 'pods', eq: ['node=worker-2'], paths: ['.spec.nodeName'] }, /^2 found\n/],
  ['count', { type: 'pods', where: ['STATUS == "Running"'], ...SHOP, name: '^web-[12]$' }, /^2 found\n/],
  ['values', { type: 'pods', of: 'label:app', ...SHOP }, /^1 found; count\tvalue\n\| \d\tweb\n/],
  ['group', { type: 'pods', by: '.spec.nodeName' }, /\n\| 2\tworker-2\n/],
  ['tree', { type: 'deploy/web', ...SHOP }, /^\| NAME .*\n\| deployment\.apps\/web /],
  ['get', { type: 'pod', name: 'web-1', ...SHOP, paths: ['.status.phase'] }, /\n\| shop\tweb-1\tRunning\n/],
  ['get', { type: 'secret', name: 'login', ...SHOP }, /hmac:/],
  ['changes', { type: 'deploy/web', ...SHOP, since: '1h' }, /every change is known since/],
  ['history', { type: 'deploy/web', ...SHOP }, /^\| \S+Z {2}ADDED.*\nfrom the recording /s],
  ['story', { type: 'deploy/web', ...SHOP }, /^\| deployment\/web is .*\nfrom the recording /s],
  ['count', { type: 'pods', ...SHOP, name: '^web-[12]$', at: '0s' }, /^2 found\n.*as recorded at /s],
  ['wait', { type: 'pod/web-1', ...SHOP, for: ['create'] }, /^met after /],
  ['explain', { type: 'pods' }, /^\| pods: \d objects, /],
  ['types', { match: 'pods' }, /^cached types.*\n\| pods\t\d\n/],
  [
    'types',
    { match: 'serviceaccount' },
    /\n\| core: serviceaccounts \d+\nnumbers of types that are not cached: as the server gave them up to \S+ ago/,
  ],
];

const overStdio = () => stdioAgent(['mcp', '-A'], env);
const overHttp = () => serve.agent();

describe.skipIf(process.platform === 'win32')('the SDK’s own client', () => {
  describe.each([
    ['over stdio', overStdio],
    ['over HTTP', overHttp],
  ])('%s', (_, open) => {
    let program: ProgramAgent;
    beforeAll(async () => {
      program = await open();
    });
    afterAll(() => program[Symbol.asyncDispose]());

    it('learns what the server is and can', async () => {
      const { client } = program.agent;
      expect(client.getServerVersion()).toMatchObject({ name: 'kubectl-informer' });
      expect(client.getServerCapabilities()).toEqual({
        tools: {},
        resources: { subscribe: true },
        completions: {},
        logging: {},
      });
      expect(client.getInstructions()).toContain('Read-only');
      await client.ping();
      expect((await client.listTools()).tools).toHaveLength(12);
    });

    it.each(QUESTIONS)('has an answer of %s %j', async (tool, args, answer) => {
      const text = await program.agent.told(tool, args);
      expect(text).toMatch(answer);
      expect(text).not.toContain(SECRET_VALUE);
    });

    it('is refused with the next step', async () => {
      expect(await program.agent.ask('query', { type: 'podz' })).toEqual({
        isError: true,
        text: expect.stringMatching(/^not answered:\n.*"podz".*\n.*Did you mean "pod/s),
      });
    });

    it('reads resources, and is notified of what it subscribes to until it ends that', async () => {
      const { client } = program.agent;
      const updated: string[] = [];
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updated.push(params.uri));
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toContain('kube:///v1/pods');
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates).toHaveLength(1);
      const uri = 'kube:///pods?namespace=shop&labels=app%3Dweb&name=%5Eweb-%5B12%5D%24';
      const { contents } = await client.readResource({ uri });
      expect((contents[0] as { text: string }).text).toMatch(/^2 found\n/);
      await client.subscribeResource({ uri });
      fixture.sandbox.put([pod('web-1', { image: 'nginx:1.28' })] as never); // a new pod would be one too many for its owner
      await expect.poll(() => updated, { timeout: 10_000 }).toEqual([uri]);
      await client.unsubscribeResource({ uri });
      const other = 'kube:///pods?namespace=other';
      await client.subscribeResource({ uri: other });
      fixture.sandbox.put([pod('web-1')] as never);
      fixture.sandbox.put([pod('db-9', { namespace: 'other' })] as never);
      await expect.poll(() => updated, { timeout: 10_000 }).toEqual([uri, other]);
      fixture.sandbox.delete({ group: '', version: 'v1', resource: 'pods' }, 'other/db-9');
      await expect(client.subscribeResource({ uri: 'file:///etc/passwd' })).rejects.toThrow('a resource is kube:///');
    });

    it('learns what a long wait still waits for, if it asks for progress', async () => {
      const said: { progress: number; total?: number | undefined; message?: string | undefined }[] = [];
      const args = { name: 'wait', arguments: { type: 'pod/web-1', ...SHOP, until: ['object.metadata.name == "x"'], timeout: '5s' } }; // biome-ignore format: one record
      const { content } = await program.agent.client.callTool(args, undefined, { onprogress: (each) => said.push(each) }); // biome-ignore format: one call
      expect((content as { text: string }[])[0]?.text).toMatch(/^time ran out after 5s\n/);
      expect(said).toEqual([{ progress: expect.closeTo(3, 0), total: 5, message: '| waiting on pods/web-1' }]);
    });

    it('completes the names of types and namespaces', async () => {
      const { client } = program.agent;
      const ref = { type: 'ref/resource', uri: 'kube:///{+type}{?namespace}' } as const;
      const of = async (name: string, value: string) =>
        (await client.complete({ ref, argument: { name, value } })).completion;
      expect(await of('type', 'deploy')).toEqual({ values: ['deployments.apps'], total: 1, hasMore: false });
      expect((await of('type', '')).values).toContain('pods');
      expect((await of('namespace', 'sh')).values).toEqual(['shop']);
      expect(await of('where', '')).toEqual({ values: [], total: 0, hasMore: false });
    });

    it('reads the log of its calls at the level that it wants, and nothing before', async () => {
      const { client } = program.agent;
      const lines: unknown[] = [];
      client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void lines.push(params));
      await program.agent.told('count', { type: 'pods', name: 'before' });
      await client.setLoggingLevel('warning');
      await program.agent.told('count', { type: 'pods', name: 'quiet' });
      await program.agent.ask('count', { type: 'podz' });
      const warned = { level: 'warning', logger: 'kubectl-informer', data: expect.stringMatching(/^count \{"type":"podz"\}: refused, \d+ ms$/) }; // biome-ignore format: one record
      await expect.poll(() => lines).toEqual([warned]);
      await client.setLoggingLevel('info');
      await program.agent.told('count', { type: 'pods' });
      const informed = { level: 'info', logger: 'kubectl-informer', data: expect.stringMatching(/^count \{"type":"pods"\}: \d+ tokens, \d+ ms$/) }; // biome-ignore format: one record
      await expect.poll(() => lines).toEqual([warned, informed]);
    });

    it('has the changes since a version, and learns from when on they are complete', async () => {
      const { agent } = program;
      const changes = (since: string) => agent.told('changes', { type: 'pods', ...SHOP, name: 'web-1', since });
      await agent.told('count', { type: 'pods' });
      const versionOf = (object: unknown) => (object as { metadata: { resourceVersion: string } }).metadata.resourceVersion; // biome-ignore format: one line
      const put = (image: string) => versionOf(fixture.sandbox.put([pod('web-1', { image })] as never)[0]);
      const [first, second, third] = [put('nginx:1.1'), put('nginx:1.2'), put('nginx:1.3')];
      await expect.poll(() => changes(second as string)).toContain('nginx:1.2 → nginx:1.3');
      expect(await changes(second as string)).not.toContain('nginx:1.1 → nginx:1.2');
      expect(await changes(first as string)).toMatch(/nginx:1\.2 → nginx:1\.3.*\n.*nginx:1\.1 → nginx:1\.2/);
      expect(await changes(third as string)).toMatch(/^no change\ncurrent as of/);
      // what is known from before the cache is said
      expect(await changes('1')).toMatch(/^pods: every change is known since \S+Z \(version \d+\); before that the last write of each field manager\n.*nginx:1\.3/); // biome-ignore format: one row
      expect(await agent.ask('changes', { type: 'pods', since: 'v12' })).toMatchObject({ isError: true });
    });

    it('can cancel a wait', async () => {
      const cancelled = new AbortController();
      const args = { name: 'wait', arguments: { type: 'pod/never', ...SHOP, for: ['create'], timeout: '5m' } };
      const waiting = program.agent.client.callTool(args, undefined, { signal: cancelled.signal });
      const ended = expect(waiting).rejects.toThrow('enough');
      await program.agent.client.listTools(); // asked later, so that the wait has begun
      cancelled.abort(new Error('enough'));
      await ended;
      await expect.poll(() => program.stderr()).toMatch(/wait \{"type":"pod\/never".*: refused, \d+ ms/);
    });
  });

  it('over HTTP needs the token, and begins again when its session is over', async () => {
    await expect(agentOn(serve.transport({}) as never)).rejects.toThrow('the token is missing or wrong');
    const headers = { authorization: `Bearer ${serve.token}`, accept: 'application/json, text/event-stream', 'content-type': 'application/json' }; // biome-ignore format: one record
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const ask = (more: Record<string, string>) => fetch(serve.url, { method: 'POST', headers: { ...headers, ...more }, body }); // biome-ignore format: one call
    expect((await ask({ 'mcp-session-id': 'gone' })).status).toBe(404);
    const alone = await ask({});
    expect([alone.status, ((await alone.json()) as { result: { tools: object[] } }).result.tools.length]).toEqual([200, 12]); // biome-ignore format: one line
    expect((await fetch(serve.url, { headers })).status).toBe(400);
    const transport = serve.transport();
    await agentOn(transport as never);
    const { sessionId = '' } = transport;
    expect((await ask({ 'mcp-session-id': sessionId })).status).toBe(200);
    await transport.terminateSession();
    expect((await ask({ 'mcp-session-id': sessionId })).status).toBe(404);
  });
});
