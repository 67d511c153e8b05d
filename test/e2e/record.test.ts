import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../src/testing/eventually.ts';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';

let fixture: Fixture;
let folder: string;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'record-'));
  env = { ...fixture.env, XDG_RUNTIME_DIR: folder };
  return () => rm(folder, { recursive: true, force: true });
});

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };

const put = (name: string, color: string) =>
  fixture.sandbox.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'shop', name },
    data: { color },
  });

/** Runs a command that records until it has printed something, and ends it. */
async function recordUntil(args: readonly string[], text: string, act: () => void = () => {}): Promise<string> {
  const cli = new Cli(args, { env });
  await eventually(() => (cli.stdout.includes('first') || cli.stderr.includes('ready') ? true : undefined), {
    timeoutMs: 30_000,
  });
  act();
  if (text !== '') await eventually(() => (cli.stdout.includes(text) ? true : undefined), { timeoutMs: 30_000 });
  cli.kill('SIGINT');
  const { code, stderr } = await cli.ended();
  expect(code, stderr).toBe(0);
  return stderr;
}

it('watch records what history and query then ask, with filters that choose what is shown alone', async () => {
  const file = path.join(folder, 'shop.rec');
  put('first', 'blue');
  await recordUntil(
    ['watch', 'cm', '-n', 'shop', '--name', 'first', '-o', 'name', '--record', file],
    'configmap/first\nconfigmap/first',
    () => {
      put('other', 'green');
      put('first', 'red');
    },
  );
  const asked = (...args: string[]) => run([...args, '--from', file], { env: { HOME: folder } });
  const history = await asked('history', 'cm/first');
  expect(history.stdout).toMatch(/^\S+Z {2}ADDED {5}-\n\S+Z {2}MODIFIED {2}\S+ {2}\.data\.color: blue → red\n$/);
  expect(history.code).toBe(0);
  const byPath = await asked('history', 'cm/first', '--path', '.data.size');
  expect(byPath.stdout).toBe('');
  const changes = await asked('history', 'cm/first', '-o', 'changes', '--limit', '1');
  expect(changes.stdout).toContain('.data.color: blue → red');
  const events = await asked('history', 'cm/first', '-o', 'json');
  expect(
    events.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type),
  ).toEqual(['ADDED', 'MODIFIED']);
  expect((await asked('history', 'cm/nothing')).code).toBe(1);
  const names = await asked('query', 'cm', '-n', 'shop', '-o', 'name');
  expect(names.stdout).toContain('configmap/other');
  const red = await asked(
    'query',
    'cm',
    '-A',
    '--filter',
    'object.data.?color.orValue("") == "red"',
    '--name',
    '^(first|other)$',
    '--count',
  );
  expect(red.stdout).toBe('1\n');
  const early = await asked('query', 'cm', '-n', 'shop', '--at', '2020-01-01');
  expect(early).toMatchObject({ code: 2, stdout: '' });
  expect(early.stderr).toMatch(/^error: --at 2020-01-01 is before the recording\nhint: it begins at \S+Z\n$/);
  const table = new DatabaseSync(file, { readOnly: true });
  expect(
    table.prepare("SELECT who IS NOT NULL AS who, before, after FROM changes WHERE path = '.data.color'").all(),
  ).toEqual([{ who: 1, before: 'blue', after: 'red' }]);
  expect(table.prepare("SELECT DATA FROM configmaps WHERE name = 'first'").get()).toEqual({ DATA: 1 });
  table.close();
  const compact = await run(['record', 'compact', file, '--keep', '1d'], { env });
  expect(compact).toMatchObject({ code: 0, stderr: expect.stringContaining('0 revisions removed') });
  const missing = await asked('query', 'secret', '-A');
  expect(missing).toMatchObject({ code: 2, stdout: '' }); // the compaction is no part of the recording
  expect(missing.stderr).toBe('error: the recording does not have "secret"\nhint: it has configmaps\n');
}, 60_000);

it('watch --once records a state, serve --record what it caches', async () => {
  const file = path.join(folder, 'shop.rec');
  put('first', 'blue');
  const once = await run(['watch', 'cm', '-A', '--once', '-o', 'name', '--record', file], { env });
  expect(once.code, once.stderr).toBe(0);
  await recordUntil(['serve', 'cm', '--record', file], '');
  fixture.sandbox.delete(CONFIG_MAPS, 'shop/first');
  await recordUntil(['serve', 'cm', '--record', file], '');
  const { stdout } = await run(['history', 'cm/first', '-n', 'shop', '--from', file], { env });
  expect(stdout.split('\n').map((line) => line.split('  ').slice(1, 2).join(' '))).toEqual([
    'ADDED',
    'not seen',
    'not seen',
    'DELETED',
    '',
  ]);
  expect(stdout).toContain('(stopped): the next list showed 0 added, 0 changed, 1 deleted');
}, 60_000);

it('refuses what it cannot do: a file that is none, a key that others read, flags without --record or --from', async () => {
  const other = path.join(folder, 'other.txt');
  await writeFile(other, 'not a database, but a text of some length that is no database');
  const refused = async (...args: string[]) => {
    const { code, stderr } = await run(args, { env });
    return [code, stderr.split('\n')[0]];
  };
  expect(await refused('watch', 'cm', '--once', '--record', other)).toEqual([1, expect.stringContaining('other.txt')]);
  expect(await readFile(other, 'utf8')).toContain('not a database');
  expect(await refused('query', 'cm', '--from', path.join(folder, 'none'))).toEqual([
    1,
    expect.stringContaining('there is no such file'),
  ]);
  await writeFile(path.join(folder, 'key'), 'x'.repeat(32), { mode: 0o644 });
  const keyed = ['--record', path.join(folder, 'r'), '--record-key', path.join(folder, 'key')];
  expect(await refused('watch', 'cm', '--once', ...keyed)).toEqual([2, expect.stringContaining('others can read')]);
  expect(await refused('watch', 'cm', '--record-keep', '1d')).toEqual([
    2,
    'error: --record-keep does nothing without --record',
  ]);
  const nothing = await run(['history'], { env: { HOME: folder } }); // no cluster is looked for
  expect(nothing).toMatchObject({ code: 2, stderr: expect.stringMatching(/^error: history is of one object\n/) });
  expect(await refused('query', 'cm', '--at', '10m')).toEqual([2, 'error: --at does nothing without --from']);
  expect(await refused('history', 'cm', '-n', 'shop')).toEqual([2, 'error: history is of one object']);
}, 60_000);
