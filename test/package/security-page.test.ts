import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(ROOT, 'docs/SECURITY.md'), 'utf8');

/** The tests that the tables name, by file and title. */
const named = [...page.matchAll(/^\|.*\| `([\w/-]+)` › (.+?) \|$/gm)].map(([, file = '', title = '']) => ({
  file,
  title,
}));

/** A title as a test has it: after `it(`, or behind the cases of `it.each`. */
function problemOf({ file, title }: { file: string; title: string }): string | undefined {
  const place = path.join(ROOT, 'test', `${file}.test.ts`);
  if (!existsSync(place)) return 'there is no such file';
  const source = readFileSync(place, 'utf8');
  const escaped = title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const use = new RegExp(`(?<=\\n)(.*)\\(\\s*(['"\`])${escaped}\\2,`).exec(source);
  if (!use) return 'no test has this title';
  return /\.(?:skip|todo|only)\b/.test(use[1] ?? '') ? 'it is not run' : undefined;
}

describe('the list of threats', () => {
  it('names a test for each threat', () => {
    const rows = page.match(/^\| (?!threat |---|\|).*$/gm) ?? [];
    expect(rows.length).toBeGreaterThan(35);
    expect(rows.filter((row) => !/ › /.test(row))).toEqual([]);
    expect(named.length).toBeGreaterThanOrEqual(rows.length);
  });

  it('names only tests that are there and run', () => {
    const wrong = named.flatMap((each) => {
      const problem = problemOf(each);
      return problem ? [`${each.file} › ${each.title}: ${problem}`] : [];
    });
    expect(wrong).toEqual([]);
  });

  it.each([
    ['package/no-such-file', 'x', 'there is no such file'],
    ['package/security-page', 'a title that no test has', 'no test has this title'],
  ])('finds what is wrong: %s', (file, title, problem) => {
    expect(problemOf({ file, title })).toBe(problem);
  });
});
