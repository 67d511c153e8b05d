import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { exportsOf, unusedExports } from './exports.ts';
import { filesOf } from './imports.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SRC = path.join(ROOT, 'src');

/** What is used from outside: the library's entries, and what the build and the program's door take by path. */
const ENTRIES = [
  'index.ts',
  'cache.ts',
  'hooks.ts',
  'webhooks.ts',
  'crds.ts',
  'sandbox/index.ts',
  'testing/index.ts',
  'main.ts',
  'complete.ts',
  'commands/index.ts',
];
const BUILT = filesOf(SRC).filter((file) => /(^|\/)(help|oclif-help|prebuilt-help)\.ts$/.test(file));

const inside = (folder: string) => filesOf(path.join(ROOT, folder)).map((file) => path.join(ROOT, folder, file));
const sources = inside('src');
const entries = [...ENTRIES, ...BUILT].map((file) => path.join(SRC, file));

describe('every export', () => {
  it('has a user in another file, or is public, or is a type that its own file promises', () => {
    const users = ['test', 'bench', 'examples'].flatMap(inside);
    const unused = unusedExports(sources, users, entries).map(
      ({ file, name }) => `${path.relative(SRC, file)}: ${name}`,
    );
    expect(unused).toEqual([]);
  });
});

describe('every exported name', () => {
  it('is declared in one file only', () => {
    const places = new Map<string, string[]>();
    for (const file of sources)
      for (const name of exportsOf(file).declares)
        if (name !== 'default') places.set(name, [...(places.get(name) ?? []), path.relative(SRC, file)]);
    const homonyms = [...places]
      .filter(([, files]) => files.length > 1)
      .map(([name, files]) => `${name}: ${files.join(', ')}`);
    expect(homonyms).toEqual([]);
  });
});

describe('the check itself', () => {
  it('finds what no other file takes, through files that pass on and dynamic imports', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'exports-'));
    const write = (name: string, text: string) => {
      writeFileSync(path.join(folder, name), text);
      return path.join(folder, name);
    };
    const files = [
      write(
        'a.ts',
        'export const used = 1;\nexport const unused = 2;\nexport interface Lost {}\nexport interface Kept {}\nexport type Of = Kept;',
      ),
      write('pass.ts', `export { used as renamed } from './a.ts';\nexport * from './b.ts';`),
      write('b.ts', 'export function through() {}\nexport class Idle {}'),
      write('late.ts', 'export const whenAsked = 1;'),
      write(
        'entry.ts',
        `import { renamed, through } from './pass.ts';\nexport const all = [renamed, through, import('./late.ts')];`,
      ),
      write('user.ts', `import type { Of } from './a.ts';\nconst one: Of = {};\none;`),
    ];
    const found = unusedExports(files, [], [path.join(folder, 'entry.ts')]).map(
      ({ file, name }) => `${path.basename(file)}: ${name}`,
    );
    rmSync(folder, { recursive: true });
    expect(found).toEqual(['a.ts: unused', 'a.ts: Lost', 'b.ts: Idle']);
  });
});
