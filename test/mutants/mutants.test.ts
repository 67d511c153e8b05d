import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { behaviours, idsIn } from '../conformance/catalog.ts';

interface Mutant {
  /** The rule that is broken. */
  readonly rule: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** The test file that notices, and what the title of the test holds. */
  readonly test: string;
  readonly red: string;
}

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.dirname(path.dirname(here));
const mutants = JSON.parse(readFileSync(path.join(here, 'mutants.json'), 'utf8')) as Mutant[];
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

// That each is noticed is shown by `npm run mutants`; here only that the list keeps up with the sources.
describe('the breakages', () => {
  it.each(mutants.map((m) => [m.rule, m] as const))(
    '"%s" can still be broken in one place',
    (_, { file, find, replace, test, red }) => {
      expect(read(file).split(find)).toHaveLength(2);
      expect(replace).not.toBe(find);
      expect(existsSync(path.join(root, test))).toBe(true);
      // A title may be put together from a row; its parts are in the file all the same.
      for (const part of red.split(' → ')) expect(read(test)).toContain(part);
    },
  );

  it('are of many rules, most of them numbered', () => {
    const known = new Set(behaviours().map((b) => b.id));
    const ids = new Set(mutants.flatMap(({ red }) => idsIn(red)));
    expect([...ids].filter((id) => !known.has(id))).toEqual([]);
    expect(ids.size).toBeGreaterThan(45);
  });
});
