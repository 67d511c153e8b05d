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

/** The files of vitest.config.ts with the projects that have them. */
const listed = JSON.parse(
  execFileSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'list', '--filesOnly', '--json'], {
    cwd: ROOT,
    encoding: 'utf8',
  }),
) as { file: string; projectName: string }[];
const unit = listed.filter(({ projectName }) => projectName.startsWith('unit')).map(nameOf);

function nameOf({ file }: { file: string }): string {
  return path.relative(ROOT, file);
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
  expect(listed.map(nameOf).sort()).toEqual(all);
  expect(unit.filter((file) => /^test\/(e2e|package)\//.test(file))).toEqual([]);
  expect(unit.length).toBeGreaterThan(500);
});

it('no test of npm run test:unit starts the built program, so that it passes in a fresh checkout', () => {
  const starts = (file: string) => /'\.\.\/\.\.\/bin\/\w+\.js'|['/]bin\/(run|complete)\.js/.test(textOf(file));
  const wrong = unit.filter((file) => [...closureOf(file)].some(starts));
  expect(wrong).toEqual([]);
});
