import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UnknownObject } from '../../src/model/object.ts';
import { Cli, run } from '../support/cli.ts';
import { APPLES, apple, configMap, type Fixture, OBJECTS, pod, startFixture } from '../support/fixture.ts';
import { findKubectl, runKubectl } from '../support/kubectl.ts';
import { envelopeSchema, faults } from '../support/schema.ts';
import { skipped } from '../support/skipped.ts';

const kubectl = findKubectl();
const missing = 'missing' in kubectl ? kubectl.missing : undefined;
const PODS = { group: '', version: 'v1', resource: 'pods' };

/**
 * A definition whose table has what tables can have: wide columns, numbers, dates, lists, and cells of several lines.
 */
const PLUMS = {
  ...APPLES,
  metadata: { name: 'plums.stable.example.com' },
  spec: {
    ...APPLES.spec,
    names: { plural: 'plums', singular: 'plum', kind: 'Plum', shortNames: ['pl'], categories: ['fruit', 'all'] },
    versions: APPLES.spec.versions.map((version) => ({
      ...version,
      additionalPrinterColumns: [
        { name: 'Color', type: 'string', jsonPath: '.spec.color' },
        { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
        { name: 'Note', type: 'string', jsonPath: '.status.note', priority: 1 },
        { name: 'Ripe-Since', type: 'date', jsonPath: '.status.ripe' },
        { name: 'Tags', type: 'string', jsonPath: '.status.tags' },
      ],
    })),
  },
};

const plum = (name: string, status: object): UnknownObject => ({
  apiVersion: 'stable.example.com/v1',
  kind: 'Plum',
  metadata: { name, namespace: 'shop' },
  spec: { color: 'blue', size: 3 },
  status,
});

const MORE: readonly UnknownObject[] = [
  {
    ...pod('crashing'),
    status: {
      phase: 'Running',
      podIP: '10.1.2.3',
      podIPs: [{ ip: '10.1.2.3' }],
      containerStatuses: [
        {
          name: 'c',
          ready: false,
          restartCount: 7,
          image: 'x',
          imageID: '',
          state: { waiting: { reason: 'CrashLoopBackOff' } },
        },
      ],
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
  },
  {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'worker-1', labels: { zone: 'a' } },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  },
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot', namespace: 'shop' } },
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'once', namespace: 'shop' },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x' }] } } },
  },
  {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'e1', namespace: 'shop' },
    involvedObject: { kind: 'Pod', name: 'web-1', namespace: 'shop' },
    reason: 'Started',
    message: 'first line\nsecond line',
    type: 'Normal',
    lastTimestamp: '2026-01-01T00:00:00Z',
  },
  plum('ripe', { note: 'two\nlines', ripe: '2020-01-01T00:00:00Z', tags: ['a', 'b'] }),
  plum('green', {}),
];

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture(OBJECTS);
  fixture.sandbox.apply([APPLES, PLUMS]);
  fixture.sandbox.apply([...MORE, apple('fuji', 'red')]);
});
afterAll(() => fixture[Symbol.asyncDispose]());

const watch = (words: string, ...flags: string[]) =>
  run(['watch', ...words.split(' '), '--once', ...flags], { env: fixture.env });

/** The cells of a table, whose columns begin where the heading says. */
function cellsOf(table: string): string[][] {
  const [head = '', ...rows] = table.split('\n').filter((line) => line !== '');
  const starts = [...head.matchAll(/\S+( \S+)*/g)].map((heading) => heading.index);
  return [head, ...rows].map((line) => starts.map((start, i) => line.slice(start, starts[i + 1]).trim()));
}

/** Of ages, which go on, only the unit. */
const still = (cells: string[][]) => cells.map((row) => row.map((cell) => (/^\d+s$/.test(cell) ? 'some s' : cell)));

const TYPES = [
  ...[
    'pods',
    'deployments',
    'services',
    'nodes',
    'configmaps',
    'secrets',
    'namespaces',
    'serviceaccounts',
    'jobs',
    'events',
    'myapples',
  ],
  ...['plums', 'customresourcedefinitions', 'replicasets', 'leases'],
];

describe.skipIf(missing)(`a table has the cells of kubectl get${skipped(missing)}`, () => {
  it.concurrent.each(TYPES.flatMap((type) => [[type, ''] as const, [type, 'wide'] as const]))(
    '%s %s',
    async (type, format) => {
      const flags = format === '' ? ['-A'] : ['-A', '-o', format];
      const [ours, theirs] = await Promise.all([
        watch(type, ...flags),
        runKubectl('path' in kubectl ? kubectl.path : '', ['get', type, ...flags, '--show-labels'], {
          env: fixture.env,
        }),
      ]);
      const labelled = await watch(type, ...flags, '--show-labels');
      expect(labelled.code).toBe(0);
      const [expected, actual] = [still(cellsOf(theirs.stdout)), still(cellsOf(labelled.stdout))];
      expect(actual.map(([, ...cells]) => cells)).toEqual(expected);
      expect(still(cellsOf(ours.stdout)).map((row) => row.slice(1))).toEqual(expected.map((row) => row.slice(0, -1)));
    },
  );
});

describe('what is named', () => {
  const names = async (words: string, ...flags: string[]) =>
    (await watch(words, '-o', 'name', ...flags)).stdout.trim().split('\n');

  it.concurrent.each<[string, string[], string[]]>([
    ['po', ['-n', 'other'], ['pod/db-1']],
    ['Pod', ['-n', 'other'], ['pod/db-1']],
    ['pod/web-1', ['-n', 'shop'], ['pod/web-1']],
    ['pods web-2 web-1', ['-n', 'shop'], ['pod/web-2', 'pod/web-1']],
    ['deploy,po', ['-n', 'shop', '-l', 'app=web'], ['deployment.apps/web', 'pod/crashing', 'pod/web-1', 'pod/web-2']],
    ['deployments.v1.apps', ['-n', 'shop'], ['deployment.apps/web']],
    ['apps/v1/deployments', ['-n', 'shop'], ['deployment.apps/web']],
    ['/v1/pods', ['-n', 'other'], ['pod/db-1']],
    ['v1/pods', ['-n', 'other'], ['pod/db-1']],
    ['stable.example.com/v1/plums', ['-n', 'shop'], ['plum.stable.example.com/green', 'plum.stable.example.com/ripe']],
    [
      'fruit',
      ['-n', 'shop'],
      ['myapple.stable.example.com/fuji', 'plum.stable.example.com/green', 'plum.stable.example.com/ripe'],
    ],
    ['pods', ['-n', 'shop,other', '-l', 'app=db'], ['pod/db-1']],
    ['nodes', ['-n', 'shop'], ['node/worker-1']],
    ['pods/web-1 deploy/web', ['-n', 'shop'], ['pod/web-1', 'deployment.apps/web']],
    ['pods', ['-n', 'shop', '--name', '^web', '--exclude-name', '2$'], ['pod/web-1']],
  ])('%s with %j', async (words, flags, expected) => {
    expect(await names(words, ...flags)).toEqual(expected);
  });

  it('as all is what kubectl shows for it', async ({ skip }) => {
    if ('missing' in kubectl) return skip(kubectl.missing);
    const theirs = await runKubectl(kubectl.path, ['get', 'all', '-n', 'shop', '-o', 'name'], { env: fixture.env });
    expect((await names('all', '-n', 'shop')).sort()).toEqual(theirs.stdout.trim().split('\n').sort());
  });

  it('and does not exist yet is seen when it comes', async () => {
    await using cli = new Cli(['watch', 'pod/late', 'cm/late', '-n', 'shop', '-o', 'name', '--limit', '2'], {
      env: fixture.env,
    });
    await cli.until((c) => c.stderr.includes('No resources found in shop namespace.'), 'the notice');
    fixture.sandbox.apply([pod('later'), pod('late'), configMap('other', {}), configMap('late', {})]);
    expect((await cli.ended()).stdout.split('\n').sort()).toEqual(['', 'configmap/late', 'pod/late']);
    fixture.sandbox.delete(PODS, 'shop/later', { gracePeriodSeconds: 0 });
    fixture.sandbox.delete(PODS, 'shop/late', { gracePeriodSeconds: 0 });
  });
});

describe('rows', () => {
  it.concurrent.each<[string, string[], RegExp]>([
    [
      'labels as columns',
      ['-L', 'app,tier'],
      /^EVENT +NAME +READY +STATUS +RESTARTS +AGE +APP +TIER\nADDED +web-1 +0\/1 +Running +0 +\S+ +web +\n/,
    ],
    ['all labels', ['--show-labels'], /LABELS\nADDED +web-1 .* app=web\n/],
    ['the type', ['--show-kind'], /\nADDED +pod\/web-1 /],
    ['no headings', ['--no-headers'], /^ADDED +web-1 /],
    ['the time of day', ['--timestamps'], /^TIME +EVENT +NAME.*\n\d\d:\d\d:\d\d\.\d{3} +ADDED +web-1 /],
    ['whole times', ['--timestamps=rfc3339'], /\n\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z +ADDED +web-1 /],
    ['times since the start', ['--timestamps=relative'], /\n\+\d+\.\ds +ADDED +web-1 /],
  ])('have %s', async (_, flags, text) => {
    const { stdout, stderr, code } = await watch('pods web-1', '-n', 'shop', ...flags);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(text);
  });

  it('of events stay aligned: columns grow and never shrink', async () => {
    await using own = await startFixture();
    await using cli = new Cli(['watch', 'pods', '-n', 'shop'], { env: own.env });
    await cli.until((c) => c.lines.length === 3, 'the initial list');
    own.sandbox.apply(pod('a-pod-of-a-very-long-name'));
    own.sandbox.apply(pod('b'));
    own.sandbox.apply(pod('web-1', { phase: 'Failed' }));
    await cli.until((c) => c.lines.length === 6, 'the events');
    const places = cli.lines.map((line) => line.search(/(?<= )\d\/1|READY/));
    expect(new Set(places.slice(0, 3)).size).toBe(1);
    expect(new Set(places.slice(3)).size).toBe(1);
    expect(places[3]).toBeGreaterThan(places[0] ?? 0);
  });

  it('do not carry control sequences of what is shown to the terminal', async () => {
    const evil = { ...plum('evil', { note: '\u001b[31mred\u001b[0m\u0007', tags: '\u001b]0;title\u0007' }) };
    await using own = await startFixture([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }]);
    own.sandbox.apply([PLUMS]);
    own.sandbox.apply([evil]);
    const formats = [
      '',
      'wide',
      'json',
      'yaml',
      'jsonpath={.status}',
      'custom-columns=N:.status.note,T:.status.tags',
      'jq=.object.status',
      'diff',
      'changes',
    ];
    const all = await Promise.all(
      formats.map((format) =>
        run(['watch', 'plums', '-n', 'shop', '--once', ...(format ? ['-o', format] : [])], { env: own.env }),
      ),
    );
    expect(all.map(({ code, stdout }) => [code, stdout.includes('\u001b') || stdout.includes('\u0007')])).toEqual(
      formats.map(() => [0, false]),
    );
  });
});

describe('every line of -o json is what the published schema says', () => {
  it('for events of every cause and every marker, numbered without gaps', async () => {
    await using own = await startFixture();
    own.sandbox.apply([APPLES, apple('fuji', 'red')]);
    const line = [
      'watch',
      'pods,deploy,ma,nodes',
      '-n',
      'shop',
      '-o',
      'json',
      '--markers',
      '--old',
      '--filter',
      'object.metadata.name != "web-2"',
    ];
    await using cli = new Cli([...line, '--show-managed-fields'], { env: own.env });
    const types = () => cli.events<{ type: string }>().map(({ type }) => type);
    await cli.until(() => types().filter((type) => type === 'SYNCED').length === 4, 'the first states');
    own.sandbox.apply(pod('web-1', { phase: 'Failed' }));
    own.sandbox.apply(apple('fuji', 'green'));
    await cli.until(() => types().filter((type) => type === 'MODIFIED').length === 2, 'the changes');
    const restarting = own.sandbox.restart({ keepHistory: false, downMs: 200 });
    own.sandbox.delete(PODS, 'shop/web-1', { gracePeriodSeconds: 0 });
    own.sandbox.apply(pod('web-9'));
    await restarting;
    await cli.until(() => types().filter((type) => type === 'RESUMED').length === 4, 'the connections to be back');
    cli.kill('SIGINT');
    expect((await cli.ended()).code).toBe(0);
    const events = cli.events<{ type: string; seq: number; cause?: string; gvr?: string }>();
    expect(events.flatMap((event) => faults(envelopeSchema, event, envelopeSchema))).toEqual([]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
    expect(new Set(events.map(({ cause }) => cause))).toEqual(new Set(['initial', 'watch', 'relist', undefined]));
    expect(new Set(types())).toEqual(
      new Set(['ADDED', 'MODIFIED', 'DELETED', 'SYNCED', 'DISCONNECTED', 'GAP', 'RELISTED', 'RESUMED', 'END']),
    );
    expect(types().at(-1)).toBe('END');
    const ofPods = events
      .filter(({ gvr }) => gvr === 'v1/pods')
      .map(({ type, cause }) => `${type} ${cause ?? ''}`.trim());
    const away = ['DISCONNECTED', 'GAP', 'DELETED relist', 'ADDED relist', 'RELISTED', 'RESUMED'];
    expect(ofPods).toEqual(['ADDED initial', 'SYNCED', 'MODIFIED watch', ...away]);
  });

  it('and is what kubectl prints with --output-watch-events', async ({ skip }) => {
    if ('missing' in kubectl) return skip(kubectl.missing);
    const flags = ['pods', 'web-2', '-n', 'shop', '-o', 'json', '--show-managed-fields'];
    const [ours, theirs] = await Promise.all([
      run(['watch', ...flags, '--once'], { env: fixture.env }),
      runKubectl(kubectl.path, ['get', ...flags, '--watch', '--output-watch-events'], {
        env: fixture.env,
        until: (text) => text.endsWith('}\n'),
      }),
    ]);
    const { type, object } = JSON.parse(ours.stdout) as Record<string, unknown>;
    expect({ type, object }).toEqual(JSON.parse(theirs.stdout));
  });
});
