// How tools/mutants/run-jobs.mjs runs breakages: without copies. Each job has an entry of its own, which imports its
// test file with `?job=N` behind the path; the plugin keeps that mark on every module through which the edited file is
// reached, and leaves it off all others, which are shared.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { edited } from './edit.mjs';
import { importsOf, remember } from './imports.mjs';

const plan = JSON.parse(readFileSync(process.env.MUTANTS_PLAN, 'utf8'));
const { root, jobs, scratch, isMarking, anchors, isolate, maxWorkers, testTimeout, hookTimeout } = plan;
const byId = new Map(jobs.map((job) => [String(job.id), job]));
const MARK = /\?job=(\d+)$/;
const imports = remember(importsOf);

/** The modules of a job that cannot be shared: its test file, the edited file, and what lies between them. */
const ownModules = remember((id) => {
  const { test, file } = byId.get(id);
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
    const id = importer && MARK.exec(importer)?.[1];
    if (!id || !source.startsWith('.')) return undefined;
    const file = path.resolve(path.dirname(importer), source);
    return ownModules(id).has(file) ? `${file}?job=${id}` : undefined;
  },
  load(module) {
    const id = MARK.exec(module)?.[1];
    const file = module.replace(MARK, '');
    const marks = isMarking ? anchors[path.relative(root, file)] : undefined;
    if (marks) return marked(readFileSync(file, 'utf8'), marks);
    if (!id) return undefined;
    const job = byId.get(id);
    const source = readFileSync(file, 'utf8');
    return job.file && file === path.join(root, job.file) ? edited(source, job) : source;
  },
};

/** A source that says which of its statements are reached. `marks` are [offset, number], the last offset first. */
function marked(source, marks) {
  let text = source;
  for (const [offset, number] of marks)
    text = `${text.slice(0, offset)}globalThis.reachedMarks?.add(${number});${text.slice(offset)}`;
  return text;
}

export default {
  cacheDir: path.join(scratch, '.cache'),
  plugins: [breakages],
  test: {
    include: jobs.map(({ id }) => `job-${id}.test.js`),
    isolate,
    fsModuleCache: false, // each run has an id of its own: no later one would read it
    maxWorkers,
    reporters: process.env.MUTANTS_SHOW ? ['default'] : [{}],
    hookTimeout,
    teardownTimeout: 3000,
    dangerouslyIgnoreUnhandledErrors: true,
    // What runs away is to end soon, by time or by memory.
    testTimeout,
    execArgv: ['--max-old-space-size=600'],
  },
};
