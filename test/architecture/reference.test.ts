import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

it('docs/reference is what npm run docs:reference writes from the definitions of commands and flags', async () => {
  const problem = await new Promise<string>((resolve) => {
    const file = path.join(ROOT, 'tools/reference.ts');
    execFile(process.execPath, [file, '--check', 'commands'], (error, _, stderr) =>
      resolve(error ? stderr || error.message : ''),
    );
  });
  expect(problem).toBe('');
}, 60_000);

it('no page about the library shows the source of a link', () => {
  const folder = path.join(ROOT, 'docs/reference/library');
  const pages = readdirSync(folder);
  expect(pages).toContain('index.md');
  expect(pages.filter((page) => readFileSync(path.join(folder, page), 'utf8').includes('{@link'))).toEqual([]);
});
