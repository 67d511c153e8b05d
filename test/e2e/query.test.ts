import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IndexCatalog } from '../../src/query/index/index-catalog.ts';
import { run } from '../support/cli.ts';
import { configMap, type Fixture, startFixture } from '../support/fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const query = (...line: string[]) => run(['query', ...line], { env: fixture.env });

describe('query', () => {
  it('answers by an index of the user’s', async () => {
    const result = await query('pods', '-A', '--index', 'node=.spec.nodeName', '--eq', 'node=worker-2', '-o', 'name');
    expect(result).toMatchObject({ code: 0, stdout: 'pod/db-1\npod/web-2\n' });
  });

  it('answers by a built-in index', async () => {
    expect((await query('pods', '-A', '--eq', 'label:app=db', '-o', 'name')).stdout).toBe('pod/db-1\n');
    expect((await query('pods', '-A', '--eq', 'node=worker-1', '-o', 'name')).stdout).toBe('pod/web-1\n');
  });

  it('counts the values of an index, several of one object too', async () => {
    const { stdout, code } = await query(
      'pods',
      '-A',
      '--index',
      'image=.spec.containers[*].image',
      '--values',
      'image',
    );
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.trim().split(/\s+/))).toEqual(
      expect.arrayContaining([
        ['nginx:1.27', '2'],
        ['postgres:17', '1'],
      ]),
    );
  });

  it('prints what kubectl get would: a table, a List, YAML', async () => {
    expect((await query('pods', '-n', 'shop')).stdout).toMatch(/^NAME +READY +STATUS +RESTARTS +AGE *\nweb-1 /);
    const list = JSON.parse((await query('pods', '-n', 'shop', '-o', 'json')).stdout) as {
      kind: string;
      items: { kind: string; metadata: { name: string } }[];
    };
    expect(list.kind).toBe('List');
    expect(list.items.map((i) => [i.kind, i.metadata.name])).toEqual([
      ['Pod', 'web-1'],
      ['Pod', 'web-2'],
    ]);
    expect((await query('pods', '-n', 'shop', '-o', 'yaml')).stdout).toContain('kind: Pod\n');
  });

  it('sorts by an expression, and with - before it the other way round', async () => {
    const names = async (order: string) =>
      (await query('pods', '-n', 'shop', `--sort-by=${order}`, '-o', 'name')).stdout.trim().split('\n');
    expect(await names('.metadata.name')).toEqual(['pod/web-1', 'pod/web-2']);
    expect(await names('-.metadata.name')).toEqual(['pod/web-2', 'pod/web-1']);
    expect(await names('-{.metadata.name}')).toEqual(['pod/web-2', 'pod/web-1']);
  });

  it('says when nothing is found', async () => {
    expect(await query('pods', '-n', 'empty')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('No resources found in empty namespace.'),
    });
  });

  it('fails for a name that is not there, as kubectl get does', async () => {
    expect(await query('pods', 'none', '-n', 'shop')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('pods "none" not found'),
    });
  });

  it('prints no document when nothing of what was named is there', async () => {
    const nothing = await query('pods', 'none', '-n', 'shop', '-o', 'json');
    expect(nothing).toMatchObject({ code: 1, stdout: '' });
  });

  it('takes a missing name for no answer with --ignore-not-found', async () => {
    expect(await query('pods', 'none', '-n', 'shop', '--ignore-not-found')).toEqual({
      code: 0,
      signal: null,
      stdout: '',
      stderr: '',
    });
    const some = await query('pods', 'none', 'web-1', '-n', 'shop', '--ignore-not-found', '-o', 'name');
    expect(some).toMatchObject({ code: 0, stdout: 'pod/web-1\n', stderr: '' });
  });

  it('takes a name for a name, and refuses one that no pod can have', async () => {
    expect(await query('pods', 'web-1,web-2', '-n', 'shop')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"web-1,web-2" cannot be the name of an object of pods'),
    });
  });

  it('counts values of the named objects only', async () => {
    const { stdout } = await query(
      'pods',
      'web-2',
      'none',
      '-n',
      'shop',
      '--values',
      'node',
      '-o',
      'json',
      '--ignore-not-found',
    );
    expect(JSON.parse(stdout)).toEqual([{ value: 'worker-2', count: 1 }]);
  });

  it('keeps a value on its line, without what a terminal obeys', async () => {
    await using own = await startFixture([configMap('notes', { text: 'one\ntwo', hostile: '\x1b[2Jx' })]);
    const { stdout } = await run(['query', 'cm', '-n', 'shop', '--index', 'text=.data.*', '--values', 'text'], {
      env: own.env,
    });
    expect(stdout.split('\n').map((line) => line.trim().split(/ +/))).toEqual(
      expect.arrayContaining([
        ['one...', '1'],
        ['^[[2Jx', '1'],
      ]),
    );
    expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    const bare = await run(['query', 'cm', '-n', 'shop', '--values', 'namespace', '--no-headers'], { env: own.env });
    expect(bare.stdout).toMatch(/^shop +\d+\n$/);
  });

  it('limits what is printed, not what is counted', async () => {
    expect((await query('pods', '-A', '--count', '--limit', '1')).stdout).toBe('3\n');
    const groups = JSON.parse(
      (await query('pods', '-A', '--group-by', '.spec.nodeName', '--limit', '1', '-o', 'json')).stdout,
    );
    expect(groups).toEqual([{ value: 'worker-2', count: 2 }]);
    const composed = JSON.parse(
      (await query('pods', 'web-1', '-n', 'shop', '--group-by', '.metadata.labels', '-o', 'json')).stdout,
    );
    expect(composed).toEqual([{ value: '{"app":"web"}', count: 1 }]);
  });

  it.each([
    [['--values', 'node', '--count'], '--values and --count'],
    [['--group-by', '.spec.nodeName', '--count'], '--count and --group-by'],
    [['--values', 'node', '-o', 'name'], '-o name'],
    [['--values', 'node', '-o', 'csv=A:.b'], '-o csv=…'],
    [['--group-by', '.spec.nodeName', '-o', 'jsonpath={.x}'], '-o jsonpath'],
  ])('refuses questions that exclude each other: %j', async (line, text) => {
    const result = await query('pods', '-A', ...line);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(text);
    expect(result.stderr).toMatch(/^hint: /m);
  });

  it('refuses an unknown index and lists those there are', async () => {
    const result = await query('pods', '-A', '--eq', 'rack=7');
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain('"rack"');
    for (const name of new IndexCatalog().names()) expect(result.stderr).toContain(name);
  });

  it('refuses a bad path with its position', async () => {
    const result = await query('pods', '-A', '--index', 'bad=.spec[', '--values', 'bad');
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain('unterminated array at position 5');
  });

  it('prints one document for a name that is in several namespaces', async () => {
    fixture.sandbox.apply([configMap('twice', { a: '1' }, 'shop'), configMap('twice', { a: '2' }, 'other')]);
    const list = JSON.parse((await query('cm/twice', '-A', '-o', 'json')).stdout) as { kind: string; items: object[] };
    expect([list.kind, list.items.length]).toEqual(['List', 2]);
  });
});

it('reports once, for all types, that --filter cannot be evaluated', async () => {
  const line = ['query', 'pods,deployments', '-n', 'shop', '--filter', 'object.metadata.name > 3', '--count'];
  const { code, stdout, stderr } = await run(line, { env: fixture.env });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '0\n' });
  expect(stderr.split('reported once')).toHaveLength(2);
});
