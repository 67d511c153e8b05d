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

/** jane may watch the pods of shop, joe those too and sees what namespaces there are, ann may list them and not watch. */
const PEOPLE = [
  { ...RBAC, kind: 'Role', metadata: { name: 'reader', namespace: 'shop' }, rules: rule('pods', 'list', 'watch') },
  {
    ...RBAC,
    kind: 'RoleBinding',
    metadata: { name: 'reader', namespace: 'shop' },
    roleRef: roleRef('Role'),
    subjects: [...user('jane'), ...user('joe')],
  },
  { ...RBAC, kind: 'ClusterRole', metadata: { name: 'reader' }, rules: rule('namespaces', 'list') },
  { ...RBAC, kind: 'ClusterRoleBinding', metadata: { name: 'reader' }, roleRef: roleRef('ClusterRole'), subjects: user('joe') },
];

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
  fixture.sandbox.apply(PEOPLE);
});
afterAll(() => fixture[Symbol.asyncDispose]());

const watch = (...line: string[]) => run(['watch', ...line, '--timeout', '20s'], { env: fixture.env });

describe('a refusal names the rule that is missing, and the namespaces that would work', () => {
  const cannot = (who: string, resource: string, where: string) =>
    `error: ${resource} is forbidden: User "${who}" cannot list resource "${resource}" in API group "" ${where}\n`;
  const missing = (what: string, resource: string) =>
    `hint: missing is a ${what} with the rule {apiGroups: [""], resources: ["${resource}"], verbs: ["list", "watch"]}, bound to this user`;

  it.concurrent.each<[string[], string]>([
    [['pods', '-A', '--as', 'jane'], `${cannot('jane', 'pods', 'at the cluster scope')}${missing('ClusterRole', 'pods')}\n`],
    [
      ['pods', '-A', '--as', 'joe'],
      `${cannot('joe', 'pods', 'at the cluster scope')}${missing('ClusterRole', 'pods')}; you may watch pods with -n shop\n`,
    ],
    [
      ['pods', '-n', 'other', '--as', 'joe'],
      `${cannot('joe', 'pods', 'in the namespace "other"')}${missing('Role in other', 'pods')}; you may watch pods with -n shop\n`,
    ],
    [
      ['pods', '-n', 'other,shop', '--as', 'jane'],
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
    expect(await watch('pods', '-n', 'shop', '--as', 'jane', '--once', '-o', 'name')).toMatchObject({ code: 0, stderr: '' });
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
    const { code, stdout, stderr } = await run(['watch', 'plums', '--wait-for-crd', '--timeout', '1s'], { env: fixture.env });
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
    const { code, stdout, stderr } = await watch('pods', flag, '--cache-dir', path.join(fixture.folder, flag.replace(/\W/g, '')));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(text);
  });
});
