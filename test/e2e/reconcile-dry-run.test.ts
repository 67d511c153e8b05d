import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseGvr } from '../../src/model/gvr.ts';
import { Cli } from '../support/cli.ts';
import { configMap, type Fixture, SECRET_VALUE, startFixture } from '../support/fixture.ts';
import { ask } from '../support/sandbox-requests.ts';
import { skipped } from '../support/skipped.ts';
import { NO_PTY, Terminal } from '../support/terminal.ts';

const CONFIG_MAPS = parseGvr('v1/configmaps');
const DEPLOYMENTS = parseGvr('apps/v1/deployments');

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

let files = 0;

/** A module that replies with these actions. */
async function hook(actions: string): Promise<string> {
  const file = path.join(fixture.folder, `dry-${files++}.mjs`);
  await writeFile(file, `export default async ({ object }) => object && { actions: ${actions} };\n`);
  return file;
}

const argsOf = (file: string, more: readonly string[] = []) => [
  'reconcile',
  'deployments',
  'web',
  '-n',
  'shop',
  '--hook',
  file,
  '--dry-run',
  ...more,
];

/** What a dry run of the actions prints on stdout, up to a text in it. */
async function dryRun(actions: string, last: string, more: readonly string[] = []) {
  await using cli = new Cli(argsOf(await hook(actions), more), { env: fixture.env });
  await cli.until((c) => c.stdout.includes(last) && c.stdout.endsWith('\n'), last);
  cli.kill('SIGTERM');
  const { code, stdout, stderr } = await cli.ended();
  expect(code).toBe(0);
  return { stdout, stderr };
}

describe('reconcile --dry-run', () => {
  it('prints what each object would become, an object at a time, and stores nothing', async () => {
    fixture.sandbox.apply([
      configMap('old', { a: '1' }),
      { ...configMap('kept', {}), metadata: { name: 'kept', namespace: 'shop', finalizers: ['example.com/hold'] } },
    ]);
    const before = [CONFIG_MAPS, DEPLOYMENTS].map((gvr) => fixture.sandbox.list(gvr));
    const { stdout } = await dryRun(
      `[
        { patch: { metadata: { labels: { team: 'a' } } } },
        { create: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'run-', labels: { of: 'web' } }, data: { a: '1' } } },
        { status: { observedGeneration: 7 } },
        { delete: true, on: { gvr: 'v1/configmaps', name: 'old' } },
        { delete: true, on: { gvr: 'v1/configmaps', name: 'kept' } },
        { delete: true, on: { gvr: 'v1/configmaps', name: 'none' } },
        { patch: { data: { color: 'red' } }, on: { gvr: 'v1/configmaps', name: 'settings' } },
      ]`,
      'settings',
    );
    expect(stdout).toBe(`\
shop/web: dry run: MODIFIED apps/v1/deployments shop/web (patch, status)
    + metadata.labels.team: a
    + status.observedGeneration: 7
    ! each action was checked alone, without the ones before it
shop/web: dry run: ADDED v1/configmaps shop/run-<generated> (create)
    + metadata.labels: {"of":"web"}
    + data: {"a":"1"}
shop/web: dry run: DELETED v1/configmaps shop/old (delete)
    - data: {"a":"1"}
shop/web: dry run: DELETED v1/configmaps shop/kept (delete)
    - metadata.finalizers: ["example.com/hold"]
    - data: {}
    ! it stays for now: the finalizer example.com/hold must be removed first
shop/web: dry run: v1/configmaps shop/none (delete)
    ! changes nothing: the object does not exist
shop/web: dry run: v1/configmaps shop/settings (patch) changes nothing
`);
    expect([CONFIG_MAPS, DEPLOYMENTS].map((gvr) => fixture.sandbox.list(gvr))).toEqual(before);
  });

  it('names the managers whose fields an apply or a patch takes', async () => {
    const web = '/apis/apps/v1/namespaces/shop/deployments/web';
    const settings = '/api/v1/namespaces/shop/configmaps/settings';
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web' }, spec: { replicas: 4 } };
    for (const [verb, place, body] of [
      ['PUT', `${web}/scale?fieldManager=hpa`, scale],
      ['PATCH', `${settings}?fieldManager=kubectl-edit`, { data: { color: 'blue', size: '1' } }],
      ['PATCH', `${settings}?fieldManager=kubectl-informer`, { data: { ours: '1' } }],
    ] as const)
      expect((await ask(fixture.sandbox, verb, place, body)).status).toBe(200);
    const { stdout } = await dryRun(
      `[
        { apply: { spec: { replicas: 5 } } },
        { patch: [{ op: 'replace', path: '/data/color', value: 'green' }], patchType: 'json', on: { gvr: 'v1/configmaps', name: 'settings' } },
        { patch: { data: { ours: '2', size: null, new: 'x' } }, on: { gvr: 'v1/configmaps', name: 'settings' } },
      ]`,
      'settings',
    );
    expect(stdout).toBe(`\
shop/web: dry run: MODIFIED apps/v1/deployments shop/web (apply)
    ~ spec.replicas: 4 → 5
    ! conflict: .spec.replicas is owned by hpa (through scale); the apply takes it over
shop/web: dry run: MODIFIED v1/configmaps shop/settings (patch)
    ~ data.color: blue → green
    ~ data.ours: "1" → "2"
    + data.new: x
    - data.size: "1"
    ! conflict: .data.color is owned by kubectl-edit; the patch takes it over
    ! conflict: .data.size is owned by kubectl-edit; the patch takes it over
    ! each action was checked alone, without the ones before it
`);
  });

  it('shows what the server refuses, and what it could not check', async () => {
    const { stdout, stderr } = await dryRun(
      `[
        { create: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'made' } } },
        { patch: { data: { a: '1' } }, on: { gvr: 'v1/configmaps', name: 'made' } },
        { patch: { spec: { replicas: -1 } } },
        { patch: { metadata: { labels: { never: 'sent' } } } },
      ]`,
      'is refused',
      ['--max-retries', '0'],
    );
    expect(stdout).toBe(`\
shop/web: dry run: ADDED v1/configmaps shop/made (create, patch)
    ! patch was not checked: an earlier action of this run creates the object, which a dry run does not store
shop/web: dry run: apps/v1/deployments shop/web (patch)
    ! patch is refused: Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0
`);
    expect(stderr).toMatch(/patch apps\/v1\/deployments shop\/web: Deployment.apps "web" is invalid/);
  });

  it('shows also what a module would write by its client', async () => {
    const file = path.join(fixture.folder, 'client.mjs');
    await writeFile(
      file,
      `export default async ({ object, client }) => {
        if (!object) return;
        const maps = client.resource({ group: '', version: 'v1', resource: 'configmaps' }, { namespace: 'shop' });
        await maps.create({ metadata: { name: 'made' }, data: { a: '1' } });
        await maps.patch('settings', { metadata: { labels: { team: 'a' } } }, { type: 'merge' });
        await maps.update({ ...(await maps.get('settings')), immutable: false });
        await maps.delete('settings');
        const secrets = client.resource({ group: '', version: 'v1', resource: 'secrets' }, { namespace: 'shop' });
        await secrets.patch('login', { data: { password: 'bmV3' } }, { type: 'merge' });
      };\n`,
    );
    await using cli = new Cli(argsOf(file), { env: fixture.env });
    await cli.until((c) => c.stdout.includes('secrets') && c.stdout.endsWith('\n'), 'the diffs');
    expect(cli.stdout).toContain(`shop/web: dry run: ADDED v1/configmaps shop/made (create)\n    + data: {"a":"1"}\n`);
    expect(cli.stdout).toContain(
      'shop/web: dry run: MODIFIED v1/configmaps shop/settings (patch)\n    + metadata.labels: {"team":"a"}\n',
    );
    expect(cli.stdout).toContain('MODIFIED v1/configmaps shop/settings (update)\n    + immutable: false\n');
    expect(cli.stdout).toContain('shop/web: dry run: DELETED v1/configmaps shop/settings (delete)\n');
    expect(cli.stdout).toMatch(
      /MODIFIED v1\/secrets shop\/login \(patch\)\n {4}~ data\.password: hmac:\w{8} → hmac:\w{8}\n/,
    );
    expect(cli.stdout).not.toContain('bmV3');
  });

  it('shows no value of a Secret', async () => {
    const value = Buffer.from('new-secret-value').toString('base64');
    const { stdout, stderr } = await dryRun(
      `[
        { apply: { data: { password: '${value}' } }, on: { gvr: 'v1/secrets', name: 'login' } },
        { create: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'second' }, stringData: { password: 'new-secret-value' } } },
        { delete: true, on: { gvr: 'v1/secrets', name: 'login' } },
      ]`,
      'second',
    );
    expect(stdout).toMatch(
      /ADDED v1\/secrets shop\/second \(create\)\n {4}\+ type: Opaque\n {4}\+ data: \{"password":"hmac:/,
    );
    expect(stdout).toMatch(/DELETED v1\/secrets shop\/login \(apply, delete\)/);
    for (const text of [value, 'new-secret-value', SECRET_VALUE, Buffer.from(SECRET_VALUE).toString('base64')])
      expect(stdout + stderr).not.toContain(text);
  });

  it('has colours only on a terminal, or where they are asked for', async () => {
    const actions = `[{ patch: { metadata: { labels: { team: 'a' } } } }]`;
    const plain = '    + metadata.labels.team: a\n';
    const coloured = '    \u001b[32m+ metadata.labels.team: a\u001b[39m\n';
    expect((await dryRun(actions, 'team: a')).stdout).toContain(plain);
    expect((await dryRun(actions, 'team: a', ['--color', 'always'])).stdout).toContain(coloured);
    expect((await dryRun(actions, 'team: a', ['--color', 'never'])).stdout).toContain(plain);
  });

  it.skipIf(NO_PTY)(`has colours on a terminal, and none with NO_COLOR${skipped(NO_PTY)}`, async () => {
    const file = await hook(`[{ patch: { metadata: { labels: { team: 'a' } } } }]`);
    for (const [env, shown] of [
      [{}, '\u001b[32m+ metadata.labels.team: a\u001b[39m'],
      [{ NO_COLOR: '1' }, '    + metadata.labels.team: a'],
    ] as const) {
      await using terminal = new Terminal(argsOf(file), { env: { ...fixture.env, ...env } });
      await terminal.until((text) => text.includes('team: a'), 'the diff');
      expect(terminal.text).toContain(shown);
      terminal.type('\x03');
      await terminal.ended();
    }
  });
});
