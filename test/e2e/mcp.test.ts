import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ListeningServe, stdioAgent } from '../support/agent-programs.ts';
import { agentOn } from '../support/agents.ts';
import { run } from '../support/cli.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';

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

const PAGE = readFileSync(path.join(ROOT, 'docs/agents.md'), 'utf8');
const [OVER_HTTP, ...CONFIGURATIONS] = [...PAGE.matchAll(/```json\n(.*?)```/gs)]
  .map(([, text = '']) => JSON.parse(text))
  .sort((a) => (a.servers?.cluster.type === 'http' ? -1 : 1));

describe.skipIf(process.platform === 'win32')('kubectl informer mcp', () => {
  it.each(CONFIGURATIONS)(
    'the configuration in docs/agents.md leads to a first answer: %j',
    async (configuration) => {
      const { command, args } = (configuration.mcpServers ?? configuration.servers).cluster;
      expect(command).toBe('kubectl-informer');
      await using server = await stdioAgent(args, env);
      expect(server.agent.client.getInstructions()).toContain('Read-only');
      expect(await server.agent.told('count', { type: 'pods', namespace: 'shop' })).toMatch(
        /^1\d found\ncurrent as of/,
      );
      expect(await server.agent.told('changes', { type: 'deploy', namespace: 'shop', since: '1h' })).toContain(
        'shop/web',
      );
      expect(await server.agent.told('tree', { type: 'deploy/web', namespace: 'shop' })).toMatch(
        /deployment.apps\/web.*\n.*[├└]─ replicaset/,
      );
      expect(server.stderr()).toMatch(/^agent: count \{"type":"pods","namespace":"shop"\}: \d+ tokens, \d+ ms$/m);
    },
    60_000,
  );

  it('the configuration over HTTP in docs/agents.md leads to a first answer', async () => {
    await using serve = await ListeningServe.start(['pods'], env);
    const { type, url, headers } = OVER_HTTP.servers.cluster;
    expect([type, new URL(url).pathname]).toEqual(['http', serve.url.pathname]);
    const { Authorization } = headers;
    const agent = await agentOn(
      serve.transport({ Authorization: Authorization.replace('TOKEN', serve.token) }) as never,
    );
    expect(await agent.told('count', { type: 'pods' })).toMatch(/^3 found\n/);
    await agent.client.close();
  }, 60_000);

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

  it('is the serve of the next one and of query; when it is killed, the other goes on', async () => {
    const log = path.join(runtime, 'asked.jsonl');
    await using first = await stdioAgent(['mcp', 'pods'], env);
    expect(await first.agent.told('count', { type: 'pods' })).toMatch(/^3 found/);
    const { stdout, stderr } = await run(['query', 'pods', '-A', '--count'], { env });
    expect([stdout, stderr]).toEqual(['3\n', expect.stringContaining(`from serve (pid ${first.pid})`)]);
    await using second = await stdioAgent(['mcp', '--log-file', log], env);
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
