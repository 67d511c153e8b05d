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

let pack: Packed;

beforeAll(() => {
  pack = packed();
  writeFileSync(path.join(pack.project, 'package.json'), '{"private":true,"type":"module"}');
  writeFileSync(path.join(pack.project, 'consumer.ts'), CONSUMER);
  symlinkSync(path.join(ROOT, 'node_modules/@types'), path.join(pack.project, 'node_modules/@types'));
  symlinkSync(path.join(ROOT, 'node_modules/undici-types'), path.join(pack.project, 'node_modules/undici-types'));
});

afterAll(() => pack[Symbol.dispose]());

describe('the packed declarations', () => {
  it.each([
    ['node16', 'node16'],
    ['esnext', 'bundler'],
  ])('compile in a strict project that checks libraries too, with --module %s --moduleResolution %s', (module, moduleResolution) => {
    const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false', '--types', 'node'];
    const target = ['--target', 'es2024', '--lib', 'es2024,esnext.disposable', '--module', module, '--moduleResolution', moduleResolution];
    const tsc = path.join(ROOT, 'node_modules/.bin/tsc');
    const { stdout, status } = spawnSync(tsc, [...options, ...target, 'consumer.ts'], { cwd: pack.project, encoding: 'utf8' });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });

  it('compile without the types of Node, where the library of the web has AbortSignal', () => {
    const options = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--types', ''];
    const target = ['--target', 'es2024', '--lib', 'es2024,esnext.disposable,dom', '--module', 'esnext', '--moduleResolution', 'bundler'];
    const tsc = path.join(ROOT, 'node_modules/.bin/tsc');
    const { stdout, status } = spawnSync(tsc, [...options, ...target, 'consumer.ts'], { cwd: pack.project, encoding: 'utf8' });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });

  it('are one file for each entry, and one for what entries share', () => {
    const files = readdirSync(pack.folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.d\.[cm]?ts$/.test(file));
    const entries = ['cache', 'index', 'sandbox', 'shared', 'testing'];
    expect(files.sort()).toEqual(entries.map((entry) => path.join('dist', 'types', `${entry}.d.ts`)));
  });
});
