import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { configMap, type Fixture, startFixture } from '../support/fixture.ts';

let fixture: Fixture;
let folder: string;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'runs-'));
  env = { ...fixture.env, XDG_RUNTIME_DIR: folder };
  return () => rm(folder, { recursive: true, force: true });
});

async function hook(text: string, name = 'paint.mjs'): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, text);
  await chmod(file, 0o755);
  return file;
}

/** Fails once for `sick`, labels what is blue, and gives `lost` up. It must get what it gets without a recording. */
const PAINT = `
const seen = new Set();
export default async ({ object, key, attempt }) => {
  if (!object || !object.data?.color) return;
  if (object.metadata.managedFields) return { error: 'it gets managedFields', permanent: true };
  if (key.endsWith('/sick') && !seen.has(key)) { seen.add(key); throw new Error('no paint for ' + key); }
  if (key.endsWith('/lost')) return { error: 'never', permanent: true };
  if (object.metadata.labels?.painted) return { requeueAfter: '1h' };
  return { actions: [{ apply: { ...object, metadata: { ...object.metadata, labels: { painted: 'yes' } } } }] };
};`;

it('reconcile --record has the runs of the hook beside the changes, and history and the story show both', async () => {
  const file = path.join(folder, 'runs.rec');
  const managedFields = [{ manager: 'kubectl', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': {} } }]; // biome-ignore format: one line
  for (const name of ['well', 'sick', 'lost']) {
    const { metadata, ...rest } = configMap(name, { color: 'blue' });
    fixture.sandbox.apply({ ...rest, metadata: { ...metadata, managedFields } });
  }
  const paint = await hook(PAINT);
  const words = ['reconcile', 'cm', '-n', 'shop', '--hook', paint, '--allow-write', '--record', file];
  await using cli = new Cli(words, { env });
  const isPainted = (name: string) => fixture.sandbox.get({ group: '', version: 'v1', resource: 'configmaps' }, `shop/${name}`)?.metadata.labels?.painted === 'yes'; // biome-ignore format: one line
  await cli.until(() => isPainted('well') && isPainted('sick'), 'both are painted');
  cli.kill('SIGTERM');
  const { stderr } = await cli.ended();
  const asked = async (...args: string[]) => (await run([...args, '--from', file], { env: { HOME: folder } })).stdout;
  const lines = (await asked('history', 'cm/sick')).split('\n').map((line) => line.slice(26));
  expect(lines.slice(0, 2), stderr).toEqual([
    expect.stringMatching(/^ADDED {5}-/),
    expect.stringMatching(/^RUN {7}\S*paint\S* {2}failed after \d+ms: .*no paint for shop\/sick/),
  ]);
  const did = lines.findIndex((line) =>
    /RUN .* done after \d+ms, try 2: apply v1\/configmaps shop\/sick → \d+$/.test(line),
  );
  const changed = lines.findIndex((line) => /^MODIFIED {2}kubectl-informer {2}\.metadata\.labels/.test(line));
  expect([did > 1, changed > 1], lines.join('\n')).toEqual([true, true]);
  const story = await asked('history', 'cm/sick', '--story');
  expect(story).toMatch(
    /configmap\/sick {2}reconcile failed after \d+ms: .*no paint for shop\/sick {2}\(\S*paint\S*\)/,
  );
  expect(await asked('history', 'cm/lost')).toMatch(/RUN .* gave up after \d+ms: .*never/);
  const sql = "SELECT outcome, attempt FROM hook_runs WHERE name = 'sick' ORDER BY id LIMIT 2";
  const rows = await run(['query', '--sql', sql, '--from', file, '-o', 'csv'], { env: { HOME: folder } });
  expect(rows.stdout.trim().split(/\r?\n/), rows.stderr).toEqual(['outcome,attempt', 'failed,1', 'done,2']);
}, 60_000);

it('the words of a hook that sees values of Secrets are not recorded, and neither are bodies', async () => {
  const file = path.join(folder, 'runs.rec');
  fixture.sandbox.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'shop', name: 'login' },
    data: { password: Buffer.from('hunter2-of-the-hook').toString('base64') },
  });
  const leak = await hook(
    `export default ({ object }) => {
      if (object?.metadata.name !== 'login') return;
      const value = Buffer.from(object.data.password, 'base64').toString();
      if (!globalThis.once) { globalThis.once = true; throw new Error('leaks ' + value); }
      return { actions: [{ apply: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'copy' }, data: { value } } }] };
    };`,
    'leak.mjs',
  );
  const words = ['reconcile', 'secrets', '-n', 'shop', '--hook', leak, '--show-secrets', '--record', file];
  await using cli = new Cli(words, { env });
  await cli.until(({ stdout }) => stdout.includes('would apply'), 'the second run');
  cli.kill('SIGTERM');
  await cli.ended();
  const { stdout } = await run(['history', 'secret/login', '--from', file], { env: { HOME: folder } });
  expect(stdout).toMatch(/RUN .* failed after \d+ms: the hook sees values of Secrets: its words are not recorded/);
  expect(stdout).toMatch(/RUN .* done after .*: apply v1\/configmaps shop\/copy \(shown only\)/);
  for (const name of await readdir(folder))
    if (name.startsWith('runs.rec')) expect(await readFile(path.join(folder, name), 'latin1')).not.toContain('hunter2');
}, 60_000);

it.each([
  [['--from', 'no.rec', '--record', 'x.rec'], /--record does nothing beside --from/],
  [['--shards', '4', '--record', 'x.rec'], /--record does nothing beside --shards/],
  [['--record-keep', '7d'], /--record-keep does nothing without --record/],
])('refuses reconcile %j', async (args, text) => {
  const { code, stderr } = await run(['reconcile', 'cm', '--exec', 'true', ...args], { env });
  expect([code, stderr]).toEqual([2, expect.stringMatching(text)]);
});
