import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Packed, packed, ROOT } from './packed.ts';

/** Reads the namespaces of a sandbox with all four entries of the library. */
const USES = `
async function main({ createClient, dynamicInformerFactory, loadConfig }, { keyOf }, { Sandbox }, { FakeClock }) {
  const sandbox = await Sandbox.start();
  const client = createClient(await loadConfig({ kubeconfigText: sandbox.kubeconfig() }));
  const factory = dynamicInformerFactory(client, { logger: undefined });
  const { lister } = factory.forResource({ group: '', version: 'v1', resource: 'namespaces' });
  const stop = new AbortController();
  factory.start(stop.signal);
  await factory.waitForSync(stop.signal);
  console.log(lister.list().map((object) => keyOf(object)).sort().join(), typeof FakeClock);
  stop.abort();
  await factory.shutdown();
  await client.close();
  await sandbox[Symbol.asyncDispose]();
}`;
const SEEN = 'default,kube-node-lease,kube-public,kube-system function\n';
const ENTRIES = ['kubectl-informer', 'kubectl-informer/cache', 'kubectl-informer/sandbox', 'kubectl-informer/testing'];
const AS_MODULE = `${ENTRIES.map((entry, at) => `import * as part${at} from '${entry}';`).join('\n')}
${USES}
main(part0, part1, part2, part3);`;
const AS_COMMONJS = `${USES}\nmain(${ENTRIES.map((entry) => `require('${entry}')`).join(', ')});`;

let pack: Packed;
beforeAll(() => {
  pack = packed();
  writeFileSync(path.join(pack.project, 'package.json'), '{"private":true}');
});
afterAll(() => pack[Symbol.dispose]());

function written(name: string, text: string): string {
  const file = path.join(pack.project, name);
  writeFileSync(file, text);
  return file;
}

function node(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: pack.project, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('the library', () => {
  it('is loaded by require', () => {
    expect(node(written('require.cjs', AS_COMMONJS))).toEqual({ status: 0, stdout: SEEN, stderr: '' });
  });

  it('runs in a worker thread', () => {
    const worker = written('worker.mjs', AS_MODULE);
    const script = `new (require('node:worker_threads').Worker)(${JSON.stringify(worker)});`;
    expect(node(written('thread.cjs', script))).toEqual({ status: 0, stdout: SEEN, stderr: '' });
  });

  it('runs with --permission, where it may read its own files and open connections only', () => {
    const script = written('permission.mjs', AS_MODULE);
    const net = process.allowedNodeEnvironmentFlags.has('--allow-net') ? ['--allow-net'] : [];
    const ended = node('--permission', ...net, `--allow-fs-read=${pack.project}`, script);
    expect({ ...ended, stderr: '' }).toEqual({ status: 0, stdout: SEEN, stderr: '' });
  });

  it('runs in a bundle that is CommonJS, where import.meta is an empty object', async () => {
    const input = written('bundled.mjs', AS_MODULE);
    const bundle = await rolldown({
      input,
      platform: 'node',
      cwd: pack.project,
      // as esbuild does with format: cjs
      plugins: [{ name: 'no-meta', transform: (code) => code.replace(/\bimport\.meta\b/g, '({})') }],
      onLog() {},
    });
    const file = path.join(pack.project, 'bundled.cjs');
    await bundle.write({ file, format: 'cjs', codeSplitting: false });
    await bundle.close();
    expect(readFileSync(file, 'utf8')).not.toMatch(/\bimport\.meta\b|require\(["']kubectl-informer/);
    expect(node(file)).toEqual({ status: 0, stdout: SEEN, stderr: '' });
  });
});

/** What a program that watches one type needs of the package. */
const WATCHES_PODS = `
import { createClient, dynamicInformerFactory, loadConfig, parseGvr } from 'kubectl-informer';
const factory = dynamicInformerFactory(createClient(await loadConfig()));
factory.forResource(parseGvr('v1/pods')).informer.addHandler({ added: ({ metadata }) => console.log(metadata.name) });
factory.start(AbortSignal.timeout(1000));`;

it('a program with an informer is a bundle of less than 150 kB, compressed', async () => {
  const input = written('watches-pods.mjs', WATCHES_PODS);
  const bundle = await rolldown({ input, platform: 'node', cwd: pack.project, onLog() {} });
  const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false });
  await bundle.close();
  const [{ code, fileName, imports, dynamicImports }] = output;
  const others = [...imports, ...dynamicImports].filter((name) => !name.startsWith('node:') && name !== fileName);
  expect(others).toEqual([]); // this file is the whole program
  expect(gzipSync(code).length).toBeLessThan(150_000);
});

describe('the built files', () => {
  const dist = path.join(ROOT, 'dist');
  const files = readdirSync(dist).filter((file) => file.endsWith('.js'));
  const own = [
    'cli-',
    'client.',
    'cluster.',
    'commands-',
    'controller-',
    'core.',
    'expr-',
    'kit-',
    'output-',
    'start.',
  ];

  it('are named after the parts of the program, without a hash', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((file) => !/^[a-z]+[a-z0-9]*(-[a-z0-9]+)*\.js$/.test(file))).toEqual([]);
    expect(files.filter((file) => /[a-z]\d\.js$/.test(file))).toEqual(['cli-table3.js']);
    for (const room of own) expect(files.filter((file) => file.startsWith(room))).not.toEqual([]);
  });

  it('keep the names of the sources and a line for each statement, so that a stack can be read', () => {
    const sources = readdirSync(path.join(ROOT, 'src/informer/watch')).filter((file) => file.endsWith('.ts'));
    const source = sources.map((file) => readFileSync(path.join(ROOT, 'src/informer/watch', file), 'utf8')).join('\n');
    const built = files.map((file) => readFileSync(path.join(dist, file), 'utf8')).join('\n');
    const names = [...source.matchAll(/^(?:export )?(?:async )?(?:function|class) (\w+)/gm)].map((match) => match[1]);
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(built))).toEqual([]);
    const texts = files.map((file) => readFileSync(path.join(dist, file), 'utf8'));
    const lines = texts
      .filter((text) => /\bReflector = class\b|^class Reflector\b/m.test(text))
      .join('\n')
      .split('\n');
    expect(lines.filter((line) => line.length > 500 && !/^(?:export|import) /.test(line))).toEqual([]);
    expect(lines.length).toBeGreaterThan(1000);
  });
});
