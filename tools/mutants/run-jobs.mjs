// Runs test files on sources in which one edit is made. Nothing is copied: a plugin (vitest.config.mjs beside this
// file) serves the edited file, and what imports it, a second time under an id of its own.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** How the breakages of a list are run. A run that says nothing for `silence` ms is ended. */
const SETTINGS = { isolate: false, testTimeout: 6000, brokenTimeout: 2000, hookTimeout: 3000, silence: 8000 };
const running = new Map();

/** The end of the title of a test that failed because it took too long. */
export const TIMED_OUT = ' (timed out)';
/** Stands for the title of a test when a job did not end. */
export const HUNG = 'the run hung, or ended its process';

/**
 * Runs every job, and gives its result: `titles` of the tests that failed, and `tests`, where marks are kept, with the
 * numbers that each reached. A job is `{ id, test, edit?, reds?, only? }`: of its test file run those tests whose title
 * holds one of `reds`, or is one of `only`, or all. A job that hangs, or ends its process, is taken out, which counts
 * as a test that failed, and the rest goes on.
 */
export async function runJobs(all, settings = {}) {
  const scratch = mkdtempSync(path.join(tmpdir(), 'mutants-'));
  symlinkSync(path.join(root, 'node_modules'), path.join(scratch, 'node_modules'));
  writeFileSync(path.join(scratch, 'package.json'), '{"type":"module"}\n');
  const results = new Map();
  try {
    let left = all;
    while (left.length > 0) {
      const { done, last } = await run(left, scratch, { ...SETTINGS, ...settings });
      for (const [id, result] of done) results.set(id, result);
      if (last !== undefined) results.set(last, { titles: [HUNG], tests: [] });
      else if (done.size === 0)
        throw new Error('no test could be begun: MUTANTS_SHOW=1 shows what the test runner says');
      left = left.filter(({ id }) => !results.has(id));
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return results;
}

/** One run of the test runner over jobs, ended when it falls silent. `last` began and did not end. */
function run(left, scratch, settings) {
  const log = path.join(scratch, 'log.ndjson');
  const plan = path.join(scratch, 'plan.json');
  writeFileSync(log, '');
  writeFileSync(
    plan,
    JSON.stringify({ ...settings, root, scratch, jobs: left.map((job) => ({ ...job, ...job.edit })) }),
  );
  for (const job of left) writeFileSync(path.join(scratch, `job-${job.id}.test.js`), entryOf(job, log, settings));
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const config = path.join(root, 'tools', 'mutants', 'vitest.config.mjs');
  const args = [vitest, 'run', '--config', config, '--root', scratch];
  const env = { ...process.env, MUTANTS_PLAN: plan };
  // A group of its own, so that the test runner's workers end with it; ending this tool ends that group.
  const child = spawn(process.execPath, args, {
    cwd: scratch,
    stdio: ['ignore', process.env.MUTANTS_SHOW ? 'inherit' : 'ignore', 'inherit'],
    env,
    detached: true,
  });
  running.set(child, scratch);
  if (running.size === 1) for (const signal of ENDINGS) process.on(signal, endAll);
  return new Promise((resolve) => {
    let [size, since] = [0, Date.now()];
    const watchdog = setInterval(() => {
      const { size: now } = statSync(log);
      if (now !== size) [size, since] = [now, Date.now()];
      else if (Date.now() - since > settings.silence) endGroup(child);
    }, 500);
    child.on('exit', () => {
      clearInterval(watchdog);
      running.delete(child);
      if (running.size === 0) for (const signal of ENDINGS) process.off(signal, endAll);
      resolve(outcome(log));
    });
  });
}

function endGroup(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {} // has ended by itself
}

function endAll(signal) {
  for (const [child, scratch] of running) {
    endGroup(child);
    rmSync(scratch, { recursive: true, force: true });
  }
  process.exit(128 + constants.signals[signal]);
}

/** Runs the wanted tests of one test file and writes down which failed; of a breakage only until one has. */
function entryOf({ id, test, reds, only, edit }, log, { isMarking = false, brokenTimeout }) {
  return `
import { appendFileSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, it, vi } from 'vitest';
const say = (what) => appendFileSync(${JSON.stringify(log)}, JSON.stringify(what) + '\\n');
const reds = ${JSON.stringify(reds ?? null)};
const only = ${JSON.stringify(only ?? null)};
const isBroken = ${edit !== undefined};
const isMarking = ${isMarking};
const titles = [];
const tests = [];
const takeMarks = () => {
  const reached = [...(globalThis.reachedMarks ?? [])];
  globalThis.reachedMarks = new Set();
  return reached;
};
if (isMarking) takeMarks();
// not the time that passes, which depends on what else the machine does
const cpuSince = (before) => {
  const { user, system } = process.cpuUsage(before);
  return Math.round((user + system) / 1000);
};
const titleOf = (task) => (task.suite?.name ? titleOf(task.suite) + ' ' : '') + task.name;
const isWanted = (title) => (!reds || reds.some((red) => title.includes(red))) && (!only || only.includes(title));
say({ began: ${id} });
let began;
beforeEach(({ task, skip }) => {
  if ((isBroken && titles.length > 0) || !isWanted(titleOf(task))) skip();
  if (isMarking) tests.push({ reached: takeMarks() });
  began = process.cpuUsage();
});
afterEach(({ task }) => {
  say({});
  const title = titleOf(task);
  const isLate = task.result?.errors?.some(({ message }) => /^(Test|Hook) timed out/.test(message));
  if (task.result?.state === 'fail') titles.push(title + (isLate ? ${JSON.stringify(TIMED_OUT)} : ''));
  if (isMarking) tests.push({ title, ms: cpuSince(began), reached: takeMarks() });
});
afterAll(() => say({ ended: ${id}, titles, tests }));
if (isBroken) vi.setConfig({ testTimeout: ${brokenTimeout} });
try {
  await import(${JSON.stringify(`${path.join(root, test)}?job=${id}`)});
} catch (error) {
  titles.push('the file did not load: ' + error);
  it('loads', () => {});
}
`;
}

function outcome(log) {
  const done = new Map();
  let last;
  for (const line of readFileSync(log, 'utf8').split('\n').filter(Boolean)) {
    const { began, ended, titles, tests } = JSON.parse(line);
    last = began ?? last;
    if (ended === undefined) continue;
    done.set(ended, { titles, tests });
    last = undefined;
  }
  return { done, last };
}
