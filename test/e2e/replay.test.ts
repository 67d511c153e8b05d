import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { loadConfig } from '../../src/client/kubeconfig.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { eventually } from '../../src/testing/eventually.ts';
import { Cli, run } from '../support/cli.ts';
import { findKubectl, runKubectl } from '../support/kubectl.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'replay-'));
  return () => rm(folder, { recursive: true, force: true });
});

interface Event {
  readonly type: string;
  readonly key?: string;
  readonly cause?: string;
  readonly object?: object;
  readonly gvr?: string;
  readonly reason?: string;
  readonly from?: string;
  readonly to?: string;
  readonly resourceVersion?: string;
}

const eventsIn = (text: string): Event[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** The parts that do not depend on when it was read. */
const partsOf = ({ type, key, cause, object }: Event) => ({ type, key, cause, object });

const kept = ({ type }: Event) => ['ADDED', 'MODIFIED', 'DELETED', 'GAP', 'RELISTED', 'SYNCED'].includes(type);

it('watch --from shows the stream that was recorded, with its gap in its place, to filters and waits too', async () => {
  const file = path.join(folder, 'shop.rec');
  const env = { HOME: folder };
  const watch = ['watch', 'pods,deploy', '-A', '-o', 'json', '--markers'];
  const sandbox = ['--scenario', 'rollout', '--seed', '7', '--faults', 'gone@4:watch:pods'];
  const live = await run([...watch, ...sandbox, '--record', file, '--limit', '60'], { env });
  expect(live.code, live.stderr).toBe(0);
  const again = await run([...watch, '--from', file], { env });
  expect(again.code, again.stderr).toBe(0);
  const [was, is] = [eventsIn(live.stdout), eventsIn(again.stdout)].map((all) => all.filter(kept)) as [
    Event[],
    Event[],
  ];
  const ofType = (events: readonly Event[], kind: string) =>
    events.filter(({ object }) => object !== undefined && (object as { kind: string }).kind === kind).map(partsOf);
  for (const kind of ['Pod', 'Deployment']) {
    const seen = ofType(was, kind);
    expect(ofType(is, kind).slice(0, seen.length)).toEqual(seen); // the recording may have seen more than was printed
  }
  const ledger = (events: readonly Event[]) =>
    events.filter(({ type }) => ['SYNCED', 'GAP', 'RELISTED'].includes(type)).map(({ type, gvr, reason, from, to, resourceVersion }) => ({ type, gvr, reason, from, to, resourceVersion })); // biome-ignore format: one line
  expect(ledger(was).length).toBe(4);
  expect(ledger(is)).toEqual(ledger(was));
  expect(again.stderr).toMatch(/^v1\/pods: recorded with a gap \(gone\) from \S+Z to \S+Z; the next list showed/m);
  expect(again.stderr).toMatch(/^the recording ended after /m);
  expect(eventsIn(again.stdout).at(-1)).toMatchObject({ type: 'END', reason: 'the recording ended' });

  const asked = (...args: string[]) => run(['watch', ...args, '--from', file], { env });
  const table = await asked('pods', '-n', 'shop', '--where', 'STATUS == "Running"', '--no-headers');
  expect(table.stdout).toMatch(/^ADDED +\S+ +\d\/\d +Running/m);
  expect((await asked('pods', '-A', '--strict')).code).toBe(4);
  expect((await asked('deploy/web', '-n', 'shop', '--for', 'delete')).code).toBe(3);
  expect((await asked('deploy/web', '-n', 'shop', '--for', 'create')).code).toBe(0);
  const once = await asked('pods', '-n', 'shop', '--once', '-o', 'name');
  const query = await run(['query', 'pods', '-n', 'shop', '-o', 'name', '--from', file], { env });
  expect(once.stdout).toBe(query.stdout);
  const typo = await asked('pdos');
  expect([typo.code, typo.stderr]).toEqual([
    2,
    'error: the recording does not have "pdos"\nhint: it has pods, deployments.apps\n',
  ]);
  expect((await readFile(file)).length).toBeGreaterThan(0);
}, 120_000);

it('what is made on a replay has the time of the recording', async () => {
  const night = path.resolve(import.meta.dirname, '../../examples/recordings/night.rec');
  const env = { HOME: folder };
  const server = new Cli(['sandbox', '--from', night, '--speed', 'max', '-q'], { env });
  const kubeconfig = await eventually(() => /^(\S+)\n/.exec(server.stdout)?.[1], { timeoutMs: 30_000 });
  const client = createClient(await loadConfig({ kubeconfig, env: {} }));
  const maps = client.resource<UnknownObject>({ group: '', version: 'v1', resource: 'configmaps' }, { namespace: 'shop' }); // biome-ignore format: one line
  const made = await maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'own' } });
  expect(made.metadata.creationTimestamp).toMatch(/^2026-11-28T02:/);
  server.kill('SIGTERM');
  expect((await server.ended()).code).toBe(0);
}, 60_000);

it.each([
  [['--from', 'no.rec'], 1, /no\.rec: there is no such file/],
  [['--from', 'no.rec', '--speed', 'fast'], 2, /invalid argument "fast" for "--speed"/],
  [['--speed', '2x'], 2, /--speed does nothing without --from/],
  [['--from', 'no.rec', '--context', 'east'], 2, /--context does nothing beside --from/],
  [['--from', 'no.rec', '--record', 'other.rec'], 2, /--record does nothing beside --from/],
])('refuses watch pods %j', async (args, code, text) => {
  const { code: found, stderr } = await run(['watch', 'pods', ...args], { env: { HOME: folder }, cwd: folder });
  expect([found, stderr]).toEqual([code, expect.stringMatching(text)]);
});

it('sandbox --from serves a recording to kubectl and other programs, in its own time, and takes writes, which it marks', async () => {
  const file = path.join(folder, 'shop.rec');
  const env = { HOME: folder };
  const sandbox = ['--scenario', 'rollout', '--seed', '7'];
  const recorded = await run(['watch', 'pods,deploy', '-A', ...sandbox, '--record', file, '--limit', '60'], { env });
  expect(recorded.code, recorded.stderr).toBe(0);
  const server = new Cli(['sandbox', '--from', file, '--speed', 'max', '-q'], { env });
  const kubeconfig = await eventually(() => /^(\S+)\n/.exec(server.stdout)?.[1], { timeoutMs: 30_000 });
  const served = { ...env, KUBECONFIG: kubeconfig };
  const first = await run(['query', 'pods', '-A', '-o', 'name'], { env: served });
  expect(first.stdout).toMatch(/^pod\/web-/m); // this list lets it begin, and go to its end
  await eventually(() => (server.stderr.includes('the recording has ended') ? true : undefined), { timeoutMs: 30_000 });
  const last = await run(['query', 'pods', '-n', 'shop', '-o', 'name'], { env: served });
  const asked = await run(['query', 'pods', '-n', 'shop', '-o', 'name', '--from', file], { env });
  expect(last.stdout).toBe(asked.stdout);
  const kubectl = findKubectl();
  if ('path' in kubectl) {
    const got = await runKubectl(kubectl.path, ['get', 'deploy', '-n', 'shop', '--kubeconfig', kubeconfig]);
    expect(got.stdout).toMatch(/^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\n(?:\S+ +\d+\/\d+ +\d+ +\d+ +\d+\w+\n)+$/);
    const one = await runKubectl(kubectl.path, ['get', 'deploy/web', '-n', 'shop', '--kubeconfig', kubeconfig]);
    expect(one.stdout).toMatch(/^NAME +READY.*\nweb +\d+\/\d+/);
    const watch = new Cli(['watch', 'pods,deploy', '-n', 'shop', '-o', 'json', '--watch-only', '--no-serve'], { env: served }); // biome-ignore format: one line
    await eventually(() => (/synced/.test(watch.stderr) ? true : undefined), { timeoutMs: 30_000 }).catch(() => {});
    const asked = async (...words: string[]) => {
      const { stdout, stderr, code } = await runKubectl(kubectl.path, [...words, '-n', 'shop', '--kubeconfig', kubeconfig]); // biome-ignore format: one line
      expect(code, stderr).toBe(0);
      return stdout;
    };
    const [pod = ''] = (await asked('get', 'pods', '-o', 'name')).split('\n');
    expect(await asked('label', 'deploy/web', 'tried=yes')).toContain('deployment.apps/web labeled');
    expect(await asked('scale', 'deploy/web', '--replicas=7')).toContain('deployment.apps/web scaled');
    expect(await asked('delete', pod)).toContain('deleted');
    expect(await asked('create', 'deployment', 'own', '--image=registry.example.com/own:1')).toContain('created');
    expect(await asked('get', pod, '--ignore-not-found', '-o', 'name')).toBe('');
    const web = JSON.parse(await asked('get', 'deploy/web', '-o', 'json', '--show-managed-fields'));
    expect(web).toMatchObject({ spec: { replicas: 7 }, metadata: { labels: { tried: 'yes' } } });
    expect(web.metadata.annotations['kubectl-informer/written']).toMatch(/^\d{4}-.*Z$/);
    expect(web.metadata.managedFields.map(({ manager }: { manager: string }) => manager)).toContain('kubectl-label');
    expect(await asked('get', 'deploy')).toMatch(/^own +0\/1 .*\n(?:.*\n)*web +\d+\/7 /m);
    const seen = await eventually(() => {
      const events = eventsIn(watch.stdout).map(({ type, key }) => `${type} ${key}`);
      return events.includes('ADDED shop/own') ? events : undefined;
    });
    expect(seen).toEqual(expect.arrayContaining(['MODIFIED shop/web', `DELETED shop/${pod.slice('pod/'.length)}`]));
    watch.kill('SIGTERM');
    await watch.ended();
  }
  server.kill('SIGTERM');
  expect((await server.ended()).code).toBe(0);
}, 120_000);

it.each([
  [['--from', 'no.rec'], 1, /no\.rec: there is no such file/],
  [['--seek', '10m'], 2, /--seek does nothing without --from/],
  [['--from', 'no.rec', '--scenario', 'rollout'], 2, /--scenario does nothing beside --from/],
])('refuses sandbox %j', async (args, code, text) => {
  const { code: found, stderr } = await run(['sandbox', ...args], { env: { HOME: folder }, cwd: folder });
  expect([found, stderr]).toEqual([code, expect.stringMatching(text)]);
});

it('reconcile --from runs the hook for each recorded change, in the time of the recording, and sends nothing', async () => {
  const file = path.join(folder, 'shop.rec');
  const env = { HOME: folder };
  const sandbox = ['--scenario', 'rollout', '--seed', '7'];
  const recorded = await run(['watch', 'deploy', '-n', 'shop', ...sandbox, '--record', file, '--limit', '30'], { env });
  expect(recorded.code, recorded.stderr).toBe(0);
  const hook = path.join(folder, 'hook.mjs');
  await writeFile(
    hook,
    `export default ({ object }) => ({ actions: [{ patch: { metadata: { labels: { seen: object.metadata.resourceVersion } } } }] });`,
  );
  const ran = await run(['reconcile', 'deploy', '-n', 'shop', '--hook', hook, '--from', file], { env });
  expect(ran.code, ran.stderr).toBe(0);
  const versions = async (...more: string[]) =>
    (
      await run(['watch', 'deploy', '-n', 'shop', '-o', 'jsonpath={.metadata.resourceVersion}', ...more], { env })
    ).stdout
      .split('\n')
      .filter((line) => line !== '');
  const seen = [...ran.stdout.matchAll(/"seen":"(\d+)"/g)].map(([, version]) => version);
  expect(seen.sort()).toEqual((await versions('--from', file)).sort());
  expect(ran.stderr).toContain('actions are shown, not sent: a recording takes no writes');
  expect(ran.stderr).toMatch(/^the recording ended after /m);
  const refused = await run(['reconcile', 'deploy', '--hook', hook, '--from', file, '--allow-write'], { env });
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining('--allow-write does nothing beside --from'),
  ]);
}, 120_000);
