import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';

let fixture: Fixture;
let env: { KUBECONFIG: string; XDG_RUNTIME_DIR: string };
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());
beforeEach(async () => {
  const runtime = await mkdtemp(path.join(tmpdir(), 'life-'));
  env = { ...fixture.env, XDG_RUNTIME_DIR: runtime };
  return () => rm(runtime, { recursive: true, force: true });
});

async function served(...args: string[]): Promise<Cli> {
  const cli = new Cli(['serve', ...args], { env });
  await cli.until(({ stderr }) => /^ready: /m.test(stderr), 'ready');
  return cli;
}

async function socketOfServe(): Promise<string> {
  const serves = path.join(env.XDG_RUNTIME_DIR, 'kubectl-informer', 'serve');
  const [key = ''] = (await readdir(serves)).filter((name) => /^[0-9a-f]{16}$/.test(name));
  return path.join(serves, key, 'socket');
}

/** Sends a body, and gives the lines of the answer as they come. The answer ends when `isEnough` says so. */
function lines(
  socketPath: string,
  at: string,
  isEnough: (records: readonly Line[]) => boolean | Promise<boolean>,
  body?: string,
): Promise<Line[]> {
  return new Promise((resolve, reject) => {
    const records: Line[] = [];
    let rest = '';
    const asked = request(
      { socketPath, path: at, method: body === undefined ? 'GET' : 'POST', agent: false },
      (answer) => {
        answer.setEncoding('utf8');
        answer.on('data', async (text: string) => {
          const parts = (rest + text).split('\n');
          rest = parts.pop() ?? '';
          for (const part of parts) if (part !== '') records.push(JSON.parse(part) as Line);
          if (!(await isEnough(records))) return;
          asked.destroy();
          resolve(records);
        });
        answer.on('end', () => resolve(records));
      },
    );
    asked.on('error', (error) => (asked.destroyed ? undefined : reject(error)));
    asked.end(body);
  });
}

type Line = { readonly type?: string; readonly key?: string; readonly cause?: string } & Record<string, unknown>;

describe.skipIf(process.platform === 'win32')('a serve', () => {
  it('sends the events of a type as lines: what is there, SYNCED, then changes within the namespace and selectors that are asked, END at its end', async () => {
    const put = (name: string, app: string) =>
      fixture.sandbox.apply({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace: 'shop', labels: { app } },
      });
    put('there', 'life');
    put('elsewhere', 'other');
    await using serving = await served('configmaps');
    const socket = await socketOfServe();
    let step = 0;
    const seen = await lines(socket, '/v1/watch?type=configmaps&namespace=shop&selector=app%3Dlife', (records) => {
      if (step === 0 && records.some(({ type }) => type === 'SYNCED')) {
        step = 1;
        fixture.sandbox.apply({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'x', namespace: 'default', labels: { app: 'life' } },
        });
        put('one', 'other');
        put('two', 'life');
      } else if (step === 1 && records.some(({ key, type }) => key === 'shop/two' && type === 'ADDED')) {
        step = 2;
        put('two', 'other');
      } else if (step === 2 && records.some(({ type }) => type === 'DELETED')) {
        step = 3;
        serving.kill('SIGTERM');
      }
      return false;
    });
    expect(seen.map(({ type, key, cause }) => [type, key, cause])).toEqual([
      ['ADDED', 'shop/there', 'initial'],
      ['SYNCED', undefined, undefined],
      ['ADDED', 'shop/two', expect.any(String)],
      ['DELETED', 'shop/two', 'filter'],
      ['END', undefined, undefined],
    ]);
  });

  it('answers a stream of lookups line by line, and names what a line asks wrongly', async () => {
    await using _serving = await served('pods', '--index', 'name=.metadata.name');
    const asked = [
      { type: 'pods', index: 'name', value: 'web-1' },
      { type: 'pods', index: 'name', value: 'none' },
      { type: 'pods', index: 'node', value: 'worker-1', output: 'objects' },
      { type: 'services', index: 'name', value: 'x' },
      { type: 'pods', index: 'nme', value: 'x' },
      { type: 'pods' },
    ];
    const body = `${asked.map((each) => JSON.stringify(each)).join('\n')}\n{not json\n`;
    const answers = await lines(await socketOfServe(), '/v1/lookup', () => false, body);
    expect(answers).toHaveLength(asked.length + 1);
    expect(answers[0]).toEqual({ keys: ['shop/web-1'] });
    expect(answers[1]).toEqual({ keys: [] });
    expect(answers[2]).toMatchObject({ objects: expect.any(Array) });
    expect(answers.slice(3).map(({ error }) => (error as { message: string }).message)).toEqual([
      'this serve does not hold v1/services',
      expect.stringContaining('there is no index named "nme"'),
      'a lookup has the texts type, index and value',
      expect.stringContaining('JSON'),
    ]);
  });

  it('ends by itself after --idle-exit without a client, says so, and leaves no socket', async () => {
    await using serving = await served('pods', '--idle-exit', '1s');
    const socket = await socketOfServe();
    expect(await serving.ended()).toMatchObject({ code: 0 });
    expect(serving.stderr).toContain('ends: no client for 1s (--idle-exit)\n');
    expect(existsSync(socket)).toBe(false);
  });

  it('is ended by serve stop, which returns when it is gone; then status and stop say that none runs', async () => {
    await using serving = await served('pods');
    const status = await run(['serve', 'status', '-o', 'json'], { env });
    expect(JSON.parse(status.stdout)).toMatchObject({
      pid: serving.child.pid,
      types: [{ type: 'v1/pods', namespaces: [''], objects: 3, synced: true }],
    });
    expect(await run(['serve', 'stop'], { env })).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/ has ended\n$/),
    });
    expect(await serving.ended()).toMatchObject({ code: 0 });
    for (const word of ['status', 'stop'])
      expect(await run(['serve', word], { env })).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^error: no serve runs for this cluster and user\nhint: /),
      });
  });

  it('holds what may be read: a type that is forbidden is named and left out, and one alone ends it with 1', async () => {
    fixture.sandbox.apply([
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'pods-only' },
        rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] }],
      },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'pods-only' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'pods-only' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'viewer' }],
      },
    ]);
    await using serving = await served('pods,configmaps', '--as', 'viewer', '-A');
    expect(serving.stderr).toMatch(/left out: .*configmaps.*forbidden/);
    expect(serving.stderr).toContain('v1/pods: 3 objects\n');
    serving.kill('SIGTERM');
    await serving.ended();
    const alone = await run(['serve', 'configmaps', '--as', 'viewer', '-A'], { env });
    expect([alone.code, alone.stderr]).toEqual([1, expect.stringContaining('forbidden')]);
  });
});
