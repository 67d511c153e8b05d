// Builds dist/: one set of chunks shared by the program and every entry of the library, with what we depend on bundled
// in (client-node's 61 MB of models fall away), lowered for Node 22.19; then the type declarations.
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { bundleTypes } from './bundle-types.mjs';
import { chunkNames } from './chunk-names.mjs';
import { clientNodeAlone } from './client-node-alone.mjs';
import { doorAlone } from './door-alone.mjs';
import { lightModules } from './light-modules.mjs';
import { OCLIF_REST, oclifCommandAlone } from './oclif-command.mjs';
import { ownUrl } from './own-url.mjs';
import { sbom } from './release/sbom.mjs';
import { closureOf } from './start-files.mjs';
import { uiPage } from './ui-page.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const target = path.join(root, 'dist');
const dist = `${target}.${process.pid}`; // a build that fails, or runs beside another, leaves what stands alone
const src = (file) => path.join(root, 'src', file);

const PACKAGE = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));

// CommonJS packages inside an ES module still expect these names.
const BANNER = `import { createRequire as __createRequire } from 'node:module';
const require = __createRequire(import.meta.url);`;

try {
  const [packages] = await Promise.all([bundle(), declarations()]);
  await Promise.all([licences(packages), billOfMaterials(packages), schemas(), page(), completionScripts()]);
  await rm(target, { recursive: true, force: true });
  await rename(dist, target);
  await Promise.all([helpTexts(), completionCatalog(), libraryReference()]);
} finally {
  await rm(dist, { recursive: true, force: true });
}

async function bundle() {
  const shared = {
    main: src('main.ts'),
    commands: src('commands/index.ts'),
    index: src('index.ts'),
    cache: src('cache.ts'),
    hooks: src('hooks.ts'),
    webhooks: src('webhooks.ts'),
    crds: src('crds.ts'),
    sandbox: src('sandbox/index.ts'),
    testing: src('testing/index.ts'),
    help: src('commands/help.ts'),
    complete: src('complete.ts'),
    'state-thread': src('serve/persist/state-thread.ts'),
    'jq-thread': src('output/jq/jq-thread.ts'),
    'oclif-help': src('commands/oclif-help.ts'),
    [OCLIF_REST]: OCLIF_REST,
  };
  // The program's door is one file by itself: each file more that it loads is felt in every start.
  const chunks = [
    ...(await bundled(shared, startGroups())),
    ...(await bundled({ 'prebuilt-help': src('cli/args/prebuilt-help.ts') })),
  ];
  return new Set(
    chunks
      .flatMap((chunk) => Object.entries(chunk.modules ?? {}))
      .filter(([, { renderedLength }]) => renderedLength > 0)
      .map(([id]) => id)
      .map(packageFolder)
      .filter(Boolean),
  );
}

/**
 * Each file that a start loads is felt. What every command loads is two files: `start`, and `core` with what the library
 * uses too. `query` is a part of them: the answer of a running serve shall take no longer than a start. So is what
 * completion has in common with the library before it asks a cluster. What completion and commands ask a cluster with is
 * two files in the same way, `asking` and `client`; what `query` and `watch` read one with, `reading` and `cluster`; the
 * rest of each is one.
 */
function startGroups() {
  const library = closureOf(['index.ts', 'cache.ts'].map(src));
  const start = closureOf(['program.ts', 'commands/query.ts'].map(src));
  const query = closureOf([src('cli/query/query-run.ts')]);
  const completion = closureOf([src('complete.ts')]);
  const asking = query.intersection(closureOf(['complete.ts', 'cli/completion/open-cluster.ts'].map(src)));
  const watch = closureOf([src('commands/watch.ts')]);
  const isHelper = (id) => id.includes('@oxc-project+runtime'); // of `using`, for all
  const groups = [
    ['core', (id) => isHelper(id) || ((start.has(id) || completion.has(id)) && library.has(id))],
    ['start', (id) => start.has(id)],
    ['client', (id) => asking.has(id) && library.has(id)],
    ['asking', (id) => asking.has(id)],
    // the sandbox evaluates expressions too, and must load nothing of a command
    ['cluster', (id) => query.has(id) && (library.has(id) || id.startsWith(src('expr/')))],
    ['reading', (id) => query.has(id) && watch.has(id)],
    ['answers', (id) => query.has(id)],
    ['watching', (id) => watch.has(id)],
  ];
  return groups.map(([name, test], at) => ({ name, test, priority: groups.length - at }));
}

async function bundled(input, groups = []) {
  const built = await rolldown({
    input,
    platform: 'node',
    external: [/^node:/],
    transform: { target: 'node22.19', define: { BUILT_VERSION: JSON.stringify(PACKAGE.version) } },
    plugins: [clientNodeAlone, oclifCommandAlone, doorAlone, ownUrl, lightModules],
    treeshake: {
      moduleSideEffects: (id) =>
        !/@kubernetes[\\/]client-node[\\/]dist[\\/]/.test(id) && !id.startsWith(path.join(root, 'src')),
    },
    onLog(level, log, report) {
      if (!['EVAL', 'CIRCULAR_DEPENDENCY', 'COMMONJS_VARIABLE_IN_ESM'].includes(log.code)) report(level, log);
    },
  });
  const { output } = await built.write({
    dir: dist,
    format: 'esm',
    banner: (chunk) => (chunk.moduleIds.some((id) => id.includes('node_modules')) ? BANNER : ''),
    entryFileNames: '[name].js',
    chunkFileNames: chunkNames(src(''), Object.keys(input)),
    codeSplitting: { groups },
    // Names and lines stay, so that what an error prints can be read.
    minify: false,
    minifyInternalExports: false,
    comments: { legal: true, annotation: true, jsdoc: false },
  });
  await built.close();
  return output;
}

/** The folder of the package a bundled file belongs to; undefined for our own. */
function packageFolder(id) {
  return /^.*[\\/]node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0];
}

/** One declaration file for each entry of package.json's `exports`, and one for what they share. */
async function declarations() {
  const tsc = path.join(root, 'node_modules', '.bin', 'tsc');
  const parts = path.join(dist, 'types', 'parts');
  const config = path.join(root, 'tsconfig.build.json');
  const options = ['--noEmit', 'false', '--emitDeclarationOnly', '--rootDir', src(''), '--outDir', parts];
  await promisify(execFile)(tsc, ['-p', config, ...options]).catch((error) => {
    process.stderr.write(error.stdout);
    throw new Error('type declarations failed');
  });
  const entries = {
    index: 'index.d.ts',
    cache: 'cache.d.ts',
    hooks: 'hooks.d.ts',
    webhooks: 'webhooks.d.ts',
    crds: 'crds.d.ts',
    sandbox: 'sandbox/index.d.ts',
    testing: 'testing/index.d.ts',
  };
  await bundleTypes({ from: parts, to: path.dirname(parts), entries });
  await rm(parts, { recursive: true });
}

/** docs/reference/library: a page for each entry, from the built declarations. */
async function libraryReference() {
  const { libraryPages } = await import('./reference/library-pages.ts');
  const folder = path.join(root, 'docs', 'reference', 'library');
  await mkdir(folder, { recursive: true });
  for (const [file, text] of libraryPages()) await writeFile(path.join(folder, file), text);
}

/** The licence texts of everything that is bundled, each with the notice that its package has. */
async function licences(folders) {
  const parts = await Promise.all(
    [...folders].sort().map(async (folder) => {
      const { name, version, license } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
      const files = (await readdir(folder)).sort();
      const named = [files.find((file) => /^licen[cs]e/i.test(file)), files.find((file) => /^notice/i.test(file))];
      const texts = named.filter(Boolean).map((file) => readFile(path.join(folder, file), 'utf8'));
      return `${name} ${version} (${license})\n\n${(await Promise.all(texts)).join('\n')}`;
    }),
  );
  await writeFile(path.join(dist, 'THIRD-PARTY-LICENCES.txt'), parts.join(`\n${'-'.repeat(80)}\n`));
}

async function billOfMaterials(folders) {
  await writeFile(path.join(dist, 'sbom.cdx.json'), `${JSON.stringify(await sbom(PACKAGE, [...folders]), null, 2)}\n`);
}

async function schemas() {
  await mkdir(path.join(dist, 'schemas'), { recursive: true });
  await cp(src('stream/envelope.schema.json'), path.join(dist, 'schemas', 'envelope.schema.json'), { force: true });
}

/** What `completion` prints. */
async function completionScripts() {
  await cp(src('cli/completion/scripts'), path.join(dist, 'completion'), { recursive: true });
}

/** The page of `serve --ui`. */
async function page() {
  await mkdir(path.join(dist, 'ui'), { recursive: true });
  await writeFile(path.join(dist, 'ui', 'page.html'), await uiPage());
}

/**
 * The texts that the program prints for --help without loading anything: of the whole and every command, as it is
 * called, in two widths.
 */
async function helpTexts() {
  const { helpText } = await import(path.join(target, 'help.js'));
  const { COMMANDS } = await import(path.join(root, 'bin', 'commands.js'));
  const { helpFile, SET_WIDTHS } = await import(path.join(target, 'prebuilt-help.js'));
  await mkdir(path.join(target, 'help'), { recursive: true });
  for (const bin of ['kubectl-informer', 'kubectl informer'])
    for (const columns of SET_WIDTHS)
      for (const command of [undefined, ...Object.keys(COMMANDS).filter((words) => !words.includes(':'))])
        await writeFile(path.join(target, helpFile(command, bin, columns)), await helpText(command, { bin, columns }));
}

/** What completion knows of commands and flags, so that it loads none of them. */
async function completionCatalog() {
  const { createCatalog } = await import(path.join(target, 'complete.js'));
  await writeFile(path.join(target, 'completion.json'), JSON.stringify(await createCatalog()));
}
