import { execFile } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { OWN_CACHE } from '../support/own-cache.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGES = ['README.md', ...readdirSync(path.join(ROOT, 'docs')).map((file) => `docs/${file}`)].filter((file) =>
  file.endsWith('.md'),
);

/** A controller in another process, for the snippet that tests one: it labels every ConfigMap seen=yes. */
const LABELLER = `#!/bin/sh\necho '{"actions":[{"patch":{"metadata":{"labels":{"seen":"yes"}}}}]}'\n`;

/** What begins with its imports is a whole program; anything shorter is there to be read. */
const snippets = PAGES.flatMap((page) =>
  [...readFileSync(path.join(ROOT, page), 'utf8').matchAll(/```ts\n(import .*?)```/gs)].map(([, code = ''], i) => ({
    title: `${page}, ${i + 1}`,
    file: `${path.basename(page, '.md').toLowerCase()}-${i + 1}.ts`,
    code,
  })),
);

// A project of a user's, with the built package installed in it.
const project = mkdtempSync(path.join(tmpdir(), 'informer-docs-'));
const labeller = path.join(project, 'labeller.sh');
let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture();
  mkdirSync(path.join(project, 'node_modules'));
  symlinkSync(ROOT, path.join(project, 'node_modules/kubectl-informer'), 'junction');
  symlinkSync(path.join(ROOT, 'node_modules/@kubernetes'), path.join(project, 'node_modules/@kubernetes'), 'junction');
  symlinkSync(path.join(ROOT, 'node_modules/zod'), path.join(project, 'node_modules/zod'), 'junction');
  writeFileSync(path.join(project, 'package.json'), '{"type":"module"}');
  writeFileSync(labeller, LABELLER);
  chmodSync(labeller, 0o755);
  for (const { file, code } of snippets) writeFileSync(path.join(project, file), code);
});
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  rmSync(project, { recursive: true });
});

describe('the programs in README and docs', () => {
  it('is there', () => {
    expect(snippets.length).toBeGreaterThan(5);
  });

  // client-node's own declarations do not pass a check of libraries
  const usesModels = ({ code }: { code: string }) => code.includes('@kubernetes/client-node');
  it.each([
    ['checks libraries', false, snippets.filter((snippet) => !usesModels(snippet))],
    ["uses client-node's models", true, snippets.filter(usesModels)],
  ] as const)(
    "passes the compiler in a user's project that %s, against the published types",
    async (_, skipLibCheck, programs) => {
      expect(programs.length).toBeGreaterThan(0);
      const { compilerOptions } = JSON.parse(readFileSync(path.join(ROOT, 'tsconfig.json'), 'utf8'));
      const { paths: _paths, noUnusedLocals: _locals, noUnusedParameters: _parameters, ...options } = compilerOptions;
      const own = { ...options, skipLibCheck, typeRoots: [path.join(ROOT, 'node_modules/@types')] };
      const config = { compilerOptions: own, files: programs.map(({ file }) => file) };
      writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify(config));
      const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
      expect(await runNode([tsc, '-p', project])).toEqual({ code: 0, stdout: '', stderr: '' });
    },
    60_000,
  );

  it.each(snippets)(
    'runs as it is written: $title',
    async ({ file }) => {
      const controller = [
        process.execPath,
        path.join(ROOT, 'bin/run.js'),
        'reconcile',
        'configmaps',
        '--hook',
        labeller,
        '--allow-write',
      ];
      const { code, stdout, stderr } = await runNode([path.join(project, file), ...controller]);
      expect(code, stdout + stderr).toBe(0);
    },
    60_000,
  );
});

function runNode(args: readonly string[]): Promise<{ code: number | string | null; stdout: string; stderr: string }> {
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    XDG_CACHE_HOME: OWN_CACHE,
    NO_COLOR: '1',
    ...fixture.env,
  };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { env, cwd: project, timeout: 60_000 }, (error, stdout, stderr) => {
      resolve({ code: error ? (error.code ?? error.signal ?? 'ended') : child.exitCode, stdout, stderr });
    });
  });
}
