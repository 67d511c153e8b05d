import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(ROOT, 'docs/testing.md'), 'utf8');
/** The code of the page by the file that its first line names. */
const files = new Map(
  [...page.matchAll(/```js\n\/\/ ([\w.]+\.js).*\n([\s\S]*?)```/g)].map(([, file = '', code = '']) => [file, code]),
);

/** A project of a user's, with the built package and vitest installed in it. */
const project = mkdtempSync(path.join(tmpdir(), 'informer-testing-'));

beforeAll(() => {
  mkdirSync(path.join(project, 'node_modules'));
  symlinkSync(ROOT, path.join(project, 'node_modules/kubectl-informer'), 'junction');
  symlinkSync(path.join(ROOT, 'node_modules/vitest'), path.join(project, 'node_modules/vitest'), 'junction');
  writeFileSync(path.join(project, 'package.json'), '{"type":"module","private":true}');
  for (const [file, code] of files) writeFileSync(path.join(project, file), code);
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

function node(...args: string[]): Promise<{ code: number; output: string }> {
  const { NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _context, VITEST: _vitest, ...env } = process.env;
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: project, env: { ...env, NO_COLOR: '1' } }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
    );
  });
}

const vitest = (file: string) => node('node_modules/vitest/vitest.mjs', 'run', '--root', project, file);
/** Without its repetition after a conflict, the code under test must fail the test. */
const broken = () => (files.get('scale.js') ?? '').replace('retryOnConflict(async', '((run) => run())(async');

describe('the recipes for test runners in docs/testing.md', { timeout: 120_000 }, () => {
  it('are there', () => {
    expect([...files.keys()]).toEqual(['scale.js', 'scale.vitest.test.js', 'scale.jest.test.js', 'scale.node.test.js']);
  });

  it('pass with node:test, and fail for code that does not repeat the write', async () => {
    const passed = await node('--test', 'scale.node.test.js');
    expect([passed.code, passed.output]).toEqual([0, expect.stringMatching(/pass 1\b/)]);
    writeFileSync(path.join(project, 'scale.js'), broken());
    const failed = await node('--test', 'scale.node.test.js');
    writeFileSync(path.join(project, 'scale.js'), files.get('scale.js') ?? '');
    expect([failed.code, failed.output]).toEqual([1, expect.stringContaining('the object has been modified')]);
  });

  it('pass with vitest', async () => {
    const passed = await vitest('scale.vitest.test.js');
    expect([passed.code, passed.output]).toEqual([0, expect.stringMatching(/Tests\s+1 passed/)]);
  });

  it('for Jest passes with vitest, which has the same functions, once its import names vitest', async () => {
    const code = files.get('scale.jest.test.js') ?? '';
    expect(code).toContain("from '@jest/globals'");
    writeFileSync(path.join(project, 'renamed.test.js'), code.replace("'@jest/globals'", "'vitest'"));
    const passed = await vitest('renamed.test.js');
    expect([passed.code, passed.output]).toEqual([0, expect.stringMatching(/Tests\s+1 passed/)]);
  });
});
