import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { configMap, type Fixture, OBJECTS, pod, startFixture } from '../support/fixture.ts';
import { findKubectl, runKubectl } from '../support/kubectl.ts';

/** What `jane` may do: a rule, in the namespace `shop`. */
function allowing(rules: readonly object[]) {
  return [
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'reader', namespace: 'shop' },
      rules,
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'reader', namespace: 'shop' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }],
    },
  ];
}

const found = findKubectl();
const kubectl = 'path' in found ? found.path : undefined;

const ONE_SHOT: readonly (readonly [string, readonly string[]])[] = [
  ['query', []],
  ['watch', ['--once']],
];

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture([...OBJECTS, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'empty' } }]);
});
afterAll(() => fixture[Symbol.asyncDispose]());

describe.each(ONE_SHOT)('%s', (command, flags) => {
  const ask = (...words: string[]) => run([command, ...words, ...flags], { env: fixture.env });

  it('shows what it finds of several names in their order, and fails with a line for each of the others', async () => {
    const { code, stdout, stderr } = await ask('pods', 'web-2', 'none', 'web-1', 'nil', '-n', 'shop', '-o', 'name');
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'pod/web-2\npod/web-1\n' });
    expect(stderr).toMatch(
      /^error: pods "none" not found \(NotFound\)\nerror: pods "nil" not found \(NotFound\)\nhint: looked in namespace shop; .*\n$/,
    );
  });

  it('fails for one name that is not there, and says nothing else', async () => {
    const { code, stdout, stderr } = await ask('deploy/none', '-n', 'shop');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error: deployments.apps "none" not found \(NotFound\)\nhint: .*\n$/);
  });

  it('names the missing ones of every type, and shows the others', async () => {
    const { code, stdout, stderr } = await ask('pod/web-1', 'deploy/none', 'cm/none', '-n', 'shop', '-o', 'name');
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'pod/web-1\n' });
    expect(stderr).toContain(
      'deployments.apps "none" not found (NotFound)\nerror: configmaps "none" not found (NotFound)\n',
    );
  });

  it('takes missing names for an empty answer with --ignore-not-found', async () => {
    expect(await ask('pods', 'none', '-n', 'shop', '--ignore-not-found')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
    const some = await ask('pods', 'none', 'web-1', '-n', 'shop', '--ignore-not-found', '-o', 'name');
    expect(some).toMatchObject({ code: 0, stdout: 'pod/web-1\n', stderr: '' });
  });

  it.each([
    'json',
    'yaml',
    'name',
    'custom-columns=N:.metadata.name',
    'jsonpath={.metadata.name}',
    'jsonpath={.items}',
    'wide',
  ])('prints nothing in -o %s when nothing is found with --ignore-not-found, as kubectl does', async (format) => {
    const nothing = { code: 0, stdout: '', stderr: '' };
    expect(await ask('pods', 'none', '-n', 'shop', '--ignore-not-found', '-o', format)).toMatchObject(nothing);
    expect(await ask('pods', 'none', 'nil', '-n', 'shop', '--ignore-not-found', '-o', format)).toMatchObject(nothing);
    expect(await ask('pods', '-n', 'empty', '--ignore-not-found', '-o', format)).toMatchObject(nothing);
    if (kubectl === undefined) return;
    const real = (...words: string[]) =>
      runKubectl(kubectl, ['get', ...words, '--ignore-not-found', '-o', format], { env: fixture.env });
    expect(await real('pods', 'none', 'nil', '-n', 'shop')).toMatchObject(nothing);
    expect(await real('pods', '-n', 'empty')).toMatchObject(nothing);
  });

  it('calls a name that does not match a selector no missing one', async () => {
    expect(await ask('pods', 'web-1', '-n', 'shop', '-l', 'app=db')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No resources found in shop namespace.\n',
    });
  });

  it.each([
    'object.status.phase == "Failed"',
    'object.metadata.labels.app == "db"',
    'object.metadata.name == "web-2"',
    'object.metadata.namespace == "default"',
  ])('calls a name that is there and does not match --filter %j no missing one', async (filter) => {
    const { code, stdout, stderr } = await ask('pods', 'web-1', '-n', 'shop', '--filter', filter);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(/^none of 1 pod matches\n(--filter: .+ holds for none; .+\n)?$/);
    const missing = await ask('pods', 'web-1', 'none', '-n', 'shop', '--filter', filter);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('error: pods "none" not found (NotFound)\n');
    expect(missing.stderr).not.toContain('pods "web-1"');
  });

  it.each(['name', 'json', 'yaml', 'jsonpath={.metadata.name}', 'custom-columns=N:.metadata.name'])(
    'says in words that nothing was found in a table alone, not in -o %s',
    async (format) => {
      expect(await ask('pods', '-n', 'empty')).toMatchObject({
        code: 0,
        stderr: 'No resources found in empty namespace.\n',
      });
      expect(await ask('pods', '-n', 'empty', '-o', format)).toMatchObject({ code: 0, stderr: '' });
      expect(await ask('pods', '-n', 'empty', '--ignore-not-found')).toMatchObject({ code: 0, stderr: '' });
    },
  );

  it('lists a type that cannot be watched, and opens no watch', async () => {
    const cache = path.join(fixture.folder, `list-only-${command}`);
    await run(['query', 'cm', '-n', 'shop', '--cache-dir', cache], { env: fixture.env });
    const [file = ''] = (await readdir(path.join(cache, 'discovery'))).map((name) =>
      path.join(cache, 'discovery', name),
    );
    const stored = JSON.parse(await readFile(file, 'utf8'));
    for (const type of stored.snapshot.types) if (type.gvr.resource === 'configmaps') type.verbs = ['get', 'list'];
    await writeFile(file, JSON.stringify(stored));
    const before = fixture.sandbox.requests.matching(/configmaps.*watch=/).length;
    expect(await ask('cm', '-n', 'shop', '-o', 'name', '--cache-dir', cache)).toMatchObject({
      code: 0,
      stdout: 'configmap/settings\n',
      stderr: '',
    });
    expect(fixture.sandbox.requests.matching(/configmaps.*watch=/).length).toBe(before);
    const lasting = await run(['watch', 'cm', '-n', 'shop', '--cache-dir', cache], { env: fixture.env });
    expect(lasting).toMatchObject({
      code: 2,
      stdout: '',
      stderr:
        'error: configmaps cannot be watched: the server offers get, list\nhint: it can be listed: query configmaps, or watch configmaps --once\n',
    });
  });

  it('lists component statuses, which no server can watch', async () => {
    const { code, stderr } = await ask('componentstatuses');
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'No resources found\n' });
  });

  it('needs no right to watch', async () => {
    await using own = await startFixture([
      ...OBJECTS,
      ...allowing([{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }]),
    ]);
    const line = [command, 'pods', '-n', 'shop', '--as', 'jane', '-o', 'name', ...flags];
    expect(await run(line, { env: own.env })).toMatchObject({ code: 0, stdout: 'pod/web-1\npod/web-2\n', stderr: '' });
  });

  it('of several types shows those that may be read, then names all that may not, with one role for them', async () => {
    await using own = await startFixture([
      ...OBJECTS,
      ...allowing([{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }]),
    ]);
    const line = [command, 'deploy,pods,rs,cm', '-n', 'shop', '--as', 'jane', '-o', 'name', ...flags];
    const { code, stdout, stderr } = await run(line, { env: own.env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'pod/web-1\npod/web-2\n' });
    const lines = stderr.trimEnd().split('\n');
    expect(lines.map((text) => /^error: (\S+) is forbidden: User "jane" cannot list/.exec(text)?.[1])).toEqual([
      'deployments.apps',
      'replicasets.apps',
      'configmaps',
      undefined,
    ]);
    expect(lines.at(-1)).toBe(
      'hint: missing is a Role in shop with the rules {apiGroups: ["apps"], resources: ["deployments", "replicasets"], verbs: ["list"]}, {apiGroups: [""], resources: ["configmaps"], verbs: ["list"]}, bound to this user',
    );
  });
});

it.each([['--values', 'phase'], ['--group-by', '.status.phase'], ['--count']])(
  'query %s %s names what is not there, too',
  async (...flags) => {
    const { code, stderr } = await run(['query', 'pods', 'web-1', 'none', '-n', 'shop', ...flags], {
      env: fixture.env,
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: pods "none" not found \(NotFound\)\nhint: /);
  },
);

describe('the END record of --once carries the exit code', () => {
  const ended = async (own: Fixture, ...line: string[]) => {
    const { code, stdout } = await run(['watch', ...line, '-n', 'shop', '--once', '-o', 'json', '--markers'], {
      env: own.env,
    });
    const { type, exitCode } = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
    return { code, type, exitCode };
  };

  it('of a name that is not there', async () => {
    expect(await ended(fixture, 'pods', 'web-1', 'none')).toEqual({ code: 1, type: 'END', exitCode: 1 });
    expect(await ended(fixture, 'pods', 'web-1', 'none', '--ignore-not-found')).toEqual({
      code: 0,
      type: 'END',
      exitCode: 0,
    });
  });

  it('of a type that may not be read beside one that may', async () => {
    await using own = await startFixture([
      ...OBJECTS,
      ...allowing([{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }]),
    ]);
    expect(await ended(own, 'deploy,pods', '--as', 'jane')).toEqual({ code: 1, type: 'END', exitCode: 1 });
    expect(await ended(own, 'pods', '--as', 'jane')).toEqual({ code: 0, type: 'END', exitCode: 0 });
  });
});

describe('a user who may read some names alone', () => {
  const rule = { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'], resourceNames: ['web-1', 'web-2'] };
  let own: Fixture;
  beforeAll(async () => {
    own = await startFixture([...OBJECTS, pod('web-3'), ...allowing([rule])]);
  });
  afterAll(() => own[Symbol.asyncDispose]());

  it.each(ONE_SHOT)('is answered by %s', async (command, flags) => {
    const line = [command, 'pods', 'web-2', 'web-1', '-n', 'shop', '--as', 'jane', '-o', 'name', ...flags];
    expect(await run(line, { env: own.env })).toMatchObject({ code: 0, stdout: 'pod/web-2\npod/web-1\n', stderr: '' });
  });

  it('watches them, and nothing else', async () => {
    await using cli = new Cli(['watch', 'pods', 'web-2', 'web-1', '-n', 'shop', '--as', 'jane', '-o', 'name'], {
      env: own.env,
    });
    await cli.until((c) => c.lines.length === 2, 'both');
    expect(cli.lines).toEqual(['pod/web-2', 'pod/web-1']);
    own.sandbox.apply([pod('web-3', { app: 'other' }), pod('web-1', { app: 'other' })]);
    await cli.until((c) => c.lines.length === 3, 'the change');
    expect(cli.lines[2]).toBe('pod/web-1');
    cli.kill('SIGTERM');
    expect(await cli.ended()).toMatchObject({ code: 0 });
  });

  it('waits for both', async () => {
    const line = [
      'watch',
      'pod/web-1',
      'pod/web-2',
      '-n',
      'shop',
      '--as',
      'jane',
      '--for',
      'jsonpath={.status.phase}=Running',
      '--timeout',
      '20s',
    ];
    expect(await run(line, { env: own.env })).toMatchObject({ code: 0 });
  });

  it('gets the missing role for names in a hint', async () => {
    const { code, stderr } = await run(['watch', 'pods', 'web-1', 'web-3', '-n', 'shop', '--as', 'jane', '--strict'], {
      env: own.env,
    });
    expect(code).toBe(1);
    expect(stderr).toContain(
      'hint: missing is a Role in shop with the rule {apiGroups: [""], resources: ["pods"], verbs: ["list", "watch"], resourceNames: ["web-3"]}, bound to this user',
    );
  });

  it('needs the right to list all where there are more names than sources', async () => {
    const many = Array.from({ length: 17 }, (_, i) => `p-${i}`);
    const { code, stderr } = await run(['query', 'pods', ...many, '-n', 'shop', '--as', 'jane'], { env: own.env });
    expect(code).toBe(1);
    expect(stderr).toContain('with the rule {apiGroups: [""], resources: ["pods"], verbs: ["list"]}, bound');
  });
});

it('a watch that must be whole names every type that is forbidden', async () => {
  await using own = await startFixture([
    ...OBJECTS,
    ...allowing([{ apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] }]),
  ]);
  const { code, stderr } = await run(
    ['watch', 'deploy,pods,cm', '-n', 'shop', '--as', 'jane', '-o', 'name', '--strict'],
    { env: own.env },
  );
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^error: deployments.apps is forbidden: [^\n]*\nerror: configmaps is forbidden: [^\n]*\nhint: missing is a Role in shop with the rules /m,
  );
});

it('reads formats in any case, and types by group, version and kind, as kubectl does', async () => {
  const query = (...words: string[]) => run(['query', ...words, '-n', 'shop'], { env: fixture.env });
  expect(JSON.parse((await query('pod/web-1', '-o', 'JSON')).stdout).metadata.name).toBe('web-1');
  expect((await query('pod/web-1', '-o', 'Name')).stdout).toBe('pod/web-1\n');
  expect((await query('apps/v1/Deployment', '-o', 'name')).stdout).toBe('deployment.apps/web\n');
  expect((await query('core/v1/pods', '-o', 'name')).stdout).toBe('pod/web-1\npod/web-2\n');
  expect(await query('pods', '-l', 'app in ()', '-o', 'name')).toMatchObject({ code: 0, stdout: '', stderr: '' });
});

it('custom columns keep a value whole on its line', async () => {
  await using own = await startFixture([configMap('notes', { text: 'one\ntwo\r\nthree' })]);
  const { stdout } = await run(['query', 'cm', '-n', 'shop', '-o', 'custom-columns=T:.data.text'], { env: own.env });
  expect(stdout).toBe('T\none\\ntwo\\r\\nthree\n');
});

it('query keeps the order in which the server lists', async () => {
  await using own = await startFixture();
  const names = async (...flags: string[]) =>
    (await run(['query', 'pods', '-o', 'name', ...flags], { env: own.env })).stdout;
  expect(await names('-n', 'shop,other')).toBe('pod/web-1\npod/web-2\npod/db-1\n');
  expect(await names('-n', 'other,shop')).toBe('pod/db-1\npod/web-1\npod/web-2\n');
  expect(await names('-A', '--in', 'node=worker-2,worker-1')).toBe('pod/db-1\npod/web-1\npod/web-2\n');
});
