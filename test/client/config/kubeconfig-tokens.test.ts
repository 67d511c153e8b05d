import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { replaceTokens } from '../../../src/client/config/kubeconfig-tokens.ts';

let directory: string;
const at = (name: string) => path.join(directory, name);

beforeEach(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'tokens-'));
});
afterEach(() => rm(directory, { recursive: true }));

const kubeconfig = (token: string, refresh: string) => `# my clusters
users:
- name: u
  user:
    auth-provider: {name: oidc, config: {id-token: ${token}, refresh-token: ${refresh}}}
`;

it('replaces the tokens in the file that has them, and changes nothing else', async () => {
  await writeFile(at('a'), kubeconfig('other-1', 'other-2'));
  await writeFile(at('b'), kubeconfig('old-1', 'old-2'));
  await chmod(at('b'), 0o640);
  await replaceTokens(
    [at('a'), at('b')],
    [
      ['old-1', 'new-1'],
      ['old-2', 'new-2'],
    ],
  );
  expect(await readFile(at('a'), 'utf8')).toBe(kubeconfig('other-1', 'other-2'));
  expect(await readFile(at('b'), 'utf8')).toBe(kubeconfig('new-1', 'new-2'));
  expect((await stat(at('b'))).mode & 0o777).toBe(0o640);
  expect((await readdir(directory)).sort()).toEqual(['a', 'b']);
});

it('writes the file behind a symbolic link', async () => {
  await writeFile(at('real'), kubeconfig('old-1', 'r'));
  await symlink(at('real'), at('link'));
  await replaceTokens([at('link')], [['old-1', 'new-1']]);
  expect(await readFile(at('real'), 'utf8')).toBe(kubeconfig('new-1', 'r'));
});

it('rejects while another process holds the lock of kubectl, and leaves that lock', async () => {
  await writeFile(at('a'), kubeconfig('old-1', 'r'));
  await writeFile(at('a.lock'), '');
  await expect(replaceTokens([at('a')], [['old-1', 'new-1']])).rejects.toMatchObject({ code: 'EEXIST' });
  expect(await readFile(at('a'), 'utf8')).toBe(kubeconfig('old-1', 'r'));
  expect((await readdir(directory)).sort()).toEqual(['a', 'a.lock']);
});

it('rejects a token that the file would not give back, and leaves the file and no lock', async () => {
  await writeFile(at('a'), kubeconfig('old-1', 'r'));
  await expect(replaceTokens([at('a')], [['old-1', '123']])).rejects.toMatchObject({ code: 'config' });
  expect(await readFile(at('a'), 'utf8')).toBe(kubeconfig('old-1', 'r'));
  expect(await readdir(directory)).toEqual(['a']);
});

it('takes no empty text for an old token', async () => {
  await writeFile(at('a'), kubeconfig('t', 'r'));
  await replaceTokens([at('a')], [['', 'new-1']]);
  expect(await readFile(at('a'), 'utf8')).toBe(kubeconfig('t', 'r'));
});
