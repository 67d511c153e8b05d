import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { StateFile } from '../../src/serve/persist/state-file.ts';
import { run } from '../support/cli.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';

let fixture: Fixture;
let cache: string;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());
beforeEach(async () => {
  cache = await mkdtemp(path.join(tmpdir(), 'since-'));
  return () => rm(cache, { recursive: true, force: true });
});

const ask = (...words: string[]) =>
  run(['query', ...words, '--since-last'], { env: { ...fixture.env, XDG_CACHE_HOME: cache } });
const folder = () => path.join(cache, 'kubectl-informer', 'state');
const stateFile = async () => {
  const [name] = (await readdir(folder())).filter((file) => file.endsWith('.db'));
  return path.join(folder(), name ?? '');
};

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
function put(name: string, data: Record<string, string>, kind = 'ConfigMap'): void {
  fixture.sandbox.apply({ apiVersion: 'v1', kind, metadata: { namespace: 'since', name }, data });
}
const remove = (name: string) => fixture.sandbox.delete(CONFIG_MAPS, `since/${name}`);

describe.skipIf(process.platform === 'win32')('query --since-last', () => {
  it('stores a baseline, then shows what was added, changed, deleted, or deleted and created again; each once', async () => {
    for (const name of ['changed', 'deleted', 'again', 'kept']) put(name, { of: '1' });
    expect(await ask('cm', '-n', 'since')).toEqual({
      code: 0,
      signal: null,
      stdout: '',
      stderr: 'configmaps: 4 objects stored; the next query --since-last shows what changed since now\n',
    });
    put('changed', { of: '2' });
    remove('deleted');
    remove('again');
    put('again', { of: '1' });
    put('added', { of: '1' });
    const { code, stdout, stderr } = await ask('cm', '-n', 'since');
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.trimEnd())).toEqual([
      '  NAMESPACE   NAME      FIELDS',
      '- since       deleted',
      '+ since       added',
      '- since       again',
      '+ since       again',
      '~ since       changed   .data.of',
      '',
    ]);
    expect(stderr).toMatch(/^configmaps: 2 added, 2 deleted, 1 changed since \d+m?s ago\n$/);
    expect(await ask('cm', '-n', 'since')).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining('nothing changed'),
    });
  });

  it('compares each selection with itself', async () => {
    put('one', { of: '1' });
    await ask('cm', '-n', 'since');
    expect((await ask('cm', '-n', 'since', '-l', 'a=b')).stderr).toContain('stored');
    expect((await ask('cm', '-A')).stderr).toContain('stored');
    expect((await ask('cm', '-n', 'since')).stderr).toContain('nothing changed');
  });

  it('prints records of the event envelope with -o json', async () => {
    put('json', { of: '1' });
    await ask('cm', 'json', '-n', 'since');
    put('json', { of: '2' });
    const { stdout } = await ask('cm', 'json', '-n', 'since', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      type: 'MODIFIED',
      key: 'since/json',
      gvr: 'v1/configmaps',
      cause: 'relist',
      changed: ['.data.of'],
      object: { data: { of: '2' } },
    });
    remove('json');
    const last = await ask('cm', 'json', '-n', 'since', '-o', 'json');
    expect(JSON.parse(last.stdout)).toMatchObject({
      type: 'DELETED',
      finalStateUnknown: true,
      object: { data: { of: '2' } },
    });
  });

  it('stores no value of a Secret, in a file and folder of this user alone', async () => {
    const hush = Buffer.from('very-secret-value').toString('base64');
    put('hush', { password: hush }, 'Secret');
    await ask('secrets', '-n', 'since');
    put('hush', { password: Buffer.from('another-secret').toString('base64') }, 'Secret');
    const { stdout } = await ask('secrets', '-n', 'since', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ type: 'MODIFIED', key: 'since/hush' });
    expect(stdout).not.toMatch(/hmac|"data"/);
    for (const name of await readdir(folder())) {
      const file = path.join(folder(), name);
      expect((await stat(file)).mode & 0o777, name).toBe(0o600);
      const bytes = await readFile(file, 'latin1');
      expect(bytes, name).toContain('hush');
      expect(bytes, name).not.toMatch(new RegExp(`${hush}|very-secret|hmac:`));
    }
    expect((await stat(folder())).mode & 0o777).toBe(0o700);
  });

  it('says that the file is damaged, sets it aside, and begins with a new baseline', async () => {
    put('one', { of: '1' });
    await ask('cm', '-n', 'since');
    await writeFile(await stateFile(), 'no database '.repeat(1000));
    const { code, stdout, stderr } = await ask('cm', '-n', 'since');
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/is damaged.*set aside as .*\.damaged.*\nconfigmaps: \d+ objects? stored/);
    expect((await ask('cm', '-n', 'since')).stderr).toContain('nothing changed');
  });

  it('compares nothing while another process uses the file, and says so', async () => {
    put('one', { of: '1' });
    await ask('cm', '-n', 'since');
    using _ = StateFile.open(await stateFile());
    put('two', { of: '1' });
    const { code, stdout, stderr } = await ask('cm', '-n', 'since');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^error: .*another process uses it/);
    expect(stderr).toContain('hint: wait until the other process has ended');
  });

  it.each([
    [['--count'], '--count does nothing beside --since-last'],
    [['--eq', 'node=x'], '--eq does nothing beside --since-last'],
    [['-o', 'yaml'], '--since-last cannot be printed as yaml'],
  ])('refuses %s', async (flags, message) => {
    const { code, stderr } = await ask('cm', ...flags);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
