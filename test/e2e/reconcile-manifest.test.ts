import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UnknownObject } from '../../src/model/object.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { Cli, run } from '../support/cli.ts';
import { OBJECTS, pod } from '../support/fixture.ts';
import { findKubectl, runKubectl } from '../support/kubectl.ts';

const kubectl = findKubectl();
const missing = 'missing' in kubectl ? kubectl.missing : undefined;
const binary = 'path' in kubectl ? kubectl.path : '';

const PODS = { group: '', version: 'v1', resource: 'pods' };
const LEASES = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const ROLES = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'roles' };

/** Marks each pod. */
const HOOK = `export default async ({ object }) => ({
  actions: object ? [{ patch: { metadata: { annotations: { marked: object.metadata.labels.mark ?? 'yes' } } } }] : [],
});
`;

/** A leader that renews its lease soon, so that a right to do so is missed soon. */
const SHORT = [
  '--leader-elect-lease-duration=3s',
  '--leader-elect-renew-deadline=2s',
  '--leader-elect-retry-period=200ms',
];

let sandbox: Sandbox;
let folder: string;
let admin: string;
let guard: string;
beforeAll(async () => {
  sandbox = await Sandbox.start({ rbac: true });
  sandbox.apply(OBJECTS);
  folder = await mkdtemp(path.join(tmpdir(), 'informer-test-'));
  admin = written('admin', sandbox.kubeconfig());
  guard = written(
    'guard',
    sandbox.kubeconfig({ token: sandbox.tokenFor({ user: 'system:serviceaccount:shop:guard' }) }),
  );
  written('guard.mjs', HOOK);
});
afterAll(async () => {
  await sandbox.stop();
  await rm(folder, { recursive: true, force: true });
});

function written(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

const line = ['pods', '-n', 'shop', '--hook', 'guard.mjs', '--allow-write'];
const manifest = (...flags: string[]) =>
  run(
    [
      'reconcile',
      'manifest',
      ...line,
      ...SHORT,
      '--image',
      'informer:1',
      '--app-name',
      'guard',
      '--into',
      'shop',
      ...flags,
    ],
    {
      env: { KUBECONFIG: admin },
      cwd: folder,
    },
  );

interface Printed extends UnknownObject {
  data?: Record<string, string>;
  rules?: Rule[];
  spec?: { template: { spec: { containers: { args: string[] }[] } } };
}
interface Rule {
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
  verbs: string[];
}

const byKind = (objects: readonly Printed[], kind: string) => objects.find((each) => each.kind === kind);

/** The command line of the container as a process here: with the file of the ConfigMap, and a free port. */
function inCluster(objects: readonly Printed[], env: Record<string, string> = {}): Cli {
  const [name = '', text = ''] = Object.entries(byKind(objects, 'ConfigMap')?.data ?? {})[0] ?? [];
  const hook = written(`mounted-${name}`, text);
  const args = byKind(objects, 'Deployment')?.spec?.template.spec.containers[0]?.args ?? [];
  const here = args.map((arg) =>
    arg.startsWith('--hook=') ? `--hook=${hook}` : arg.startsWith('--metrics=') ? '--metrics=127.0.0.1:0' : arg,
  );
  expect(args).toContain(`--hook=/hook/${name}`);
  return new Cli(here, { env: { KUBECONFIG: guard, ...env } });
}

/** A mark that no pod has yet. */
let marks = 0;
function mark(): string {
  const value = `m${++marks}`;
  for (const name of ['web-1', 'web-2']) {
    const made = pod(name);
    sandbox.apply({ ...made, metadata: { ...made.metadata, labels: { app: 'web', mark: value } } });
  }
  return value;
}
const isMarked = (value: string) =>
  ['web-1', 'web-2'].every((name) => sandbox.get(PODS, `shop/${name}`)?.metadata.annotations?.marked === value);

async function apply(text: string): Promise<string> {
  const { code, stdout, stderr } = await runKubectl(binary, ['--kubeconfig', admin, 'apply', '-f', '-'], {
    input: text,
    env: { HOME: folder },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

async function works(objects: readonly Printed[]): Promise<Cli> {
  const cli = inCluster(objects);
  const value = mark();
  await cli.until(() => isMarked(value), 'marked pods');
  return cli;
}

describe.skipIf(missing !== undefined)(`reconcile manifest${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let objects: Printed[] = [];
  let text = '';

  it('prints what kubectl apply takes as it is, and what a second kubectl apply does not change', async () => {
    const file = path.join(folder, 'access.jsonl');
    await using observing = new Cli(['reconcile', ...line, '--observe', file], {
      env: { KUBECONFIG: admin },
      cwd: folder,
    });
    const value = mark();
    await observing.until(() => isMarked(value), 'marked pods');
    observing.kill('SIGTERM');
    await observing.ended();
    const { stdout, stderr, code } = await manifest('--replicas', '2', '--observed', file);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        '--leader-elect is added: one of 2 replicas runs the hook at a time; with --shards N they share the objects\n',
    });
    text = stdout;
    objects = loadAll(text) as Printed[];
    const created = await apply(text);
    expect(created.replaceAll(/-hook-[0-9a-f]{10} /g, '-hook-HASH ').split('\n')).toEqual([
      'serviceaccount/guard created',
      'configmap/guard-hook-HASH created',
      'role.rbac.authorization.k8s.io/guard created',
      'rolebinding.rbac.authorization.k8s.io/guard created',
      'poddisruptionbudget.policy/guard created',
      'deployment.apps/guard created',
      '',
    ]);
    // kubectl always sends the selector of a budget again, because its strategy is to replace it
    expect(await apply(text)).not.toMatch(/created|(?<!budget\S+ )configured/);
  });

  it('works with the rights of its service account: the probes answer, the lease is taken, the hook writes', async () => {
    await using cli = await works(objects);
    const address = /debug pages: (http:\S+)/.exec(cli.stderr)?.[1];
    for (const page of ['healthz', 'readyz']) expect((await fetch(`${address}/${page}`)).status).toBe(200);
    expect(cli.stderr).toContain('leads: has the lease shop/guard as');
    expect(cli.stderr).not.toContain('forbidden');
    cli.kill('SIGTERM');
    expect((await cli.ended()).code).toBe(0);
  });

  it.each([
    ['pods', 'list'],
    ['pods', 'watch'],
    ['pods', 'patch'],
    ['leases', 'create'],
    ['leases', 'get'],
    ['leases', 'update'],
  ])(
    'needs each right that it prints: without that on %s to %s it fails and names it',
    async (resource, verb) => {
      const role = byKind(objects, 'Role') as Printed & { rules: Rule[] };
      expect(role.rules.flatMap(({ resources, verbs }) => verbs.map((each) => [...resources, each])).length).toBe(6);
      const rules = role.rules
        .map((rule) =>
          rule.resources[0] === resource ? { ...rule, verbs: rule.verbs.filter((v) => v !== verb) } : rule,
        )
        .filter(({ verbs }) => verbs.length > 0);
      if (sandbox.get(LEASES, 'shop/guard')) sandbox.delete(LEASES, 'shop/guard');
      sandbox.delete(ROLES, 'shop/guard');
      sandbox.apply({ ...role, rules } as never);
      mark();
      await using cli = inCluster(objects);
      const isMissed = ({ stderr }: Cli) => new RegExp(`cannot ${verb} resource "${resource}"`).test(stderr);
      await cli
        .until(isMissed, `the missing ${verb}`)
        .catch((error) => expect(String(error)).toContain(`cannot ${verb}`));
    },
    30_000,
  );

  describe('with --shards', () => {
    let printed: Printed[] = [];
    const rulesOf = () => (byKind(printed, 'Role') as Printed & { rules: Rule[] }).rules;
    const withRules = (rules: Rule[]) => {
      sandbox.delete(ROLES, 'shop/guard');
      sandbox.apply({ ...byKind(printed, 'Role'), rules } as never);
    };

    it('two replicas of its command line share the objects with the rights of its service account', async () => {
      const { stdout, stderr, code } = await manifest('--shards', '2', '--observed', path.join(folder, 'access.jsonl'));
      expect([code, stderr]).toEqual([
        0,
        expect.stringMatching(/^the Deployment shop\/guard .* First: kubectl delete/),
      ]);
      sandbox.delete(DEPLOYMENTS, 'shop/guard');
      printed = loadAll(stdout) as Printed[];
      expect(byKind(printed, 'Deployment')).toMatchObject({ spec: { replicas: 2 } });
      sandbox.delete(ROLES, 'shop/guard'); // what the tests before left of it
      await apply(stdout);
      await using one = inCluster(printed);
      await using other = inCluster(printed);
      const hasOne = ({ stderr: text }: Cli) => /has shard \d of 2; 2 replicas share them/.test(text);
      await Promise.all([one, other].map((cli) => cli.until(hasOne, 'a shard')));
      const value = mark();
      await one.until(() => isMarked(value), 'marked pods');
      for (const cli of [one, other]) {
        cli.kill('SIGTERM');
        const ended = await cli.ended();
        expect({ code: ended.code, stderr: ended.stderr }).toEqual({
          code: 0,
          stderr: expect.not.stringContaining('forbidden'),
        });
      }
    }, 30_000);

    it.each(['get', 'list', 'watch', 'create', 'update', 'delete'])(
      'needs the right to %s leases',
      async (verb) => {
        for (const { metadata } of sandbox.list(LEASES, { namespace: 'shop' }))
          sandbox.delete(LEASES, `shop/${metadata.name}`);
        withRules(
          rulesOf().map((rule) =>
            rule.resources[0] === 'leases' ? { ...rule, verbs: rule.verbs.filter((v) => v !== verb) } : rule,
          ),
        );
        await using cli = inCluster(printed);
        const isMissed = ({ stderr }: Cli) => new RegExp(`cannot ${verb} resource .?"leases`).test(stderr);
        if (verb === 'delete') {
          await cli.until(({ stderr }) => stderr.includes('has shards 0-1 of 2'), 'its shards');
          cli.kill('SIGTERM');
        }
        await cli
          .until(isMissed, `the missing ${verb}`)
          .catch((error) => expect(String(error)).toContain(`cannot ${verb}`));
      },
      30_000,
    );
  });
});
