import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { Cli } from '../support/cli.ts';
import { configMap, startFixture } from '../support/fixture.ts';
import { readsOf } from '../support/in-process.ts';
import { lagging, PARENTS as SERVICE_ACCOUNTS } from '../support/wanted-children.ts';

const RUN = path.resolve(import.meta.dirname, '../../bin/run.js');

/** Wants one child, and asks a running serve whether there is one. */
const hook = (env: string) => `#!${process.execPath}
const { spawnSync } = require('node:child_process');
const words = ['query', 'serviceaccounts', '-n', 'shop', '--name', '^child-', '--count'];
const { stdout, stderr } = spawnSync(process.execPath, [${JSON.stringify(RUN)}, ...words], { encoding: 'utf8', env: ${env} });
console.error('sees ' + stdout.trim() + ' ' + stderr.trim());
const child = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { generateName: 'child-' } };
console.log(JSON.stringify({ actions: Number(stdout) < 1 ? [{ create: child, own: true }] : [] }));
`;

/** Runs the hook beside a serve whose caches are behind, through some changes of the parent. */
async function runs(lagMs: number, env = 'process.env') {
  await using fixture = await startFixture([configMap('parent', { size: '0' })]);
  const own = { ...fixture.env, XDG_RUNTIME_DIR: fixture.folder };
  const file = path.join(fixture.folder, 'hook');
  await writeFile(file, hook(env));
  await chmod(file, 0o755);
  const lag = lagging(fixture.sandbox, lagMs);
  await using serve = new Cli(['serve', 'serviceaccounts', '-n', 'shop'], { env: own });
  const watches = () => readsOf(fixture.sandbox, 'serviceaccounts').some((read) => read.startsWith('watch'));
  await serve.until(({ stderr }) => /^ready: /m.test(stderr) && watches(), 'the serve watches');
  lag[Symbol.dispose]();
  const words = ['configmaps', 'parent', '-n', 'shop', '--hook', file, '--owns', 'serviceaccounts'];
  const args = ['reconcile', ...words, '--allow-write', '--pass-credentials'];
  await using reconcile = new Cli(args, { env: own });
  const seen = () => reconcile.stderr.match(/sees .*/g) ?? [];
  for (let run = 1; run <= 4; run++) {
    await reconcile.until(() => seen().length >= run, `run ${run}`);
    fixture.sandbox.apply(configMap('parent', { size: String(run) }));
  }
  reconcile.kill('SIGTERM');
  await reconcile.ended();
  const all = fixture.sandbox.list(SERVICE_ACCOUNTS, { namespace: 'shop' });
  return { seen: seen(), children: all.filter(({ metadata }) => metadata.name?.startsWith('child-')).length };
}

it('a hook that asks a serve which is behind sees what its actions wrote', async () => {
  const { seen, children } = await runs(1_200);
  expect(seen[0]).toMatch(/^sees 0 from serve/);
  expect(seen[1]).toMatch(/^sees 1 from serve/);
  expect(children).toBe(1);
});

it('it asks the cluster where the serve is further behind, and says so', async () => {
  const { seen, children } = await runs(60_000);
  expect(seen[1]).toMatch(
    /^sees 1 the serve with pid \d+ cannot answer this, so the cluster is asked: its cache of serviceaccounts has not come to version \d+, which the hook knows of, within 2s/,
  );
  expect(children).toBe(1);
});

it('without the versions it makes a child too many', async () => {
  const { children } = await runs(60_000, '{ ...process.env, INFORMER_VERSIONS: undefined }');
  expect(children).toBeGreaterThan(1);
});
