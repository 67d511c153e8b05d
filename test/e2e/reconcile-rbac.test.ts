import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UnknownObject } from '../../src/model/object.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { Cli, run } from '../support/cli.ts';
import { OBJECTS, pod } from '../support/fixture.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const USER = 'system:serviceaccount:shop:guard';

let sandbox: Sandbox;
let folder: string;
let admin: string;
let guard: string;
beforeAll(async () => {
  sandbox = await Sandbox.start({ rbac: true });
  sandbox.apply(OBJECTS);
  folder = await mkdtemp(path.join(tmpdir(), 'informer-test-'));
  admin = await kubeconfig('admin');
  guard = await kubeconfig('guard', sandbox.tokenFor({ user: USER }));
});
afterAll(async () => {
  await sandbox.stop();
  await rm(folder, { recursive: true, force: true });
});

async function kubeconfig(name: string, token?: string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, sandbox.kubeconfig(token === undefined ? {} : { token }), { mode: 0o600 });
  return file;
}

/** Writes an object of its own for each pod, and deletes it when its pod is gone. */
const HOOK = `export const config = { owns: ['configmaps'] };
export default async ({ object, name }) => ({
  actions: object
    ? [
        { apply: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'of-' + name }, data: { image: object.spec.containers[0].image } }, own: true },
        { patch: { metadata: { annotations: { seen: 'yes' } } } },
        { event: { reason: 'Seen', message: 'seen' } },
      ]
    : [{ delete: true, on: { gvr: 'v1/configmaps', name: 'of-' + name } }],
});
`;

async function hook(): Promise<string> {
  const file = path.join(folder, 'guard.mjs');
  await writeFile(file, HOOK);
  return file;
}

const argsOf = (file: string) => ['reconcile', 'pods', '-n', 'shop', '--hook', file, '--allow-write'];

/** Runs the hook until it has done all that it does: for the pods there are, for a new one, and for its deletion. */
async function runAll(KUBECONFIG: string, flags: readonly string[] = []) {
  await using cli = new Cli([...argsOf(await hook()), ...flags], { env: { KUBECONFIG } });
  await cli.until(
    (c) => c.stderr.includes('1 worker') && c.stdout.includes('event v1/events shop/web-2'),
    'the first runs',
  );
  sandbox.apply(pod('web-9'));
  await cli.until((c) => c.stdout.includes('event v1/events shop/web-9'), 'the new pod');
  sandbox.delete({ group: '', version: 'v1', resource: 'pods' }, 'shop/web-9', { gracePeriodSeconds: 0 });
  await cli.until((c) => c.stdout.includes('delete v1/configmaps shop/of-web-9'), 'the deletion');
  cli.kill('SIGTERM');
  const { code, stderr } = await cli.ended();
  expect(code, stderr).toBe(0);
  return stderr;
}

function reset(): void {
  for (const { metadata } of sandbox.list(CONFIG_MAPS, { namespace: 'shop' }))
    if (metadata.name?.startsWith('of-')) sandbox.delete(CONFIG_MAPS, `shop/${metadata.name}`);
}

interface Role extends UnknownObject {
  rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[];
}

describe('reconcile rbac', () => {
  it('--observed prints exactly what a run needed: with it the hook works, and with less it fails and says why', async () => {
    const file = path.join(folder, 'access.jsonl');
    await runAll(admin, ['--observe', file]);
    reset();
    const text = await readFile(file, 'utf8');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(text).not.toMatch(/web-|nginx|Bearer/);
    const { stdout, code } = await run(['reconcile', 'rbac', '--observed', file, '--service-account', 'shop:guard']);
    expect(code).toBe(0);
    const [role, binding, ...more] = loadAll(stdout) as [Role, UnknownObject, ...UnknownObject[]];
    expect(more).toEqual([]);
    expect(role).toMatchObject({ kind: 'Role', metadata: { name: 'kubectl-informer-reconcile', namespace: 'shop' } });
    expect(role.rules).toEqual([
      { apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch', 'create', 'patch', 'delete'] },
      { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch', 'patch'] },
    ]);
    sandbox.apply([role, binding]);
    expect(await runAll(guard)).not.toContain('forbidden');
    for (const rule of role.rules)
      for (const verb of rule.verbs) {
        reset();
        const less = rule.verbs.filter((other) => other !== verb);
        const rules = role.rules.map((other) => (other === rule ? { ...rule, verbs: less } : other));
        sandbox.apply({ ...role, rules: rules.filter(({ verbs }) => verbs.length > 0) });
        await fails(`${rule.resources[0]}`, verb);
      }
  });

  it('prints from the flags and the config of the hook what the caches, the finalizer and the journal need', async () => {
    const flags = [
      '--owns',
      'replicasets',
      '--with',
      'nodes=nodes',
      '--finalizer',
      'example.com/f',
      '--journal',
      'j',
      '--leader-elect',
      '--leader-elect-namespace',
      'other',
    ];
    const args = ['reconcile', 'rbac', 'deployments', '-n', 'shop', '-n', 'other', '--hook', await hook(), ...flags];
    const { stdout, code } = await run([...args, '--service-account', 'ops:guard', '--role-name', 'guard'], {
      env: { KUBECONFIG: admin },
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^# What the hook asks for is known only at run time: its actions are not in these rules\.\n/,
    );
    const objects = loadAll(stdout) as Role[];
    expect(objects.map(({ kind, metadata }) => [kind, metadata.namespace, metadata.name])).toEqual([
      ['ClusterRole', undefined, 'guard'],
      ['ClusterRoleBinding', undefined, 'guard'],
      ['Role', 'other', 'guard'],
      ['RoleBinding', 'other', 'guard'],
      ['Role', 'shop', 'guard'],
      ['RoleBinding', 'shop', 'guard'],
    ]);
    expect(objects[0]?.rules).toEqual([{ apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch'] }]);
    const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
    expect(objects[2]?.rules).toEqual(
      expect.arrayContaining([
        { ...leases, verbs: ['create'] },
        { ...leases, resourceNames: ['reconcile-guard.mjs-deployments.apps'], verbs: ['get', 'update'] },
      ]),
    );
    expect(objects[4]?.rules).toEqual([
      { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list', 'watch', 'patch'] },
      { apiGroups: ['apps'], resources: ['replicasets'], verbs: ['list', 'watch'] },
    ]);
  });

  it('refuses a file that is none of its own, an empty one, and a type beside it', async () => {
    const file = path.join(folder, 'other.jsonl');
    const refusal = async (text: string, ...words: string[]) => {
      await writeFile(file, text);
      const { code, stderr } = await run(['reconcile', 'rbac', ...words, '--observed', file]);
      expect(code).toBe(2);
      return stderr;
    };
    expect(await refusal('{"verb":1}\n')).toContain('line 1 of');
    expect(await refusal('')).toContain('has no observed request');
    expect(await refusal('', 'pods')).toContain('--observed takes no type');
  });
});

/** Runs as the service account until the missing verb is reported. */
async function fails(resource: string, verb: string): Promise<void> {
  const missing = new RegExp(`cannot ${verb} resource "${resource}" in API group "" in the namespace "shop"`);
  await using cli = new Cli(argsOf(await hook()), { env: { KUBECONFIG: guard } });
  const ending = cli.ended();
  if (verb === 'delete') {
    await cli.until((c) => c.stdout.includes('event v1/events shop/web-2'), 'the first runs');
    sandbox.apply(pod('web-9'));
    await cli.until((c) => c.stdout.includes('event v1/events shop/web-9'), 'the new pod');
    sandbox.delete({ group: '', version: 'v1', resource: 'pods' }, 'shop/web-9', { gracePeriodSeconds: 0 });
  }
  await cli
    .until((c) => missing.test(c.stderr), `the missing ${verb} of ${resource}`)
    .catch((error) => {
      if (!missing.test(String(error))) throw error;
    });
  cli.kill('SIGKILL');
  await ending;
}
