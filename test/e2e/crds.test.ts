import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../support/cli.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';

const EXAMPLE = path.resolve(import.meta.dirname, '../../examples/postgres-operator.ts');

let fixture: Fixture;
let folder: string;
beforeAll(async () => {
  fixture = await startFixture();
  folder = await mkdtemp(path.join(tmpdir(), 'crds-'));
});
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

it('prints the definitions of a program, and says what a change of them breaks', async () => {
  const printed = await run(['crds', EXAMPLE]);
  expect(printed).toMatchObject({ code: 0, stderr: '' });
  const [clusters = '', users] = printed.stdout.split('---\n');
  expect(load(users ?? '')).toMatchObject({ metadata: { name: 'postgresusers.pg.example.com' } });

  const before = path.join(folder, 'before.yaml');
  await writeFile(before, printed.stdout.replace('maximum: 9', 'maximum: 12'));
  const breaks = await run(['crds', 'diff', before, EXAMPLE]);
  expect(breaks.code).toBe(1);
  expect(breaks.stdout).toContain('stored   v1 .spec.replicas  maximum 12 becomes 9\n');
  expect(breaks.stdout).toContain('postgresusers.pg.example.com\n  no change\n');
  expect(breaks.stderr).toBe('1 change breaks stored objects\n');
  expect(await run(['crds', 'diff', EXAMPLE, before])).toMatchObject({ code: 0, stderr: '' });

  // the older version holds no objects: its clients only
  const later = path.join(folder, 'later.yaml');
  await writeFile(later, clusters.replace('^postgres:', '^pg:'));
  const clients = (...more: string[]) => run(['crds', 'diff', '-', later, ...more], { input: clusters });
  expect(await clients()).toMatchObject({ code: 0, stderr: '' });
  expect(await clients('--fail-on', 'clients')).toMatchObject({
    code: 1,
    stderr: '1 change breaks stored objects or clients\n',
  });
  const json = JSON.parse((await clients('-o', 'json')).stdout);
  expect(json).toEqual([
    {
      name: 'postgresclusters.pg.example.com',
      changes: [{ at: 'v1alpha1 .spec.image', change: String.raw`pattern becomes ^pg:\d+$`, breaks: 'clients' }],
    },
  ]);
});

it('compares with what is in the cluster, whose objects may be stored in other versions than it says now', async () => {
  const file = path.join(folder, 'clusters.yaml');
  const definition = load((await run(['crds', EXAMPLE])).stdout.split('---\n')[0] ?? '') as never;
  await writeFile(file, JSON.stringify(definition));
  const fresh = await run(['crds', 'diff', file], { env: fixture.env });
  expect(fresh.stdout).toContain('a new definition');
  fixture.sandbox.apply(definition);
  expect((await run(['crds', 'diff', file], { env: fixture.env })).stdout).toBe(
    'postgresclusters.pg.example.com\n  no change\n',
  );
});
