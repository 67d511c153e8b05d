import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findHooks } from '../../src/shell-operator/find-hooks.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'hooks-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function file(name: string, mode = 0o755): void {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), '');
  chmodSync(path.join(folder, name), mode);
}

describe('the hooks of a folder', () => {
  it('are its executable files at any depth, in the order of their paths', async () => {
    for (const name of ['b.sh', 'a/z.py', 'a/b/c', 'a.sh']) file(name);
    symlinkSync(path.join(folder, 'b.sh'), path.join(folder, 'link.sh'));
    const { hooks } = await findHooks(folder);
    expect(hooks.map(({ name }) => name)).toEqual(['a.sh', 'a/b/c', 'a/z.py', 'b.sh', 'link.sh']);
  });

  it('are no hidden files, data, files in lib and files that are not executable; the last two are named', async () => {
    for (const name of ['ok', '.hidden', '.git/hook', 'a.yaml', 'a.json', 'a.md', 'a.txt', 'x/lib/f.sh']) file(name);
    file('functions.sh', 0o644);
    const { hooks, remarks } = await findHooks(folder);
    expect(hooks.map(({ name }) => name)).toEqual(['ok']);
    expect(remarks).toEqual([
      'functions.sh is no hook: it is not executable (chmod +x makes it one)',
      'x/lib/f.sh is executable, but no hook: it is in a folder lib',
    ]);
  });

  it('are refused where there is none', async () => {
    await expect(findHooks(path.join(folder, 'absent'))).rejects.toThrow('--shell-operator: there is no folder');
    file('a.sh', 0o644);
    await expect(findHooks(path.join(folder, 'a.sh'))).rejects.toMatchObject({
      message: expect.stringContaining('there is no folder'),
      hint: 'it is a file: name the folder that has it',
    });
    await expect(findHooks(folder)).rejects.toMatchObject({
      message: expect.stringContaining('has no hook'),
      hint: expect.stringContaining('a.sh is no hook'),
    });
  });
});
