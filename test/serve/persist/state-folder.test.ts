import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { removeUnused, stateFolder } from '../../../src/serve/persist/state-folder.ts';

const DAY_MS = 24 * 3600 * 1000;

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

it('files that were not used for sixty days are removed, others and folders stay', () => {
  const now = Date.now();
  const used = (name: string, agoMs: number) => {
    const file = path.join(cache, name);
    writeFileSync(file, '');
    utimesSync(file, new Date(now - agoMs), new Date(now - agoMs));
    return file;
  };
  const [old, kept, fresh] = [used('old', 60 * DAY_MS + 1000), used('kept', 60 * DAY_MS - 1000), used('fresh', 0)];
  const inner = path.join(cache, 'inner');
  mkdirSync(inner);
  utimesSync(inner, new Date(0), new Date(0));
  removeUnused(cache, now);
  expect([old, kept, fresh, inner].map((file) => existsSync(file))).toEqual([false, true, true, true]);
});
