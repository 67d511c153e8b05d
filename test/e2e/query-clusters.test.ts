import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { type ManyClusters, startClusters } from '../support/clusters.ts';
import { APPLES, apple, OBJECTS, pod } from '../support/fixture.ts';
import { rawSocketScript } from '../support/socket-script.ts';

let clusters: ManyClusters<'east' | 'west'>;
beforeAll(async () => {
  clusters = await startClusters({
    west: [...OBJECTS, APPLES, apple('gala', 'red')],
    east: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }, pod('web-1'), pod('web-9')],
  });
});
afterAll(() => clusters[Symbol.asyncDispose]());

const BOTH = ['--context', 'west,east'];
/** A server that no one runs. */
const DEAD = { cluster: { server: 'https://127.0.0.1:9' }, user: { token: 'x' } };
const query = (words: readonly string[], env = clusters.env) => run(['query', ...words, ...BOTH], { env });
const settings = (name: string, of: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'since', name },
  data: { of },
});
const cellsOf = (stdout: string, count: number) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/\s+/).slice(0, count).join(' '));

describe('query of several contexts', () => {
  it('prints what is found in all, by cluster, CLUSTER first', async () => {
    const { code, stdout, stderr } = await query(['pods', '-A']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(cellsOf(stdout, 3)).toEqual([
      'CLUSTER NAMESPACE NAME',
      'east shop web-1',
      'east shop web-9',
      'west other db-1',
      'west shop web-1',
      'west shop web-2',
    ]);
  });

  it.each([
    [['-o', 'name'], 'east pod/web-1\neast pod/web-9\nwest pod/web-1\nwest pod/web-2\n'],
    [
      ['-o', 'jq=[.items[] | [.cluster, .metadata.name]]'],
      '[["east","web-1"],["east","web-9"],["west","web-1"],["west","web-2"]]\n',
    ],
    [['--count'], '4\n'],
    [['--values', 'cluster'], 'VALUE   COUNT\neast    2\nwest    2\n'],
    [['--group-by', 'cluster'], 'VALUE   COUNT\neast    2\nwest    2\n'],
    [['--eq', 'cluster=west', '-o', 'name'], 'west pod/web-1\nwest pod/web-2\n'],
    [['--prefix', 'cluster=ea', '--limit', '1', '-o', 'name'], 'east pod/web-1\n'],
    [['--where', 'CLUSTER == "east" && NAME == "web-9"', '-o', 'name'], 'east pod/web-9\n'],
    [
      ['--sort-by', '-.metadata.name', '-o', 'name'],
      'east pod/web-9\nwest pod/web-2\neast pod/web-1\nwest pod/web-1\n',
    ],
  ])('answers %j', async (flags, expected) => {
    const { code, stdout, stderr } = await query(['pods', '-n', 'shop', ...flags]);
    expect({ code, stderr, stdout }).toEqual({ code: 0, stderr: '', stdout: expected });
  });

  it('names the cluster in each record of -o ndjson, yaml and csv', async () => {
    const lines = await query(['pods', '-n', 'shop', '-o', 'ndjson']);
    const records = lines.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records.map(({ cluster, metadata: { name } }) => `${cluster}/${name}`)).toEqual([
      'east/web-1',
      'east/web-9',
      'west/web-1',
      'west/web-2',
    ]);
    expect((await query(['pods', '-n', 'shop', '-o', 'yaml'])).stdout).toMatch(
      /^- apiVersion: v1\n {2}cluster: east$/m,
    );
    expect((await query(['pods', '-n', 'shop', '-o', 'csv'])).stdout).toMatch(/^CLUSTER,NAME,.*\s+east,web-1,/);
  });

  it('reads one shard of each, and says so for each', async () => {
    const parts = await Promise.all(
      ['0/2', '1/2'].map((shard) => query(['pods', '-A', '-o', 'name', '--shard', shard])),
    );
    const lines = parts.flatMap(({ stdout }) => stdout.split('\n').filter((line) => line !== ''));
    expect(lines.sort()).toEqual([
      'east pod/web-1',
      'east pod/web-9',
      'west pod/db-1',
      'west pod/web-1',
      'west pod/web-2',
    ]);
    for (const { stderr } of parts)
      for (const cluster of ['east', 'west']) expect(stderr).toContain(`cluster ${cluster}: shard `);
  });

  /** The same replica set in both, by name and uid, of another deployment in each. */
  const startChains = () => {
    const chain = (root: string) => {
      const owned = (kind: string, name: string, uid: string, by?: { kind: string; name: string; uid: string }) => ({
        apiVersion: kind === 'Pod' ? 'v1' : 'apps/v1',
        kind,
        metadata: {
          name,
          namespace: 'shop',
          uid,
          ownerReferences: by && [{ apiVersion: 'apps/v1', controller: true, ...by }],
        },
        spec:
          kind === 'Pod'
            ? { containers: [{ name: 'c', image: 'i' }] }
            : {
                replicas: 0,
                selector: { matchLabels: { app: root } },
                template: {
                  metadata: { labels: { app: root } },
                  spec: { containers: [{ name: 'c', image: 'i' }] },
                },
              },
      });
      const top = { kind: 'Deployment', name: root, uid: `uid-${root}` };
      const set = { kind: 'ReplicaSet', name: 'set', uid: 'uid-set' };
      return [
        owned(top.kind, top.name, top.uid),
        owned(set.kind, set.name, set.uid, top),
        owned('Pod', `of-${root}`, `uid-of-${root}`, set),
      ];
    };
    return startClusters({ west: chain('red'), east: chain('blue') });
  };

  it('finds owners in the cluster of the object only', async () => {
    await using own = await startChains();
    for (const [root, expected] of [
      ['red', 'west pod/of-red\n'],
      ['blue', 'east pod/of-blue\n'],
    ]) {
      const found = await query(['pods', '-A', '--eq', `owner=Deployment/${root}`, '-o', 'name'], own.env);
      expect(found).toMatchObject({ code: 0, stderr: '', stdout: expected });
    }
    const both = await query(['pods', '-A', '--eq', 'owner=ReplicaSet/set', '-o', 'name'], own.env);
    expect(both.stdout).toBe('east pod/of-blue\nwest pod/of-red\n');
  });

  it('prints trees cluster by cluster, CLUSTER first, of the objects of each alone', async () => {
    await using own = await startChains();
    const words = ['deploy', '-A', '--tree'];
    const { code, stdout, stderr } = await query(words, own.env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n').map((line) => line.slice(0, line.indexOf('  ', 36)).trimEnd())).toEqual([
      'CLUSTER   NAMESPACE   NAME',
      'east      shop        deployment.apps/blue',
      'east      shop        └─ replicaset.apps/set',
      'east      shop           └─ pod/of-blue',
      'west      shop        deployment.apps/red',
      'west      shop        └─ replicaset.apps/set',
      'west      shop           └─ pod/of-red',
      '',
    ]);
    const trees = JSON.parse((await query([...words, '-o', 'json'], own.env)).stdout);
    const namesOf = (tree: { cluster: string; name: string; children: never[] }): string[] => [
      `${tree.cluster} ${tree.name}`,
      ...tree.children.flatMap(namesOf),
    ];
    expect(trees.flatMap(namesOf)).toEqual(
      ['east blue', 'east set', 'east of-blue', 'west red', 'west set', 'west of-red'], // biome-ignore format: short
    );
    const one = await query(['deploy/red', '-n', 'shop', '--tree', '-o', 'json'], own.env);
    expect([one.code, JSON.parse(one.stdout).map(namesOf)]).toEqual([0, [['west red', 'west set', 'west of-red']]]);
  });

  it('shows what changed in each since the last query, and compares the others when one cannot be reached', async () => {
    const cache = await mkdtemp(path.join(tmpdir(), 'since-'));
    await using own = await startClusters({ west: [settings('a', '1')], east: [settings('a', '1')] });
    const ask = (words: readonly string[], env: object = own.env) =>
      run(['query', 'cm', '-n', 'since', '--since-last', ...words], { env: { ...env, XDG_CACHE_HOME: cache } });
    try {
      const stored = 'configmaps: 1 object stored; the next query --since-last shows what changed since now';
      expect(await ask(BOTH)).toMatchObject({
        code: 0,
        stdout: '',
        stderr: `cluster east: ${stored}\ncluster west: ${stored}\n`,
      });
      own.sandboxes.east.apply(settings('b', '1'));
      own.sandboxes.west.apply(settings('a', '2'));
      const env = await own.withContexts({ dead: DEAD });
      const { code, stdout, stderr } = await ask(['--all-contexts'], env);
      expect(stdout.split('\n').map((line) => line.trimEnd())).toEqual([
        '  CLUSTER   NAMESPACE   NAME   FIELDS',
        '+ east      since       b',
        '~ west      since       a      .data.of',
        '',
      ]);
      expect([code, stderr.split('\n')]).toEqual([
        1,
        expect.arrayContaining([
          expect.stringMatching(/^cluster east: configmaps: 1 added, 0 deleted, 0 changed since/),
          expect.stringMatching(/^cluster west: configmaps: 0 added, 0 deleted, 1 changed since/),
          expect.stringMatching(/^error: cluster dead: .*refused/),
        ]),
      ]);
      const again = await ask([...BOTH, '-o', 'ndjson']);
      expect([again.code, again.stdout]).toEqual([0, '']);
      own.sandboxes.west.apply(settings('c', '1'));
      const { cluster, key } = JSON.parse((await ask([...BOTH, '-o', 'ndjson'])).stdout);
      expect([cluster, key]).toEqual(['west', 'since/c']);
    } finally {
      await rm(cache, { recursive: true, force: true });
    }
  });

  it('asks each server for the part that it can select, and says how for each cluster', async () => {
    const { code, stdout, stderr } = await query(['pods', '-A', '--eq', 'label:app=web', '-o', 'name', '--explain']);
    expect({ code, lines: stdout.split('\n').length }).toEqual({ code: 0, lines: 5 });
    for (const cluster of ['east', 'west'])
      expect(stderr).toMatch(
        new RegExp(`^cluster ${cluster}: pods: .*pushed to the server: label selector app=web`, 'm'),
      );
  });

  it('names the cluster in advice on an empty answer', async () => {
    const { code, stdout, stderr } = await query(['pods', '-n', 'shop', '--eq', 'label:app=wen']);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('none of 2 pods and 2 pods matches\n');
    expect(stderr).toContain(
      'cluster east: --eq label:app=wen: no object has this value; did you mean label:app=web?\n',
    );
  });

  it('sorts and limits the groups of --group-by cluster', async () => {
    const words = ['pods', '-A', '--group-by', 'cluster'];
    expect((await query([...words, '--sort-by', 'count'])).stdout).toBe('VALUE   COUNT\neast    2\nwest    3\n');
    expect((await query([...words, '--sort-by', '-value', '--limit', '1'])).stdout).toBe('VALUE   COUNT\nwest    3\n');
  });

  it('waits for a type in each cluster', async () => {
    await using own = await startClusters({ west: [APPLES, apple('gala', 'red')], east: [] });
    await using cli = new Cli(['query', 'myapples.stable.example.com', '-A', '-o', 'name', '--wait-for-crd', ...BOTH], {
      env: own.env,
    });
    await cli.until(({ stderr }) => stderr.includes('waiting for it (--wait-for-crd)'));
    own.sandboxes.east.apply([APPLES, apple('fuji', 'red')]);
    const { code, stdout, stderr } = await cli.ended();
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^east .*fuji\nwest .*gala\n$/)]);
    expect(stderr).toMatch(/^cluster east: .*waiting for it \(--wait-for-crd\)/);
  });

  it('gives what one cluster has of a type that the other does not serve, and an error with the name of that', async () => {
    const { code, stdout, stderr } = await query(['myapples.stable.example.com', '-A']);
    expect(cellsOf(stdout, 1)).toEqual(['CLUSTER', 'west']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('error: cluster east: ')]);
  });

  it('gives what the others have when one cannot be reached, and no number that leaves it out', async () => {
    const env = await clusters.withContexts({ dead: DEAD });
    const words = ['pods', '-n', 'shop', '--all-contexts'];
    const found = await run(['query', ...words, '-o', 'name'], { env });
    expect(found.stdout.split('\n')).toHaveLength(5);
    expect([found.code, found.stderr]).toEqual([1, expect.stringMatching(/^error: cluster dead: .*refused/m)]);
    for (const flags of [['--count'], ['--values', 'cluster'], ['--group-by', 'cluster']]) {
      const counted = await run(['query', ...words, ...flags], { env });
      expect([counted.code, counted.stdout]).toEqual([1, '']);
    }
    const without = await run(['query', ...words, '--count', '--in', 'cluster=east,west'], { env });
    expect([without.code, without.stdout]).toEqual([0, '4\n']);
  });

  it('gives what the others have when one is silent until --timeout, and names that one', async () => {
    await using silent = await rawSocketScript();
    const env = await clusters.withContexts({
      silent: { cluster: { server: silent.url }, user: { token: 'x' } },
    });
    const words = ['query', 'pods', '-n', 'shop', '--context', 'east,silent', '--timeout', '4s'];
    const [found, counted] = await Promise.all([
      run([...words, '-o', 'name'], { env }),
      run([...words, '--count'], { env }),
    ]);
    const late = expect.stringMatching(/^error: cluster silent: no complete answer within --timeout\nhint: /);
    expect(found).toMatchObject({ code: 3, stdout: 'east pod/web-1\neast pod/web-9\n', stderr: late });
    expect(counted).toMatchObject({ code: 3, stdout: '', stderr: late });
  });

  it('a name is missing when no cluster has it', async () => {
    expect(await query(['pod', 'web-9', '-n', 'shop', '-o', 'name'])).toMatchObject({
      code: 0,
      stdout: 'east pod/web-9\n',
    });
    const { code, stderr } = await query(['pod', 'nope', '-n', 'shop']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('pods "nope" not found')]);
    const spread = ['east pod/web-9\nwest pod/web-2\n', ''];
    const found = await query(['pod', 'web-2', 'web-9', '-n', 'shop', '-o', 'name']);
    expect([found.code, found.stdout, found.stderr]).toEqual([0, ...spread]);
    const partly = await query(['pod', 'web-2', 'web-9', 'nope', '-n', 'shop', '-o', 'name']);
    expect([partly.code, partly.stdout]).toEqual([1, spread[0]]);
    expect(partly.stderr).toMatch(/^error: pods "nope" not found \(NotFound\)\nhint: .*\n$/);
  });

  it.each([
    [['--group-by', 'cluster', '-o', 'name'], '--group-by has no objects for -o name'],
    [['--eq', 'cluster=wst'], 'the clusters are east, west'],
    [['--eq', 'clustr=west'], 'did you mean "cluster"?'],
  ])('refuses %j', async (flags, message) => {
    const { code, stdout, stderr } = await query(['pods', ...flags]);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
  });
});
