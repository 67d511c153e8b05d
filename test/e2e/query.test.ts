import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../support/cli.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';

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
    const { stdout, code } = await query('pods', '-A', '--index', 'image=.spec.containers[*].image', '--values', 'image');
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

  it('refuses an unknown index and lists those there are', async () => {
    const result = await query('pods', '-A', '--eq', 'rack=7');
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(/rack[\s\S]*namespace/);
  });

  it('refuses a bad path with its position', async () => {
    const result = await query('pods', '-A', '--index', 'bad=.spec[', '--values', 'bad');
    expect(result).toMatchObject({ code: 2, stdout: '' });
  });
});
