import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, pod, startFixture } from '../support/fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const once = (...line: string[]) => run(['watch', 'pods', '-n', 'shop', '--once', ...line], { env: fixture.env });
const query = (...line: string[]) => run(['query', 'pods', '-n', 'shop', ...line], { env: fixture.env });
const NAM = '.metadata.nam is in none of 2 pods, and is no field of Pod; did you mean .metadata.name?\n';

describe('a path that exists nowhere is reported after the initial sync', () => {
  it.concurrent.each<[string, string[], string]>([
    ['--filter', ['--filter', 'object.metadata.nam == "web-1"'], `none of 2 pods matches\n--filter: ${NAM}`],
    [
      'a value of --filter, which the server selects by',
      ['--filter', 'object.status.phase == "running"'],
      'none of 2 pods matches\n--filter: .status.phase == "running" holds for none; did you mean "Running"?\n',
    ],
    [
      'a cell of --where',
      ['--where', 'NAME == "wbe-1"'],
      'none of 2 pods matches\n--where: NAME == "wbe-1" holds for none; did you mean "web-1"?\n',
    ],
    [
      '--filter of a label, which the server selects by',
      ['--filter', 'object.metadata.labels.ap == "web"'],
      'none of 2 pods matches\n--filter: .metadata.labels.ap is in none of 2 pods; did you mean .metadata.labels.app?\n',
    ],
    [
      '--changed',
      ['--changed', '.spec.nodeNam'],
      '--changed: .spec.nodeNam is in none of 2 pods, and is no field of Pod; did you mean .spec.nodeName?\n',
    ],
    [
      '--changed in another notation',
      ['--changed', 'spec/nodeName'],
      "--changed: ['spec/nodeName'] is in none of 2 pods, and is no field of Pod; did you mean .spec.nodeName?\n",
    ],
    [
      '--ignore-changes',
      ['--ignore-changes', '.metadata.resourceVersio'],
      '--ignore-changes: .metadata.resourceVersio is in none of 2 pods',
    ],
    ['-o jsonpath', ['-o', 'jsonpath={.metadata.nam}'], `-o jsonpath: ${NAM}`],
    ['-o jsonpath of a list', ['-o', 'jsonpath={.items[*].metadata.nam}'], `-o jsonpath: ${NAM}`],
    ['-o custom-columns', ['-o', 'custom-columns=N:.metadata.nam'], `-o custom-columns: ${NAM}`],
  ])('%s', async (_, flags, stderr) => {
    const { code, stderr: told } = await once(...flags);
    expect({ code, told }).toEqual({ code: 0, told: expect.stringContaining(stderr) });
  });

  it('of a condition that --for waits for, while it goes on', async () => {
    const status = { conditions: [{ type: 'Ready', status: 'False' }] };
    fixture.sandbox.apply([{ ...pod('one', { namespace: 'other' }), status } as never]);
    const line = ['watch', 'pod/one', '-n', 'other', '--for', 'condition=Redy'];
    await using cli = new Cli(line, { env: fixture.env });
    await cli.until((c) => c.stderr.includes('--for: none of 1 pod has the condition Redy; did you mean Ready?'));
  });

  it('of what a stream waits for, while it goes on', async () => {
    await using cli = new Cli(['watch', 'pods', '-n', 'shop', '--until', 'object.status.phas == "Running"'], {
      env: fixture.env,
    });
    await cli.until(
      (c) =>
        c.stderr.includes(
          '--until: .status.phas is in none of 2 pods, and is no field of Pod; did you mean .status.phase?',
        ),
      'the line',
    );
    cli.kill('SIGINT');
    expect(await cli.ended()).toMatchObject({ code: 130 });
  });

  it('when the first object comes, where there was none', async () => {
    await using own = await startFixture([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }]);
    await using cli = new Cli(['watch', 'pods', '-n', 'shop', '--filter', 'object.metadata.nam != "x"', '-o', 'json'], {
      env: own.env,
    });
    await cli.until((c) => c.stderr.includes('No resources found in shop namespace.'), 'the empty start');
    expect(cli.stderr).not.toContain('.metadata.nam');
    own.sandbox.apply(pod('late'));
    await cli.until((c) => c.stderr.includes('--filter: .metadata.nam is in none of 1 pod,'), 'the line');
  });

  it('and fields that are only absent are no mistake: optional ones, and those that has() or ? asks for', async () => {
    const flags = [
      'object.metadata.deletionTimestamp != "x"',
      'object.status.podIP != "x"',
      'has(object.metadata.annotations.no)',
      'object.metadata.labels.?no.orValue("") == "x"',
    ];
    const all = await Promise.all(flags.map((filter) => once('--filter', filter)));
    expect(all.map(({ stderr }) => stderr)).toEqual(flags.map(() => 'none of 2 pods matches\n'));
  });

  it('by query and reconcile too', async () => {
    const [filtered, indexed, grouped] = await Promise.all([
      query('--filter', 'object.metadata.nam == "a"'),
      query('--index', 'n=.spec.nodeNam', '--values', 'n'),
      query('--group-by', '.spec.nodeNam'),
    ]);
    const node = '.spec.nodeNam is in none of 2 pods, and is no field of Pod; did you mean .spec.nodeName?\n';
    expect(filtered).toMatchObject({ code: 0, stderr: `none of 2 pods matches\n--filter: ${NAM}` });
    expect(indexed).toMatchObject({ code: 0, stderr: `none of 2 pods has a value in the index n\n--index n: ${node}` });
    expect(grouped).toMatchObject({ code: 0, stderr: `--group-by: ${node}` });
    const line = [
      'reconcile',
      'deploy',
      '-n',
      'shop',
      '--watches',
      'pods',
      '--map',
      '.metadata.labels.nope',
      '--exec',
      'true',
    ];
    await using cli = new Cli(line, { env: fixture.env });
    await cli.until((c) => c.stderr.includes('--map: .metadata.labels.nope is in none of 2 pods\n'), 'the line');
  });
});

describe('query says what a value may have been', () => {
  it.concurrent.each<[string[], string]>([
    [['--eq', 'phase=running'], '--eq phase=running: no object has this value; did you mean phase=Running?\n'],
    [['--in', 'phase=running,Lost'], '--in phase=running: no object has this value; did you mean phase=Running?\n'],
    [['--in', 'owner=web'], '--in owner=web: an owner is written KIND/NAME, such as deploy/web, or as its uid\n'],
    [['--eq', 'owner=web'], '--eq owner=web: an owner is written KIND/NAME, such as deploy/web, or as its uid\n'],
  ])('%j', async (flags, told) => {
    const { code, stdout, stderr } = await query(...flags);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: expect.stringContaining(told) });
  });

  it('and lists the values there are, where none resembles it', async () => {
    const owned = (name: string) => ({
      ...pod(name),
      metadata: {
        name,
        namespace: 'shop',
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-7', uid: 'u7' }],
      },
    });
    await using own = await startFixture([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
      owned('a'),
    ]);
    const told = async (owner: string) =>
      (await run(['query', 'pods', '-n', 'shop', '--eq', `owner=${owner}`], { env: own.env })).stderr;
    expect(await told('rs/nosuch')).toBe(
      'none of 1 pod matches\n--eq owner=rs/nosuch: no object has this value; the values are replicaset/web-7\n',
    );
    expect(await told('rs/web-8')).toContain('did you mean owner=replicaset/web-7?');
  });
});

describe('CEL may be used where a path may: in --index and --group-by', () => {
  it('and a list of its own is several values', async () => {
    const [values, grouped, looked] = await Promise.all([
      query('--index', 'r=object.status.phase', '--values', 'r', '--no-headers'),
      query('--group-by', 'object.metadata.name.startsWith("web")', '--no-headers'),
      query('--index', 'image=object.spec.containers.map(c, c.image)', '--eq', 'image=nginx:1.27', '-o', 'name'),
    ]);
    expect(values).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Running +2\n$/), stderr: '' });
    expect(grouped).toMatchObject({ code: 0, stdout: expect.stringMatching(/^true +2\n$/), stderr: '' });
    expect(looked.stdout).toContain('pod/web-1\n');
  });

  it('what cannot work is refused, and a failure on an object is reported once', async () => {
    const [refused, failing] = await Promise.all([
      query('--group-by', 'object.status.phase ='),
      query('--group-by', 'int(object.metadata.name)', '--no-headers'),
    ]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('error: --group-by: ') });
    expect(failing).toMatchObject({ code: 0, stdout: expect.stringMatching(/^<none> +2\n$/) });
    expect(failing.stderr.match(/reported once/g)).toHaveLength(1);
  });
});
