import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../support/cli.ts';
import { type ManyClusters, startClusters } from '../support/clusters.ts';
import { APPLES, apple, OBJECTS, pod } from '../support/fixture.ts';

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

  it('finds owners in the cluster of the object only', async () => {
    // the same replica set in both, by name and uid, of another deployment in each
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
    await using own = await startClusters({ west: chain('red'), east: chain('blue') });
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

  it('a name is missing when no cluster has it', async () => {
    expect(await query(['pod', 'web-9', '-n', 'shop', '-o', 'name'])).toMatchObject({
      code: 0,
      stdout: 'east pod/web-9\n',
    });
    const { code, stderr } = await query(['pod', 'nope', '-n', 'shop']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('pods "nope" not found')]);
  });

  it.each([
    [['--watch'], '--watch reads one cluster'],
    [['--tree'], '--tree reads one cluster'],
    [['--eq', 'cluster=wst'], 'the clusters are east, west'],
    [['--eq', 'clustr=west'], 'did you mean "cluster"?'],
  ])('refuses %j', async (flags, message) => {
    const { code, stdout, stderr } = await query(['pods', ...flags]);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
  });
});
