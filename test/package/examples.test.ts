import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { examplesOf, namesByModule } from '../../tools/reference/library-pages.ts';
import { ROOT } from './packed.ts';

const project = mkdtempSync(path.join(tmpdir(), 'informer-api-examples-'));
afterAll(() => rmSync(project, { recursive: true }));

/** What a reader of an example has at hand. */
const GIVEN: Readonly<Record<string, string>> = {
  client: 'Client',
  signal: 'AbortSignal',
  factory: 'InformerFactory',
  informer: 'SharedInformer<UnknownObject>',
  lister: 'Lister<UnknownObject>',
  controller: 'Controller',
  elector: 'LeaderElector',
  metrics: 'PrometheusMetrics',
  DEPLOYMENTS: 'GroupVersionResource',
  shops: '{ readonly definition: UnknownObject }',
  t: "import('node:test').TestContext",
  z: `typeof import(${JSON.stringify(path.join(ROOT, 'node_modules/zod/index.js'))}).z`,
};

/** Those whose use is not clear from their type alone. */
const MAIN = [
  'controllerFor',
  'createClient',
  'createController',
  'createManager',
  'dynamicInformerFactory',
  'EventRecorder',
  'eventually',
  'FakeClock',
  'Indexer',
  'LeaderElector',
  'Lister',
  'loadConfig',
  'Reflector',
  'retryOnConflict',
  'Sandbox',
  'serverSideApply',
  'SharedInformer',
  'untilCondition',
  'WorkQueue',
];

const examples = examplesOf();

it('the main names of the library have an example', () => {
  expect(MAIN.filter((name) => !examples.some((example) => example.name === name))).toEqual([]);
});

it('every example of the library compiles against the built declarations', { timeout: 120_000 }, () => {
  mkdirSync(path.join(project, 'node_modules'));
  symlinkSync(ROOT, path.join(project, 'node_modules/kubectl-informer'), 'junction');
  writeFileSync(path.join(project, 'package.json'), '{"type":"module"}');
  const files = examples.map(({ name, code }, i) => {
    const file = `${i}-${name}.ts`;
    writeFileSync(path.join(project, file), programOf(code));
    return file;
  });
  expect(files.length).toBeGreaterThan(MAIN.length);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable'],
    module: 'nodenext',
    types: ['node'],
    typeRoots: [path.join(ROOT, 'node_modules/@types')],
  };
  writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' });
  expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
});

/** An example as a module: with imports of the names that it uses, and of the types of what is given. */
function programOf(code: string): string {
  const given = Object.entries(GIVEN).map(([name, type]) => `declare const ${name}: ${type};`);
  const words = new Set([...code, '\n', ...given].join('').match(/\b[A-Za-z]\w*\b/g));
  const taken = new Set<string>();
  const imports = [...namesByModule()].map(([module, names]) => {
    const used = names.filter((name) => words.has(name) && !taken.has(name) && !(name in GIVEN));
    for (const name of used) taken.add(name);
    return used.length > 0 ? `import { ${used.join(', ')} } from '${module}';` : '';
  });
  return [...imports, ...given, 'export async function example() {', code, '}', ''].join('\n');
}
