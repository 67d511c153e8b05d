import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Cli } from '../support/cli.ts';

const EXAMPLES = path.resolve(import.meta.dirname, '../../examples/hooks');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'reconcile-test-'));
});
afterEach(() => rm(folder, { recursive: true }));

const TWO = `type: configmaps
given:
  - { apiVersion: v1, kind: ConfigMap, metadata: { name: a, namespace: shop }, data: { v: "1" } }
  - { apiVersion: v1, kind: ConfigMap, metadata: { name: b, namespace: shop }, data: { v: "1" } }
`;

/** Runs a module against two ConfigMaps, and returns the checks that failed. */
async function failedOf(hook: string, expected = 'expect: { objects: [] }', given = TWO) {
  await writeFile(path.join(folder, 'hook.mjs'), hook);
  await writeFile(path.join(folder, 'two.yaml'), given + expected);
  const cli = new Cli(['reconcile', 'test', path.join(folder, 'hook.mjs'), '--fixtures', folder]);
  const { code, stdout, stderr } = await cli.ended();
  const failed = stdout.split('\n').flatMap((line) => /^FAIL two: (.*)/.exec(line)?.[1] ?? []);
  return { code, stdout, stderr, failed };
}

const hookOf = (body: string) =>
  `export default async function reconcile(ctx) { const { object, client, causes } = ctx; if (!object) return; ${body} }`;

it.each(['scale-guard.ts', 'label.sh'])('passes every check with the example %s', async (file) => {
  const fixtures = path.join(EXAMPLES, 'fixtures', file.replace(/\.\w+$/, ''));
  const { code, stdout, stderr } = await new Cli([
    'reconcile',
    'test',
    path.join(EXAMPLES, file),
    '--fixtures',
    fixtures,
  ]).ended();
  expect(code, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/(\d+) checks: \1 ok, 0 failed\n$/);
});

it('names the action that is not the expected one, and accepts the written one with defaults left out', async () => {
  const hook = hookOf(`return { actions: [{ patch: { data: { v: '2' } }, patchType: 'merge' }] };`);
  const wanted = (value: string) =>
    `expect: { actions: [${Array(2).fill(`{ patch: { data: { v: "${value}" } } }`).join(', ')}] }`;
  expect(await failedOf(hook, wanted('2'))).toMatchObject({ code: 0, failed: [] });
  const { code, stdout, failed } = await failedOf(hook, wanted('3'));
  expect([code, failed]).toEqual([1, ['what is expected']]);
  expect(stdout).toContain('actions[0].body.data.v is "2", expected "3"');
});

it('fails idempotency and duplicates for a hook that counts its runs in the object', async () => {
  const { failed, stdout } = await failedOf(
    hookOf(`return { actions: [{ patch: { data: { n: String(Number(object.data.n ?? 0) + 1) } } }] };`),
  );
  expect(failed).toEqual(expect.arrayContaining(['idempotency', 'duplicates']));
  expect(stdout).toContain('the second run wrote: ConfigMap shop/a was changed');
  expect(stdout).toContain('ConfigMap shop/a: .data.n is "3", expected "1"');
});

it('fails idempotency for an Event that every run writes, and no other check', async () => {
  const { failed } = await failedOf(hookOf(`return { actions: [{ event: { reason: 'Looked', message: 'at it' } }] };`));
  expect(failed).toEqual(['idempotency']);
});

it('fails only the order for a hook whose first key makes an object that no later key changes', async () => {
  const { failed, stdout } = await failedOf(
    hookOf(`const services = client.resource({ group: '', version: 'v1', resource: 'services' }, { namespace: 'shop' });
    const metadata = { name: 'first', labels: { by: object.metadata.name } };
    await services.create({ apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ port: 80 }], clusterIP: 'None' } })
      .catch(() => {});`),
  );
  expect(failed).toEqual(['order']);
  expect(stdout).toContain('Service shop/first: .metadata.labels.by is "b", expected "a"');
});

it('fails only the kill for a hook that notes its work as done before it has done it', async () => {
  const { failed, stdout } = await failedOf(
    hookOf(`if (object.data.done || object.metadata.name.endsWith('-info')) return;
    return { actions: [{ patch: { data: { done: 'yes' } } },
      { apply: { apiVersion: 'v1', kind: 'Service', metadata: { name: object.metadata.name }, spec: { ports: [{ port: 80 }], clusterIP: 'None' } } }] };`),
  );
  expect(failed).toEqual(['kill']);
  expect(stdout).toContain('killed after 1 of its writes: Service shop/a is missing');
});

it('fails only the conflict for a hook that overwrites what another writer changed', async () => {
  const { failed, stdout } = await failedOf(
    hookOf(`if (object.data.v === '2') return;
    const maps = client.resource({ group: '', version: 'v1', resource: 'configmaps' }, { namespace: 'shop' });
    const { name } = object.metadata;
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { v: '2' } };
    await maps.update(body).catch(() => maps.update(body));`),
  );
  expect(failed).toEqual(['conflict']);
  expect(stdout).toContain('ConfigMap shop/a lost what another writer had changed before the conflict');
});

it('fails only the lost history for a hook that does something else after a relist', async () => {
  const { failed } = await failedOf(
    hookOf(`if (causes.some(({ via }) => via === 'relist')) return { actions: [{ delete: true }] };`),
  );
  expect(failed).toEqual(['lost history']);
});

it('shows no value of a Secret in what differs', async () => {
  const given = `type: secrets\ngiven:\n  - { apiVersion: v1, kind: Secret, metadata: { name: a, namespace: shop }, stringData: { v: "c2VjcmV0" } }\n`;
  const wanted = `expect: { objects: [{ apiVersion: v1, kind: Secret, metadata: { name: a, namespace: shop }, data: { v: "b3RoZXI=" } }] }`;
  const { code, stdout, stderr } = await failedOf(hookOf(''), wanted, given);
  expect(code).toBe(1);
  expect(stdout).toContain('Secret shop/a: .data.v is another one than expected');
  expect(stdout + stderr).not.toMatch(/b3RoZXI|YzJWamNtVjA|c2VjcmV0/);
});

it('names file, line and the nearest key of a bad fixture, and ends with 2', async () => {
  const { code, stderr } = await failedOf(hookOf(''), 'expect: { actions: [] }', `${TWO}\ngivn: []\n`);
  expect(code).toBe(2);
  expect(stderr).toContain(`two.yaml:6: unknown key "givn"`);
  expect(stderr).toContain('did you mean "given"?');
  const empty = await mkdtemp(path.join(folder, 'none-'));
  const none = await new Cli(['reconcile', 'test', path.join(folder, 'hook.mjs'), '--fixtures', empty]).ended();
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('has no fixture')]);
});

it('ends at once with 130 on Ctrl-C while the hook runs', async () => {
  await writeFile(path.join(folder, 'two.yaml'), `${TWO}expect: { actions: [] }`);
  await writeFile(path.join(folder, 'hook.sh'), '#!/bin/sh\necho begun >&2\nexec sleep 600\n', { mode: 0o755 });
  const cli = new Cli(['reconcile', 'test', path.join(folder, 'hook.sh'), '--fixtures', folder]);
  await cli.until(() => cli.stderr.includes('two shop/a | begun'), 'the run');
  cli.kill('SIGINT');
  expect((await cli.ended()).code).toBe(130);
});

it('shows what a module prints in the first two checks, with the name of the fixture', async () => {
  await writeFile(path.join(folder, 'one.yaml'), `${TWO}expect: { actions: [] }`);
  const { stderr } = await failedOf(
    hookOf(`console.log('sees ' + object.metadata.name); console.error('and more');`),
    'expect: { actions: [] }',
  );
  const lines = stderr
    .trimEnd()
    .split('\n')
    .filter((line) => line.includes(' | '));
  expect(lines.slice(0, 4)).toEqual([
    'one shop/a | sees a',
    'one shop/a | and more',
    'one shop/b | sees b',
    'one shop/b | and more',
  ]);
  expect(lines.filter((line) => line.startsWith('two '))).toHaveLength(8);
  expect(lines.every((line) => /^(one|two) shop\/[ab] \| /.test(line))).toBe(true);
});

it.each([
  ['a type that no server has', 'type: widgets\n', /two\.yaml:1: .*doesn't have a resource type "widgets"/],
  ['a type that --type names', '', /two\.yaml:1: .*doesn't have a resource type "gadgets"/],
  [
    'an object whose kind no server has',
    'type: pods\ngiven:\n  - { apiVersion: v1, kind: Widget, metadata: { name: a } }\n',
    /two\.yaml:2: .*v1 Widget/,
  ],
])('names the fixture for %s, and ends with 2', async (_, given, text) => {
  await writeFile(path.join(folder, 'hook.mjs'), hookOf(''));
  await writeFile(path.join(folder, 'two.yaml'), `${given}expect: { actions: [] }`);
  const args = ['reconcile', 'test', path.join(folder, 'hook.mjs'), '--fixtures', folder, '--type', 'gadgets'];
  const { code, stderr } = await new Cli(args).ended();
  expect([code, stderr]).toEqual([2, expect.stringMatching(text)]);
});

it('shows no value of a Secret in an action that is not the expected one', async () => {
  const reply = (value: string) =>
    `{ apply: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { v: '${value}' } } }`;
  const hook = hookOf(`return { actions: [${reply('hunter2')}] };`);
  for (const expected of [`[${reply('swordfish')}, ${reply('swordfish')}]`, `[${reply('swordfish')}]`]) {
    const { failed, stdout, stderr } = await failedOf(hook, `expect: { actions: ${expected} }`);
    expect(failed).toEqual(['what is expected']);
    expect(stdout + stderr).not.toMatch(/hunter2|swordfish/);
  }
});
