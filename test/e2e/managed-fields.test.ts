import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { configMap, type Fixture, startFixture } from '../support/fixture.ts';
import { ask } from '../support/sandbox-requests.ts';

let fixture: Fixture;
let env: { KUBECONFIG: string; XDG_RUNTIME_DIR: string };
beforeAll(async () => {
  fixture = await startFixture();
  const made = await ask(
    fixture.sandbox,
    'POST',
    `${PATH}?fieldManager=gardener`,
    configMap('mine', { color: 'blue' }),
  );
  const also = await ask(fixture.sandbox, 'POST', `${PATH}?fieldManager=apprentice`, configMap('also', {}));
  expect([made.status, also.status]).toEqual([201, 201]);
});
afterAll(() => fixture[Symbol.asyncDispose]());
beforeEach(async () => {
  const runtime = await mkdtemp(path.join(tmpdir(), 'managed-'));
  env = { ...fixture.env, XDG_RUNTIME_DIR: runtime };
  return () => rm(runtime, { recursive: true, force: true });
});

const PATH = '/api/v1/namespaces/shop/configmaps';
const GARDENED = 'object.metadata.managedFields.exists(m, m.manager == "gardener")';
const MADE_BY_HAND = 'object.metadata.name in ["mine", "also"]';
const MANAGER = '{.metadata.managedFields[*].manager}';
const shop = (...line: string[]) => run([...line, '-n', 'shop'], { env });
const said = (text: string) => text.trim().split('\n');

describe('managedFields, which caches leave out unasked', () => {
  it.each([
    ['--filter', ['--filter', GARDENED, '-o', 'name'], ['configmap/mine']],
    ['an index', ['--index', `by=${MANAGER}`, '--eq', 'by=gardener', '-o', 'name'], ['configmap/mine']],
    [
      '--group-by',
      [
        '--group-by',
        '.metadata.managedFields[0].manager',
        '--no-headers',
        '--eq',
        'name=mine',
        '--index',
        'name=.metadata.name',
      ],
      ['gardener   1'],
    ],
    [
      '--sort-by',
      ['--sort-by', '-.metadata.managedFields[0].manager', '-o', 'name', '--filter', MADE_BY_HAND],
      ['configmap/mine', 'configmap/also'],
    ],
  ])('are there for %s of a query', async (_, line, expected) => {
    const { code, stdout, stderr } = await shop('query', 'configmaps', ...line);
    expect({ code, stderr, lines: said(stdout) }).toEqual({ code: 0, stderr: '', lines: expected });
  });

  it('are not in the JSON of what a filter over them found', async () => {
    const { stdout } = await shop('query', 'configmaps', '--filter', GARDENED, '-o', 'json');
    expect(JSON.parse(stdout)).toHaveProperty('items.0.metadata.name', 'mine');
    expect(stdout).not.toContain('managedFields');
    const watched = await shop('watch', 'configmaps', '--filter', GARDENED, '--once', '-o', 'json');
    expect(JSON.parse(watched.stdout)).toHaveProperty('object.metadata.name', 'mine');
    expect(watched.stdout).not.toContain('managedFields');
  });

  it.each([
    ['jsonpath', `jsonpath=${MANAGER}`],
    ['custom-columns', 'custom-columns=M:.metadata.managedFields[0].manager'],
    ['csv', 'csv=M:.metadata.managedFields[0].manager'],
    ['jq', 'jq=.object.metadata.managedFields[0].manager // .metadata.managedFields[0].manager'],
  ])('are printed by a path to them, as kubectl prints them: %s', async (_, format) => {
    const lines = [['query'], ...(format.startsWith('csv') ? [] : [['watch', '--once']])]; // csv is for query alone
    for (const [command = '', ...more] of lines) {
      const { code, stdout } = await shop(command, 'configmaps', 'mine', ...more, '-o', format);
      expect({ code, last: said(stdout).at(-1)?.replaceAll('"', '') }, command).toEqual({ code: 0, last: 'gardener' });
    }
  });

  it('are there for --changed of a stream', async () => {
    await using cli = new Cli(['watch', 'configmaps', '-n', 'shop', '-o', 'name', '--changed', MANAGER], {
      env,
    });
    await cli.until(({ stdout }) => stdout.includes('configmap/mine'), 'the initial list');
    const more = { metadata: { labels: { by: 'second' } } };
    expect(await ask(fixture.sandbox, 'PATCH', `${PATH}/settings?fieldManager=second`, more)).toMatchObject({
      status: 200,
    });
    await cli.until(({ stdout }) => stdout.split('configmap/settings').length === 3, 'the change of the managers');
  });

  it('are there for the filter of reconcile', async () => {
    const hook = path.join(fixture.folder, 'hook.sh');
    await writeFile(hook, '#!/bin/sh\necho ran for an object\n');
    await chmod(hook, 0o755);
    const line = ['reconcile', 'configmaps', '-n', 'shop', '--hook', hook, '--filter', GARDENED];
    await using cli = new Cli(line, { env });
    await cli.until(({ stderr, stdout }) => `${stderr}${stdout}`.includes('ran for an object'), 'the run');
  });

  it('are kept by a serve that has an index over them, and refused by one that does not keep them', async () => {
    await using plain = new Cli(['serve', 'configmaps'], { env });
    await plain.until(({ stderr }) => /^ready: /m.test(stderr), 'ready');
    const line = ['query', 'configmaps', '--index', `by=${MANAGER}`, '--eq', 'by=gardener', '-o', 'name'];
    // the cluster answers, and not the cache without them
    expect(await shop(...line)).toMatchObject({ code: 0, stdout: 'configmap/mine\n' });
    const added = await shop('serve', 'configmaps', '--index', `by=${MANAGER}`);
    expect(added).toMatchObject({ code: 2 });
    expect(added.stderr).toContain('this serve does not keep managedFields, which index by reads');
    expect(added.stderr).toContain('hint: end it, and start it again with this index or with --show-managed-fields');
    plain.kill('SIGTERM');
    await plain.ended();
    await using keeping = new Cli(['serve', 'configmaps', '--index', `by=${MANAGER}`], { env });
    await keeping.until(({ stderr }) => /^ready: /m.test(stderr), 'ready');
    const asked = await shop('query', 'configmaps', '--eq', 'by=gardener', '-o', 'name');
    expect(asked).toMatchObject({ code: 0, stdout: 'configmap/mine\n' });
  });
});
