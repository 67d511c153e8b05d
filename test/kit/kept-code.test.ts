import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeptCode } from '../../src/kit/kept-code.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'informer-kept-'));
  await mkdir(path.join(root, 'dist'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const files = (texts: Readonly<Record<string, string>>) =>
  Promise.all(Object.entries(texts).map(([name, text]) => writeFile(path.join(root, 'dist', name), text)));
const folder = () => path.join(root, 'kept', 'query');
const code = (uptime?: () => number) =>
  new KeptCode({
    files: pathToFileURL(`${path.join(root, 'dist')}${path.sep}`),
    folder: folder(),
    ...(uptime && { uptime }),
  });
const kept = async () => (await readdir(folder()).catch(() => [])).sort();

/** Loads a file, and keeps its code after `ranS` seconds. */
function run(file: string, ranS = 0.1) {
  let uptimeS = 3;
  const loader = code(() => uptimeS);
  const exports = loader.load(file);
  uptimeS += ranS;
  loader.keep();
  return exports;
}

describe('a built file that is run as a script', () => {
  it('has the imports and exports that it would have as a module', async () => {
    await files({
      'a.js':
        'import { two as zwei, one$1 } from "./b.js";\nimport "./c.js";\nconst sum = zwei + one$1;\nexport { sum, sum as total };',
      'b.js': 'const one$1 = 1;\nfunction two() {}\nvar name = 2;\nexport { one$1, name as two };',
      'c.js': 'globalThis.keptCodeTest = (globalThis.keptCodeTest ?? 0) + 1;\nexport {  };',
      'd.js': 'import "./c.js";\nconst value = 7;\nexport default value * 2;\n\nexport {  };',
    });
    expect(run('a.js')).toEqual({ sum: 3, total: 3 });
    expect(run('d.js')).toEqual({ default: 14 });
    const asModule = await import(pathToFileURL(path.join(root, 'dist', 'a.js')).href);
    expect({ ...asModule }).toEqual({ sum: 3, total: 3 });
  });

  it('is evaluated once, however often it is imported', async () => {
    await files({
      'a.js': 'import { box } from "./b.js";\nconst again = import("./b.js");\nexport { again, box };',
      'b.js': 'const box = {};\nexport { box };',
    });
    const { again, box } = run('a.js') as { again: Promise<{ box: object }>; box: object };
    expect((await again).box).toBe(box);
  });

  it('is strict, knows its own URL, and rejects a dynamic import whose file throws', async () => {
    await files({
      'a.js':
        'const own = import.meta.url;\nconst self = (function () { return this; })();\nconst bad = () => import("./b.js");\nexport { own, self, bad };',
      'b.js': 'throw new Error("broken");\nexport {  };',
    });
    const { own, self, bad } = run('a.js') as { own: string; self: unknown; bad: () => Promise<unknown> };
    expect(own).toBe(pathToFileURL(path.join(root, 'dist', 'a.js')).href);
    expect(self).toBeUndefined();
    await expect(bad()).rejects.toThrow('broken');
  });

  it('imports files that are none of the build as Node does', async () => {
    const other = pathToFileURL(path.join(root, 'other.mjs')).href;
    await writeFile(path.join(root, 'other.mjs'), 'export const found = true;');
    await files({ 'a.js': `const load = (url) => import(url);\nexport { load };` });
    const { load } = run('a.js') as { load: (url: string) => Promise<{ found: boolean }> };
    expect((await load(other)).found).toBe(true);
  });

  it('shows exports that get their values later', async () => {
    await files({
      'a.js':
        'import { __esmMin } from "./b.js";\nlet late;\nconst init = __esmMin(() => { late = 5; });\nexport { init, late };',
      'b.js': 'const __esmMin = (run) => run;\nexport { __esmMin };',
    });
    const exports = run('a.js') as { init: () => void; late: number };
    exports.init();
    expect(exports.late).toBe(5);
  });
});

describe('kept code', () => {
  it('is written once, for its owner alone, and used by the next run', async () => {
    await files({ 'a.js': 'const one = () => 1;\nexport { one };' });
    run('a.js');
    const [file = ''] = await kept();
    const { mtimeMs, mode } = await stat(path.join(folder(), file));
    if (process.platform !== 'win32') expect(mode & 0o777).toBe(0o600);
    expect((run('a.js') as { one: () => number }).one()).toBe(1);
    expect(await kept()).toEqual([file]);
    expect((await stat(path.join(folder(), file))).mtimeMs).toBe(mtimeMs);
  });

  it('is not used for another text of the same length', async () => {
    await files({ 'a.js': 'const one = () => 1;\nexport { one };' });
    expect((run('a.js') as { one: () => number }).one()).toBe(1);
    await files({ 'a.js': 'const one = () => 2;\nexport { one };' });
    expect((run('a.js') as { one: () => number }).one()).toBe(2);
    expect((run('a.js') as { one: () => number }).one()).toBe(2);
  });

  it.each([
    { first: 4, next: 1.9, isReplaced: true },
    { first: 4, next: 2.1, isReplaced: false },
    { first: 2.1, next: 1, isReplaced: true },
    { first: 2, next: 0.5, isReplaced: false },
    { first: 0.3, next: 5, isReplaced: false },
    { first: 0.3, next: 11, isReplaced: false },
  ])('of a run of $first s is replaced by a run of $next s: $isReplaced', async ({ first, next, isReplaced }) => {
    await files({
      'a.js': 'import { one } from "./b.js";\nexport { one };',
      'b.js': 'const one = 1;\nexport { one };',
    });
    run('a.js', first);
    const writtenAt = async () =>
      Promise.all((await kept()).map(async (file) => (await stat(path.join(folder(), file))).mtimeMs));
    const before = await writtenAt();
    run('a.js', next);
    const after = await writtenAt();
    expect(after).toHaveLength(2);
    expect(after.map((at, i) => at !== before[i])).toEqual([isReplaced, isReplaced]);
    if (isReplaced) run('a.js', next);
    expect(await writtenAt(), 'a run as long as the one before writes nothing').toEqual(after);
  });

  it('of a run of more than ten seconds is not kept', async () => {
    await files({ 'a.js': 'const one = 1;\nexport { one };' });
    run('a.js', 10.1);
    expect(await kept()).toEqual([]);
    run('a.js', 9.9);
    expect(await kept()).toHaveLength(1);
  });

  it('that cannot be written is no error', async () => {
    await files({ 'a.js': 'const one = 1;\nexport { one };' });
    await writeFile(path.join(root, 'kept'), 'a file where the folder would be');
    expect(run('a.js')).toEqual({ one: 1 });
  });
});
