// How sources with edits are served: without copies. For a listed breakage each job has an entry of its own, which
// imports its test file with `?job=N` behind the path; the plugin keeps that mark on every module through which the
// edited file is reached, and leaves it off all others, which are shared. For random edits every edited file is served
// with a switch for each of its edits, and `vitest` is what tools/mutants/vitest-shim.mjs gives to the test files.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { edited } from './edit.mjs';
import { importsOf, remember } from './imports.mjs';
import { switched } from './switches.mjs';

const plan = JSON.parse(readFileSync(process.env.MUTANTS_PLAN, 'utf8'));
const { root, jobs = [], edits, tests, scratch, include, isolate, memory, testTimeout, hookTimeout } = plan;
const byId = new Map(jobs.map((job) => [String(job.id), job]));
const MARK = /\?job=([\d-]+)$/;
const SHIM = path.join(root, 'tools/mutants/vitest-shim.mjs');
const imports = remember(importsOf);

/** Of a random edit the mark is two numbers: that of the edit, and that of the test file. */
function jobOf(id) {
  const [edit, test] = id.split('-');
  return test === undefined ? byId.get(id) : { test: tests[test], file: edits[edit].file };
}

/** The modules of a job that cannot be shared: its test file, the edited file, and what lies between them. */
const ownModules = remember((id) => {
  const { test, file } = jobOf(id);
  const entry = path.join(root, test);
  const wanted = file && path.join(root, file);
  const importers = new Map();
  const queue = [entry];
  for (const from of queue) {
    for (const to of imports(from)) {
      if (!importers.has(to)) queue.push(to);
      importers.set(to, [...(importers.get(to) ?? []), from]);
    }
  }
  const own = new Set(wanted && importers.has(wanted) ? [wanted] : []);
  for (const module of own) for (const importer of importers.get(module) ?? []) own.add(importer);
  return own.add(entry);
});

const breakages = {
  name: 'breakages',
  enforce: 'pre',
  resolveId(source, importer) {
    if (MARK.test(source)) return source;
    if (edits && source === 'vitest') return importer?.startsWith(path.join(root, 'test')) ? SHIM : undefined;
    const id = importer && MARK.exec(importer)?.[1];
    if (!id || !source.startsWith('.')) return undefined;
    const file = path.resolve(path.dirname(importer), source);
    return ownModules(id).has(file) ? `${file}?job=${id}` : undefined;
  },
  load(module) {
    const id = MARK.exec(module)?.[1];
    const file = module.replace(MARK, '');
    if (edits) return textWithSwitches(path.relative(root, file)) ?? (id ? readFileSync(file, 'utf8') : undefined);
    if (!id) return undefined;
    const job = byId.get(id);
    const source = readFileSync(file, 'utf8');
    return job.file && file === path.join(root, job.file) ? edited(source, job) : source;
  },
};

const textWithSwitches = remember((file) => {
  const own = edits.filter((edit) => edit.file === file);
  return own.length > 0 ? switched(file, readFileSync(path.join(root, file), 'utf8'), own) : undefined;
});

export default {
  cacheDir: path.join(scratch, '.cache'),
  plugins: [breakages],
  test: {
    include,
    isolate,
    fsModuleCache: false, // each run has an id of its own: no later one would read it
    reporters: process.env.MUTANTS_SHOW ? ['default'] : [{}],
    expect: { poll: { timeout: 15_000 } },
    hookTimeout,
    teardownTimeout: 3000,
    dangerouslyIgnoreUnhandledErrors: true,
    // What runs away is to end soon, by time or by memory.
    testTimeout,
    execArgv: [`--max-old-space-size=${memory}`],
  },
};
