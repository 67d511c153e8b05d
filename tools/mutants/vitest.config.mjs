// How tools/mutants.mjs runs breakages: without copies. Each job has an entry of its own, which imports its test file
// with `?job=N` behind the path; the plugin keeps that mark on every module through which the edited file is reached,
// and leaves it off all others, which are shared.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { edited } from './edit.mjs';

const { root, jobs, scratch } = JSON.parse(readFileSync(process.env.MUTANTS_PLAN, 'utf8'));
const byId = new Map(jobs.map((job) => [String(job.id), job]));
const MARK = /\?job=(\d+)$/;

const importsOf = remember((file) => {
  const found = [];
  for (const [, to] of readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+\.ts)['"]/g))
    found.push(path.resolve(path.dirname(file), to));
  return found;
});

/** The modules of a job that cannot be shared: its test file, the edited file, and what lies between them. */
const ownModules = remember((id) => {
  const { test, file } = byId.get(id);
  const entry = path.join(root, test);
  const wanted = file && path.join(root, file);
  const importers = new Map();
  const queue = [entry];
  for (const from of queue) {
    for (const to of importsOf(from)) {
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
    if (!id) return undefined;
    const file = module.replace(MARK, '');
    const job = byId.get(id);
    const source = readFileSync(file, 'utf8');
    return job.file && file === path.join(root, job.file) ? edited(source, job) : source;
  },
};

function remember(compute) {
  const known = new Map();
  return (key) => {
    if (!known.has(key)) known.set(key, compute(key));
    return known.get(key);
  };
}

export default {
  cacheDir: path.join(scratch, '.cache'),
  plugins: [breakages],
  test: {
    include: jobs.map(({ id }) => `job-${id}.test.js`),
    isolate: false,
    reporters: process.env.MUTANTS_SHOW ? ['default'] : [{}],
    hookTimeout: 3000,
    teardownTimeout: 3000,
    dangerouslyIgnoreUnhandledErrors: true,
    // What runs away is to end soon, by time or by memory.
    testTimeout: 6000,
    execArgv: ['--max-old-space-size=600'],
  },
};
