import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { eventually } from '../../src/testing/eventually.ts';
import { Cli, run } from '../support/cli.ts';
import { writeArchive } from '../support/k8shark-archive.ts';

let folder: string;
let env: NodeJS.ProcessEnv;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'archive-'));
  env = { HOME: folder, TMPDIR: folder };
  return () => rm(folder, { recursive: true, force: true });
});

const PATH = '/apis/apps/v1/namespaces/shop/deployments';
const at = (second: number) => new Date(Date.UTC(2026, 3, 9, 10, 0, second)).toISOString();
const web = (version: number, replicas: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', uid: 'w', resourceVersion: String(version), creationTimestamp: at(0) },
  spec: { replicas },
});
const list = (second: number, version: number, ...items: object[]) => ({
  path: PATH,
  time: at(second),
  body: { kind: 'DeploymentList', apiVersion: 'apps/v1', metadata: { resourceVersion: String(version) }, items },
});

it('an archive of k8shark is asked, shown again and served as a recording, and nothing of it is left behind', async () => {
  const file = path.join(folder, 'night.kshrk');
  const scaled = { path: PATH, time: at(4), event: 'MODIFIED', body: web(12, 9) } as const;
  writeArchive(file, [list(0, 10, web(5, 2)), scaled, list(10, 14, web(13, 1))], { until: at(12) });
  const asked = (...args: string[]) => run([...args, '--from', file], { env });
  const history = await asked('history', 'deployments/web', '-n', 'shop');
  expect(history.stdout, history.stderr).toBe(
    [
      '2026-04-09T10:00:00.000Z  ADDED     -',
      '2026-04-09T10:00:00.000Z  not seen  until 2026-04-09T10:00:10.000Z (not known to be watched): the next list showed 0 added, 1 changed, 0 deleted objects of the type',
      '2026-04-09T10:00:04.000Z  MODIFIED  -  .spec.replicas: 2 → 9',
      '2026-04-09T10:00:10.000Z  MODIFIED  -  .spec.replicas: 9 → 1 (seen in a list)',
      '',
    ].join('\n'),
  );
  const then = await asked('query', 'deployments', '-n', 'shop', '--at', '2026-04-09T10:00:05Z', '-o', 'jsonpath={.spec.replicas}'); // biome-ignore format: one line
  expect([then.stdout.trim(), then.stderr]).toEqual(['9', expect.stringContaining('changes may be missing')]);
  const again = await asked('watch', 'deployments', '-n', 'shop', '-o', 'json', '--markers');
  const records = again.stdout.trim().split('\n').map((line) => JSON.parse(line)); // biome-ignore format: one line
  expect(records.map(({ type, object }) => `${type} ${object?.spec?.replicas ?? ''}`.trim()).join(', ')).toMatch(
    /^ADDED 2, SYNCED, MODIFIED 9, GAP, .*MODIFIED 1, .*END$/,
  );
  const server = new Cli(['sandbox', '--from', file, '--speed', 'max', '-q'], { env });
  const kubeconfig = await eventually(() => /^(\S+)\n/.exec(server.stdout)?.[1], { timeoutMs: 30_000 });
  const served = await run(['query', 'deployments', '-A', '-o', 'name'], { env: { ...env, KUBECONFIG: kubeconfig } });
  expect(served.stdout).toBe('deployment.apps/web\n');
  server.kill('SIGTERM');
  await server.ended();
  expect((await readdir(folder)).filter((name) => name.includes('archive'))).toEqual([]);
}, 60_000);
