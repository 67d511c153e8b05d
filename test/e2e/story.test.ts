import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../src/testing/eventually.ts';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { Cluster } from '../support/incidents.ts';

const RUN = path.resolve(import.meta.dirname, '../../bin/run.js');

let fixture: Fixture;
let folder: string;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'story-'));
  env = { ...fixture.env, XDG_RUNTIME_DIR: folder };
  return () => rm(folder, { recursive: true, force: true });
});

const PODS = { group: '', version: 'v1', resource: 'pods' };

/** A Deployment whose pod is ready, or whose container has ended. */
function checkout(isReady: boolean): readonly object[] {
  const made = new Cluster(1, Date.now());
  made.node('worker-1');
  const { set } = made.deployment('checkout', { replicas: 1, ready: isReady ? 1 : 0 });
  const state = isReady
    ? made.container(made.running(60), { ready: true })
    : made.container(made.waiting('CrashLoopBackOff', 'back-off 10s'), { last: made.ended(3, 1), restarts: 1 });
  made.pod('checkout-a', { owner: made.owner('ReplicaSet', set), ready: isReady, containers: [state] });
  return made.objects;
}

it('watch --story begins with what is known, goes on with what happens, and names causes as they come and go', async () => {
  fixture.sandbox.apply(checkout(true));
  await using cli = new Cli(['watch', 'deploy/checkout', '-n', 'shop', '--story'], { env });
  await cli.until(({ stdout }) => stdout.includes('container app started'), 'the initial list');
  expect(cli.lines[0]).toBe('deployment/checkout is ready (Deployment is available. Replicas: 1)');
  fixture.sandbox.apply(checkout(false));
  await cli.until(({ stdout }) => stdout.includes('=> not ready'), 'the cause');
  fixture.sandbox.apply(checkout(true));
  await cli.until(({ stdout }) => stdout.includes('=> ready again'), 'the end of it');
  fixture.sandbox.delete(PODS, 'shop/checkout-a');
  await cli.until(({ stdout }) => stdout.includes('checkout-a  deleted'), 'the deletion');
  cli.kill('SIGINT');
  const { code, stderr } = await cli.ended();
  expect([code, stderr]).toEqual([0, 'ended by SIGINT\n']);
  const texts = cli.lines.map((line) => line.replace(/^\S+Z {2}/, ''));
  expect(texts).toEqual(
    expect.arrayContaining([
      'pod/checkout-a  container app ended with exit code 3 after 9s',
      'pod/checkout-a  container app waits: CrashLoopBackOff: back-off 10s',
      'pod/checkout-a  not ready',
      'deployment/checkout  Available: 0/1',
      'deployment/checkout  => not ready (Available: 0/1): CrashLoopBackOff: pod/checkout-a: container app ended with exit code 3; 1 restart',
    ]),
  );
}, 60_000);

it('watch --story --record keeps what the story is made of, and history shows it again', async () => {
  const file = path.join(folder, 'story.rec');
  fixture.sandbox.apply(checkout(true));
  const words = ['watch', 'deploy/checkout', '-n', 'shop', '--story', '--record', file];
  await using cli = new Cli(words, { env });
  await cli.until(({ stdout }) => stdout.includes('container app started'), 'the initial list');
  fixture.sandbox.apply(checkout(false));
  await cli.until(({ stdout }) => stdout.includes('=> not ready'), 'the cause');
  cli.kill('SIGINT');
  await cli.ended();
  const again = await run(['history', 'deploy/checkout', '-n', 'shop', '--story', '--from', file], { env: { HOME: folder } }); // biome-ignore format: one line
  const verdict = cli.lines.find((line) => line.includes('=> not ready')) ?? '';
  expect(again.stdout.split('\n').map((line) => line.slice(20))).toContain(verdict.slice(20));
  const { code, stderr } = await run([...words.slice(0, 5), '--record-keep', '1d'], { env });
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: --record-keep does nothing without --record\n/)]);
  const told = await run([...words.slice(0, 5), '--from', file], { env });
  expect([told.code, told.stderr]).toEqual([2, `error: --story of a recording is shown by history\nhint: history deploy/checkout --story --from ${file}\n`]); // biome-ignore format: one line
}, 60_000);

it('history --story takes it out of a recording, also of a serve that records, and of the cluster without one', async () => {
  const file = path.join(folder, 'shop.rec');
  fixture.sandbox.apply(checkout(true));
  await using serve = new Cli(['serve', 'deploy,rs,pods,events', '-n', 'shop', '--record', file], { env });
  await serve.until(({ stderr }) => stderr.includes('ready: '), 'it is ready');
  fixture.sandbox.apply(checkout(false));
  const story = ['history', 'deploy/checkout', '-n', 'shop', '--story'];
  const told = await eventually(
    async () => {
      const done = await run(story, { env });
      return done.stdout.includes('=> not ready') ? done : undefined;
    },
    { timeoutMs: 30_000 },
  );
  expect(told.stdout.split('\n')[0]).toMatch(
    /^deployment\/checkout is not ready \(Available: 0\/1\): CrashLoopBackOff: /,
  );
  expect(told.stderr).toContain(
    `from ${file}, which the serve with pid ${serve.child.pid} records; --no-serve asks the cluster`,
  );
  const plain = await run(['history', 'deploy/checkout', '-n', 'shop', '-q'], { env });
  expect([plain.stdout.split('\n').length, plain.stderr]).toEqual([3, expect.stringMatching(/^the recording goes on/)]);
  const direct = await run([...story, '--no-serve'], { env });
  expect(direct.stdout.split('\n')[0]).toBe(told.stdout.split('\n')[0]);
  expect(direct.stdout).not.toContain('=> not ready');
  expect(direct.stderr).toMatch(/^from the cluster as it is now: /);
  serve.kill('SIGINT');
  await serve.ended();
  const from = await run([...story, '--from', file, '-o', 'json'], { env: { HOME: folder } });
  expect(from.code, from.stderr).toBe(0);
  const records = from.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(records[0]).toMatchObject({ kind: 'why', object: 'deployment/checkout', ready: false, causes: [{ reason: 'CrashLoopBackOff', objects: ['pod/checkout-a'] }] }); // biome-ignore format: one line
  expect(new Set(records.map(({ kind }) => kind))).toEqual(
    new Set(['why', 'change', 'rollout', 'container', 'status', 'verdict']),
  );
  const other = await run(['history', 'cm/settings', '-n', 'shop', '--story', '--from', file], {
    env: { HOME: folder },
  });
  expect(other.stderr).toContain('the recording does not have "cm"');
}, 60_000);

it('refuses what is no story, and ends quietly when its reader has enough', async () => {
  fixture.sandbox.apply(checkout(true));
  const refused = async (...args: string[]) => {
    const { code, stderr } = await run([...args], { env });
    return [code, stderr.split('\n')[0]];
  };
  expect(await refused('watch', 'deploy', '-n', 'shop', '--story')).toEqual([2, 'error: a story is of one object, with all that it owns']); // biome-ignore format: one line
  expect(await refused('watch', 'deploy/a', '--story', '--live')).toEqual([2, 'error: --live does nothing beside --story']); // biome-ignore format: one line
  expect(await refused('history', 'deploy/a', '--logs', '2')).toEqual([
    2,
    'error: --logs does nothing without --story',
  ]);
  expect(await refused('history', 'deploy/a', '--story', '--from', 'x', '--logs', '2')).toEqual([2, 'error: --logs does nothing beside --from']); // biome-ignore format: one line
  expect(await refused('history', 'deploy/a', '-n', 'shop', '--story')).toEqual([1, 'error: deployments.apps "a" not found (NotFound)']); // biome-ignore format: one line
  const script = `"${process.execPath}" "${RUN}" watch deploy/web --sandbox --story | head -n 1; echo "\${PIPESTATUS[0]}"`;
  const { stdout, stderr } = await run(['-c', script], { env, program: 'bash' });
  expect([stdout, stderr]).toEqual([expect.stringMatching(/^deployment\/web is .*\n0\n$/), '']);
}, 60_000);

it('a name that is not there yet is said, and its story begins when it comes', async () => {
  await using cli = new Cli(['watch', 'cm/late', '-n', 'shop', '--story'], { env });
  await cli.until(({ stderr }) => stderr.includes('configmaps "late" is not there yet in shop: its story begins when it comes')); // biome-ignore format: one line
  fixture.sandbox.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'late', namespace: 'shop' },
    data: {},
  });
  await cli.until(({ stdout }) => /configmap\/late {2}created {2}\(sandbox\)/.test(stdout), 'its creation');
}, 60_000);
