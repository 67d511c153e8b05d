import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';

const LOADER = pathToFileURL(path.join(import.meta.dirname, '../../../src/hooks/run/module-loader.ts')).href;

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'loader-')));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
}

/** Runs code with the loader in a process of its own, where Node's own module loader works, and gives what it printed. */
async function run(code: string): Promise<unknown> {
  const program = `
    import { writeFileSync } from 'node:fs';
    import * as loader from ${JSON.stringify(LOADER)};
    const at = (name) => ${JSON.stringify(folder)} + '/' + name;
    ${code}`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  return JSON.parse(stdout);
}

it('each version of a hook is loaded again with the files that it imports, and packages once', async () => {
  await write({
    'hook.mjs': `
      import { text } from './part.mjs';
      import { count } from 'counted';
      import { createRequire } from 'node:module';
      export default () => [text, count, createRequire(import.meta.url)('./old.cjs')];`,
    'part.mjs': `export const text = 'one';`,
    'old.cjs': `module.exports = 'old';`,
    'node_modules/counted/package.json': '{"name":"counted","type":"module","exports":"./index.js"}',
    'node_modules/counted/index.js':
      'globalThis.loads = (globalThis.loads ?? 0) + 1; export const count = globalThis.loads;',
  });
  const printed = await run(`
    const load = async () => (await import(loader.newVersionUrl(at('hook.mjs')))).default();
    const first = await load();
    writeFileSync(at('part.mjs'), "export const text = 'two';");
    writeFileSync(at('old.cjs'), "module.exports = 'new';");
    console.log(JSON.stringify([first, await load(), loader.packagesOf(at('hook.mjs'))]));`);
  expect(printed).toEqual([['one', 1, 'old'], ['two', 1, 'new'], ['counted']]);
});

it('knows the files and packages of a hook, by its path and by that of its link, without those of packages', async () => {
  await write({
    'real/hook.mjs': `import './a.mjs'; import { readFileSync } from 'node:fs'; import '@scope/name/part';`,
    'real/a.mjs': `import './b.mjs'; import 'plain';`,
    'real/b.mjs': '',
    'other.mjs': `import 'unused';`,
    'real/node_modules/@scope/name/package.json': '{"name":"@scope/name","exports":{"./part":"./part.mjs"}}',
    'real/node_modules/@scope/name/part.mjs': `import './inner.mjs'; import 'plain';`,
    'real/node_modules/@scope/name/inner.mjs': '',
    'real/node_modules/plain/package.json': '{"name":"plain","exports":"./index.mjs"}',
    'real/node_modules/plain/index.mjs': '',
    'node_modules/unused/package.json': '{"name":"unused","exports":"./index.mjs"}',
    'node_modules/unused/index.mjs': '',
  });
  await symlink(path.join(folder, 'real/hook.mjs'), path.join(folder, 'link.mjs'));
  const printed = await run(`
    await import(loader.newVersionUrl(at('link.mjs')));
    await import(at('other.mjs'));
    const names = (files) => files.map((file) => file.replace(at(''), '')).sort();
    console.log(JSON.stringify([
      names(loader.filesOf(at('link.mjs'))), loader.packagesOf(at('link.mjs')).toSorted(),
      names(loader.filesOf(at('unknown.mjs'))), loader.packagesOf(at('unknown.mjs')),
    ]));`);
  expect(printed).toEqual([
    ['link.mjs', 'real/a.mjs', 'real/b.mjs', 'real/hook.mjs'],
    ['@scope/name', 'plain'],
    ['unknown.mjs'],
    [],
  ]);
});

it('redirects imports of the package from then on, also of modules that are no hook', async () => {
  await write({ 'user.mjs': `export * from 'the-package/part';`, 'part.mjs': `export const from = 'linked';` });
  const printed = await run(`
    loader.linkPackage({});
    const before = await import(at('user.mjs')).then(() => 'found', (error) => error.code);
    loader.linkPackage({ 'the-package/part': new URL('file://' + at('part.mjs')).href });
    const { from } = await import(at('user.mjs') + '?again');
    console.log(JSON.stringify([before, from]));`);
  expect(printed).toEqual(['ERR_MODULE_NOT_FOUND', 'linked']);
});

it('a hook that is absent has its own path as its only file', async () => {
  const printed = await run(`
    const failed = await import(loader.newVersionUrl(at('absent.mjs'))).catch((error) => error.code);
    console.log(JSON.stringify([failed, loader.filesOf(at('absent.mjs')).map((file) => file.replace(at(''), ''))]));`);
  expect(printed).toEqual(['ERR_MODULE_NOT_FOUND', ['absent.mjs']]);
});
