import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { createConfig } from '../../src/client/config/cluster-config.ts';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const BUDGETS = { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets' };
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };

const section =
  /^## Your first controller in five minutes\n(.*?)^## /ms.exec(
    readFileSync(path.join(ROOT, 'README.md'), 'utf8'),
  )?.[1] ?? '';
const program = /^```ts\n(.*?)^```/ms.exec(section)?.[1] ?? '';
/** The lines that are typed, in their order, as words; `curl` too. */
const typed = [...section.matchAll(/^(?:kubectl informer |(?=curl ))(.*)$/gm)].map(([, line = '']) => line.split(' '));
const [onSandbox = [], dryRun = [], forReal = [], ...lookingInto] = typed;

let fixture: Fixture;
let cwd: string;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  fixture = await startFixture();
  cwd = await mkdtemp(path.join(tmpdir(), 'first-'));
  env = { ...fixture.env, XDG_RUNTIME_DIR: cwd };
  await writeFile(path.join(cwd, 'budgets.ts'), program);
});
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await rm(cwd, { recursive: true, force: true });
});

const budget = () => fixture.sandbox.get(BUDGETS, 'shop/web');
/** Scales the Deployment as a user does. The server increments its generation. */
async function scale(replicas: number): Promise<void> {
  const { url, token, caPem } = fixture.sandbox;
  const client = createClient(createConfig({ server: url, token, tls: { ca: caPem } }));
  const deployments = client.resource(DEPLOYMENTS, { namespace: 'shop' });
  await deployments.patch('web', { spec: { replicas } }, { type: 'merge' });
  await client.close();
}

describe('the five-minute path in the README', () => {
  it('is one file and the six lines that are run here', () => {
    expect(typed.map(([command = '', word = '']) => `${command} ${word}`)).toEqual([
      'reconcile deployments',
      'reconcile deployments',
      'reconcile deployments',
      'queue list',
      'reconcile explain',
      'curl -s',
    ]);
  });

  it('passes the compiler with the published types', async () => {
    const project = await mkdtemp(path.join(tmpdir(), 'first-types-'));
    await mkdir(path.join(project, 'node_modules'));
    await symlink(ROOT, path.join(project, 'node_modules/kubectl-informer'), 'junction');
    await writeFile(path.join(project, 'package.json'), '{"type":"module"}');
    await writeFile(path.join(project, 'budgets.ts'), program);
    const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', 'budgets.ts'];
    const output = await new Promise<string>((resolve) =>
      execFile(process.execPath, [tsc, ...options], { cwd: project }, (_, stdout) => resolve(stdout)),
    );
    await rm(project, { recursive: true, force: true });
    expect(output).toBe('');
  });

  it('shows on the sandbox what it would do, as the page says', async () => {
    const shown = /^shop\/web: would (.*?)…$/m.exec(section)?.[1] ?? 'nothing';
    await using cli = new Cli(onSandbox, { env, cwd });
    await cli.until((c) => c.stdout.includes(`shop/web: would ${shown}`), 'the action');
    expect(cli.stderr).toContain('--allow-write sends them');
    cli.kill('SIGINT');
    expect((await cli.ended()).code).toBe(0);
  });

  it('checks with --dry-run on a cluster, and stores nothing', async () => {
    await using cli = new Cli(dryRun, { env, cwd });
    await cli.until((c) => c.stdout.includes('poddisruptionbudgets'), 'the diff');
    cli.kill('SIGINT');
    expect((await cli.ended()).code).toBe(0);
    expect(budget()).toBeUndefined();
  });

  it('is a controller with --allow-write: it creates, repairs and deletes, and can be looked into', async () => {
    const line = forReal.map((word) => (word === ':8080' ? ':0' : word)); // the port may be taken here
    await using cli = new Cli(line, { env, cwd });
    await cli.until(() => budget() !== undefined, 'the budget');
    expect(budget()).toMatchObject({
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
      metadata: { ownerReferences: [{ kind: 'Deployment', name: 'web', controller: true }] },
    });
    const { uid } = (budget() as { metadata: { uid: string } }).metadata;
    fixture.sandbox.delete(BUDGETS, 'shop/web');
    const repaired = () => (budget() as { metadata: { uid: string } } | undefined)?.metadata.uid;
    await expect.poll(() => repaired() !== undefined && repaired() !== uid, { timeout: 10_000 }).toBe(true);
    await scale(1);
    await expect.poll(budget, { timeout: 10_000 }).toBeUndefined();
    await scale(2);
    await expect.poll(() => budget() !== undefined, { timeout: 10_000 }).toBe(true);

    const [queue = [], explain = [], curl = []] = lookingInto;
    expect(await run(queue, { env })).toMatchObject({ code: 0 });
    const explained = await run(explain, { env });
    expect(explained.stdout).toMatch(/^deployments\.apps shop\/web: not queued: its last run succeeded/);
    expect(explained.stdout).toMatch(/^ +[\d:.]+ {2}(\d+ × )?updated \((last )?version \d+\) in \.\S+/m);
    expect(curl.at(-1)).toBe('localhost:8080/metrics');
    const address = /pages: (http:\S+)/.exec(cli.stderr)?.[1];
    const metrics = await (await fetch(`${address}/metrics`)).text();
    expect(metrics).toMatch(/^kubectl_informer_writes_total\{verb="apply",mode="write"\} [1-9]/m);
    cli.kill('SIGINT');
    expect((await cli.ended()).code).toBe(0);
  });
});
