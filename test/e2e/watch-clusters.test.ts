import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
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

const watch = (words: readonly string[], env = clusters.env) => run(['watch', ...words], { env });
const BOTH = ['--context', 'west,east'];
/** A server that no one runs. */
const DEAD = { cluster: { server: 'https://127.0.0.1:9' }, user: { token: 'x' } };

describe('watch of several contexts', () => {
  it('shows rows of all in one table, CLUSTER first, by cluster, namespace and name, each context once', async () => {
    const { code, stdout, stderr } = await watch(['pods', '--once', '-A', '--context', 'west,east,west']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const cells = stdout.split('\n').map((line) => line.split(/\s+/).slice(0, 4));
    expect(cells.slice(0, -1)).toEqual([
      ['CLUSTER', 'EVENT', 'NAMESPACE', 'NAME'],
      ['east', 'ADDED', 'shop', 'web-1'],
      ['east', 'ADDED', 'shop', 'web-9'],
      ['west', 'ADDED', 'other', 'db-1'],
      ['west', 'ADDED', 'shop', 'web-1'],
      ['west', 'ADDED', 'shop', 'web-2'],
    ]);
  });

  it.each([
    ['name', 'east pod/web-1\neast pod/web-9\nwest pod/web-1\nwest pod/web-2\n'],
    [
      'jq=[.cluster, .key]',
      '["east","shop/web-1"]\n["east","shop/web-9"]\n["west","shop/web-1"]\n["west","shop/web-2"]\n',
    ],
    [
      'custom-columns=N:.metadata.name',
      'CLUSTER   N\neast      web-1\neast      web-9\nwest      web-1\nwest      web-2\n',
    ],
  ])('names the cluster in -o %s', async (format, stdout) => {
    expect(await watch(['pods', '--once', '-o', format, ...BOTH])).toMatchObject({ code: 0, stdout, stderr: '' });
  });

  it.skipIf(process.platform === 'win32')('a line about a running serve names its cluster', async () => {
    const env = { ...clusters.env, XDG_RUNTIME_DIR: await mkdtemp(path.join(tmpdir(), 'serve-')) };
    try {
      await using serve = new Cli(['serve', 'pods', '--context', 'west'], { env });
      await serve.until(({ stderr }) => /^ready: /m.test(stderr), 'ready');
      const [, pid] = /^serve \(pid (\d+)\)/m.exec(serve.stderr) ?? [];
      const { code, stderr } = await watch(['pods', '--once', '-o', 'name', '--all-contexts'], env);
      expect([code, stderr]).toEqual([0, `cluster west: from serve (pid ${pid})\n`]);
    } finally {
      await rm(env.XDG_RUNTIME_DIR, { recursive: true, force: true });
    }
  });

  it('has the column and the field with --all-contexts of a kubeconfig with one context too, and not without', async () => {
    const one = await startClusters({ solo: OBJECTS });
    await using _ = one;
    const all = await watch(['pods', '--once', '--all-contexts'], one.env);
    expect(all.stdout.split('\n')[1]?.split(/\s+/).slice(0, 3)).toEqual(['solo', 'ADDED', 'web-1']);
    const alone = await watch(['pods', '--once', '--context', 'solo'], one.env);
    expect(alone.stdout.split('\n')[0]).toMatch(/^EVENT +NAME/);
    const { stdout } = await watch(['pods', '--once', '-o', 'json', '--context', 'solo'], one.env);
    expect(stdout).not.toContain('"cluster"');
  });

  it('lets --where and --filter read the cluster, and waits see objects of all', async () => {
    const where = await watch(['pods', '--once', '-o', 'name', '--where', 'CLUSTER == "west"', ...BOTH]);
    expect(where.stdout).toBe('west pod/web-1\nwest pod/web-2\n');
    const filter = await watch(['pods', '--once', '-o', 'name', '--filter', 'cluster != "west"', ...BOTH]);
    expect(filter.stdout).toBe('east pod/web-1\neast pod/web-9\n');
    const any = await watch(['pods', '--until-any', 'cluster == "west" && object.metadata.name == "web-2"', ...BOTH]);
    expect(any).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('--until-any is met: pods shop/web-2 in west'),
    });
    expect((await watch(['pods', '--for', 'create', '--timeout', '60s', ...BOTH])).code).toBe(0);
    const single = await watch(['pods', '--once', '--where', 'CLUSTER == "west"']);
    expect(single).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no column CLUSTER') });
  });

  it('carries cluster in events and markers of each', async () => {
    const cli = new Cli(['watch', 'pods', '-o', 'json', '--markers', ...BOTH], { env: clusters.env });
    await cli.until(({ lines }) => lines.filter((line) => line.includes('"SYNCED"')).length === 2, 'both syncs');
    clusters.sandboxes.east.apply([pod('web-10')]);
    await cli.until(({ stdout }) => stdout.includes('shop/web-10'), 'the change');
    cli.child.kill('SIGINT');
    const { code, stderr } = await cli.ended();
    const records = cli.events<{ type: string; cluster?: string; key?: string }>();
    expect(code).toBe(0);
    expect(records.map(({ type, cluster = '', key = '' }) => [type, cluster, key].join(' '))).toEqual([
      'ADDED east shop/web-1',
      'ADDED east shop/web-9',
      'SYNCED east ',
      'ADDED west shop/web-1',
      'ADDED west shop/web-2',
      'SYNCED west ',
      'ADDED east shop/web-10',
      'END  ',
    ]);
    expect(stderr).toContain('; by cluster: east 3, west 2\n');
    clusters.sandboxes.east.delete({ apiVersion: 'v1', kind: 'Pod' }, 'shop/web-10');
  });
});

describe('a cluster that has something else', () => {
  it('shows a type where it is served, says where it is not, and refuses one that no cluster has', async () => {
    const once = await watch(['pods,myapples', '--once', '-o', 'name', ...BOTH]);
    expect(once).toMatchObject({ code: 1, stdout: expect.stringContaining('west myapple.stable.example.com/gala\n') });
    expect(once.stderr).toBe(
      'error: cluster east: the server doesn\'t have a resource type "myapples"\nhint: kubectl api-resources lists the types the server has; --wait-for-crd waits for a type whose definition is to come\n',
    );
    const only = await watch(['myapples', '--timeout', '2s', '-o', 'name', ...BOTH]);
    expect(only).toMatchObject({ code: 3, stdout: 'west myapple.stable.example.com/gala\n' });
    expect(only.stderr).toContain(
      'error: cluster east: the server doesn\'t have a resource type "myapples"; not in this stream\n',
    );
    const typo = await watch(['pods,podz', '--once', ...BOTH]);
    expect(typo).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('error: the server doesn\'t have a resource type "podz"'),
    });
  });

  it('shows the rest where it is forbidden, with the code of a partly forbidden stream', async () => {
    const env = await clusters.withContexts({ guest: { user: { token: clusters.sandboxes.west.token, as: 'guest' } } });
    const once = await watch(['pods', '--once', '-o', 'name', '--context', 'guest,east'], env);
    expect(once).toMatchObject({ code: 1, stdout: expect.stringContaining('east pod/web-1\n') });
    expect(once.stderr).toContain('error: cluster guest: pods is forbidden: User "guest" cannot list');
  });
});

describe('a cluster of which nothing may be read', () => {
  it('is named with the missing rules, and the stream of several types goes on without it', async () => {
    const env = await clusters.withContexts({ zoe: { user: { token: clusters.sandboxes.west.token, as: 'zoe' } } });
    // zoe is refused before its turn comes
    clusters.sandboxes.east.faults.add({ fault: { kind: 'delay', ms: 1500 }, match: { path: '/configmaps' } });
    await using cli = new Cli(['watch', 'pods,configmaps', '-o', 'json', '--markers', '--context', 'zoe,east'], {
      env,
    });
    await cli.until(({ stderr }) => stderr.includes('goes on without: cluster zoe'), 'the notice');
    await cli.until(({ stdout }) => stdout.split('"SYNCED"').length === 3, 'the lists of the other');
    clusters.sandboxes.east.apply([pod('web-11')]);
    await cli.until(({ stdout }) => stdout.includes('shop/web-11'), 'a change of the other');
    cli.kill('SIGINT');
    const { code, stderr, stdout } = await cli.ended();
    clusters.sandboxes.east.delete({ apiVersion: 'v1', kind: 'Pod' }, 'shop/web-11');
    expect(code).toBe(1);
    expect(stdout).toMatch(/"type":"GAP","cluster":"zoe","reason":"forbidden"/);
    expect(stderr).toMatch(/^error: cluster zoe: pods is forbidden: User "zoe" cannot list/m);
    expect(stderr).toMatch(/^hint: missing is a Role in shop with the rule/m);
  });
});

describe('a cluster that does not answer', () => {
  it('is named with the next step, tried again, and does not hold up the others; so is a plugin that hangs', async () => {
    const hung = {
      user: {
        exec: {
          apiVersion: 'client.authentication.k8s.io/v1',
          command: 'sleep',
          args: ['600'],
          interactiveMode: 'Never',
        },
      },
    };
    const env = await clusters.withContexts({ dead: DEAD, hung, wrong: { cluster: {}, user: {} } });
    const cli = new Cli(['watch', 'pods', '-o', 'name', '--all-contexts', '--cache-dir', `${env.KUBECONFIG}-cache`], {
      env,
    });
    await cli.until(({ lines }) => lines.length >= 4, 'the rows of those that answer');
    await cli.until(({ stderr }) => stderr.includes('cluster hung: no answer yet'), 'the notice');
    cli.child.kill('SIGINT');
    const { code, stderr } = await cli.ended();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^cluster dead: The connection to the server 127.0.0.1:9 was refused.*; trying again$/m);
    expect(stderr).toContain('error: cluster wrong: no server found for cluster "wrong"; not in this stream\n');
    expect(stderr).toContain('error: cluster hung: no answer: not in this stream\n');
    expect(stderr).toMatch(/by cluster: east 2, west 2, .*dead absent/);
  });

  it('is an error at the end of --once, and before a row with --strict', async () => {
    const env = await clusters.withContexts({ dead: DEAD });
    const refused = expect.stringMatching(/^error: cluster dead: The connection to the server 127.0.0.1:9 was refused/);
    const once = await watch(['pods', '--once', '-o', 'name', '--context', 'east,dead'], env);
    expect(once).toMatchObject({ code: 1, stdout: 'east pod/web-1\neast pod/web-9\n', stderr: refused });
    const strict = await watch(['pods', '--strict', '-o', 'name', '--context', 'east,dead'], env);
    expect(strict).toMatchObject({ code: 1, stdout: '', stderr: refused });
  });

  it('joins the stream later, and the hints on the others are not given again', async () => {
    await using two = await startClusters({ a: [], b: [] });
    const refused = two.sandboxes.b.faults.add({ fault: { kind: 'refuse' }, times: Number.POSITIVE_INFINITY });
    await using cli = new Cli(['watch', 'pods', '--all-contexts', '--timeout', '30s'], { env: two.env });
    const empty = (name: string) => `cluster ${name}: No resources found`;
    await cli.until(({ stderr }) => stderr.includes(empty('a')), 'the one that answers');
    refused[Symbol.dispose]();
    await cli.until(({ stderr }) => stderr.includes(empty('b')), 'the other');
    expect(cli.stderr.split(empty('a'))).toHaveLength(2);
  });

  it('joins the stream when it answers, and an outage later is said of it alone', async () => {
    await using two = await startClusters({ a: OBJECTS, b: OBJECTS });
    const { b } = two.sandboxes;
    const refused = b.faults.add({ fault: { kind: 'refuse' }, times: Number.POSITIVE_INFINITY });
    const cli = new Cli(['watch', 'pods', '-o', 'name', '--all-contexts'], { env: two.env });
    await cli.until(({ lines }) => lines.includes('a pod/web-2'), 'the one that answers');
    await cli.until(({ stderr }) => /^cluster b: (no answer yet|.*trying again)/m.test(stderr), 'the notice');
    refused[Symbol.dispose]();
    await cli.until(({ lines }) => lines.includes('b pod/web-2'), 'the other');
    expect(cli.stderr).toContain('cluster b: it answers, and is in the stream from now on\n');
    await b.stop();
    await cli.until(
      ({ stderr }) => /^cluster b: .*trying again$/m.test(stderr.split('from now on')[1] ?? ''),
      'the outage',
    );
    two.sandboxes.a.apply([pod('web-5')]);
    await cli.until(({ stdout }) => stdout.includes('a pod/web-5'), 'the others go on');
    cli.child.kill('SIGINT');
    const { stderr } = await cli.ended();
    expect(stderr).toMatch(/; cluster b disconnected since .* not seen$/m);
  });
});

describe('flags that make no sense with several contexts', () => {
  it.each([
    [
      ['--context', 'east,wst'],
      1,
      'error: context "wst" does not exist\nhint: did you mean "west"? The contexts are west, east\n',
    ],
    [['--context', 'east,'], 2, 'error: invalid argument "east," for "--context": a name is empty\n'],
    [
      ['--context', 'east,west', '--server', 'https://x'],
      2,
      'error: --server cannot be used with --context with several names\n',
    ],
    [['--all-contexts', '--token', 'x'], 2, 'error: --token cannot be used with --all-contexts\n'],
    [['--all-contexts', '--context', 'east'], 2, 'error: --context cannot be used with --all-contexts\n'],
    [['--all-contexts', '--sandbox'], 2, 'error: --sandbox cannot be used with --all-contexts\n'],
  ])('refuses %j', async (flags, code, stderr) => {
    expect(await watch(['pods', ...flags])).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringContaining(stderr),
    });
  });

  it('are refused by a command that takes one context, with the commands that take several', async () => {
    const { code, stderr } = await run(['reconcile', 'pods', '--exec', 'true', '--context', 'east,west'], {
      env: clusters.env,
    });
    expect(code).not.toBe(0);
    expect(stderr).toContain('only watch and query take several contexts');
  });
});
