import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../support/cli.ts';
import { configMap, type Fixture, pod, startFixture } from '../support/fixture.ts';

const PODS = [
  pod('web-1'),
  pod('web-2', { node: 'worker-2', phase: 'Pending' }),
  pod('web-canary', { node: 'worker-2' }),
  pod('db-1', { namespace: 'other', app: 'db', node: 'worker-2', image: 'postgres:17' }),
];

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture([...PODS, configMap('settings', { color: 'red' })]);
});
afterAll(() => fixture[Symbol.asyncDispose]());

const query = (...line: string[]) => run(['query', ...line], { env: fixture.env });

describe('query --where and --name', () => {
  it('finds rows by their printed columns, for a table, names and JSON', async () => {
    const pending = ['pods', '-A', '--where', 'STATUS == "Pending"'];
    expect((await query(...pending)).stdout).toMatch(/^NAMESPACE +NAME .*\nshop +web-2 [^\n]*\n$/);
    expect((await query(...pending, '-o', 'name')).stdout).toBe('pod/web-2\n');
    const { items } = JSON.parse((await query(...pending, '-o', 'json')).stdout) as {
      items: { spec: { nodeName: string } }[];
    };
    expect(items.map(({ spec }) => spec.nodeName)).toEqual(['worker-2']);
  });

  it('joins with lookups, --filter, --count, --values, --group-by and --sort-by', async () => {
    const running = ['pods', '-A', '--where', 'STATUS == "Running"'];
    expect((await query(...running, '--eq', 'node=worker-2', '-o', 'name')).stdout).toBe('pod/db-1\npod/web-canary\n');
    const named = ['--filter', 'object.metadata.namespace == "shop"', '-o', 'name', '--sort-by=-.metadata.name'];
    expect((await query(...running, ...named)).stdout).toBe('pod/web-canary\npod/web-1\n');
    expect((await query(...running, '--count')).stdout).toBe('3\n');
    const counts = [
      { value: 'worker-2', count: 2 },
      { value: 'worker-1', count: 1 },
    ];
    expect(JSON.parse((await query(...running, '--values', 'node', '-o', 'json')).stdout)).toEqual(counts);
    expect(JSON.parse((await query(...running, '--group-by', '.spec.nodeName', '-o', 'json')).stdout)).toEqual(counts);
  });

  it('refuses a column that no type has, with the columns there are, and prints nothing', async () => {
    for (const type of ['pods', 'nodes']) {
      const { code, stdout, stderr } = await query(type, '-A', '--where', 'STATSU == "Running"', '--count');
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain('--where: there is no column STATSU in STATSU == "Running"');
      expect(stderr).toMatch(/did you mean STATUS\? The columns are NAME, .*STATUS/);
    }
  });

  it.each([
    ['--where', 'EVENT == "ADDED"', 'there is no column EVENT in EVENT == "ADDED"'],
    ['--where', 'cells["EVENT"] == "ADDED"', 'there is no column EVENT in cells["EVENT"] == "ADDED"'],
    ['--filter', 'event != "DELETED"', 'a query has objects and no events, so there is no event in event != "DELETED"'],
    [
      '--filter',
      'oldObject == null',
      'a query has objects and no events, so there is no oldObject in oldObject == null',
    ],
  ])('refuses what only events have: %s %s', async (flag, expression, message) => {
    const { code, stdout, stderr } = await run(['query', 'pods', '-A', flag, expression], { env: fixture.env });
    expect([code, stdout, stderr.split('\n')[0]]).toEqual([2, '', `error: ${flag}: ${message}`]);
    expect(stderr.split('\n')[1]).toMatch(/^hint: (?!.*EVENT,)/);
  });

  it('says that nothing of what is there matches', async () => {
    expect(await query('pods', '-A', '--where', 'RESTARTS > 3')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('none of 4 pods matches'),
    });
    expect((await query('pods', '-A', '--name', 'nothing')).stderr).toContain('none of 4 pods matches');
  });

  it('finds objects by regular expressions over names, and refuses one that cannot be read', async () => {
    expect((await query('pods', '-A', '--name', '^web-', '--exclude-name', 'canary', '-o', 'name')).stdout).toBe(
      'pod/web-1\npod/web-2\n',
    );
    expect((await query('pods', '-A', '--name', '^web-', '--values', 'node', '-o', 'json')).stdout).toContain('2');
    expect(await query('pods', '--name', '(')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('invalid argument "(" for "--name"'),
    });
  });
});

const sized = (name: string, node: string, cpu: string | undefined, memory: string | undefined) => {
  const made = pod(name, { node });
  const requests = { ...(cpu && { cpu }), ...(memory && { memory }) };
  const [container] = made.spec.containers;
  return { ...made, spec: { ...made.spec, containers: [{ ...container, resources: { requests } }] } };
};

const CPU = '.spec.containers[*].resources.requests.cpu';
const MEMORY = 'memory=.spec.containers[*].resources.requests.memory';

describe('query --group-by with amounts', () => {
  let sizes: Fixture;
  beforeAll(async () => {
    sizes = await startFixture([
      sized('a', 'n1', '250m', '128Mi'),
      sized('b', 'n1', '1', '1Gi'),
      sized('c', 'n2', '500m', undefined),
      sized('d', 'n3', undefined, undefined),
    ]);
  });
  afterAll(() => sizes[Symbol.asyncDispose]());
  const ask = (...line: string[]) => run(['query', 'pods', '-n', 'shop', ...line], { env: sizes.env });

  it('prints a row for each group, with quantities in their units', async () => {
    const { stdout, stderr } = await ask('--group-by', '.spec.nodeName', '--sum', CPU, '--max', MEMORY);
    expect(stdout.split('\n').map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['VALUE', 'COUNT', 'SUM(CPU)', 'MAX(MEMORY)'],
      ['n1', '2', '1250m', '1Gi'],
      ['n2', '1', '500m', '<none>'],
      ['n3', '1', '<none>', '<none>'],
      [''],
    ]);
    expect(stderr).toBe('');
  });

  it('groups by CEL, all values of a list, and by kind', async () => {
    const groups = async (by: string) => (await ask('--group-by', by, '-o', 'ndjson')).stdout;
    expect(await groups('object.spec.nodeName in ["n1", "n2"] ? ["low", "all"] : ["all"]')).toBe(
      '{"count":4,"value":"all"}\n{"count":3,"value":"low"}\n',
    );
    expect(await groups('.kind')).toBe('{"count":4,"value":"Pod"}\n');
  });

  it('gives one row without groups, in every format, and none for data without objects', async () => {
    const sum = ['--sum', CPU, '--avg', MEMORY];
    expect((await ask(...sum)).stdout.split('\n')[1]?.split(/ +/)).toEqual(['4', '1750m', '576Mi']);
    const record = { count: 4, sum: { cpu: '1750m' }, avg: { memory: '576Mi' } };
    expect(JSON.parse((await ask(...sum, '-o', 'json')).stdout)).toEqual([record]);
    expect(JSON.parse((await ask(...sum, '-o', 'ndjson')).stdout)).toEqual(record);
    expect((await ask(...sum, '-o', 'csv')).stdout).toBe('COUNT,SUM(CPU),AVG(MEMORY)\r\n4,1750m,576Mi\r\n');
    expect((await ask(...sum, '-o', 'yaml')).stdout).toContain('memory: 576Mi');
    expect((await ask(...sum, '--name', 'nothing')).stdout).toMatch(/\n0 +<none> +<none>\n$/);
    const none = await ask('--group-by', '.spec.nodeName', '--sum', CPU, '--name', 'nothing');
    expect(none).toMatchObject({ stdout: '', stderr: expect.stringContaining('none of 4 pods matches') });
  });

  it('sorts groups by an amount, by value or by count, and refuses other words with those there are', async () => {
    const first = async (order: string) =>
      (
        await ask('--group-by', '.spec.nodeName', '--sum', CPU, '--sum', MEMORY, `--sort-by=${order}`, '--no-headers')
      ).stdout.split(' ')[0];
    expect([await first('-cpu'), await first('cpu'), await first('-value'), await first('count')]).toEqual(['n1', 'n3', 'n3', 'n2']); // biome-ignore format: one line
    for (const [order, message] of [
      ['sum', '"sum" is more than one column of the groups'],
      ['mem', '"mem" is no column of the groups'],
    ]) {
      const line = ['--group-by', '.spec.nodeName', '--sum', CPU, '--sum', MEMORY, `--sort-by=${order}`];
      const { code, stdout, stderr } = await ask(...line);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(`--sort-by: ${message}`);
      expect(stderr).toContain('The columns are count, value, sum(cpu), sum(memory)');
    }
    expect((await ask('--sum', CPU, '--sort-by=sum')).code).toBe(2);
    expect((await ask('--values', 'node', '--sort-by=-value', '--no-headers')).stdout).toMatch(/^n3 /);
  });

  it('leaves out what is no amount, and says so once', async () => {
    const { code, stdout, stderr } = await ask('--sum', '.spec.nodeName');
    expect({ code, row: stdout.split('\n')[1] }).toEqual({ code: 0, row: '4       <none>' });
    expect(stderr).toContain(
      '--sum .spec.nodeName: 4 of 4 values cannot be counted as the same number, quantity or duration, such as "n1", and are left out',
    );
  });

  it('refuses amounts of what has none, and two columns of one name', async () => {
    expect(await ask('--values', 'node', '--sum', CPU)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--sum cannot be combined with --values'),
    });
    expect(await ask('--count', '--avg', CPU)).toMatchObject({ code: 2 });
    expect(await ask('--sum', CPU, '-o', 'name')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--sum has no objects for -o name'),
    });
    expect(await ask('--sum', CPU, '--sum', '.spec.containers[*].resources.limits.cpu')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there are two columns sum(cpu)'),
    });
  });

  it('counts no value of a Secret up, nor groups by one', async () => {
    const secret = (name: string, text: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: 'shop' },
      data: { pin: text, salt: text },
    });
    await using own = await startFixture([secret('a', '1234'), secret('b', '4321')]);
    for (const expression of ['.data.pin', 'object.data.pin', 'int(object.data.pin)'])
      for (const format of ['', 'json', 'csv']) {
        const line = ['secrets', '-n', 'shop', '--group-by', expression, '--sum', expression, '--max', `m=${expression}`, '-o', format]; // biome-ignore format: one line
        const { code, stdout, stderr } = await run(['query', ...line], { env: own.env });
        expect(code).toBe(0);
        expect(stdout + stderr).not.toMatch(/1234|4321|5555/);
      }
    const shown = await run(['query', 'secrets', '-n', 'shop', '--sum', '.data.pin', '--show-secrets'], {
      env: own.env,
    });
    expect(shown.stdout).toContain('5555');
  });
});

describe('query -o', () => {
  it('ndjson prints an object a line, and nothing for none', async () => {
    const { stdout } = await query('pods', '-n', 'shop', '-o', 'ndjson');
    const lines = stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as { kind: string; metadata: { name: string } }); // biome-ignore format: one line
    expect(lines.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(['Pod web-1', 'Pod web-2', 'Pod web-canary']); // biome-ignore format: one line
    expect((await query('pods', 'web-1', '-n', 'shop', '-o', 'ndjson')).stdout.split('\n')).toHaveLength(2);
    expect(await query('pods', '-n', 'default', '-o', 'ndjson')).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it('json and yaml of nothing are an empty List, and one named object is itself', async () => {
    expect(JSON.parse((await query('pods', '-n', 'empty', '-o', 'json')).stdout)).toMatchObject({ kind: 'List', items: [] }); // biome-ignore format: one line
    expect((await query('pods', '-n', 'empty', '-o', 'yaml')).stdout).toContain('items: []');
    expect(JSON.parse((await query('pods', 'web-1', '-n', 'shop', '-o', 'json')).stdout)).toMatchObject({ kind: 'Pod' }); // biome-ignore format: one line
    expect(JSON.parse((await query('pods', 'web-1', 'web-2', '-n', 'shop', '-o', 'json')).stdout)).toMatchObject({ kind: 'List' }); // biome-ignore format: one line
  });

  it('csv prints the columns of the table, wide ones too, as RFC 4180', async () => {
    const { stdout } = await query('pods', '-A', '-o', 'csv', '--eq', 'node=worker-1');
    const [heading, row, ...rest] = stdout.split('\r\n');
    expect(heading).toBe('NAMESPACE,NAME,READY,STATUS,RESTARTS,AGE,IP,NODE,NOMINATED NODE,READINESS GATES');
    expect(row).toMatch(/^shop,web-1,0\/1,Running,0,.*,worker-1,/);
    expect(rest).toEqual(['']);
    expect((await query('pods', '-n', 'shop', '-o', 'csv', '--no-headers', '-L', 'app')).stdout).toMatch(/^web-1,.*,web\r\n/); // biome-ignore format: one line
  });

  it('tsv prints the same table with tabs, and counts too', async () => {
    const [heading, row, ...rest] = (await query('pods', '-A', '-o', 'tsv', '--eq', 'node=worker-1')).stdout.split(
      '\n',
    );
    expect(heading?.split('\t').slice(0, 3)).toEqual(['NAMESPACE', 'NAME', 'READY']);
    expect(row?.split('\t').slice(0, 3)).toEqual(['shop', 'web-1', '0/1']);
    expect(rest).toEqual(['']);
    expect((await query('pods', '-n', 'shop', '--values', 'phase', '-o', 'tsv')).stdout).toMatch(
      /^VALUE\tCOUNT\n\w+\t\d\n/,
    );
  });

  it('csv of several types is one table', async () => {
    const { stdout } = await query('pods,configmaps', '-n', 'shop', '-o', 'csv', '--name', '^(web-1|settings)$');
    const [heading = [], first = [], second = []] = stdout.split('\r\n').map((line) => line.split(','));
    expect(heading.slice(0, 2)).toEqual(['TYPE', 'NAME']);
    const at = (row: readonly string[], name: string) => row[heading.indexOf(name)];
    expect([at(first, 'TYPE'), at(first, 'STATUS'), at(first, 'DATA')]).toEqual(['pod', 'Running', '']);
    expect([at(second, 'TYPE'), at(second, 'STATUS'), at(second, 'DATA')]).toEqual(['configmap', '', '1']);
  });

  it('csv=COLUMNS prints columns of one’s own, quoted, and no formula', async () => {
    await using own = await startFixture([
      configMap('a', { text: '=HYPERLINK("x")' }),
      configMap('b', { text: 'one\ntwo, "three"' }),
      configMap('c', { text: '-12.5' }),
    ]);
    const line = ['query', 'cm', '-n', 'shop', '-o', 'csv=NAME:.metadata.name,TEXT:.data.text'];
    expect((await run(line, { env: own.env })).stdout).toBe(
      'NAME,TEXT\r\na,"\'=HYPERLINK(""x"")"\r\nb,"one\ntwo, ""three"""\r\nc,-12.5\r\n',
    );
  });

  it('jq gets the List, and says so where an expression for one object finds nothing', async () => {
    expect((await query('pods', '-n', 'shop', '-o', 'jq=.items[].metadata.name')).stdout).toBe(
      '"web-1"\n"web-2"\n"web-canary"\n',
    );
    const { stdout, stderr } = await query('pods', '-n', 'shop', '-o', 'jq=.metadata.name');
    expect(stdout).toBe('null\n');
    expect(stderr).toContain('-o jq gets one List, as -o json prints it; .items[] before the expression gives each object'); // biome-ignore format: one line
  });

  it('watch prints ndjson as it does json, and has no table for csv', async () => {
    const watch = (...line: string[]) => run(['watch', 'cm', '-n', 'shop', '--once', ...line], { env: fixture.env });
    expect(JSON.parse((await watch('-o', 'ndjson')).stdout)).toMatchObject({ type: 'ADDED' });
    expect(await watch('-o', 'csv')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('-o csv prints one table, and watch prints a stream of events'),
    });
  });
});

describe('query @view', () => {
  let file: string;
  beforeAll(async () => {
    file = path.join(fixture.folder, 'config.yaml');
    await writeFile(
      file,
      `views:
  pending: { words: pods, flags: { all-namespaces: true, where: 'STATUS == "Pending"', output: name } }
  nodes: { words: pods, flags: { all-namespaces: true, values: node } }
`,
    );
  });
  const ask = (...line: string[]) => run([...line, '--config', file], { env: fixture.env });

  it('asks the saved query, with further flags', async () => {
    expect(await ask('query', '@pending')).toMatchObject({ code: 0, stdout: 'pod/web-2\n' });
    expect((await ask('query', '@pending', '-n', 'other')).stdout).toBe('');
    expect((await ask('query', '@pending', '-o', 'jsonpath={.spec.nodeName}')).stdout).toBe('worker-2\n');
  });

  it('watch takes it too, unless it has a flag that only query has', async () => {
    expect((await ask('watch', '@pending', '--once')).stdout).toBe('pod/web-2\n');
    expect(await ask('watch', '@nodes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the view nodes has --values, which watch does not have'),
    });
  });

  it('is listed by config show, and by the error of one that is not there', async () => {
    const rows = JSON.parse((await ask('config', 'show', '-o', 'json')).stdout) as { setting: string; value: string }[];
    expect(rows).toContainEqual({
      command: '',
      setting: 'view pending',
      value: `pods --all-namespaces --where='STATUS == "Pending"' --output=name`,
      origin: file,
    });
    expect(await ask('query', '@pendign')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean @pending? The views are @pending, @nodes'),
    });
  });

  it('a mistake in it is reported with its place', async () => {
    expect((await ask('query', '@pending', '--limit', '0')).stderr).not.toContain('views.');
    await writeFile(file, 'views: { bad: { words: pods, flags: { where: "STATUS ==" } } }');
    const { code, stderr } = await ask('query', '@bad');
    expect(code).toBe(2);
    expect(stderr).toContain(`--where is set by views.bad.flags.where in ${file}`);
  });
});

describe('query --tree', () => {
  let cluster: Fixture;
  beforeAll(async () => {
    cluster = await startFixture([]);
    const { sandbox } = cluster;
    const make = (apiVersion: string, kind: string, name: string, owner?: { kind: string; of: Made }, more = {}) => {
      const ownerReferences = owner && [{ apiVersion: 'apps/v1', kind: owner.kind, name: owner.of.metadata.name, uid: owner.of.metadata.uid, controller: true }]; // biome-ignore format: one line
      const [made] = sandbox.apply({
        apiVersion,
        kind,
        metadata: { name, namespace: 'shop', ownerReferences },
        ...more,
      });
      return made as Made;
    };
    const replicas = (n: number) => ({ spec: { replicas: n, selector: { matchLabels: { app: 'web' } }, template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } } }, status: { replicas: n } }); // biome-ignore format: one line
    const deploy = make('apps/v1', 'Deployment', 'web', undefined, replicas(2));
    make('apps/v1', 'ReplicaSet', 'web-old', { kind: 'Deployment', of: deploy }, replicas(0));
    const set = make('apps/v1', 'ReplicaSet', 'web-new', { kind: 'Deployment', of: deploy }, replicas(2));
    const { metadata: _, ...one } = pod('x');
    const first = make('v1', 'Pod', 'web-new-a', { kind: 'ReplicaSet', of: set }, one);
    make('v1', 'Pod', 'web-new-b', { kind: 'ReplicaSet', of: set }, one);
    make('v1', 'ConfigMap', 'of-pod', { kind: 'Pod', of: first });
    make('apps/v1', 'Deployment', 'lonely', undefined, replicas(0));
  });
  afterAll(() => cluster[Symbol.asyncDispose]());
  const ask = (...line: string[]) => run(['query', ...line], { env: cluster.env });
  const names = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/(\S) {3,}.*$/, '$1'));

  it('shows what an object owns down to the pods, and counts ReplicaSets without pods', async () => {
    const { code, stdout, stderr } = await ask('deploy/web', '-n', 'shop', '--tree');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^NAME +READY +STATUS +RESTARTS +AGE\n/);
    expect(names(stdout).slice(1)).toEqual([
      'deployment.apps/web',
      '├─ replicaset.apps/web-new',
      '│  ├─ pod/web-new-a',
      '│  └─ pod/web-new-b',
      '└─ (1 ReplicaSet without pods)',
    ]);
    expect(stdout).toMatch(/pod\/web-new-a +0\/1 +Running +0 +\d+s/);
  });

  it('shows the owners above what was asked for, and looks for further types', async () => {
    const { stdout } = await ask('pod/web-new-a', '-n', 'shop', '--tree=cm', '--no-headers');
    expect(names(stdout)).toEqual([
      'deployment.apps/web',
      '└─ replicaset.apps/web-new',
      '   └─ pod/web-new-a',
      '      └─ configmap/of-pod',
    ]);
    expect(await ask('pods', '-n', 'shop', '--tree=nonsense')).toMatchObject({
      code: expect.any(Number),
      stdout: '',
      stderr: expect.stringContaining('nonsense'),
    });
  });

  it('says so when an object owns nothing that was looked for', async () => {
    const { stdout, stderr } = await ask('deploy/lonely', '-n', 'shop', '--tree');
    expect(names(stdout)[1]).toBe('deployment.apps/lonely');
    expect(stderr).toContain('deployment.apps/lonely owns none of: replicasets.apps,');
    expect((await ask('deploy', '-n', 'empty', '--tree')).stderr).toContain('No resources found in empty namespace.');
  });

  it('is nested data with -o json, with everything that is owned', async () => {
    const trees = JSON.parse((await ask('deploy', '-n', 'shop', '--tree', '-o', 'json')).stdout) as Node[];
    const shape = ({ kind, name, asked, children }: Node): unknown => [`${kind} ${name}${asked ? '*' : ''}`, ...children.map(shape)]; // biome-ignore format: one line
    expect(trees.map(shape)).toEqual([
      ['Deployment lonely*'],
      ['Deployment web*', ['ReplicaSet web-new', ['Pod web-new-a'], ['Pod web-new-b']], ['ReplicaSet web-old']],
    ]);
    const [pods] = trees[1]?.children ?? [];
    expect(pods?.children[0]).toMatchObject({ apiVersion: 'v1', ready: '0/1', status: 'Running', restarts: '0' });
  });

  it('says what may not be read, and shows the rest', async () => {
    const group = 'rbac.authorization.k8s.io';
    const metadata = { name: 'mia', namespace: 'shop' };
    cluster.sandbox.apply([
      { apiVersion: `${group}/v1`, kind: 'Role', metadata, rules: [{ apiGroups: ['apps'], resources: ['*'], verbs: ['*'] }] }, // biome-ignore format: one line
      { apiVersion: `${group}/v1`, kind: 'RoleBinding', metadata, roleRef: { apiGroup: group, kind: 'Role', name: 'mia' }, subjects: [{ apiGroup: group, kind: 'User', name: 'mia' }] }, // biome-ignore format: one line
    ]);
    const { stdout, stderr, code } = await ask('deploy/web', '-n', 'shop', '--tree', '--as', 'mia');
    expect(code).toBe(0);
    expect(names(stdout)[1]).toBe('deployment.apps/web');
    expect(stderr).toContain('not in the tree: pods in shop could not be listed (not allowed)');
  });

  it('refuses what has no tree', async () => {
    for (const more of [['--count'], ['--values', 'node'], ['-w'], ['-o', 'csv'], ['-L', 'app']]) {
      const { code, stderr } = await ask('deploy', '-n', 'shop', '--tree', ...more);
      expect([code, stderr]).toEqual([2, expect.stringContaining('--tree')]);
    }
  });
});

interface Made {
  metadata: { name: string; uid: string };
}

interface Node {
  kind: string;
  name: string;
  asked: boolean;
  children: Node[];
}
