import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bundleTypes, unnamedTypes } from '../../tools/bundle-types.mjs';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'types-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Bundles declaration files given as texts; the first of their lines that are not empty, by bundle. */
async function bundled(
  files: Record<string, string>,
  entries: Record<string, string>,
): Promise<Record<string, string>> {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, 'in', name)), { recursive: true });
    writeFileSync(path.join(folder, 'in', name), text);
  }
  const to = path.join(folder, 'out');
  await bundleTypes({ from: path.join(folder, 'in'), to, entries });
  return Object.fromEntries(readdirSync(to).map((file) => [file, readFileSync(path.join(to, file), 'utf8')]));
}

it('keeps what an entry exports and what that refers to, each type with a name in types, and nothing else', async () => {
  const files = {
    'index.d.ts': `export { type A } from './a.ts';\n`,
    'a.d.ts': `import type { B } from './b.ts';\n/** A thing. */\nexport interface A { b: B; }\nexport interface Unused { b: B; }\n`,
    'b.d.ts': `export type B = string;\nexport type Other = number;\n`,
  };
  expect(await bundled(files, { index: 'index.d.ts' })).toEqual({
    'index.d.ts': `import type {\n  B,\n} from './shared.js';\nimport type {} from './types.js';\n/** A thing. */\ninterface A { b: B; }\nexport {\n  type A,\n};\n`,
    'shared.d.ts': 'type B = string;\nexport {\n  B,\n};\n',
    'types.d.ts': `export type {\n  A,\n} from './index.js';\nexport type {\n  B,\n} from './shared.js';\n`,
  });
});

it('declares a class that two entries export once, so that both mean the same', async () => {
  const files = {
    'one.d.ts': `export { C } from './c.ts';\n`,
    'two.d.ts': `export { C as Renamed } from './c.ts';\nimport { C } from './c.ts';\nexport declare const c: C;\n`,
    'c.d.ts': `export declare class C { #private; }\n`,
  };
  expect(await bundled(files, { one: 'one.d.ts', two: 'two.d.ts' })).toEqual({
    'one.d.ts': `import type {} from './types.js';\nexport {\n};\nexport {\n  C,\n} from './shared.js';\n`,
    'two.d.ts': `import type {\n  C,\n} from './shared.js';\nimport type {} from './types.js';\ndeclare const c: C;\nexport {\n  c,\n};\nexport {\n  C as Renamed,\n} from './shared.js';\n`,
    'shared.d.ts': `declare class C { #private; }\nexport {\n  C,\n};\n`,
    'types.d.ts': `export type {\n  C,\n} from './shared.js';\n`,
  });
});

it('gives one of two homonyms another name wherever it is meant, and leaves type parameters of that name alone', async () => {
  const files = {
    'index.d.ts': `export type { Options } from './a.ts';\nexport type { Made } from './b.ts';\n`,
    'a.d.ts': `export interface Options { a: string; }\n`,
    'b.d.ts': `interface Options { b: import('./a.ts').Options; }\nexport type Made = (o: Options) => <Options>(own: Options) => void;\n`,
  };
  const made = await bundled(files, { index: 'index.d.ts' });
  expect(made['index.d.ts']).toContain('type Made = (o: Options_2) => <Options>(own: Options) => void;');
  expect(made['index.d.ts']).toContain('interface Options { a: string; }');
  expect(made['shared.d.ts']).toContain('interface Options_2 { b: Options; }');
});

it('declares a type under the name by which people import it', async () => {
  const files = {
    'index.d.ts': `export type { Result as RunResult } from './a.ts';\n`,
    'a.d.ts': `export interface Result { next?: Result; }\n`,
  };
  expect((await bundled(files, { index: 'index.d.ts' }))['index.d.ts']).toContain(
    'interface RunResult { next?: RunResult; }\nexport {\n  type RunResult,\n};\n',
  );
});

it('finds the types that a public signature leads to and that its entry does not export', async () => {
  const files = {
    'index.d.ts': `export { a } from './a.ts';\nexport type { Named } from './a.ts';\n`,
    'other.d.ts': `export type { Deep, Named } from './a.ts';\n`,
    'a.d.ts': `export interface Named { own: Named; }\nexport interface Deep { named: Named; }\ninterface Near { deep: Deep; }\nexport declare function a(): Near;\nexport interface Unused {}\n`,
  };
  await bundled(files, { index: 'index.d.ts' });
  const entries = { index: 'index.d.ts', other: 'other.d.ts' };
  expect(unnamedTypes({ from: path.join(folder, 'in'), entries })).toEqual({ index: ['Deep', 'Near'], other: [] });
});

it('refuses a public type that refers to a package, and keeps the modules of Node', async () => {
  const files = {
    'good.d.ts': `import type { Readable } from 'node:stream';\nexport declare function read(): Readable;\n`,
    'bad.d.ts': `import type { Dispatcher } from 'undici';\nexport declare function send(): Dispatcher;\n`,
  };
  expect((await bundled(files, { good: 'good.d.ts' }))['good.d.ts']).toContain(
    `import type { Readable } from 'node:stream';`,
  );
  await expect(bundled(files, { bad: 'bad.d.ts' })).rejects.toThrow(
    'bad.d.ts: the public type send refers to Dispatcher of the package undici',
  );
});
