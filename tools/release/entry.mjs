// The program as one module, which is also its own guard where Node is in the file. The library in it is loaded when a
// hook imports it.
import path from 'node:path';
import vm from 'node:vm';

const LIBRARY = Symbol.for('kubectl-informer.library');
const PARTS = {
  'kubectl-informer': () => import('../../dist/index.js'),
  'kubectl-informer/cache': () => import('../../dist/cache.js'),
  'kubectl-informer/hooks': () => import('../../dist/hooks.js'),
  'kubectl-informer/webhooks': () => import('../../dist/webhooks.js'),
  'kubectl-informer/crds': () => import('../../dist/crds.js'),
  'kubectl-informer/sandbox': () => import('../../dist/sandbox.js'),
  'kubectl-informer/testing': () => import('../../dist/testing.js'),
};

const GUARD = '__guard';

/** As `src/kit/one-file.ts` describes it. */
globalThis[Symbol.for('kubectl-informer.one-file')] = {
  // a thread that is given the whole program would be it
  stateThread: `data:text/javascript,${encodeURIComponent(BUILT_STATE_THREAD)}`,
  jqThread: `data:text/javascript,${encodeURIComponent(BUILT_JQ_THREAD)}`,
  page: BUILT_UI_PAGE,
  async entries() {
    const loaded = Object.entries(PARTS).map(async ([name, load]) => [name, await load()]);
    const parts = Object.fromEntries(await Promise.all(loaded));
    globalThis[LIBRARY] = parts;
    return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, moduleOf(name, part)]));
  },
  ...(isExecutable() ? { executable: { importFile: importsFiles(), guard: [GUARD] } } : {}),
};

const words = commandLine();
if (isExecutable() && words[0] === GUARD) (await import('../../src/hooks/run/guard-program.ts')).guardProgram();
else await (await import('../../dist/main.js')).main(words);

/** Node is in the file. Older Nodes than those that make such files have no `node:sea`. */
function isExecutable() {
  return process.getBuiltinModule('node:sea')?.isSea() ?? false;
}

/** Source: Node's `vm`, whose scripts may import by the loader of files also in a single executable application. */
function importsFiles() {
  const importModuleDynamically = vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  return new vm.Script('(url) => import(url)', { importModuleDynamically }).runInThisContext();
}

/** The URL of a module that exports what is loaded already. */
function moduleOf(name, part) {
  const exported = Object.keys(part).map((key) => `export const ${key} = part.${key};`);
  const text = `const part = globalThis[Symbol.for('kubectl-informer.library')]['${name}'];\n${exported.join('\n')}`;
  return `data:text/javascript,${encodeURIComponent(text)}`;
}

/** kubectl asks for completions through a link of this name. */
function commandLine() {
  const [, script = '', ...words] = process.argv;
  return path.basename(script).startsWith('kubectl_complete-') ? ['__complete', ...words] : words;
}
