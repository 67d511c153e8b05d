import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { stateFolder } from '../../../src/serve/persist/state-folder.ts';

let cache: string;
beforeEach(() => {
  cache = mkdtempSync(path.join(tmpdir(), 'state-folder-'));
  return () => rmSync(cache, { recursive: true, force: true });
});

it.skipIf(process.platform === 'win32')(
  'the folder of states is made for this user alone, and refused if others may write there',
  () => {
    const folder = stateFolder(cache);
    expect([folder, statSync(folder).mode & 0o777]).toEqual([path.join(cache, 'state'), 0o700]);
    expect(stateFolder(cache)).toBe(folder);
    chmodSync(folder, 0o777);
    expect(() => stateFolder(cache)).toThrow(
      expect.objectContaining({
        code: 'config',
        message: expect.stringContaining('the folder for stored states cannot be used: '),
        hint: expect.stringContaining('--cache-dir'),
      }),
    );
  },
);
