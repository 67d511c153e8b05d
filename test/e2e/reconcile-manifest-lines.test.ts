import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UnknownObject } from '../../src/model/object.ts';
import { run } from '../support/cli.ts';
import { APPLES, type Fixture, startFixture } from '../support/fixture.ts';

const HOOK = 'export default async () => {};\n';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
  fixture.sandbox.apply([APPLES as never]);
  written('guard.mjs', HOOK);
});
afterAll(() => fixture[Symbol.asyncDispose]());

function written(name: string, text: string, mode = 0o644): void {
  const file = path.join(fixture.folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text, { mode });
}

const manifest = (...line: string[]) =>
  run(['reconcile', 'manifest', ...line], { env: fixture.env, cwd: fixture.folder });
const IMAGE = ['--image', 'informer:1'];
const LINE = ['pods', '-n', 'shop', '--hook', 'guard.mjs', ...IMAGE];

interface Deployment extends UnknownObject {
  spec: { replicas: number; template: { spec: { containers: { args: string[] }[] } } };
}

async function argsOf(...line: string[]): Promise<string[]> {
  const { stdout } = await manifest(...line);
  const deployment = (loadAll(stdout) as Deployment[]).find(({ kind }) => kind === 'Deployment');
  return deployment?.spec.template.spec.containers[0]?.args ?? [];
}

describe('reconcile manifest', () => {
  it('runs replicas of a hook under a lease, or with shards; a lease that no flag names is written down', async () => {
    const lease = ['--leader-elect-lease-name=reconcile-guard.mjs-pods', '--leader-elect-namespace=shop'];
    const start = ['reconcile', 'pods', '--namespace=shop', '--hook=/hook/guard.mjs'];
    const metrics = '--metrics=0.0.0.0:8080';
    expect(await argsOf(...LINE)).toEqual([...start, metrics]);
    expect(await argsOf(...LINE, '--replicas', '2')).toEqual([...start, '--leader-elect', ...lease, metrics]);
    expect(await argsOf(...LINE, '--shards', '8')).toEqual([...start, '--shards=8', ...lease, metrics]);
    const named = await argsOf(...LINE, '--replicas', '2', '--app-name', 'mine');
    expect(named).toContain('--leader-elect-lease-name=mine');
  });

  it('names the namespace that is current here, because that of the Pod may be another', async () => {
    const line = ['pods', '--hook', 'guard.mjs', ...IMAGE];
    expect(await argsOf(...line, '--into', 'ops')).toContain('--namespace=default');
    expect(await argsOf(...line, '-A')).not.toContain('--namespace=default');
    expect(await argsOf('nodes', '--hook', 'guard.mjs', ...IMAGE)).not.toContain('--namespace=default');
  });

  it('has what the config file and the environment give reconcile here, because a Pod has neither', async () => {
    written('config.yaml', 'defaults: { workers: 2, qps: 9 }\ncommands: { reconcile: { workers: 4 } }\n');
    const env = { ...fixture.env, KUBECTL_INFORMER_GRACE: '40s' };
    const line = ['reconcile', 'manifest', ...LINE, '--config', 'config.yaml'];
    const { stdout, stderr } = await run(line, { env, cwd: fixture.folder });
    for (const text of ['- --workers=4', '- --qps=9', '- --grace=40s', 'terminationGracePeriodSeconds: 45'])
      expect(stdout).toContain(`${text}\n`);
    expect(stdout).not.toContain('--config');
    expect(stderr).toContain('--config (used only here)');
  });

  it('-o json is a List of the same objects', async () => {
    const [yaml, json] = await Promise.all([manifest(...LINE), manifest(...LINE, '-o', 'json')]);
    expect(JSON.parse(json.stdout)).toEqual({ apiVersion: 'v1', kind: 'List', items: loadAll(yaml.stdout) });
  });

  it('a finalizer needs a right to write only where something is written', async () => {
    const line = ['myapples', '-n', 'shop', '--hook', 'guard.mjs', ...IMAGE, '--finalizer', 'example.com/f'];
    const verbsOf = async (...flags: string[]) => {
      const roles = (
        loadAll((await manifest(...line, ...flags)).stdout) as { kind: string; rules: unknown[] }[]
      ).filter(({ kind }) => kind === 'Role');
      return roles.flatMap(({ rules }) => rules);
    };
    const apples = { apiGroups: ['stable.example.com'], resources: ['myapples'] };
    expect(await verbsOf()).toEqual([{ ...apples, verbs: ['list', 'watch'] }]);
    expect(await verbsOf('--allow-write')).toEqual([{ ...apples, verbs: ['list', 'watch', 'patch'] }]);
  });

  it('says what the roles lack, and that a hook without --allow-write writes nothing', async () => {
    expect((await manifest(...LINE)).stderr).toBe(
      'without --allow-write the hook writes nothing in the cluster: its actions are shown in the log\n',
    );
    expect((await manifest(...LINE, '--allow-write')).stderr).toMatch(
      /^the roles do not allow what the hook asks for.*--observe FILE, then add --observed FILE\n$/,
    );
    written('access.jsonl', '{"verb":"patch","group":"","resource":"pods","namespace":"shop"}\n');
    const line = ['pods', '--hook', 'guard.mjs', ...IMAGE, '--allow-write', '--observed', 'access.jsonl'];
    expect((await manifest(...line, '-n', 'shop')).stderr).toBe('');
    expect((await manifest(...line, '-A')).stderr).toContain('writes were observed only in shop');
  });

  it('takes a hook that imports files or packages from the image, also through a link, and prints its Dockerfile', async () => {
    written('pack/package.json', '{}');
    for (const name of ['left', '@scope/right']) {
      written(`pack/node_modules/${name}/package.json`, JSON.stringify({ name, type: 'module', exports: './i.js' }));
      written(`pack/node_modules/${name}/i.js`, 'export const a = 1;\n');
    }
    written('pack/lib/shared.mjs', `export { a } from 'left';\n`);
    written('pack/src/near.mjs', `import '@scope/right';\nexport { a } from '../lib/shared.mjs';\n`);
    written('pack/src/guard.mjs', `import { a } from './near.mjs';\nimport 'kubectl-informer';\n${HOOK}`);
    symlinkSync('pack/src/guard.mjs', path.join(fixture.folder, 'link.mjs'));
    for (const hook of ['pack/src/guard.mjs', 'link.mjs']) {
      const line = ['pods', '-n', 'shop', '--hook', hook, ...IMAGE];
      const { stdout, stderr } = await manifest(...line);
      expect(stdout).toContain('- --hook=/app/src/guard.mjs\n');
      expect(stdout).not.toMatch(/ConfigMap|volumes:/);
      expect(stderr).toContain('must have the hook as /app/src/guard.mjs, because it imports @scope/right, left; ');
      expect(
        (await manifest(...line, '--dockerfile')).stdout.match(/^(WORKDIR|COPY|RUN npm install --om).*$/gm),
      ).toEqual([
        'WORKDIR /app',
        'COPY package.json ./',
        expect.stringMatching(/^RUN npm install --omit=dev /),
        'COPY ["src/guard.mjs","/app/src/guard.mjs"]',
        'COPY ["lib/shared.mjs","/app/lib/"]',
        'COPY ["src/near.mjs","/app/src/"]',
      ]);
    }
  });

  it('prints a Dockerfile without a type, a hook or a cluster', async () => {
    const { code, stdout, stderr } = await run(['reconcile', 'manifest', '--dockerfile'], {
      env: { KUBECONFIG: '/dev/null' },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^FROM node:24-slim$/m);
  });

  it('names a Deployment of the same name that runs something else, or decides otherwise who works', async () => {
    const line = (...flags: string[]) => manifest(...LINE, '--app-name', 'same', ...flags);
    const apply = async (...flags: string[]) => {
      for (const object of loadAll((await line(...flags)).stdout) as UnknownObject[])
        if (object.kind === 'Deployment') fixture.sandbox.apply([object]);
    };
    const remarkOf = async (...flags: string[]) => /^the Deployment .*$/m.exec((await line(...flags)).stderr)?.[0];
    expect(await remarkOf('--replicas', '2')).toBeUndefined();
    await apply('--replicas', '2');
    expect(await remarkOf('--replicas', '3', '--allow-write')).toBeUndefined();
    expect(await remarkOf('--shards', '2')).toBe(
      'the Deployment default/same is there and works under a lease, this one in shards: the old and the new Pods would work at the same time. First: kubectl delete deployment same -n default',
    );
    expect(await remarkOf()).toContain('works under a lease, this one without a lease');
    written('other.mjs', HOOK);
    for (const flags of [['--hook', 'other.mjs'], ['web-1']])
      expect(await remarkOf(...flags)).toMatch(/runs something else \(reconcile pods --hook=guard\.mjs\).*--app-name/);
  });

  it('names variables that a program gets here, and programs that the image must have', async () => {
    const line = ['pods', '-n', 'shop', ...IMAGE, '--exec', 'kubectl get pod {{.metadata.name}}', '--pass-credentials'];
    const env = { ...fixture.env, INFORMER_TEAM: 'a-secret', INFORMER_A: '1' };
    const { stdout, stderr } = await run(['reconcile', 'manifest', ...line], { env });
    expect(stderr).toContain('the hook gets INFORMER_A, INFORMER_TEAM here, and not in the Pod');
    expect(stderr).toContain('the image must have kubectl, which the hook runs\n');
    expect(stderr).toContain('credentials of its own is not in the roles of the service account kubectl-pods\n');
    expect(stdout + stderr).not.toContain('a-secret');
  });

  it.each([
    [['pods', '--hook', 'guard.mjs'], 'manifest needs --image'],
    [['pods', '--hook', 'guard.mjs', '--image', 'A B'], 'cannot be the name of an image'],
    [['pods', ...IMAGE], 'exactly one of --hook FILE and --exec COMMAND is needed'],
    [[...IMAGE, '--hook', 'guard.mjs'], 'You must specify the type'],
    [['nosuchtype', '--hook', 'guard.mjs', ...IMAGE], 'nosuchtype'],
    [[...LINE, '--replicas', '0'], '--replicas'],
    [[...LINE, '--replicas', '2', '--leader-elect=false'], 'would run the hook 2 times for each object'],
    [[...LINE, '--shards', '2', '--leader-elect'], '--leader-elect and --shards cannot be used together'],
    [
      [...LINE, '--shards', '2', '--shard-by', 'namespace'],
      '--shard-by namespace would give everything to one replica',
    ],
    [[...LINE, '--replicas', '2', '--leader-elect-lease-duration', '5s'], '--leader-elect-lease-duration (5000ms)'],
    [[...LINE, '--shards', '2', '--leader-elect-lease-duration', '5s'], '--leader-elect-lease-duration (5000ms)'],
    [[...LINE, '--leader-elect-namespace', 'x'], 'does nothing without --leader-elect or --shards'],
    [[...LINE, '--reload'], '--reload is for a hook that is changed on this machine'],
    [[...LINE, '--into', 'A'], '--into: "A" cannot be the name of a namespace'],
    [[...LINE, '--app-name', 'a.b'], '--app-name: "a.b" cannot be the name'],
    [[...LINE, '--metrics', ':80'], '--metrics :80 cannot be used in a Pod'],
    [[...LINE, '--hook-path', 'x.mjs'], '--hook-path must be the absolute path'],
    [[...LINE, '--observed', 'nosuchfile'], 'cannot read nosuchfile'],
    [[...LINE, '--journal', 'j'], '--journal has no effect without --allow-write'],
    [[...LINE, '--where', 'NOSUCH > 1'], 'NOSUCH'],
    [[...LINE, '--grace=-1s'], 'invalid argument "-1s" for "--grace": expected a duration of at least 0s'],
    [['pods', ...IMAGE, '--exec', './x.sh'], '--exec runs ./x.sh, a file of this machine'],
  ])('refuses %j with exit code 2, and prints nothing', async (line, message) => {
    const { code, stdout, stderr } = await manifest(...line);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
  });
});
