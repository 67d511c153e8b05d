import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { APPLES, apple, type Fixture, startFixture } from '../support/fixture.ts';

const CRDS = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };
const RBAC = { apiVersion: 'rbac.authorization.k8s.io/v1' };
const roleRef = (kind: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name: 'reader' });
const user = (name: string) => [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }];
const rule = (resource: string, ...verbs: string[]) => [{ apiGroups: [''], resources: [resource], verbs }];

/**
 * jane may watch the pods of shop, joe those too and sees what namespaces there are, ann may list them and not watch.
 */
const PEOPLE = [
  { ...RBAC, kind: 'Role', metadata: { name: 'reader', namespace: 'shop' }, rules: rule('pods', 'list', 'watch') },
  {
    ...RBAC,
    kind: 'RoleBinding',
    metadata: { name: 'reader', namespace: 'shop' },
    roleRef: roleRef('Role'),
    subjects: [...user('jane'), ...user('joe')],
  },
  { ...RBAC, kind: 'Role', metadata: { name: 'lister', namespace: 'shop' }, rules: rule('pods', 'list') },
  {
    ...RBAC,
    kind: 'RoleBinding',
    metadata: { name: 'lister', namespace: 'shop' },
    roleRef: { ...roleRef('Role'), name: 'lister' },
    subjects: user('bob'),
  },
  { ...RBAC, kind: 'ClusterRole', metadata: { name: 'reader' }, rules: rule('namespaces', 'list') },
  {
    ...RBAC,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'reader' },
    roleRef: roleRef('ClusterRole'),
    subjects: user('joe'),
  },
];

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
  fixture.sandbox.apply(PEOPLE);
});
afterAll(() => fixture[Symbol.asyncDispose]());

const watch = (...line: string[]) => run(['watch', ...line, '--timeout', '20s'], { env: fixture.env });

it('a user who may list and not watch is refused with the missing verb, after one list', async () => {
  fixture.sandbox.requests.clear();
  const { code, stdout, stderr } = await watch('pods', '-n', 'shop', '-o', 'name', '--as', 'bob');
  expect(code).toBe(1);
  expect(stdout.split('\n').filter(Boolean)).toHaveLength(2);
  expect(stderr).toContain(
    'error: pods is forbidden: User "bob" cannot watch resource "pods" in API group "" in the namespace "shop"',
  );
  expect(stderr).toContain('verbs: ["list", "watch"]');
  const lists = fixture.sandbox.requests.matching('/namespaces/shop/pods').filter((r) => !r.path.includes('watch='));
  expect(lists).toHaveLength(1);
});

describe('a refusal names the rule that is missing, and the namespaces that would work', () => {
  const cannot = (who: string, resource: string, where: string) =>
    `error: ${resource} is forbidden: User "${who}" cannot list resource "${resource}" in API group "" ${where}\n`;
  const missing = (what: string, resource: string) =>
    `hint: missing is a ${what} with the rule {apiGroups: [""], resources: ["${resource}"], verbs: ["list", "watch"]}, bound to this user`;

  it.concurrent.each<[string[], string]>([
    [
      ['pods', '-A', '--as', 'jane'],
      `${cannot('jane', 'pods', 'at the cluster scope')}${missing('ClusterRole', 'pods')}\n`,
    ],
    [
      ['pods', '-A', '--as', 'joe'],
      `${cannot('joe', 'pods', 'at the cluster scope')}${missing('ClusterRole', 'pods')}; you may watch pods with -n shop\n`,
    ],
    [
      ['pods', '-n', 'other', '--as', 'joe'],
      `${cannot('joe', 'pods', 'in the namespace "other"')}${missing('Role in other', 'pods')}; you may watch pods with -n shop\n`,
    ],
    [
      ['pods', '-n', 'other,shop', '--as', 'jane', '--until', 'false'],
      `${cannot('jane', 'pods', 'in the namespace "other"')}${missing('Role in other', 'pods')}; you may watch pods with -n shop\n`,
    ],
    [
      ['secrets', '-n', 'shop', '--as', 'jane'],
      `${cannot('jane', 'secrets', 'in the namespace "shop"')}${missing('Role in shop', 'secrets')}\n`,
    ],
    [['nodes', '--as', 'joe'], `${cannot('joe', 'nodes', 'at the cluster scope')}${missing('ClusterRole', 'nodes')}\n`],
  ])('%j', async (line, stderr) => {
    expect(await watch(...line)).toMatchObject({ code: 1, stdout: '', stderr });
  });

  it('and nothing is refused that is allowed', async () => {
    expect(await watch('pods', '-n', 'shop', '--as', 'jane', '--once', '-o', 'name')).toMatchObject({
      code: 0,
      stderr: '',
    });
  });
});

it.each(['-w=false', '--watch=false'])('watch %s is refused, with what shows the state and ends', async (flag) => {
  expect(await watch('pods', '-n', 'shop', flag)).toMatchObject({
    code: 2,
    stdout: '',
    stderr:
      'error: watch watches, and -w=false asks for the opposite\nhint: --once shows what is there and ends, as query does\n',
  });
  expect(await watch('pods', '-n', 'shop', '-w=true', '--once', '-o', 'name')).toMatchObject({ code: 0 });
  expect(await run(['query', 'pods', '-n', 'shop', '-o', 'name', flag], { env: fixture.env })).toMatchObject({
    code: 0,
    stderr: '',
  });
});

describe('a name that nothing can ever have is refused at once, with what was meant', () => {
  const namespace = (name: string) => `error: -n: "${name}" cannot be the name of a namespace\n`;
  const name = (text: string, type: string) => `error: "${text}" cannot be the name of an object of ${type}\n`;

  it.concurrent.each<[string[], string]>([
    [['pods', '-n', '*'], `${namespace('*')}hint: -A takes all namespaces\n`],
    [
      ['pods', '-n', '!a'],
      `${namespace('!a')}hint: -A takes all namespaces, and --filter 'object.metadata.namespace != "a"' leaves one out\n`,
    ],
    [
      ['pods', '-n', 'a/b'],
      `${namespace('a/b')}hint: several namespaces are joined by commas: -n a,b; an object is named TYPE/NAME\n`,
    ],
    [['pods', '-n', 'a b'], `${namespace('a b')}hint: several namespaces are joined by commas: -n a,b\n`],
    [
      ['pods', '-n', 'shop,team-*'],
      `${namespace('team-*')}hint: -A takes all namespaces, and --filter 'object.metadata.namespace.matches("^team-")' picks some\n`,
    ],
    [['pods', '-n', 'Shop'], `${namespace('Shop')}hint: did you mean "shop"? Names have no capitals and no _\n`],
    [
      ['pods', '-n', 'a.b'],
      `${namespace('a.b')}hint: a name is at most 63 lower case letters, digits and -, and begins and ends with a letter or digit\n`,
    ],
    [['pods', '-n', ','], 'error: invalid argument "," for "-n, --namespace" flag: it names nothing\n'],
    [['pods', '-n', 'shop', 'web-*'], `${name('web-*', 'pods')}hint: --name '^web-' picks objects by a pattern\n`],
    [
      ['pods', '-n', 'shop', 'web-1,web-2'],
      `${name('web-1,web-2', 'pods')}hint: several names are parted by blanks: pods web-1 web-2\n`,
    ],
    [
      ['pods', '-n', 'shop', 'Web_1'],
      `${name('Web_1', 'pods')}hint: did you mean "web-1"? Names have no capitals and no _\n`,
    ],
    [
      ['ns', 'a.b'],
      `${name('a.b', 'namespaces')}hint: a name is at most 63 lower case letters, digits and -, and begins`,
    ],
    [['clusterroles', 'a%b'], name('a%b', 'clusterroles.rbac.authorization.k8s.io')],
    [
      ['pods,', 'svc'],
      'error: there is a blank beside a comma in the list of types\nhint: types are joined by commas without blanks: pods,svc\n',
    ],
  ])('%j', async (line, stderr) => {
    expect(await watch(...line)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(stderr) });
  });

  it('each command names a flag that it has', async () => {
    const { code, stderr } = await run(['query', 'pods', 'web-*', '-n', 'shop'], { env: fixture.env });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `${name('web-*', 'pods')}hint: --name '^web-' picks objects by a pattern\n`,
    });
  });

  it('what some type may be called is let through: colons of RBAC, dots, and custom resources as their definition has it', async () => {
    await using own = await startFixture();
    own.sandbox.apply([APPLES, apple('fuji.red', 'red', 3)]);
    const names = (...words: string[]) => run(['query', ...words, '-n', 'shop', '-o', 'name'], { env: own.env });
    const [role, apples, capitals] = await Promise.all([
      names('clusterroles', 'system:nobody-has-this'),
      names('myapples', 'fuji.red'),
      names('myapples', 'Fuji_1'),
    ]);
    expect(role).toMatchObject({ code: 1, stderr: expect.stringContaining('not found') });
    expect(apples).toMatchObject({ code: 0, stdout: 'myapple.stable.example.com/fuji.red\n' });
    expect(capitals).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "fuji-1"?') });
  });

  it('blanks around commas are taken away', async () => {
    const { code, stdout, stderr } = await watch('pods', '-n', ' shop , other', '--once', '-o', 'name');
    expect({ code, stderr, names: stdout.trim().split('\n').sort() }).toEqual({
      code: 0,
      stderr: '',
      names: ['pod/db-1', 'pod/web-1', 'pod/web-2'],
    });
    expect(await watch('pods , deploy', '-n', 'shop', '--once', '-o', 'name')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('deployment.apps/web'),
    });
  });
});

describe('a type that is not there', () => {
  it.concurrent.each([
    ['podz', /^error: the server doesn't have a resource type "podz"\nhint: Did you mean "?pod/],
    ['deploymnts.apps', /^error: .*"deploymnts"\nhint: Did you mean "deployments"/],
    ['plums.stable.example.com', /^error: .*"plums"\nhint: .*api-resources.*--wait-for-crd/],
    ['stable.example.com/v1/plums', /^error: .*plums.*\nhint: .*--wait-for-crd/],
  ])('is refused with what was meant or what to do: %s', async (type, text) => {
    const { code, stdout, stderr } = await watch(type);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(text);
  });

  it('is waited for with --wait-for-crd, and its deletion and return are survived', async () => {
    await using own = await startFixture([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }]);
    const line = ['watch', 'myapples', '-n', 'shop', '-o', 'json', '--wait-for-crd', '--markers'];
    await using cli = new Cli(line, { env: own.env });
    await cli.until((c) => c.stderr.includes('"myapples"; waiting for it (--wait-for-crd)'), 'the notice');
    own.sandbox.apply(APPLES);
    await cli.until((c) => c.stdout.includes('SYNCED'), 'the first sync');
    own.sandbox.apply(apple('fuji', 'red'));
    await cli.until((c) => c.stdout.includes('"shop/fuji"'), 'the first apple');
    own.sandbox.delete(CRDS, APPLES.metadata.name);
    await cli.until((c) => c.stdout.includes('"DELETED"'), 'the end of the apples');
    own.sandbox.apply([APPLES, apple('granny', 'green')]);
    await cli.until((c) => c.stdout.includes('"shop/granny"'), 'the apple of the new definition');
    cli.kill('SIGINT');
    const { code } = await cli.ended();
    expect(code).toBe(0);
    expect(cli.events<{ type: string; key?: string }>().map(({ type, key }) => `${type} ${key ?? ''}`.trim())).toEqual(
      expect.arrayContaining(['SYNCED', 'ADDED shop/fuji', 'DELETED shop/fuji', 'GAP', 'ADDED shop/granny']),
    );
  });

  it('is not waited for longer than --timeout', async () => {
    const { code, stdout, stderr } = await run(['watch', 'plums', '--wait-for-crd', '--timeout', '1s'], {
      env: fixture.env,
    });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(/waiting for it.*\nerror: .*plums.*--timeout/s);
  });
});

describe('a server that is not the one that is meant', () => {
  it('by its certificate authority is refused, with nothing sent to it', async () => {
    await using other = await startFixture([]);
    const authority = path.join(other.folder, 'ca.pem');
    await writeFile(authority, other.sandbox.caPem ?? '');
    fixture.sandbox.requests.clear();
    const { code, stdout, stderr } = await watch('pods', '--certificate-authority', authority);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error: .*certificate.*\nhint: /);
    expect(fixture.sandbox.requests.size).toBe(0);
  });

  it.concurrent.each([
    ['--token=nobody', /^error: You must be logged in to the server \(Unauthorized\)\nhint: /],
    ['--context=nowhere', /^error: .*context.*"nowhere".*\nhint: /],
    ['--server=https://no-such-host.invalid', /^error: .*no-such-host\.invalid.*\nhint: /],
  ])('as %s says', async (flag, text) => {
    const { code, stdout, stderr } = await watch(
      'pods',
      flag,
      '--cache-dir',
      path.join(fixture.folder, flag.replace(/\W/g, '')),
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(text);
  });
});
