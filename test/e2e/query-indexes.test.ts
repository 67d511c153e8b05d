import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OwnerReference, UnknownObject } from '../../src/model/object.ts';
import { run } from '../support/cli.ts';
import { type Fixture, OBJECTS, pod, startFixture } from '../support/fixture.ts';

const owner = (kind: string, name: string, apiVersion = 'apps/v1'): OwnerReference => ({
  apiVersion,
  kind,
  name,
  uid: `00000000-0000-4000-8000-${Buffer.from(kind + name)
    .toString('hex')
    .padEnd(12, '0')
    .slice(0, 12)}`,
});

const event = (name: string, involvedObject: object): UnknownObject => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name, namespace: 'shop' },
  involvedObject: { namespace: 'shop', ...involvedObject },
  reason: 'Tested',
  type: 'Normal',
});

const claimPod = (name: string): UnknownObject => {
  const object = pod(name, { app: 'claims', phase: 'Pending', node: 'worker-3' });
  const volumes = [{ name: 'd', persistentVolumeClaim: { claimName: 'data' } }];
  return { ...object, spec: { ...object.spec, volumes } };
};

let fixture: Fixture;
let config: string;
beforeAll(async () => {
  fixture = await startFixture([
    ...OBJECTS,
    claimPod('claims-1'),
    event('about-pod', { apiVersion: 'v1', kind: 'Pod', name: 'web-1', uid: 'uid-of-web-1' }),
    event('about-deployment', { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }),
  ]);
  config = path.join(fixture.folder, 'config.yaml');
  await writeFile(config, 'indexes:\n  mine: object.spec.nodeName\n  broken: size(spec.nodeName)\n');
});
afterAll(() => fixture[Symbol.asyncDispose]());

const query = (...line: string[]) => run(['query', ...line], { env: fixture.env });

it('an index that nothing asks is named on stderr, and one that is asked is not', async () => {
  const declared = ['--index', 'node=.spec.nodeName', '--index', 'r=.status.phase', '-o', 'name'];
  const { code, stderr } = await query('pods', '-n', 'shop', ...declared, '--eq', 'r=Running');
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: '--index node is not used: --eq node=VALUE or --values node asks it\n',
  });
});

describe('an index by CEL', () => {
  it.each([
    [['--index', 'r=object.status.phase', '--values', 'r'], { Running: 3, Pending: 1 }],
    [['--index', 'i=object.spec.containers.map(c, c.image)', '--values', 'i'], { 'nginx:1.27': 3, 'postgres:17': 1 }],
    [['--index', 'v=object.spec.?volumes.orValue([]).map(v, v.name)', '--values', 'v'], { d: 1 }],
  ])('has each of its values: %j', async (line, expected) => {
    const { code, stdout } = await query('pods', '-A', ...line, '-o', 'json');
    const counts = JSON.parse(stdout) as { value: string; count: number }[];
    expect({ code, counts: Object.fromEntries(counts.map(({ value, count }) => [value, count])) }).toEqual({
      code: 0,
      counts: expected,
    });
  });

  it('finds by it, and by one of the config file', async () => {
    const line = ['pods', '-A', '-o', 'name'];
    expect((await query(...line, '--index', 'r=object.status.phase', '--eq', 'r=Pending')).stdout).toBe(
      'pod/claims-1\n',
    );
    expect((await query(...line, '--config', config, '--eq', 'mine=worker-1')).stdout).toBe('pod/web-1\n');
  });

  it.each([
    [['--index', 'r=size(spec.nodeName)'], '--index r: error parsing size(spec.nodeName): unexpected ( at position 4'],
    [['--index', 'r=object.spec.nodeName ==='], '--index r: '],
    [['--group-by', '!status.phase'], '--group-by: error parsing !status.phase: unexpected ! at position 0'],
  ])('is refused with its position if it is neither CEL nor a path: %j', async (line, message) => {
    const values = line[0] === '--index' ? ['--values', 'r'] : [];
    const result = await query('pods', '-A', ...line, ...values);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(`error: ${message}`);
  });

  it('of the config file is refused with its name there', async () => {
    const { code, stderr } = await query('pods', '--config', config, '--values', 'broken');
    expect(code).toBe(2);
    expect(stderr).toContain('error: indexes.broken of the config file: error parsing size(spec.nodeName)');
  });

  it('reports once that it cannot be evaluated', async () => {
    const { stderr, stdout } = await query('pods', '-A', '--index', 'r=object.status.phase + 1', '--values', 'r');
    expect(stdout).toBe('');
    expect(stderr).toContain('none of 4 pods has a value in the index r');
    expect(stderr.split('reported once')).toHaveLength(2);
    expect(stderr).toContain('--index r: ');
  });
});

describe('what the server can select by is sent to it', () => {
  /** The lists of pods that a command requests, as path and query. */
  const requested = (stderr: string) =>
    [...stderr.matchAll(/path="?(\/api\/v1\/[^"\s]*pods[^"\s]*)/g)].map(([, found = '']) =>
      decodeURIComponent(found.replaceAll('+', ' ')).replace(/[?&](limit|resourceVersion\w*|includeObject)=[^&]*/g, ''),
    );

  it.each<[string[], string[], string[]]>([
    [['-A', '--eq', 'node=worker-2'], ['/api/v1/pods?fieldSelector=spec.nodeName=worker-2'], ['db-1', 'web-2']],
    [['-A', '--eq', 'phase=Pending'], ['/api/v1/pods?fieldSelector=status.phase=Pending'], ['claims-1']],
    [['-A', '--eq', 'label:app=db'], ['/api/v1/pods?labelSelector=app=db'], ['db-1']],
    [['-A', '--in', 'label:app=db,claims'], ['/api/v1/pods?labelSelector=app in (claims,db)'], ['db-1', 'claims-1']],
    [['-A', '--eq', 'namespace=other'], ['/api/v1/namespaces/other/pods'], ['db-1']],
    [['-A', '--filter', 'object.spec.nodeName == "worker-1"'], ['/api/v1/pods?fieldSelector=spec.nodeName=worker-1'], ['web-1']], // biome-ignore format: one row
    [['-A', '--index', 'n=.spec.nodeName', '--eq', 'n=worker-1'], ['/api/v1/pods?fieldSelector=spec.nodeName=worker-1'], ['web-1']], // biome-ignore format: one row
    [['-A', '-l', 'app=web', '--eq', 'node=worker-2'], ['/api/v1/pods?labelSelector=app=web&fieldSelector=spec.nodeName=worker-2'], ['web-2']], // biome-ignore format: one row
    [['-A', '--eq', 'image=postgres:17'], ['/api/v1/pods'], ['db-1']],
    [['web-1', '-n', 'shop', '--eq', 'node=worker-1'], ['/api/v1/namespaces/shop/pods?fieldSelector=metadata.name=web-1'], ['web-1']], // biome-ignore format: one row
  ])('%j', async (line, paths, names) => {
    const { code, stdout, stderr } = await query('pods', ...line, '-o', 'name', '-v', '6');
    expect({ code, names: stdout.split('\n').slice(0, -1) }).toEqual({ code: 0, names: names.map((n) => `pod/${n}`) });
    expect(requested(stderr)).toEqual(paths);
  });

  it('a name that is not there stays an error, and one that does not match stays an empty answer', async () => {
    expect(await query('pods', 'none', '-n', 'shop', '--eq', 'node=worker-1')).toMatchObject({ code: 1 });
    const other = await query('pods', 'web-1', '-n', 'shop', '--eq', 'node=worker-2', '-o', 'name');
    expect(other).toMatchObject({ code: 0, stdout: '' });
    expect(other.stderr).toContain('none of 1 pod matches');
  });

  it('an empty answer still says what there is, and the nearest value', async () => {
    const { code, stdout, stderr } = await query('pods', '-A', '--eq', 'phase=running');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toBe(
      'none of 4 pods matches\n--eq phase=running: no object has this value; did you mean phase=Running?\n',
    );
    const path = await query(
      'pods',
      '-A',
      '--eq',
      'node=worker-9',
      '--filter',
      'object.spec.nodeNmae == "x"',
      '--count',
    );
    expect(path.stdout).toBe('0\n');
    expect(path.stderr).toContain('--filter: .spec.nodeNmae is in none of 4 pods');
  });
});

describe('--explain', () => {
  const explained = async (...line: string[]) => {
    const { stderr } = await query(...line, '--explain');
    return stderr.replace(/last sign of life \d+ms ago, at version \d+/g, 'AGE');
  };

  it.each<[string[], string]>([
    [
      [
        'pods',
        '-A',
        '--eq',
        'image=nginx:1.27',
        '--eq',
        'phase=Running',
        '--filter',
        'object.metadata.name == "web-1"',
      ],
      'pods: index image=nginx:1.27 (1 candidate of 1); intersected with index phase=Running (1 candidate); scanned 1, lookups kept 1; filters kept 1; pushed to the server: field selector status.phase=Running,metadata.name=web-1; AGE\n', // biome-ignore format: one row
    ],
    [
      ['pods', '-A', '--eq', 'image=nginx:1.27', '--filter', 'object.status.phase != "Running"'],
      'pods: index image=nginx:1.27 (1 candidate of 1); scanned 1, lookups kept 1; filters kept 1; pushed to the server: field selector status.phase!=Running; AGE\n', // biome-ignore format: one row
    ],
    [
      ['pods', '-A', '--filter', 'size(object.spec.containers) > 1', '--count'],
      'pods: no index, every object of 4; scanned 4; filters kept 0; pushed to the server: nothing; AGE\n',
    ],
    [
      ['pods', '-A', '--eq', 'owner=deploy/web', '--count'],
      'pods: index owner=deploy/web (0 candidates of 4); scanned 0, lookups kept 0; pushed to the server: nothing; AGE\n', // biome-ignore format: one row
    ],
    [
      ['pods', '-A', '--limit', '1', '-o', 'name'],
      'pods: no index, every object of 4; scanned 4; pushed to the server: nothing; AGE\n--limit prints 1 of 4\n',
    ],
    [
      ['pods', '-A', '--group-by', '.spec.nodeName', '--eq', 'image=nginx:1.27'],
      'pods: index image=nginx:1.27 (3 candidates of 4); scanned 3, lookups kept 3; pushed to the server: nothing; AGE\n',
    ],
    [
      ['pods', '-A', '--values', 'node'],
      'pods: values of the kept index node; scanned 0 of 4; pushed to the server: nothing; AGE\n',
    ],
    [
      ['pods', '-A', '--values', 'owner', '--filter', 'object.metadata.labels.app == "web"'],
      'pods: values of owner computed for each object; scanned 2 of 2; filters kept 2; pushed to the server: label selector app=web; AGE\n', // biome-ignore format: one row
    ],
    [
      ['pods,cm', '-n', 'shop', '--eq', 'node=worker-1', '--count'],
      'pods: index node=worker-1 (1 candidate of 1); scanned 1, lookups kept 1; pushed to the server: field selector spec.nodeName=worker-1; AGE\nconfigmaps: index node=worker-1 (0 candidates of 1); scanned 0, lookups kept 0; pushed to the server: nothing; AGE\n', // biome-ignore format: one row
    ],
  ])('says how it was found, with true numbers: %j', async (line, expected) => {
    expect(
      (await explained(...line))
        .split('\n')
        .filter((text) => !text.startsWith('--eq'))
        .join('\n'),
    ).toContain(expected);
  });
});

describe('the built-in indexes', () => {
  it.each<[string[], string]>([
    [['events', '-n', 'shop', '--eq', 'event=pod/web-1'], 'event/about-pod\n'],
    [['events', '-n', 'shop', '--eq', 'event=po/web-1'], 'event/about-pod\n'],
    [['events', '-n', 'shop', '--eq', 'event=uid-of-web-1'], 'event/about-pod\n'],
    [['events', '-A', '--eq', 'event=shop/deploy/web'], 'event/about-deployment\n'],
    [['pods', '-A', '--eq', 'pvc=data'], 'pod/claims-1\n'],
  ])('find %j', async (line, expected) => {
    expect(await query(...line, '-o', 'name')).toMatchObject({ code: 0, stdout: expected });
  });

  describe('owner', () => {
    let owned: Fixture;
    let reference: OwnerReference;
    const withOwner = (object: UnknownObject, of: OwnerReference): UnknownObject => ({
      ...object,
      metadata: { ...object.metadata, ownerReferences: [of] },
    });
    beforeAll(async () => {
      const set = (name: string): UnknownObject => ({
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { name, namespace: 'shop' },
        spec: { replicas: 0, selector: { matchLabels: { app: name } }, template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'a' }] } } }, // biome-ignore format: short
      });
      owned = await startFixture(OBJECTS.filter(({ kind }) => kind !== 'Pod'));
      const uidOf = async (type: string, name: string) =>
        (await run(['query', `${type}/${name}`, '-n', 'shop', '-o', 'jsonpath={.metadata.uid}'], { env: owned.env }))
          .stdout;
      const uid = await uidOf('deploy', 'web');
      owned.sandbox.apply([withOwner(set('web-a'), { ...owner('Deployment', 'web'), uid })]);
      const setUid = await uidOf('rs', 'web-a');
      reference = { ...owner('ReplicaSet', 'web-a'), uid: setUid };
      owned.sandbox.apply(['p1', 'p2'].map((name) => withOwner(pod(name, { app: 'owned' }), reference)));
    });
    afterAll(() => owned[Symbol.asyncDispose]());
    const ask = (...line: string[]) => run(['query', ...line], { env: owned.env });

    it('finds what a Deployment owns through its ReplicaSet, and lists one readable name for each owner', async () => {
      const found = await ask('pods', '-n', 'shop', '-l', 'app=owned', '--eq', 'owner=deploy/web', '-o', 'name');
      expect(found).toMatchObject({ code: 0, stdout: 'pod/p1\npod/p2\n' });
      const values = async (...line: string[]) =>
        JSON.parse((await ask('pods', ...line, '-l', 'app=owned', '--values', 'owner', '-o', 'json')).stdout);
      expect(await values('-n', 'shop')).toEqual([
        { value: 'deployment/web', count: 2 },
        { value: 'replicaset/web-a', count: 2 },
      ]);
      expect(await values('-A')).toEqual([
        { value: 'shop/deployment/web', count: 2 },
        { value: 'shop/replicaset/web-a', count: 2 },
      ]);
    });

    it('finds an owner that is named in a version which is not served any more', async () => {
      const old = { ...reference, apiVersion: 'apps/v1beta2' };
      owned.sandbox.apply([withOwner(pod('old', { app: 'old' }), old)]);
      const found = await ask('pods', 'old', '-n', 'shop', '--eq', 'owner=deploy/web', '-o', 'name');
      expect(found).toMatchObject({ code: 0, stdout: 'pod/old\n' });
    });

    it('requests owners only of kinds that are not given', async () => {
      const lists = async (types: string) => {
        const line = [types, '-n', 'shop', '--eq', 'owner=deploy/web', '--count', '-v', '6'];
        const { stderr } = await ask(...line);
        return ['pods', 'replicasets', 'deployments'].map(
          (name) => [...stderr.matchAll(new RegExp(`path="?\\S+/namespaces/shop/${name}\\b`, 'g'))].length,
        );
      };
      expect(await lists('pods')).toEqual([1, 1, 1]);
      expect(await lists('pods,rs,deploy')).toEqual([1, 1, 1]);
      expect(await lists('pods,deploy')).toEqual([1, 1, 1]);
    });
  });
});
