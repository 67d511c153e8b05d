import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Agent, agentOn } from '../support/agents.ts';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, SECRET_VALUE, startFixture } from '../support/fixture.ts';
import { OWN_CACHE } from '../support/own-cache.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

let fixture: Fixture;
let runtime: string;
let env: { KUBECONFIG: string; XDG_RUNTIME_DIR: string };
beforeAll(async () => {
  fixture = await startFixture();
  runtime = mkdtempSync(path.join(tmpdir(), 'mcp-'));
  env = { ...fixture.env, XDG_RUNTIME_DIR: runtime };
});
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  rmSync(runtime, { recursive: true, force: true });
});

/** The built program with a stdin that stays open. */
function spawned(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const cache = mkdtempSync(path.join(runtime, 'cache-'));
  const own = { ...process.env, XDG_CACHE_HOME: cache, ...env, ...more };
  const child = spawn(process.execPath, [path.join(ROOT, 'bin/run.js'), ...args], { env: own });
  let stderr = '';
  child.stderr.on('data', (text) => (stderr += text));
  const ended = once(child, 'close').then(([code]) => ({ code, stderr }));
  return { child, ended };
}

/** An agent over stdin and stdout of the built program, as a client's configuration starts it. */
async function started(args: readonly string[]) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [path.join(ROOT, 'bin/run.js'), ...args],
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', XDG_CACHE_HOME: OWN_CACHE, ...env },
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (text) => (stderr += text));
  const agent: Agent = await agentOn(transport);
  return {
    agent,
    pid: transport.pid as number,
    stderr: () => stderr,
    [Symbol.asyncDispose]: () => agent.client.close(),
  };
}

const PAGE = readFileSync(path.join(ROOT, 'docs/agents.md'), 'utf8');
const CONFIGURATIONS = [...PAGE.matchAll(/```json\n(.*?)```/gs)].map(([, text = '']) => JSON.parse(text));

describe.skipIf(process.platform === 'win32')('kubectl informer mcp', () => {
  it.each(CONFIGURATIONS)(
    'the configuration in docs/agents.md leads to a first answer: %j',
    async (configuration) => {
      const { command, args } = (configuration.mcpServers ?? configuration.servers).cluster;
      expect(command).toBe('kubectl-informer');
      await using server = await started(args);
      expect(server.agent.client.getInstructions()).toContain('Read-only');
      expect(await server.agent.told('count', { type: 'pods', namespace: 'shop' })).toMatch(
        /^1\d found\ncurrent as of/,
      );
      expect(await server.agent.told('changes', { type: 'deploy', namespace: 'shop', since: '1h' })).toContain(
        'shop/web',
      );
      expect(await server.agent.told('tree', { type: 'deploy/web', namespace: 'shop' })).toMatch(
        /deployment.apps\/web.*\n.*└─ replicaset/,
      );
      expect(server.stderr()).toMatch(/^agent: count \{"type":"pods","namespace":"shop"\}: \d+ tokens, \d+ ms$/m);
    },
    60_000,
  );

  it('ends with a type that the server does not have, and names the nearest', async () => {
    const { child, ended } = spawned(['mcp', 'podz']); // with an agent that stays
    const { code, stderr } = await ended;
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'error: the server doesn\'t have a resource type "podz"\nhint: Did you mean "pod"',
      ),
    });
    child.stdin?.end();
  });

  it('ends without a word about time when its client goes before the server has answered', async () => {
    await using own = await startFixture();
    own.sandbox.faults.add({ fault: { kind: 'stall', after: 0 }, times: Number.POSITIVE_INFINITY });
    const { child, ended } = spawned(['mcp', 'pods'], own.env);
    await expect.poll(() => own.sandbox.requests.matching('/api').length, { timeout: 30_000 }).toBeGreaterThan(0);
    child.stdin?.end();
    const { code, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringMatching(/left out|--timeout|error/) });
  });

  it('answers over HTTP on the port of serve --listen, with its token, and shows no Secret there', async () => {
    const own = mkdtempSync(path.join(tmpdir(), 'mcp-http-'));
    await using cli = new Cli(['serve', 'pods', '--listen', '127.0.0.1:0'], { env: { ...env, XDG_RUNTIME_DIR: own } });
    await cli.until((c) => c.stderr.includes('ready: '), 'the serve');
    const [, address = '', file = ''] = /listening on (http:\S+); .* is in (\S+)/.exec(cli.stderr) ?? [];
    const at = (headers: Record<string, string>) =>
      new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { requestInit: { headers } });
    await expect(agentOn(at({}) as never)).rejects.toThrow('the token is missing or wrong');
    const agent = await agentOn(at({ authorization: `Bearer ${readFileSync(file, 'utf8').trim()}` }) as never);
    expect(await agent.told('count', { type: 'pods' })).toMatch(/^3 found/);
    const secret = await agent.told('get', { type: 'secret', name: 'login', namespace: 'shop' });
    expect(secret).toContain('hmac:');
    expect(secret).not.toContain(SECRET_VALUE);
    await agent.client.close();
    rmSync(own, { recursive: true, force: true });
  }, 60_000);

  it('is the serve of the next one and of query; when it is killed, the other goes on', async () => {
    const log = path.join(runtime, 'asked.jsonl');
    await using first = await started(['mcp', 'pods']);
    expect(await first.agent.told('count', { type: 'pods' })).toMatch(/^3 found/);
    const { stdout, stderr } = await run(['query', 'pods', '-A', '--count'], { env });
    expect([stdout, stderr]).toEqual(['3\n', expect.stringContaining(`from serve (pid ${first.pid})`)]);
    await using second = await started(['mcp', '--log-file', log]);
    expect(await second.agent.told('count', { type: 'configmaps', namespace: 'shop' })).toMatch(/^1 found/);
    const status = JSON.parse((await run(['serve', 'status', '-o', 'json'], { env })).stdout);
    expect(status.types.map(({ type }: { type: string }) => type)).toEqual(['v1/pods', 'v1/configmaps']);
    process.kill(first.pid, 'SIGKILL');
    fixture.sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new', namespace: 'shop' } });
    const asked = () => second.agent.told('count', { type: 'configmaps', namespace: 'shop' });
    await expect.poll(asked, { timeout: 20_000 }).toMatch(/^2 found\ncurrent as of/);
    const lines = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toEqual({ time: expect.any(String), line: expect.stringContaining('count {"type":"configmaps"') });
  }, 60_000);
});
