import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { StopError } from '../../../src/controller/reconciler.ts';
import type { HookRequest } from '../../../src/hooks/hook.ts';
import type { HookContext } from '../../../src/hooks/run/module.ts';
import { createModuleHook, isModulePath, loadHookModule, noServices } from '../../../src/hooks/run/module.ts';
import { silentLogger } from '../../../src/kit/logger.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'module-hooks-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const LOADER = pathToFileURL(join(import.meta.dirname, '../../../src/hooks/run/module.ts')).href;

interface Loaded {
  config?: unknown;
  reply?: unknown;
  failed?: { name: string; message: string; hint?: string };
}

/** Loads and runs a hook in another process, so that Node's own module loader loads it. */
async function load(files: Record<string, string>, entries: Record<string, string> = {}): Promise<Loaded> {
  const [first = ''] = Object.keys(files);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), text);
  }
  const program = `
    const { loadHookModule } = await import(${JSON.stringify(LOADER)});
    try {
      const hook = await loadHookModule(${JSON.stringify(join(dir, first))}, { packageEntries: ${JSON.stringify(entries)} });
      console.log(JSON.stringify({ config: hook.config, reply: await hook.reconcile({ key: 'shop/web' }) }));
    } catch ({ name, message, hint }) {
      console.log(JSON.stringify({ failed: { name, message, hint } }));
    }`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  return JSON.parse(stdout) as Loaded;
}

it('calls onStartup for the request at startup, and the default export for all others', async () => {
  const module = {
    name: 'guard.ts',
    reconcile: ({ key }: HookContext) => ({ error: `reconcile ${key}` }),
    onStartup: ({ event, namespace, name }: HookContext) => ({ error: `startup ${event} ${namespace}${name}.` }),
    config: undefined,
  };
  const hook = createModuleHook(module, noServices);
  const run = { signal: new AbortController().signal, logger: silentLogger };
  const request = { version: 1, key: 'shop/web', gvr: 'v1/pods', object: null } as unknown as HookRequest;
  expect(await hook.run(request, run)).toEqual({ error: 'reconcile shop/web' });
  expect(await hook.run({ ...request, key: '', event: 'startup' }, run)).toEqual({ error: 'startup startup .' });
});

describe('loading', () => {
  it('runs TypeScript, and reads its config', async () => {
    const hook = `
      export const config = { workers: 4 } as const;
      interface Ctx { key: string }
      export default async function reconcile(ctx: Ctx): Promise<object> { return { requeueAfter: '30s', key: ctx.key }; }`;
    expect(await load({ 'good.ts': hook })).toEqual({
      config: { workers: 4 },
      reply: { requeueAfter: '30s', key: 'shop/web' },
    });
  });

  it('refuses an onStartup that is no function', async () => {
    const hook = 'export const onStartup = true;\nexport default () => {};\n';
    expect((await load({ 'started.mjs': hook })).failed).toMatchObject({
      name: 'StopError',
      message: expect.stringContaining('exports onStartup, which is no function'),
    });
  });

  it.each(['.mjs', '.cjs', '.mts'])('runs %s', async (extension) => {
    const body = '({ key }) => ({ key })';
    const text =
      extension === '.cjs'
        ? `module.exports = ${body}`
        : `export default ${body.replace('({ key })', '({ key }: any)')}`;
    const { reply } = await load({ [`any${extension}`]: extension === '.mjs' ? `export default ${body}` : text });
    expect(reply).toEqual({ key: 'shop/web' });
  });

  it('imports of this package lead to the running copy from any folder, also in the modules that the hook imports', async () => {
    const running = join(dir, 'running');
    await mkdir(running, { recursive: true });
    await writeFile(join(running, 'index.mjs'), 'export const which = "running"; export class Shared {}');
    const entry = pathToFileURL(join(running, 'index.mjs')).href;
    const hook = `
      import { which } from 'kubectl-informer';
      import { alsoWhich, Shared } from './helper.mjs';
      import * as later from 'kubectl-informer';
      export default async () => ({ which, alsoWhich, isSame: Shared === (await import('kubectl-informer')).Shared && later.Shared === Shared });`;
    const helper = `export { which as alsoWhich, Shared } from 'kubectl-informer';`;
    const { reply } = await load(
      { 'far/away/hook.mjs': hook, 'far/away/helper.mjs': helper },
      { 'kubectl-informer': entry },
    );
    expect(reply).toEqual({ which: 'running', alsoWhich: 'running', isSame: true });
  });

  it.each([
    ['enum', 'export const a = 1;\nenum Color { Red }\n', 2, 'enum', 'as const'],
    [
      'parameter property',
      '\n\nexport default class { constructor(private a: number) {} }\n',
      3,
      'parameter property',
      'declare the field',
    ],
    ['namespace', 'namespace A { export const x = 1 }\n', 1, 'namespace', 'a separate module'],
    ['import equals', '\nimport fs = require("fs");\n', 2, 'import equals', 'import … from'],
  ])(
    'TypeScript that needs more than the removal of types (%s) is named with its line',
    async (name, text, line, construct, instead) => {
      const file = `bad-${name.replace(' ', '-')}.ts`;
      const { failed } = await load({ [file]: text });
      expect(failed?.name).toBe('StopError');
      expect(failed?.message).toContain(`${file}:${line}: `);
      expect(failed?.message).toContain(construct);
      expect(failed?.hint).toContain(instead);
    },
  );

  it('an imported file is named if the fault is there', async () => {
    const { failed } = await load({ 'outer.ts': `import './inner.ts';`, 'inner.ts': '\nenum A { B }' });
    expect(failed?.message).toContain('inner.ts:2: ');
  });

  it('a syntax error in TypeScript is named with its line', async () => {
    const { failed } = await load({ 'syntax.ts': 'export default () => {\n  const a: number = ;\n}' });
    expect(failed?.message).toMatch(/syntax\.ts:2: Expression expected/);
    expect(failed?.hint).toMatch(/^correct this line of the hook/);
  });

  it('a syntax error in JavaScript is named with its file and line, also in a file that the hook imports', async () => {
    const entry = await load({ 'broken.mjs': 'export default () => {\n  const = 1;\n};' });
    expect(entry.failed?.message).toMatch(/broken\.mjs:2: Unexpected token '='$/);
    expect(entry.failed?.hint).toMatch(/^correct this line of the hook/);
    const imported = await load({
      'outer.mjs': "import './lib.mjs';\nexport default () => {};",
      'lib.mjs': '\n\nlet;',
    });
    expect(imported.failed?.message).toMatch(/\/lib\.mjs:3: .*/);
  });

  it('TypeScript in node_modules is refused, with a hint to use .js', async () => {
    const { failed } = await load({ 'node_modules/hooks/index.ts': 'export default (a: number) => a' });
    expect(failed?.hint).toContain('must be a .js file');
  });

  it('a missing import is named', async () => {
    const { failed } = await load({ 'missing.mjs': `import 'no-such-package';` });
    expect(failed?.message).toContain("Cannot find package 'no-such-package'");
  });

  it('an error while it is loaded stops the controller', async () => {
    const { failed } = await load({ 'throws.mjs': `throw new Error('no settings');` });
    expect(failed).toMatchObject({ name: 'StopError', message: expect.stringContaining('throws.mjs: no settings') });
  });

  it('a default export that is no function is refused', async () => {
    const importModule = async () => ({ default: { reconcile() {} } });
    await expect(loadHookModule('hook.js', { importModule })).rejects.toThrow(StopError);
    await expect(loadHookModule('hook.js', { importModule: async () => ({}) })).rejects.toThrow(
      'has no default export that is a function',
    );
  });

  it('is a module or an executable by its file extension', () => {
    expect(['a.ts', 'a.mts', 'a.js', './b/c.cjs'].map(isModulePath)).toEqual([true, true, true, true]);
    expect(['a.sh', 'hook', 'a.py', 'ts'].map(isModulePath)).toEqual([false, false, false, false]);
  });
});

describe('running', () => {
  const pods = { group: '', version: 'v1', resource: 'pods' };
  const request: HookRequest = {
    version: 1,
    key: 'shop/web',
    gvr: 'v1/pods',
    object: null,
    changed: [],
    causes: [],
    attempt: 1,
    snapshots: {},
  };

  it('passes the request, the parts of the key, log, signal and services', async () => {
    const { signal } = new AbortController();
    const services = { ...noServices, index: vi.fn(() => []), lister: vi.fn() };
    let seen: HookContext | undefined;
    const reconcile = (context: HookContext) => {
      seen = context;
      context.lister('v1/pods');
      context.index('node', 'n1');
      return { requeueAfter: '1s' };
    };
    const hook = createModuleHook({ name: 'hook.ts', reconcile, config: undefined }, services);
    expect(await hook.run(request, { signal, logger: silentLogger })).toEqual({ requeueAfter: '1s' });
    expect(seen).toMatchObject({ ...request, namespace: 'shop', name: 'web', signal, log: silentLogger });
    expect(services.lister).toHaveBeenCalledWith('v1/pods');
    expect(services.index).toHaveBeenCalledWith('node', 'n1');
  });

  it('a service that the program does not provide throws when it is used, not before', async () => {
    const ask = (use: (context: HookContext) => unknown) =>
      createModuleHook({ name: 'h', reconcile: (context) => void use(context), config: undefined }, noServices).run(
        request,
        {
          signal: new AbortController().signal,
          logger: silentLogger,
        },
      );
    await ask(() => {});
    await expect(ask((c) => c.client.resource(pods))).rejects.toThrow('ctx.client (v1/pods) is not available here');
    await expect(ask((c) => c.lister('v1/pods'))).rejects.toThrow('ctx.lister("v1/pods") is not available here');
    await expect(ask((c) => c.index('node', 'n1'))).rejects.toThrow('ctx.index("node") is not available here');
  });
});
