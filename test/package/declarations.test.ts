import { spawnSync } from 'node:child_process';
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

export const everything = { ...library, ...parts, ...sandboxes, ...testing };
export const client = library.createClient(await library.loadConfig());
export const { discovery, mapper } = client;
export const pods = client.resource({ group: '', version: 'v1', resource: 'pods' });
export const page = await pods.list();
export const factory = library.dynamicInformerFactory(client);
export const handle = factory.forResource({ group: '', version: 'v1', resource: 'pods' });
export const registration = handle.informer.addHandler({});
export const continuity = handle.informer.continuity;
export const sync = await factory.waitForSync();
export const source = library.createInformerSource(handle.informer, { name: 'pods' });
export const controller = library.createController({ name: 'pods', sources: [source], reconcile: () => {} });
export const item = await new library.WorkQueue().take();
export const sandbox = await sandboxes.Sandbox.start();
export const transport = sandbox.transport();
`;

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
  it.each([
    ['node16', 'node16'],
    ['esnext', 'bundler'],
  ])(
    'compile in a strict project that checks libraries too, with --module %s --moduleResolution %s',
    (module, moduleResolution) => {
      const options = [
        '--noEmit',
        '--exactOptionalPropertyTypes',
        '--types',
        'node',
        '--lib',
        'es2024,esnext.disposable',
      ];
      expect(compiled(['consumer.ts', ...options, '--module', module, '--moduleResolution', moduleResolution])).toEqual(
        FINE,
      );
    },
  );

  it('compile without the types of Node, where the library of the web has AbortSignal', () => {
    expect(compiled(['consumer.ts', '--noEmit', ...BUNDLER])).toEqual(FINE);
  });

  it('have a name for every type that the declarations of a library of a user take over', () => {
    const options = ['--declaration', '--emitDeclarationOnly', '--outDir', 'out'];
    expect(compiled(['passes-on.ts', ...options, ...BUNDLER])).toEqual(FINE);
  });

  it('are one file for each entry, and one for what entries share', () => {
    const files = readdirSync(pack.folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.d\.[cm]?ts$/.test(file),
    );
    const entries = ['cache', 'index', 'sandbox', 'shared', 'testing'];
    expect(files.sort()).toEqual(entries.map((entry) => path.join('dist', 'types', `${entry}.d.ts`)));
  });
});

const BUNDLER = [
  '--types',
  '',
  '--lib',
  'es2024,esnext.disposable,dom',
  '--module',
  'esnext',
  '--moduleResolution',
  'bundler',
];
const FINE = { stdout: '', status: 0 };

function compiled(options: readonly string[]) {
  const tsc = path.join(ROOT, 'node_modules/.bin/tsc');
  const strict = ['--strict', '--skipLibCheck', 'false', '--target', 'es2024'];
  const { stdout, status } = spawnSync(tsc, [...strict, ...options], { cwd: pack.project, encoding: 'utf8' });
  return { stdout, status };
}
