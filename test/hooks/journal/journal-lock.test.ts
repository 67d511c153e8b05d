import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFolder } from '../../../src/hooks/journal/journal-lock.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const lock = () => lockFolder(folder);

describe.skipIf(process.platform === 'win32')('the claim of a folder', () => {
  it('is refused to another as long as it lasts, with the next step, and free afterwards', async () => {
    {
      await using _ = await lock();
      await expect(lock()).rejects.toMatchObject({
        code: 'argument',
        message: `another process uses the journal ${folder}`,
        hint: expect.stringContaining('one journal is for one running reconcile'),
      });
    }
    await using _again = await lock();
  });

  it('that a killed process left behind is taken over', async () => {
    const other = mkdtempSync(path.join(tmpdir(), 'lock-'));
    const claim = await lockFolder(other);
    renameSync(path.join(other, 'lock'), path.join(folder, 'lock'));
    await claim[Symbol.asyncDispose](); // its socket stays under the other name
    rmSync(other, { recursive: true });
    await using _ = await lock();
    await expect(lock()).rejects.toThrow('another process');
  });

  it('of a path that is too long for a socket is refused, with the next step', async () => {
    const long = path.join(folder, 'x'.repeat(100));
    mkdirSync(long);
    await expect(lockFolder(long)).rejects.toMatchObject({
      code: 'argument',
      message: expect.stringContaining('is too long for its lock'),
      hint: expect.stringContaining('at most 103 bytes'),
    });
  });

  it('fails with the reason where no socket can be made', async () => {
    await expect(lockFolder(path.join(folder, 'absent'))).rejects.toMatchObject({ code: expect.stringMatching(/^E/) });
  });
});
