import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unnamedTypes } from '../../tools/bundle-types.mjs';
import { type Packed, packed, ROOT } from './packed.ts';

const CONSUMER = `
import { createClient, dynamicInformerFactory, loadConfig, StatusError, WorkQueue, type KubeObject } from 'kubectl-informer';
import { Indexer, InformerError, type Lister, keyOf } from 'kubectl-informer/cache';
import { Sandbox } from 'kubectl-informer/sandbox';
import { FakeClock } from 'kubectl-informer/testing';

interface Backup extends KubeObject {
  spec: { schedule: string };
}

export async function backups(signal: AbortSignal): Promise<readonly string[]> {
  await using sandbox = await Sandbox.start();
  const client = createClient(await loadConfig({ kubeconfigText: sandbox.kubeconfig() }));
  const factory = dynamicInformerFactory(client, { clock: new FakeClock() });
  // One class for all entries: what the first makes, the others take.
  const lister: Lister<Backup> = factory.forResource<Backup>({ group: 'example.com', version: 'v1', resource: 'backups' }).lister;
  factory.start(signal);
  return lister.list().map((backup) => backup.spec.schedule + keyOf(backup));
}

export const isOurs = (error: unknown): error is InformerError => error instanceof InformerError && !(error instanceof StatusError);
export const made = [WorkQueue, Indexer];
// @ts-expect-error the types are checked, not taken for any
export const wrong: number = keyOf({ metadata: { name: 'web' } });
`;

/** A library of a user's, whose own declarations name ours: the types of everything below are inferred. */
const PASSES_ON = `
import * as library from 'kubectl-informer';
import * as parts from 'kubectl-informer/cache';
import * as sandboxes from 'kubectl-informer/sandbox';
import * as testing from 'kubectl-informer/testing';
import * as hooks from 'kubectl-informer/hooks';

export const everything = { ...library, ...parts, ...sandboxes, ...testing, ...hooks };
export const replyOf = (hook: hooks.HookFunction) => hook;
export const config = await library.loadConfig();
export const credentials = await config.credentials();
export const client = library.createClient(config);
export const { discovery, mapper } = client;
export const pods = client.resource({ group: '', version: 'v1', resource: 'pods' });
export const page = await pods.list();
export const factory = library.dynamicInformerFactory(client);
export const handle = factory.forResource({ group: '', version: 'v1', resource: 'pods' });
export const registration = handle.informer.addHandler({});
export const continuity = handle.informer.continuity;
export const endings = continuity.flatMap(({ stretches }) => stretches.map(({ ended }) => ended));
export const slim = factory.forResource(pods.gvr, { transform: ({ metadata }: library.UnknownObject) => ({ metadata }) });
export const upsert = (object: library.KubeObject) => library.createOrUpdate(pods, object, () => {});
export const request = (of: library.ReconcileRequest) => ({ ...of });
export const predicates = { generation: library.generationChanged, not: library.notPredicate(library.labelsChanged) };
export const limiter = library.createControllerRateLimiter();
export const recorder = testing.createRecordingHandler();
export const sync = await factory.waitForSync();
export const source = library.createInformerSource(handle.informer, { name: 'pods' });
export const controller = library.createController({ name: 'pods', sources: [source], reconcile: () => {} });
export const item = await new library.WorkQueue().take();
export const sandbox = await sandboxes.Sandbox.start();
export const transport = sandbox.transport();
`;

/** The newest compiler, and the oldest one that the package promises to work with (docs/client.md). */
const COMPILERS = ['node_modules', 'tools/typescript-floor/node_modules'].map((folder) => {
  const home = path.join(ROOT, folder, 'typescript');
  const { version } = JSON.parse(readFileSync(path.join(home, 'package.json'), 'utf8')) as { version: string };
  return [version, path.join(home, 'bin/tsc')] as const;
});

let pack: Packed;

beforeAll(() => {
  pack = packed();
  writeFileSync(path.join(pack.project, 'package.json'), '{"private":true,"type":"module"}');
  writeFileSync(path.join(pack.project, 'consumer.ts'), CONSUMER);
  writeFileSync(path.join(pack.project, 'passes-on.ts'), PASSES_ON);
  symlinkSync(path.join(ROOT, 'node_modules/@types'), path.join(pack.project, 'node_modules/@types'));
  symlinkSync(path.join(ROOT, 'node_modules/undici-types'), path.join(pack.project, 'node_modules/undici-types'));
});

afterAll(() => pack[Symbol.dispose]());

describe('the packed declarations', () => {
  describe.each(COMPILERS)('with TypeScript %s', (_, tsc) => {
    it.each([
      ['node16', 'node16'],
      ['nodenext', 'nodenext'],
      ['esnext', 'bundler'],
    ])(
      'compile in a strict project that checks libraries too, with module %s and moduleResolution %s',
      (module, moduleResolution) => {
        const options = { exactOptionalPropertyTypes: true, types: ['node'], lib: ['es2023'] };
        expect(compiled('consumer.ts', { ...options, module, moduleResolution }, tsc)).toEqual(FINE);
      },
    );

    it('compile without the types of Node, where the library of the web has AbortSignal', () => {
      expect(compiled('consumer.ts', WITHOUT_NODE, tsc)).toEqual(FINE);
    });

    it('have a name for every type that the declarations of a library of a user take over', () => {
      const options = { ...WITHOUT_NODE, noEmit: false, declaration: true, emitDeclarationOnly: true, outDir: 'out' };
      expect(compiled('passes-on.ts', options, tsc)).toEqual(FINE);
    });
  });

  it('name, in kubectl-informer/types, every type that a public signature of an entry leads to', () => {
    const entries = { types: 'types.d.ts', index: 'index.d.ts', cache: 'cache.d.ts', hooks: 'hooks.d.ts' };
    const all = { ...entries, sandbox: 'sandbox.d.ts', testing: 'testing.d.ts' };
    const { types, ...unnamed } = unnamedTypes({ from: path.join(pack.folder, 'dist/types'), entries: all });
    expect(types).toEqual(['HOOK_REQUEST_VERSION']); // a value, which ./hooks exports
    const names = new Set(
      readFileSync(path.join(pack.folder, 'dist/types/types.d.ts'), 'utf8')
        .match(/^ {2}\w+(?=,$)/gm)
        ?.map((name) => name.trim()),
    );
    expect(names.size).toBeGreaterThan(300);
    expect(
      Object.values(unnamed)
        .flat()
        .filter((name) => !names.has(name)),
    ).toEqual([]);
  });

  it('have a docstring for every exported name', () => {
    const folder = path.join(pack.folder, 'dist/types');
    const undocumented = ['index', 'shared', 'hooks', 'webhooks', 'crds', 'sandbox', 'testing'].flatMap((entry) => {
      const text = readFileSync(path.join(folder, `${entry}.d.ts`), 'utf8');
      const declared = [...text.matchAll(/^(?:declare )?(?:interface|type|class|function|const) (\w+)/gm)];
      expect(declared.length).toBeGreaterThan(3);
      const first = declared.filter(([, name], i) => declared.findIndex((other) => other[1] === name) === i);
      return first.filter(({ index }) => !/\*\/\n$/.test(text.slice(0, index))).map(([, name]) => `${entry}: ${name}`);
    });
    expect(undocumented).toEqual([]);
  });

  it('are tested with the oldest TypeScript that the documents promise', () => {
    const [, floor = ''] = /^(\d+\.\d+)\./.exec(COMPILERS[1]?.[0] ?? '') ?? [];
    for (const page of ['README.md', 'docs/client.md'])
      expect(readFileSync(path.join(ROOT, page), 'utf8')).toContain(`TypeScript ${floor}`);
  });

  it('are one file for each entry, and one for the types that entries share', () => {
    const files = readdirSync(pack.folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.d\.[cm]?ts$/.test(file),
    );
    const entries = ['cache', 'crds', 'hooks', 'index', 'sandbox', 'shared', 'testing', 'types', 'webhooks'];
    expect(files.sort()).toEqual(entries.map((entry) => path.join('dist', 'types', `${entry}.d.ts`)));
  });
});

/** A project without any `lib`. `types: []` is the default since TypeScript 6. */
const WITHOUT_NODE = { types: [], module: 'esnext', moduleResolution: 'bundler' };
const FINE = { stdout: '', status: 0 };

function compiled(file: string, options: object, tsc: string) {
  const strict = { strict: true, skipLibCheck: false, target: 'es2022', noEmit: true };
  const config = { compilerOptions: { ...strict, ...options }, files: [file] };
  writeFileSync(path.join(pack.project, 'tsconfig.json'), JSON.stringify(config));
  const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', pack.project], { encoding: 'utf8' });
  return { stdout, status };
}
