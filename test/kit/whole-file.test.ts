import { execFileSync } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replaceFile, textOfFile } from '../../src/kit/whole-file.ts';

let folder: string;
const at = (name: string) => path.join(folder, name);
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'whole-file-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a file that is replaced whole', () => {
  it('has the new text and mode, and nothing else is left in its folder', async () => {
    expect(await textOfFile(at('a'))).toBeUndefined();
    await replaceFile(at('a'), 'one', 0o600);
    await replaceFile(at('a'), 'two', 0o600);
    expect(await textOfFile(at('a'))).toBe('two');
    expect((await stat(at('a'))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['a']);
  });

  it('is the one behind a link, and the link stays', async () => {
    await writeFile(at('a'), 'one');
    await symlink(at('a'), at('link'));
    expect(await textOfFile(at('link'))).toBe('one');
    await replaceFile(at('link'), 'two');
    expect(await readlink(at('link'))).toBe(at('a'));
    expect(await readFile(at('a'), 'utf8')).toBe('two');
  });

  it('is not a device, a pipe or a folder: these are neither read nor replaced', async () => {
    await symlink('/dev/zero', at('device'));
    execFileSync('mkfifo', [at('pipe')]);
    await mkdir(at('folder'));
    for (const name of ['device', 'pipe', 'folder']) {
      const before = await lstat(at(name));
      await expect(textOfFile(at(name))).rejects.toThrow(`${at(name)} is no regular file`);
      await expect(replaceFile(at(name), 'x')).rejects.toThrow(`${at(name)} is no regular file`);
      expect((await lstat(at(name))).ino).toBe(before.ino);
    }
  });

  it('leaves no draft where it cannot be written', async () => {
    await expect(replaceFile(at('no/a'), 'x')).rejects.toThrow('ENOENT');
    expect(await readdir(folder)).toEqual([]);
  });
});
