import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../support/cli.ts';
import { configMap, type Fixture, pod, startFixture } from '../support/fixture.ts';

const PODS = [
  pod('web-1'),
  pod('web-2', { node: 'worker-2', phase: 'Pending' }),
  pod('web-canary', { node: 'worker-2' }),
  pod('db-1', { namespace: 'other', app: 'db', node: 'worker-2', image: 'postgres:17' }),
];

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture([...PODS, configMap('settings', { color: 'red' })]);
});
afterAll(() => fixture[Symbol.asyncDispose]());

const query = (...line: string[]) => run(['query', ...line], { env: fixture.env });

describe('query --where and --name', () => {
  it('finds rows by their printed columns, in every format', async () => {
    const pending = ['pods', '-A', '--where', 'STATUS == "Pending"'];
    expect((await query(...pending)).stdout).toMatch(/^NAMESPACE +NAME .*\nshop +web-2 [^\n]*\n$/);
    expect((await query(...pending, '-o', 'name')).stdout).toBe('pod/web-2\n');
    const { items } = JSON.parse((await query(...pending, '-o', 'json')).stdout) as {
      items: { spec: { nodeName: string } }[];
    };
    expect(items.map(({ spec }) => spec.nodeName)).toEqual(['worker-2']);
  });

  it('joins with lookups, --filter, --count, --values, --group-by and --sort-by', async () => {
    const running = ['pods', '-A', '--where', 'STATUS == "Running"'];
    expect((await query(...running, '--eq', 'node=worker-2', '-o', 'name')).stdout).toBe('pod/db-1\npod/web-canary\n');
    const named = ['--filter', 'object.metadata.namespace == "shop"', '-o', 'name', '--sort-by=-.metadata.name'];
    expect((await query(...running, ...named)).stdout).toBe('pod/web-canary\npod/web-1\n');
    expect((await query(...running, '--count')).stdout).toBe('3\n');
    const counts = [
      { value: 'worker-2', count: 2 },
      { value: 'worker-1', count: 1 },
    ];
    expect(JSON.parse((await query(...running, '--values', 'node', '-o', 'json')).stdout)).toEqual(counts);
    expect(JSON.parse((await query(...running, '--group-by', '.spec.nodeName', '-o', 'json')).stdout)).toEqual(counts);
  });

  it('refuses a column that no type has, with the columns there are, and prints nothing', async () => {
    for (const type of ['pods', 'nodes']) {
      const { code, stdout, stderr } = await query(type, '-A', '--where', 'STATSU == "Running"', '--count');
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain('--where: there is no column STATSU in STATSU == "Running"');
      expect(stderr).toMatch(/did you mean STATUS\? The columns are NAME, .*STATUS/);
    }
  });

  it('says that nothing of what is there matches', async () => {
    expect(await query('pods', '-A', '--where', 'RESTARTS > 3')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('none of 4 pods matches'),
    });
    expect((await query('pods', '-A', '--name', 'nothing')).stderr).toContain('none of 4 pods matches');
  });

  it('finds objects by regular expressions over names, and refuses one that cannot be read', async () => {
    expect((await query('pods', '-A', '--name', '^web-', '--exclude-name', 'canary', '-o', 'name')).stdout).toBe(
      'pod/web-1\npod/web-2\n',
    );
    expect((await query('pods', '-A', '--name', '^web-', '--values', 'node', '-o', 'json')).stdout).toContain('2');
    expect(await query('pods', '--name', '(')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('invalid argument "(" for "--name"'),
    });
  });
});
