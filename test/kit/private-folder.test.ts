import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isPrivateFolder, privateFolderFault } from '../../src/kit/private-folder.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'private-'));
});
afterEach(() => rmSync(base, { recursive: true }));

const modeOf = (...parts: string[]) => statSync(path.join(base, ...parts)).mode & 0o777;

function folder(name: string, mode: number): string {
  const made = path.join(base, name);
  mkdirSync(made, { recursive: true });
  chmodSync(made, mode);
  return made;
}

describe.skipIf(process.platform === 'win32')('a private folder', () => {
  it.each([0o000, 0o002, 0o022])('is made for its owner alone, with the umask %o', (mask) => {
    const before = process.umask(mask);
    try {
      expect(isPrivateFolder(path.join(base, 'own'), 'compiled')).toBe(true);
    } finally {
      process.umask(before);
    }
    expect([modeOf('own'), modeOf('own', 'compiled')]).toEqual([0o700, 0o700]);
  });

  it('is closed to others if they could read it', () => {
    folder('own', 0o755);
    folder('own/compiled', 0o755);
    expect(isPrivateFolder(path.join(base, 'own'), 'compiled')).toBe(true);
    expect([modeOf('own'), modeOf('own', 'compiled')]).toEqual([0o700, 0o700]);
  });

  it.each([
    ['the folder can be written by its group', 'own/compiled', 0o770],
    ['the folder can be written by all', 'own/compiled', 0o707],
    ['the one above it can be', 'own', 0o777],
    ['one within it can be', 'own/compiled/v24', 0o777],
    ['one far above it can be', '.', 0o777],
  ])('is not used when %s', (_, name, mode) => {
    folder('own/compiled/v24', 0o700);
    folder(name, mode);
    expect(isPrivateFolder(path.join(base, 'own'), 'compiled')).toBe(false);
  });

  it.skipIf(process.platform !== 'linux')(
    'that the system does not let anyone make has a reason, and the attempt ends',
    () => {
      expect(privateFolderFault('/proc/none/at/all', 'compiled')).toBe(
        '/proc/none/at/all/compiled cannot be used: ENOENT',
      );
    },
  );

  it('is made with all folders above it that are missing, each for its owner alone', () => {
    expect(isPrivateFolder(path.join(base, 'a/b/own'), 'compiled')).toBe(true);
    expect([modeOf('a'), modeOf('a/b'), modeOf('a/b/own'), modeOf('a/b/own/compiled')]).toEqual(Array(4).fill(0o700));
  });

  it('may be in a folder that all users can write to, if it is sticky', () => {
    folder('.', 0o1777);
    expect(isPrivateFolder(path.join(base, 'own'), 'compiled')).toBe(true);
  });

  it('is used while other processes make and remove folders in it', async () => {
    const used = folder('own/run', 0o700);
    const busy = `const fs = require('node:fs'); console.log('busy'); for (;;) {
      for (let i = 0; i < 20; i++) fs.mkdirSync(${JSON.stringify(used)} + '/p' + i, { mode: 0o700 });
      for (let i = 0; i < 20; i++) fs.rmdirSync(${JSON.stringify(used)} + '/p' + i);
    }`;
    const other = spawn(process.execPath, ['-e', busy], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(other.stdout, 'data');
      for (let i = 0; i < 2000; i++) expect(privateFolderFault(path.join(base, 'own'), 'run')).toBeUndefined();
    } finally {
      other.kill('SIGKILL');
      await once(other, 'exit');
    }
  });

  it('is not used when it, or the one above it, is a link', () => {
    folder('elsewhere/compiled', 0o700);
    symlinkSync(path.join(base, 'elsewhere'), path.join(base, 'own'));
    expect(isPrivateFolder(path.join(base, 'own'), 'compiled')).toBe(false);
    folder('other', 0o700);
    symlinkSync(path.join(base, 'elsewhere', 'compiled'), path.join(base, 'other', 'compiled'));
    expect(isPrivateFolder(path.join(base, 'other'), 'compiled')).toBe(false);
  });

  it('is not used when it belongs to another user', () => {
    if (process.getuid?.() !== 0) return expect(isPrivateFolder('/', 'etc')).toBe(false);
    const { chownSync } = process.getBuiltinModule('node:fs');
    chownSync(folder('own', 0o700), 12345, 12345);
    expect(isPrivateFolder(path.join(base, 'own'), 'compiled')).toBe(false);
  });
});
