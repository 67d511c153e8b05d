import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { completionFound, kubectlFound, longerNamesFound, pluginFound } from '../../src/doctor/plugin.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'informer-test-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function program(file: string, mode = 0o755): Promise<string> {
  const whole = path.join(folder, file);
  await mkdir(path.dirname(whole), { recursive: true });
  await writeFile(whole, '');
  await chmod(whole, mode);
  return whole;
}

/** An installed package of some version. */
async function installed(place: string, version: string): Promise<string> {
  const file = await program(`${place}/kubectl-informer`);
  await writeFile(path.join(folder, place, 'package.json'), JSON.stringify({ name: 'kubectl-informer', version }));
  return file;
}

const look = (places: readonly string[], running = '') => ({
  env: { PATH: places.map((place) => path.join(folder, place)).join(path.delimiter) },
  program: running,
  commands: ['watch', 'query'],
});

describe('the plugin on PATH', () => {
  it('is fine where kubectl finds this program, also through a link and twice on PATH', async () => {
    const file = await installed('own', '1.2.3');
    await mkdir(path.join(folder, 'bin'));
    await symlink(file, path.join(folder, 'bin/kubectl-informer'));
    expect(pluginFound(look(['gone', 'bin', 'own', 'own'], file))).toEqual({
      status: 'ok',
      found: `kubectl informer runs ${path.join(folder, 'bin/kubectl-informer')} (version 1.2.3)`,
    });
  });

  it('is missing: says how to install it', () => {
    expect(pluginFound(look(['a']))).toEqual({
      status: 'warning',
      found: 'kubectl-informer is not on PATH, so kubectl does not find it',
      fix: 'npm install -g kubectl-informer',
    });
  });

  it('is not executable: says how to make it so', async () => {
    const file = await program("it's/kubectl-informer", 0o644);
    expect(pluginFound(look(["it's"]))).toEqual({
      status: 'warning',
      found: `kubectl does not run ${file}: it is not executable`,
      fix: `chmod +x '${file.replace("'", "'\\''")}'`,
    });
  });

  it('is shadowed by another copy: says which one wins, and the versions of both', async () => {
    const old = await installed('old', '0.0.9');
    const own = await installed('own', '1.2.3');
    expect(pluginFound(look(['old', 'own'], own))).toEqual({
      status: 'warning',
      found: `kubectl informer runs ${old} (version 0.0.9), and not this program (${own} (version 1.2.3)); it wins over ${own} (version 1.2.3)`,
      fix: `rm ${old}, or put the folder of the right one first on PATH`,
    });
    expect(pluginFound(look(['own', 'old'], own))).toMatchObject({
      status: 'warning',
      found: expect.stringMatching(/^kubectl informer runs \S+own\S+ \(version 1.2.3\); it wins over \S+old\S+ /),
      fix: `remove the others: rm ${old}`,
    });
  });
});

it('a plugin with a longer name that takes a command is named; one that takes none is not', async () => {
  const stray = await program('bin/kubectl-informer-watch-pods');
  await program('bin/kubectl-informer-other');
  await program('bin/kubectl-informer-query', 0o644);
  expect(longerNamesFound(look(['bin']))).toEqual({
    status: 'warning',
    found: `kubectl prefers longer names: kubectl informer watch runs ${stray}`,
    fix: `rm ${stray}`,
  });
  await rm(stray);
  expect(longerNamesFound(look(['bin'])).status).toBe('ok');
});

it('kubectl and the completion helper are found, or missing with what to do', async () => {
  expect(kubectlFound(look(['bin']))).toMatchObject({ status: 'warning', fix: expect.stringContaining('install') });
  expect(completionFound(look(['bin']))).toMatchObject({
    status: 'warning',
    fix: 'npm install -g kubectl-informer',
  });
  const kubectl = await program('bin/kubectl');
  const helper = await program('bin/kubectl_complete-informer', 0o644);
  expect(kubectlFound(look(['bin']))).toEqual({ status: 'ok', found: kubectl });
  expect(completionFound(look(['bin']))).toMatchObject({ status: 'warning', fix: `chmod +x ${helper}` });
  await chmod(helper, 0o755);
  expect(completionFound(look(['bin']))).toEqual({ status: 'ok', found: helper });
});
