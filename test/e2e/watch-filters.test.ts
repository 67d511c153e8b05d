import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UnknownObject } from '../../src/model/object.ts';
import { Cli, run } from '../support/cli.ts';
import { APPLES, apple, type Fixture, pod, startFixture } from '../support/fixture.ts';

interface Envelope {
  type: string;
  key: string;
  cause: string;
  changed: string[];
  gvr: string;
}

const PODS = { group: '', version: 'v1', resource: 'pods' };
const APPLE_TYPE = { group: 'stable.example.com', version: 'v1', resource: 'myapples' };

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
  fixture.sandbox.apply([APPLES, apple('fuji', 'red', 3), apple('granny', 'green', 1)]);
});
afterAll(() => fixture[Symbol.asyncDispose]());

const watch = (...line: string[]) => new Cli(['watch', ...line], { env: fixture.env });
const once = (...line: string[]) => run(['watch', ...line, '--once'], { env: fixture.env });
const briefly = (cli: Cli) => cli.events<Envelope>().map(({ type, key, cause }) => `${type} ${key} ${cause}`);

/** A pod whose container keeps crashing, as the server's table computes it. */
function crashing(name: string, restartCount: number): UnknownObject {
  const waiting = { reason: 'CrashLoopBackOff' };
  const containerStatuses = [
    { name: 'c', ready: false, restartCount, image: 'nginx:1.27', imageID: '', state: { waiting } },
  ];
  return { ...pod(name), status: { phase: 'Running', containerStatuses } };
}

/** Ends a watch as Ctrl-C does, once it has shown something that can only come last. */
async function seenUntil(cli: Cli, last: string): Promise<string[]> {
  await cli.until((c) => c.stdout.includes(last), last);
  cli.kill('SIGINT');
  await cli.ended();
  return briefly(cli);
}

describe('the examples of the contract run as written while the fields they name are absent', () => {
  it('rows by what the table says: STATUS and RESTARTS', async () => {
    await using cli = watch('pods', '-n', 'shop', '--where', 'STATUS == "CrashLoopBackOff" && RESTARTS > 3');
    fixture.sandbox.apply(crashing('boom', 3));
    fixture.sandbox.apply(crashing('boom', 4));
    await cli.until((c) => c.lines.length === 2, 'the row');
    fixture.sandbox.delete(PODS, 'shop/boom', { gracePeriodSeconds: 0 });
    await cli.until((c) => c.lines.length === 3, 'the end of the row');
    expect(cli.lines.map((line) => line.split(/\s+/).slice(0, 5))).toEqual([
      ['EVENT', 'NAME', 'READY', 'STATUS', 'RESTARTS'],
      ['ADDED', 'boom', '0/1', 'CrashLoopBackOff', '4'],
      ['LEFT', 'boom', '0/1', 'Terminating', '4'],
    ]);
    cli.kill('SIGINT');
    expect((await cli.ended()).stderr).not.toContain('error');
  });

  it('until a Deployment whose status is still empty is rolled out, and not before its new replicas are available', async () => {
    await using own = await startFixture();
    const line = ['watch', 'deploy/web', '-n', 'shop', '--until', 'rolledOut(object)', '--timeout', '5m'];
    await using cli = new Cli(line, { env: own.env });
    await cli.until((c) => c.stderr.includes('0/1'), 'the progress');
    const web = own.sandbox.get({ group: 'apps', version: 'v1', resource: 'deployments' }, 'shop/web') as UnknownObject;
    const generation = web.metadata.generation;
    const old = { observedGeneration: generation, replicas: 2, readyReplicas: 2, availableReplicas: 2 };
    own.sandbox.apply({ ...web, status: old });
    await cli.until((c) => c.lines.length === 3, 'the old replicas, all ready');
    own.sandbox.apply({ ...web, status: { ...old, updatedReplicas: 2 } });
    const { code, stdout, stderr } = await cli.ended();
    expect(code).toBe(0);
    expect(stdout.trim().split('\n').at(-1)).toMatch(/^MODIFIED +web +2\/2 +2 +2 /);
    expect(stderr).toMatch(/--until is met after \d+s: 3 events \(1 ADDED, 2 MODIFIED\)/);
  });

  it('by selector over two types, and for jq', async () => {
    const [selected, queried] = await Promise.all([
      once('pods,deploy', '-n', 'shop', '-l', 'app=web', '-o', 'name'),
      once('pods', '-A', '-o', 'jq=select(.type=="MODIFIED" | not) | [.key, .changed]'),
    ]);
    expect(selected).toMatchObject({ code: 0, stdout: 'pod/web-1\npod/web-2\ndeployment.apps/web\n', stderr: '' });
    expect(queried).toMatchObject({
      code: 0,
      stdout: '["other/db-1",[]]\n["shop/web-1",[]]\n["shop/web-2",[]]\n',
      stderr: '',
    });
  });
});

describe('filters', () => {
  it('over columns show rows whose cell is empty, and report once that sizes were compared as text', async () => {
    await using own = await startFixture([]);
    const [version] = APPLES.spec.versions;
    const columns = [{ name: 'Volume', type: 'string', jsonPath: '.spec.color' }];
    const definition = {
      ...APPLES,
      spec: { ...APPLES.spec, versions: [{ ...version, additionalPrinterColumns: columns }] },
    };
    const bare = {
      apiVersion: 'stable.example.com/v1',
      kind: 'MyApple',
      metadata: { name: 'bare', namespace: 'shop' },
    };
    own.sandbox.apply([
      definition,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
      bare,
      apple('a', '10Gi'),
      apple('b', '9Gi'),
    ]);
    const shown = async (where: string) => {
      const { stdout, stderr } = await run(
        ['watch', 'myapples', '-n', 'shop', '-o', 'name', '--once', '--where', where],
        { env: own.env },
      );
      return { names: stdout.split('\n').flatMap((line) => line.split('/')[1] ?? []), stderr };
    };
    expect(await shown('VOLUME != "9Gi"')).toEqual({ names: ['a', 'bare'], stderr: '' });
    expect(await shown('VOLUME == ""')).toEqual({ names: ['bare'], stderr: '' });
    const { names, stderr } = await shown('VOLUME > "5Gi"');
    expect(names).toEqual(['b']);
    expect(stderr).toBe(
      '--where: VOLUME > "5Gi" compares as text what looks like numbers; quantity(…), double(…) or duration(…) around both sides compares the sizes\n',
    );
  });

  it('show an object that starts to match as ADDED, and one that stops as DELETED', async () => {
    await using own = await startFixture([]);
    own.sandbox.apply([
      APPLES,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
      apple('a', 'red', 3),
    ]);
    const open = (...flags: string[]) =>
      new Cli(['watch', 'myapples', '-n', 'shop', '-o', 'json', ...flags], { env: own.env });
    await using byFilter = open('--filter', 'object.spec.color == "red"');
    await using byColumn = open('--where', 'COLOR == "red" && cells["COLOR"] == "red"');
    await using byNumber = open('--where', 'SIZE > 2');
    await using transition = open('--filter', 'event != "MODIFIED" || oldObject.spec.color != object.spec.color');
    const all = [byFilter, byColumn, transition];
    for (const cli of all) await cli.until((c) => c.lines.length === 1, 'the initial list');
    own.sandbox.apply(apple('a', 'green', 3));
    own.sandbox.apply(apple('a', 'red', 4));
    own.sandbox.apply(apple('a', 'red', 5));
    own.sandbox.apply(apple('z', 'red'));
    const added = 'ADDED shop/a initial';
    const round = [
      added,
      'DELETED shop/a filter',
      'ADDED shop/a filter',
      'MODIFIED shop/a watch',
      'ADDED shop/z watch',
    ];
    expect(await seenUntil(byFilter, 'shop/z')).toEqual(round);
    expect(await seenUntil(byColumn, 'shop/z')).toEqual(round);
    expect(await seenUntil(transition, 'shop/z')).toEqual([
      added,
      'MODIFIED shop/a watch',
      'MODIFIED shop/a watch',
      'ADDED shop/z watch',
    ]);
    byNumber.kill('SIGINT');
    const { code, stderr } = await byNumber.ended();
    expect({ code, stderr: stderr.split('\n')[0] }).toEqual({
      code: 2,
      stderr: expect.stringContaining('there is no column SIZE'),
    });
  });

  it('of changed fields, parts and events each let through what they name', async () => {
    await using own = await startFixture([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }]);
    own.sandbox.apply([APPLES, apple('a', 'red', 1)]);
    const flags: Record<string, string[]> = {
      size: ['--changed', '.spec.size'],
      two: ['--changed', '.spec.size,.metadata.labels.tier'],
      notSize: ['--ignore-changes', '.spec.size'],
      labels: ['--predicate', 'labels'],
      generation: ['--predicate', 'generation'],
      both: ['--predicate', 'spec,labels'],
      quiet: ['--no-noise'],
      updates: ['--on', 'modified'],
      ends: ['--on', 'added,deleted'],
      later: ['--watch-only', '--on', 'added,modified'],
      mixed: ['--watch-only', '--changed', '.spec.size', '--filter', 'object.spec.size < 3', '--on', 'modified'],
      named: ['--name', '^a$', '--exclude-name', 'z'],
    };
    const clis = Object.entries(flags).map(
      ([name, each]) =>
        [
          name,
          new Cli(['watch', 'myapples', '-n', 'shop', '-o', 'json', '--markers', ...each], { env: own.env }),
        ] as const,
    );
    for (const [, cli] of clis) await cli.until((c) => c.stdout.includes('SYNCED'), 'the initial list');
    const labelled = { ...apple('a', 'red', 3), metadata: { name: 'a', namespace: 'shop', labels: { tier: 'x' } } };
    own.sandbox.apply(apple('a', 'red', 2));
    own.sandbox.apply(apple('a', 'blue', 2));
    own.sandbox.apply({ ...labelled, spec: { color: 'blue', size: 2 } });
    own.sandbox.apply(labelled);
    own.sandbox.apply({ ...labelled, status: { note: 'x' } });
    own.sandbox.delete(APPLE_TYPE, 'shop/a');
    own.sandbox.apply(apple('z', 'red'));
    const seen: Record<string, string[]> = {};
    for (const [name, cli] of clis) {
      const isLast = (c: Cli) =>
        c
          .events<Envelope>()
          .some((e) => e.key === 'shop/z' || (e.type === 'DELETED' && !['ends', 'size'].includes(name)));
      if (['updates', 'mixed', 'later'].includes(name))
        await cli.until((c) => c.lines.length >= EXPECTED_LINES[name as 'updates'], name);
      else await cli.until(isLast, name);
      cli.kill('SIGINT');
      await cli.ended();
      seen[name] = cli
        .events<Envelope>()
        .flatMap((e) => (e.key === 'shop/a' ? [`${e.type} ${(e.changed ?? []).join()}`.trim()] : []));
    }
    const [size, color, label, last, status] = [
      'MODIFIED .spec.size',
      'MODIFIED .spec.color',
      'MODIFIED .metadata.labels',
      'MODIFIED .spec.color,.spec.size',
      'MODIFIED .status',
    ];
    expect(seen).toEqual({
      size: ['ADDED', size, last, 'DELETED'],
      two: ['ADDED', size, label, last, 'DELETED'],
      notSize: ['ADDED', color, label, last, status, 'DELETED'],
      labels: ['ADDED', label, 'DELETED'],
      generation: ['ADDED', size, color, last, 'DELETED'],
      both: ['ADDED', size, color, label, last, 'DELETED'],
      quiet: ['ADDED', size, color, label, last, status, 'DELETED'],
      updates: [size, color, label, last, status],
      ends: ['ADDED', 'DELETED'],
      later: [size, color, label, last, status],
      mixed: [size],
      named: ['ADDED', size, color, label, last, status, 'DELETED'],
    });
  });

  it('sort the initial list and leave later events in their order', async () => {
    const { stdout } = await once('myapples', '-n', 'shop', '-o', 'name', '--sort-by', '.spec.size');
    expect(stdout).toBe('myapple.stable.example.com/granny\nmyapple.stable.example.com/fuji\n');
    const metadata = await once('pods', '-A', '--no-headers', '--sort-by', '{.metadata.namespace}');
    expect(metadata.stdout.split('\n').map((line) => line.split(/ +/)[2])).toEqual([
      'db-1',
      'web-1',
      'web-2',
      undefined,
    ]);
  });

  it('that fail on an object count as no match, and are reported once and counted', async () => {
    await using cli = watch('pods', '-n', 'shop', '-o', 'name', '--filter', 'int(object.metadata.labels.app) == 3');
    await cli.until((c) => c.stderr.includes('reported once'), 'the error');
    cli.kill('SIGINT');
    const { code, stdout, stderr } = await cli.ended();
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr.split('reported once')).toHaveLength(2);
    expect(stderr).toMatch(/, 2 expression errors\n$/);
  });
});

describe('a column that is not there', () => {
  it.each([
    [
      'pods',
      'STATE == "x"',
      /there is no column STATE.*\nhint: The columns are NAME, READY, STATUS, RESTARTS, AGE, .*"STATE"/s,
    ],
    ['myapples', 'RESTARTS > 1', /there is no column RESTARTS.*\nhint: The columns are NAME, COLOR, AGE/s],
    ['deploy', 'UPTODATE > 1', /there is no column UPTODATE.*UP_TO_DATE/s],
  ])('of %s is refused with the list before anything is watched: %s', async (type, where, text) => {
    fixture.sandbox.requests.clear();
    const { code, stdout, stderr } = await run(['watch', type, '-n', 'shop', '--where', where], { env: fixture.env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(text);
    expect(fixture.sandbox.requests.matching('watch=')).toEqual([]);
  });
});

describe('--explain', () => {
  const filter =
    'object.metadata.labels.app == "web" && object.spec.nodeName == "worker-1" && object.status.phase != "Failed"';

  it('says what the server does, and the server is asked for just that', async () => {
    fixture.sandbox.requests.clear();
    const { stdout, stderr, code } = await once('pods', '-n', 'shop', '-o', 'name', '--explain', '--filter', filter);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'pod/web-1\n' });
    expect(stderr).toMatch(
      /^--explain: v1\/pods: the server selects by label selector app=web and field selector .*spec\.nodeName=worker-1/,
    );
    const [list] = fixture.sandbox.requests.matching('/namespaces/shop/pods');
    const asked = new URL(`http://x${list?.path}`).searchParams;
    expect(asked.get('labelSelector')).toBe('app=web');
    expect(asked.get('fieldSelector')?.split(',')).toContain('spec.nodeName=worker-1');
  });

  it('leaves the server out of it where something waits', async () => {
    fixture.sandbox.requests.clear();
    const { code, stderr } = await once(
      'pods',
      '-n',
      'shop',
      '--explain',
      '--filter',
      filter,
      '--until-any',
      'object.status.phase == "Running"',
    );
    expect(code).toBe(0);
    expect(stderr).toContain('--explain: --filter is evaluated here');
    expect(fixture.sandbox.requests.matching('elector=')).toEqual([]);
  });

  it('adds to the selectors that were given', async () => {
    fixture.sandbox.requests.clear();
    const { stdout } = await once(
      'pods',
      '-A',
      '-l',
      'app',
      '--field-selector',
      'status.phase=Running',
      '-o',
      'name',
      '--filter',
      filter,
    );
    expect(stdout).toBe('pod/web-1\n');
    const asked = new URL(`http://x${fixture.sandbox.requests.matching(/pods/)[0]?.path}`).searchParams;
    expect(asked.get('labelSelector')).toBe('app,app=web');
    expect(asked.get('fieldSelector')).toMatch(/^status\.phase=Running,/);
  });
});

const EXPECTED_LINES = { updates: 6, mixed: 2, later: 6 } as const;

it('distinguishes a pod that leaves a filter from one that is deleted, in a stream with causes', async () => {
  await using own = await startFixture();
  const line = ['pods', '-n', 'shop', '-o', 'json', '--filter', 'object.metadata.labels.app == "web"'];
  await using cli = new Cli(['watch', ...line], { env: own.env });
  await cli.until((c) => c.lines.length === 2, 'the two pods');
  const web1 = own.sandbox.get(PODS, 'shop/web-1') as { metadata: object };
  own.sandbox.apply({ ...web1, metadata: { ...web1.metadata, labels: { app: 'other' } } } as never);
  await cli.until((c) => c.lines.length === 3, 'the pod that left');
  own.sandbox.delete(PODS, 'shop/web-2', { gracePeriodSeconds: 0 });
  await cli.until(
    (c) => c.events<{ type: string }>().filter(({ type }) => type === 'DELETED').length === 2,
    'the pod that was deleted',
  );
  const gone = cli
    .events<{ type: string; key: string; cause: string; object: { metadata: { labels: object } } }>()
    .filter(({ type }) => type === 'DELETED');
  expect(gone.map(({ key, cause }) => [key, cause])).toEqual([
    ['shop/web-1', 'filter'],
    ['shop/web-2', 'watch'],
  ]);
  expect(gone[0]?.object.metadata.labels).toEqual({ app: 'other' });
});
