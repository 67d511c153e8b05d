// The program as one module: what Node was started with, or the thread of it that stores states. The library in it is
// loaded when a hook imports it.
import path from 'node:path';
import { isMainThread, workerData } from 'node:worker_threads';

const LIBRARY = Symbol.for('kubectl-informer.library');
const PARTS = {
  'kubectl-informer': () => import('../../dist/index.js'),
  'kubectl-informer/cache': () => import('../../dist/cache.js'),
  'kubectl-informer/sandbox': () => import('../../dist/sandbox.js'),
  'kubectl-informer/testing': () => import('../../dist/testing.js'),
};

/** As `src/kit/one-file.ts` describes it. */
globalThis[Symbol.for('kubectl-informer.one-file')] = {
  url: import.meta.url,
  page: BUILT_UI_PAGE,
  async entries() {
    const loaded = Object.entries(PARTS).map(async ([name, load]) => [name, await load()]);
    const parts = Object.fromEntries(await Promise.all(loaded));
    globalThis[LIBRARY] = parts;
    return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, moduleOf(name, part)]));
  },
};

if (isMainThread) await (await import('../../dist/main.js')).main(commandLine());
else if (workerData?.thread === 'state') await import('../../dist/state-thread.js');

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
