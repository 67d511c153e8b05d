import { execFile } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

it('docs/reference is what npm run docs:reference writes from the definitions of commands and flags', async () => {
  const problem = await new Promise<string>((resolve) => {
    const file = path.join(ROOT, 'tools/reference.ts');
    execFile(process.execPath, [file, '--check'], (error, _, stderr) => resolve(error ? stderr || error.message : ''));
  });
  expect(problem).toBe('');
}, 60_000);
