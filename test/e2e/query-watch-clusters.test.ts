import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { type ManyClusters, startClusters } from '../support/clusters.ts';
import { APPLES, apple, pod } from '../support/fixture.ts';

interface Line {
  readonly type?: string;
  readonly op?: string;
  readonly key?: string;
  readonly cluster?: string;
  readonly row?: { readonly value?: string; readonly count: number };
  readonly reason?: string;
}

const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
const replicaSet = (uid: string) => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { namespace: 'shop', name: 'web', uid },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: pod('web').spec },
  },
});
const ofReplicaSet = (name: string, uid: string) => {
  const made = pod(name);
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid };
  return { ...made, metadata: { ...made.metadata, ownerReferences: [owner] } };
};

let clusters: ManyClusters<'east' | 'west'>;
beforeAll(async () => {
  clusters = await startClusters({
    west: [NAMESPACE, APPLES, apple('gala', 'red'), pod('web-1'), pod('web-2')],
    east: [NAMESPACE, pod('web-1'), pod('web-9', { phase: 'Pending' })],
  });
});
afterAll(() => clusters[Symbol.asyncDispose]());

const follow = (line: readonly string[], env: Record<string, string> = clusters.env) =>
  new Cli(['query', ...line, '--context', 'west,east', '--watch', '--merge', '20ms'], { env });

const stopped = async (cli: Cli) => {
  cli.kill('SIGINT');
  return (await cli.ended()).code;
};

const changesOf = (cli: Cli) =>
  cli
    .events<Line>()
    .filter(({ op }) => op !== undefined)
    .map(({ op, cluster, key, row }) => `${op} ${cluster ?? ''} ${key ?? `${row?.value ?? ''} ${row?.count}`}`);

describe('query --watch of several contexts', () => {
  it('is one result of all: first rows by cluster, then each change with its cluster', async () => {
    const own = await startClusters({ west: [NAMESPACE, pod('web-1')], east: [NAMESPACE, pod('web-1')] });
    await using _own = own;
    await using cli = follow(['pods', '-n', 'shop', '-o', 'json', '--markers'], own.env);
    await cli.until((c) => c.events<Line>().filter(({ type }) => type === 'SYNCED').length === 2, 'the first result');
    own.sandboxes.west.apply(pod('web-3'));
    await cli.until((c) => changesOf(c).length === 3, 'a row of west');
    own.sandboxes.east.apply(pod('web-1', { phase: 'Failed' }));
    await cli.until((c) => changesOf(c).length === 4, 'a change of east');
    expect(changesOf(cli)).toEqual([
      '+ east shop/web-1',
      '+ west shop/web-1',
      '+ west shop/web-3',
      '~ east shop/web-1',
    ]);
    const synced = cli.events<Line>().filter(({ type }) => type === 'SYNCED');
    expect(synced.map(({ cluster }) => cluster)).toEqual(['east', 'west']);
    expect(await stopped(cli)).toBe(0);
  }, 60_000);

  it('prints one table with the column CLUSTER, behind the signs', async () => {
    await using cli = follow(['pods', '-n', 'shop', '--where', 'STATUS != "Running" || CLUSTER == "west"']);
    await cli.until((c) => c.lines.length === 4, 'the first result');
    expect(cli.lines.map((line) => line.trimEnd().split(/\s+/).slice(0, 3).join(' '))).toEqual([
      ' CLUSTER NAME',
      '+ east web-9',
      '+ west web-1',
      '+ west web-2',
    ]);
    expect(await stopped(cli)).toBe(0);
  }, 60_000);

  it('counts and groups over all clusters, by the index cluster too', async () => {
    const own = await startClusters({ west: [NAMESPACE, pod('web-1')], east: [NAMESPACE, pod('web-1')] });
    await using _own = own;
    await using count = follow(['pods', '-n', 'shop', '--count', '-o', 'json'], own.env);
    await using groups = follow(['pods', '-n', 'shop', '--values', 'cluster', '-o', 'json'], own.env);
    await count.until((c) => changesOf(c).length === 1, 'the first number');
    await groups.until((c) => changesOf(c).length === 2, 'the first groups');
    own.sandboxes.west.apply(pod('web-2'));
    await count.until((c) => changesOf(c).length === 2, 'the next number');
    await groups.until((c) => changesOf(c).length === 3, 'the group that changed');
    expect(changesOf(count)).toEqual(['+   2', '~   3']);
    expect(changesOf(groups)).toEqual(['+  east 1', '+  west 1', '~  west 2']);
    expect([await stopped(count), await stopped(groups)]).toEqual([0, 0]);
  }, 60_000);

  it('finds owners in the cluster of the object', async () => {
    const own = await startClusters({
      west: [NAMESPACE, replicaSet('aaaaaaaa-0000-4000-8000-000000000001')],
      east: [NAMESPACE, replicaSet('bbbbbbbb-0000-4000-8000-000000000002')],
    });
    await using _own = own;
    const [west, east] = (['west', 'east'] as const).map(
      (name) =>
        own.sandboxes[name].list({ group: 'apps', version: 'v1', resource: 'replicasets' })[0]?.metadata.uid ?? '',
    );
    own.sandboxes.west.apply(ofReplicaSet('web-1', west ?? ''));
    own.sandboxes.east.apply(ofReplicaSet('web-1', east ?? ''));
    await using cli = follow(['pods', '-n', 'shop', '--eq', `owner=${west}`, '-o', 'json'], own.env);
    await cli.until((c) => changesOf(c).length === 1, 'the pod of the west');
    own.sandboxes.east.apply(ofReplicaSet('web-2', east ?? ''));
    own.sandboxes.west.apply(ofReplicaSet('web-3', west ?? ''));
    await cli.until((c) => changesOf(c).length === 2, 'the next pod of the west');
    expect(changesOf(cli)).toEqual(['+ west shop/web-1', '+ west shop/web-3']);
    expect(await stopped(cli)).toBe(0);
  }, 60_000);

  it('keeps the rows of a cluster that is away, says so with its name, and shows what changed when it is back', async () => {
    const own = await startClusters({ west: [NAMESPACE, pod('web-1')], east: [NAMESPACE, pod('web-1')] });
    await using _own = own;
    await using cli = follow(['pods', '-n', 'shop', '-o', 'json'], own.env);
    await cli.until((c) => changesOf(c).length === 2, 'the first result');
    const restarting = own.sandboxes.east.restart({ keepHistory: true, downMs: 300 });
    own.sandboxes.east.apply(pod('web-2'));
    await restarting;
    await cli.until((c) => changesOf(c).length === 3, 'the row from the time away');
    expect(changesOf(cli)).toEqual(['+ east shop/web-1', '+ west shop/web-1', '+ east shop/web-2']);
    expect(await stopped(cli)).toBe(0);
    expect(cli.stderr).toMatch(/^cluster east: .* watch resumed at \d+ after .*nothing was missed/m);
    expect(cli.stderr).not.toMatch(/^cluster west: /m);
  }, 60_000);

  it.each([
    [
      'a cluster that cannot be reached',
      ['pods', '--context', 'west,dead'],
      1,
      /^error: cluster dead: .*127\.0\.0\.1:9 was refused/,
    ],
    [
      'a type that one cluster does not have',
      ['myapples', '--context', 'west,east'],
      2,
      /^error: cluster east: .*doesn't have a resource type "myapples"/,
    ],
  ])('begins with all or not at all: %s is an error before the first row', async (_, line, code, message) => {
    const env = await clusters.withContexts({
      dead: { cluster: { server: 'https://127.0.0.1:9' }, user: { token: 'x' } },
    });
    const result = await run(['query', ...line, '--watch'], { env });
    expect([result.code, result.stdout, result.stderr]).toEqual([code, '', expect.stringMatching(message)]);
  });

  it('ends with the error of a cluster that may not be read at all, although others may', async () => {
    const env = await clusters.withContexts({ nobody: { user: { token: 'unknown' } } });
    const result = await run(['query', 'pods', '--watch', '--context', 'west,nobody'], { env });
    expect([result.code, result.stdout]).toEqual([1, '']);
    expect(result.stderr).toMatch(/cluster nobody: .*(Unauthorized|401)/);
  });

  it('ends with 3, and with the cluster that does not list its types, when --timeout is over', async () => {
    const own = await startClusters({ west: [NAMESPACE], east: [NAMESPACE] });
    await using _own = own;
    own.sandboxes.east.faults.add({ fault: { kind: 'delay', ms: 60_000 }, times: Number.POSITIVE_INFINITY });
    const result = await run(['query', 'pods', '--context', 'west,east', '--watch', '--timeout', '1500ms'], {
      env: own.env,
    });
    expect([result.code, result.stdout]).toEqual([3, '']);
    expect(result.stderr).toMatch(/^error: cluster east: no complete answer within --timeout\nhint: /);
  }, 60_000);
});
