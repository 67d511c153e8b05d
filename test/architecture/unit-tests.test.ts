import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const textOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const all = readdirSync(path.join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => `test/${file}`)
  .sort();

/** The files that a project of vitest.config.ts has. */
function filesOf(project: string): string[] {
  const vitest = path.join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'list', '--project', project, '--filesOnly', '--json'];
  const listed = JSON.parse(execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })) as {
    file: string;
  }[];
  return listed.map(({ file }) => path.relative(ROOT, file)).sort();
}

/** A test file and the helpers that it imports, and theirs. */
function closureOf(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file) || !existsSync(path.join(ROOT, file))) return seen;
  seen.add(file);
  for (const [, from = ''] of textOf(file).matchAll(/from '(\.[^']+\.ts)'/g)) {
    const imported = path.join(path.dirname(file), from);
    if (imported.startsWith('test/')) closureOf(imported, seen);
  }
  return seen;
}

it('npm run test:unit runs every test but those of the built program, of the package and of the browser', () => {
  expect(JSON.parse(textOf('package.json')).scripts['test:unit']).toContain('vitest run --project "unit*"');
  const [unit, built, browser] = [filesOf('unit*'), filesOf('built'), filesOf('browser')];
  expect([...unit, ...built, ...browser].sort()).toEqual(all);
  expect(unit.filter((file) => /^test\/(e2e|package)\//.test(file))).toEqual([]);
  expect(unit.length).toBeGreaterThan(500);
});

it('no test of npm run test:unit starts the built program, so that it passes in a fresh checkout', () => {
  const starts = (file: string) => /'\.\.\/\.\.\/bin\/\w+\.js'|['/]bin\/(run|complete)\.js/.test(textOf(file));
  const wrong = filesOf('unit*').filter((file) => [...closureOf(file)].some(starts));
  expect(wrong).toEqual([]);
});
