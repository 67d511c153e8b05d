import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { removeUnused } from '../../../src/serve/persist/unused-states.ts';

const DAY_MS = 24 * 3600 * 1000;

let cache: string;
beforeEach(() => {
  cache = mkdtempSync(path.join(tmpdir(), 'unused-states-'));
  return () => rmSync(cache, { recursive: true, force: true });
});

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
