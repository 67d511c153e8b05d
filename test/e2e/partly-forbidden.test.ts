import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { configMap, type Fixture, OBJECTS, pod, startFixture } from '../support/fixture.ts';

const RBAC = 'rbac.authorization.k8s.io';

/** A user with these rules in a namespace. */
function allowing(user: string, namespace: string, ...rules: readonly object[]) {
  const name = `${user}-in-${namespace}`;
  return [
    { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: { name, namespace }, rules },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: { name, namespace },
      roleRef: { apiGroup: RBAC, kind: 'Role', name },
      subjects: [{ apiGroup: RBAC, kind: 'User', name: user }],
    },
  ];
}

const rule = (resource: string, verbs: readonly string[], ...resourceNames: string[]) => ({
  apiGroups: [''],
  resources: [resource],
  verbs,
  ...(resourceNames.length > 0 ? { resourceNames } : {}),
});

const READ = ['list', 'watch'];

const ONE_SHOT: readonly (readonly [string, readonly string[]])[] = [
  ['query', []],
  ['watch', ['--once']],
];

const cannot = (who: string, verb: string, what: string, namespace: string) =>
  `error: ${what} is forbidden: User "${who}" cannot ${verb} resource "pods" in API group "" in the namespace "${namespace}"\n`;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture([
    ...OBJECTS,
    pod('web-3'),
    configMap('notes', {}),
    // jane: pods of shop; gina: two pods of shop by name and with get alone; lara: pods of shop, and list without watch
    // in other
    ...allowing('jane', 'shop', rule('pods', READ)),
    ...allowing('gina', 'shop', rule('pods', ['get'], 'web-1', 'web-2')),
    ...allowing('lara', 'shop', rule('pods', READ)),
    ...allowing('lara', 'other', rule('pods', ['list'])),
    ...allowing('nick', 'shop', rule('pods', READ, 'web-1')),
    ...allowing('olga', 'shop', rule('pods', ['list']), rule('configmaps', READ)),
  ]);
});
afterAll(() => fixture[Symbol.asyncDispose]());

describe.each(ONE_SHOT)('%s', (command, flags) => {
  const ask = (who: string, ...words: string[]) =>
    run([command, ...words, '--as', who, ...flags], { env: fixture.env });

  it('shows the namespaces that may be read, then names all that may not, with one role for them', async () => {
    const { code, stdout, stderr } = await ask('jane', 'pods', '-n', 'other,shop,third', '-o', 'name');
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'pod/web-1\npod/web-2\npod/web-3\n' });
    const verbs = '["list"]';
    expect(stderr).toBe(
      `${cannot('jane', 'list', 'pods', 'other')}${cannot('jane', 'list', 'pods', 'third')}` +
        `hint: missing is a Role in other, third with the rule {apiGroups: [""], resources: ["pods"], verbs: ${verbs}}, bound to this user\n`,
    );
  });

  it('names the types and namespaces together, each role with the namespaces where it is missing', async () => {
    const { code, stdout, stderr } = await ask('jane', 'pods,configmaps', '-n', 'shop,other', '-o', 'name');
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'pod/web-1\npod/web-2\npod/web-3\n' });
    expect(stderr.match(/^error: (\w+) is forbidden: .* in the namespace "\w+"$/gm)).toHaveLength(3);
    expect(stderr).toContain(
      'hint: missing is a Role in other with the rule {apiGroups: [""], resources: ["pods"], verbs: ["list"]} and a Role in shop, other with the rule {apiGroups: [""], resources: ["configmaps"], verbs: ["list"]}, bound to this user\n',
    );
  });

  it('reads a name with the right to get it alone, as kubectl does', async () => {
    expect(await ask('gina', 'pods', 'web-2', 'web-1', '-n', 'shop', '-o', 'name')).toMatchObject({
      code: 0,
      stdout: 'pod/web-2\npod/web-1\n',
      stderr: '',
    });
    const table = await ask('gina', 'pod/web-1', '-n', 'shop');
    expect(table).toMatchObject({ code: 0, stderr: '' });
    expect(table.stdout).toMatch(/NAME +READY +STATUS[^\n]*\n[^\n]*web-1 /);
    const { stdout } = await ask('gina', 'pod/web-1', '-n', 'shop', '-o', 'jsonpath={.spec.nodeName}');
    expect(stdout.trim()).toBe('worker-1');
  });

  it('says that a name is not there where it may be read, and that it is forbidden where it may not', async () => {
    const some = await ask('gina', 'pods', 'web-1', 'web-3', '-n', 'shop', '-o', 'name');
    expect(some).toMatchObject({ code: 1, stdout: 'pod/web-1\n' });
    expect(some.stderr).toBe(
      `${cannot('gina', 'get', 'pods "web-3"', 'shop')}hint: missing is a Role in shop with the rule {apiGroups: [""], resources: ["pods"], verbs: ["get"], resourceNames: ["web-3"]}, bound to this user\n`,
    );
    fixture.sandbox.apply(allowing('gus', 'shop', rule('pods', ['get'], 'web-1', 'none')));
    const missing = await ask('gus', 'pods', 'web-1', 'none', '-n', 'shop', '-o', 'name');
    expect(missing).toMatchObject({ code: 1, stdout: 'pod/web-1\n' });
    expect(missing.stderr).toMatch(/^error: pods "none" not found \(NotFound\)\nhint: /);
  });

  it('says of no namespace that it is empty which it may not read', async () => {
    fixture.sandbox.apply(allowing('emma', 'empty', rule('pods', READ)));
    const { code, stdout, stderr } = await ask('emma', 'pods', '-n', 'empty,shop');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).not.toMatch(/No resources found[^\n]*shop/);
    expect(stderr).toContain(cannot('emma', 'list', 'pods', 'shop'));
  });
});

it('query gives no count that leaves a namespace out', async () => {
  const { code, stdout, stderr } = await run(['query', 'pods', '-n', 'shop,other', '--as', 'jane', '--count'], {
    env: fixture.env,
  });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(cannot('jane', 'list', 'pods', 'other'));
});

describe('a watch that goes on', () => {
  const watching = (who: string, ...words: string[]) => new Cli(['watch', ...words, '--as', who], { env: fixture.env });

  it('shows the namespaces that may be read, says at once what it does not cover, and fails at its end', async () => {
    await using cli = watching('jane', 'pods', '-n', 'shop,other', '-o', 'name');
    await cli.until(
      (c) => c.lines.length === 3 && c.stderr.includes('goes on without'),
      'the initial list, and the refusal',
    );
    expect(cli.stderr).toBe(
      `${cannot('jane', 'list', 'pods', 'other')}` +
        'hint: missing is a Role in other with the rule {apiGroups: [""], resources: ["pods"], verbs: ["list", "watch"]}, bound to this user\n' +
        'not in this stream, which goes on without: pods in other\n',
    );
    fixture.sandbox.apply([pod('web-3', { app: 'other' })]);
    await cli.until((c) => c.lines.length === 4, 'the change');
    cli.kill('SIGTERM');
    const { code, stderr } = await cli.ended();
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /ended by SIGTERM after [^\n]*\nerror: pods in other could not be read \(forbidden\): not in this stream\n$/,
    );
  });

  it('shows the types and the names that may be read, too', async () => {
    await using cli = watching('nick', 'pods', 'web-1', 'web-2', '-n', 'shop', '-o', 'name');
    await cli.until((c) => c.lines.length === 1 && c.stderr.includes('goes on without'), 'the pod, and the refusal');
    expect(cli.stderr).toContain('verbs: ["list", "watch"], resourceNames: ["web-2"]}');
    expect(cli.stderr).toContain('which goes on without: pods web-2 in shop\n');
    await using types = watching('jane', 'deploy,pods,cm', '-n', 'shop', '-o', 'name');
    await types.until((c) => c.lines.length === 3 && c.stderr.includes('goes on without'), 'the pods, and the refusal');
    expect(types.stderr).toContain('which goes on without: deployments.apps, configmaps\n');
    expect(types.stderr).toMatch(
      /error: deployments.apps is forbidden[^\n]*\nerror: configmaps is forbidden[^\n]*\nhint: missing is a Role in shop with the rules /,
    );
  });

  it('asks no more for what is forbidden', async () => {
    await using own = await startFixture([...OBJECTS, ...allowing('jane', 'shop', rule('pods', READ))]);
    await using cli = new Cli(['watch', 'pods', '-n', 'shop,other', '--as', 'jane', '-o', 'name'], { env: own.env });
    await cli.until((c) => c.stderr.includes('goes on without'), 'the refusal');
    expect(own.sandbox.requests.matching(/namespaces\/other\/pods/)).toHaveLength(1);
    await own.sandbox.restart();
    own.sandbox.apply([pod('web-2', { app: 'again' })]);
    await cli.until((c) => c.lines.length === 3, 'the change, for which the watch of shop has to go on');
    expect(own.sandbox.requests.matching(/namespaces\/other\/pods/)).toHaveLength(1);
    expect(cli.stderr.match(/pods in other/g)).toHaveLength(1);
  });

  it('marks what is not covered with a GAP, gives no SYNCED of a type that may not be read, and ends with exit code 1', async () => {
    await using cli = watching('jane', 'pods,cm', '-n', 'shop,other', '-o', 'json', '--markers');
    await cli.until((c) => c.stderr.includes('goes on without'), 'the refusal');
    await cli.until((c) => c.stdout.includes('"SYNCED"') && c.stdout.split('"GAP"').length === 4, 'the records');
    cli.kill('SIGTERM');
    await cli.ended();
    const records = cli.events<{
      type: string;
      gvr?: string;
      namespace?: string;
      reason?: string;
      exitCode?: number;
    }>();
    const gaps = records
      .filter(({ type }) => type === 'GAP')
      .map(({ gvr, namespace, reason }) => [gvr, namespace, reason]);
    expect(gaps.toSorted()).toEqual([
      ['v1/configmaps', 'other', 'forbidden'],
      ['v1/configmaps', 'shop', 'forbidden'],
      ['v1/pods', 'other', 'forbidden'],
    ]);
    expect(records.filter(({ type }) => type === 'SYNCED').map(({ gvr }) => gvr)).toEqual(['v1/pods']);
    expect(records.at(-1)).toMatchObject({ type: 'END', exitCode: 1 });
  });

  it('leaves out a namespace whose objects may be listed and not watched', async () => {
    await using cli = watching('lara', 'pods', '-n', 'shop,other', '-o', 'name');
    await cli.until((c) => c.stderr.includes('goes on without'), 'the refusal');
    expect(cli.stderr).toContain(cannot('lara', 'watch', 'pods', 'other'));
    expect(cli.stderr).toContain('verbs: ["list", "watch"]');
    fixture.sandbox.apply([pod('web-3', { app: 'again' })]);
    await cli.until((c) => c.lines.length === 5, 'the change');
  });

  it.each([
    ['--strict', []],
    ['--until', ['object.status.phase == "Running"']],
    ['--for', ['jsonpath={.status.phase}=Running']],
    ['--fail-if', ['object.status.phase == "Failed"']],
  ])('is refused with %s, which is about everything asked for', async (flag, values) => {
    const line = [
      'watch',
      'pods',
      '-n',
      'shop,other',
      '--as',
      'jane',
      '-o',
      'name',
      flag,
      ...values,
      '--timeout',
      '30s',
    ];
    const { code, stderr } = await run(line, { env: fixture.env });
    expect(code).toBe(1);
    expect(stderr).toContain(cannot('jane', 'list', 'pods', 'other'));
    expect(stderr).not.toContain('ended by --timeout');
  });

  it('is refused when nothing may be read, with every namespace named', async () => {
    const { code, stdout, stderr } = await run(['watch', 'pods', '-n', 'other,third', '--as', 'jane'], {
      env: fixture.env,
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      new RegExp(
        `^${cannot('jane', 'list', 'pods', 'other')}${cannot('jane', 'list', 'pods', 'third')}hint: missing is a Role in other, third with`,
      ),
    );
  });
});

describe('serve without the right to watch', () => {
  const refused = 'pods is forbidden: User "olga" cannot watch resource "pods" in API group "" in the namespace "shop"';
  const hint =
    'hint: missing is a Role in shop with the rule {apiGroups: [""], resources: ["pods"], verbs: ["list", "watch"]}, bound to this user\n';

  it('ends at once where nothing else is cached', async () => {
    const env = { ...fixture.env, XDG_RUNTIME_DIR: fixture.folder };
    const { code, stderr } = await run(['serve', 'pods', '-n', 'shop', '--as', 'olga'], { env });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`error: ${refused}\n${hint}`) });
  });

  it('says so at once of one of several types, and leaves the answers about it to the cluster', async () => {
    const env = { ...fixture.env, XDG_RUNTIME_DIR: fixture.folder };
    await using serve = new Cli(['serve', 'pods,configmaps', '-n', 'shop', '--as', 'olga'], { env });
    const lost = `v1/pods is not cached any more, the cluster answers: ${refused}\n${hint}`;
    await serve.until(({ stderr }) => stderr.includes(lost) && /^ready: /m.test(stderr), 'the line');
    const ask = (type: string) => run(['query', type, '-n', 'shop', '-o', 'name', '--as', 'olga'], { env });
    expect((await ask('pods')).stdout).toContain('pod/web-1\n');
    expect((await ask('pods')).stderr).not.toContain('from serve');
    expect(await ask('configmaps')).toMatchObject({
      stdout: expect.stringContaining('configmap/notes\n'),
      stderr: expect.stringContaining('from serve'),
    });
  });
});
