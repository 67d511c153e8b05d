import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadHookModule } from '../../src/hooks/run/module.ts';
import { dockerfile } from '../../src/manifest/dockerfile.ts';
import { hookPlaceOf, type ImageHook } from '../../src/manifest/hook-place.ts';
import { VERSION } from '../../src/package.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'informer-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function written(name: string, content: string | Buffer): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

async function placeOf(file: string, hookPath?: string) {
  if (/\.m?[jt]s$/.test(file)) await loadHookModule(file);
  return hookPlaceOf(file, hookPath);
}

const RUN = 'export default () => {};\n';

describe('the place of a hook in a cluster', () => {
  it('is a ConfigMap for a module that imports nothing but Node’s modules', async () => {
    const text = `import { join } from 'node:path';\nimport fs from 'fs';\n${RUN}`;
    expect(await placeOf(written('one file.mjs', text))).toEqual({
      in: 'config-map',
      name: 'one-file.mjs',
      text,
      isExecutable: false,
      path: '/hook/one-file.mjs',
      remarks: [],
    });
  });

  it('is a ConfigMap for a script, and the interpreter that the image must have is named', async () => {
    for (const [head, program] of [
      ['#!/bin/sh', undefined],
      ['#!/usr/bin/env python3', 'python3'],
      ['#!/usr/bin/env -S ruby -w', 'ruby'],
      ['#! /opt/bin/lua', 'lua'],
    ] as const) {
      const place = await placeOf(written('script', `${head}\necho\n`));
      expect(place).toMatchObject({ in: 'config-map', isExecutable: true, path: '/hook/script' });
      expect('remarks' in place && place.remarks).toEqual(
        program === undefined ? [] : [`the image must have ${program}, which runs the hook`],
      );
    }
  });

  it('is the image for a large file and for a binary one', async () => {
    const large = `${RUN}// ${'x'.repeat(900_000)}\n`;
    expect(await placeOf(written('large.mjs', large))).toMatchObject({ in: 'image', path: '/app/large.mjs' });
    for (const [name, content] of [
      ['zero', Buffer.from([1, 0, 2])],
      ['latin', Buffer.from([0x23, 0xe4, 0x0a])],
    ] as const)
      expect(await placeOf(written(name, content))).toMatchObject({ why: expect.stringContaining('binary') });
  });

  it('is a path in the image that a flag names; one that cannot be is refused', async () => {
    const file = written('named.mjs', RUN);
    expect(await placeOf(file, '/srv/x/run.mjs')).toMatchObject({ in: 'image', path: '/srv/x/run.mjs' });
    for (const wrong of ['named.mjs', '/srv/', '/srv/../a.mjs', '/srv/a:b.mjs', '/srv/a.ts'])
      await expect(placeOf(file, wrong)).rejects.toThrow('--hook-path must');
  });

  it('comes with a remark for a hook that reads where it is, or imports while it runs', async () => {
    const remarksOf = async (name: string, text: string) => {
      const place = await placeOf(written(name, text));
      return 'remarks' in place ? place.remarks : [];
    };
    expect(await remarksOf('own.mjs', `const here = import.meta.url;\n${RUN}`)).toEqual([
      expect.stringContaining('reads where it is'),
    ]);
    expect(await remarksOf('later.mjs', 'export default () => import("./x.mjs");\n')).toEqual([
      expect.stringContaining('imports while it runs'),
    ]);
    expect(await remarksOf('own.sh', '#!/bin/sh\n. "$(dirname "$0")/lib.sh"\n')).toEqual([
      expect.stringContaining('reads where it is'),
    ]);
  });
});

describe('the Dockerfile', () => {
  it('has Node, this version of the package and a user that is a number, and names no registry', () => {
    const text = dockerfile({ hasFile: () => false });
    const lines = text.split('\n').filter((line) => !line.startsWith('#'));
    expect(lines).toEqual([
      'FROM node:24-slim',
      expect.stringMatching(
        new RegExp(`^RUN npm install --global .*kubectl-informer@${VERSION.replaceAll('.', '\\.')} `),
      ),
      'ENV NODE_ENV=production',
      'USER 1000:1000',
      'ENTRYPOINT ["kubectl-informer"]',
      '',
    ]);
    expect(text).not.toMatch(/registry|https?:/);
  });

  const hook: ImageHook = {
    in: 'image',
    path: '/app/src/guard.ts',
    isExecutable: false,
    why: '',
    root: '/',
    folder: '/app',
    files: ['src/guard.ts', 'src/near.ts', 'lib/a b.ts'],
    packages: ['left'],
  };
  const stepsOf = (options: Partial<ImageHook>, files: readonly string[]) =>
    dockerfile({ hook: { ...hook, ...options }, hasFile: (name) => files.includes(name) })
      .split('\n')
      .filter((line) => /^(WORKDIR|COPY|RUN npm (ci|install --omit|install left))/.test(line))
      .map((line) => line.replace(/ --no-audit.*/, ''));

  it('copies a hook with its files to where the manifest expects it, and installs its packages', () => {
    expect(stepsOf({}, ['package.json', 'package-lock.json'])).toEqual([
      'WORKDIR /app',
      'COPY package.json package-lock.json ./',
      'RUN npm ci --omit=dev',
      'COPY ["src/guard.ts","/app/src/guard.ts"]',
      'COPY ["src/near.ts","/app/src/"]',
      'COPY ["lib/a b.ts","/app/lib/"]',
    ]);
    expect(stepsOf({}, ['package.json'])).toContain('RUN npm install --omit=dev');
    expect(stepsOf({}, [])).toContain('RUN npm install left');
  });

  it('lets a program be run', () => {
    expect(stepsOf({ isExecutable: true, files: ['run'], path: '/app/run', packages: [] }, [])).toEqual([
      'WORKDIR /app',
      'COPY --chmod=0755 ["run","/app/run"]',
    ]);
  });
});
