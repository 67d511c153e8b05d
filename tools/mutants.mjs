// Breaks one rule at a time and shows that a test notices: for every entry of test/mutants/mutants.json the test file
// it names runs on sources in which its one edit is made, and a test must fail whose title holds what the entry says.
//   node tools/mutants.mjs [--only TEXT] [--list FILE]
//   --only TEXT   only entries whose file, rule or expected title holds TEXT
//   --list FILE   entries of this file instead; one without `red` is noticed by any test of its file. `tests` may name
// several files. MUTANTS_SHOW=1 in the environment shows what the test runner prints.
// Nothing is copied: a plugin serves the edited file, and what imports it, a second time under an id of its own; all
// other modules are shared. Ends with 1 when a breakage goes unnoticed, no longer applies, or when a test fails without
// any.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { edited } from './mutants/edit.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, list: { type: 'string', default: 'test/mutants/mutants.json' } },
});
/**
 * A breakage may make a loop of what should pause: a run that says nothing for so long is ended, and what it was at is
 * noticed.
 */
const LONGEST_SILENCE_MS = 8000;
const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const listed = JSON.parse(readFileSync(path.resolve(root, values.list), 'utf8'));
const mutants = listed.filter((m) => [m.file, m.rule ?? '', m.red ?? ''].some((text) => text.includes(values.only)));
for (const mutant of mutants)
  mutant.applies = edited(readFileSync(path.join(root, mutant.file), 'utf8'), mutant) !== undefined;
const scratch = mkdtempSync(path.join(tmpdir(), 'mutants-'));
try {
  process.exitCode = report(await runAll(jobs()));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function testsOf({ test, tests = [test] }) {
  return tests;
}

/** One job for each breakage and each of its test files, and one for each test file with nothing broken. */
function jobs() {
  const broken = mutants.flatMap((mutant, i) =>
    mutant.applies ? testsOf(mutant).map((test) => ({ mutant: i, test, reds: redsOf(mutant) })) : [],
  );
  const files = [...new Set(broken.map((job) => job.test))];
  const whole = files.map((test) => ({ test, reds: wholeReds(broken.filter((job) => job.test === test)) }));
  return [...whole, ...broken].map((job, id) => ({ ...job, id }));
}

function redsOf({ red }) {
  return red === undefined ? undefined : [red];
}

/** Unbroken, only those tests must pass that are to notice something; all of them where any may. */
function wholeReds(of) {
  return of.some((job) => job.reds === undefined) ? undefined : [...new Set(of.flatMap((job) => job.reds))];
}

/**
 * The titles of the tests that failed, by job. A job that hangs, or ends its process, is taken out, and the rest goes
 * on.
 */
async function runAll(all) {
  symlinkSync(path.join(root, 'node_modules'), path.join(scratch, 'node_modules'));
  writeFileSync(path.join(scratch, 'package.json'), '{"type":"module"}\n');
  const failed = new Map();
  let left = all;
  while (left.length > 0) {
    const { done, last } = await run(left);
    for (const [id, titles] of done) failed.set(id, titles);
    if (last !== undefined) failed.set(last, ['the run hung, or ended its process']);
    else if (done.size === 0) throw new Error('no test could be begun: MUTANTS_SHOW=1 shows what the test runner says');
    left = left.filter(({ id }) => !failed.has(id));
  }
  return new Map(all.map((job) => [job, failed.get(job.id) ?? []]));
}

/** One run of the test runner over jobs, ended when it falls silent. `last` began and did not end. */
function run(left) {
  const log = path.join(scratch, 'log.ndjson');
  const plan = path.join(scratch, 'plan.json');
  writeFileSync(log, '');
  writeFileSync(plan, JSON.stringify({ root, scratch, jobs: left.map((job) => ({ ...job, ...editOf(job) })) }));
  for (const job of left) writeFileSync(path.join(scratch, `job-${job.id}.test.js`), entryOf(job, log));
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
  const endGroup = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {} // has ended by itself
  };
  const endAll = (signal) => {
    endGroup();
    rmSync(scratch, { recursive: true, force: true });
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of ENDINGS) process.on(signal, endAll);
  return new Promise((resolve) => {
    let [size, since] = [0, Date.now()];
    const watchdog = setInterval(() => {
      const { size: now } = statSync(log);
      if (now !== size) [size, since] = [now, Date.now()];
      else if (Date.now() - since > LONGEST_SILENCE_MS) endGroup();
    }, 500);
    child.on('exit', () => {
      clearInterval(watchdog);
      for (const signal of ENDINGS) process.off(signal, endAll);
      resolve(outcome(log));
    });
  });
}

function editOf({ mutant }) {
  if (mutant === undefined) return {};
  const { file, find, replace, at } = mutants[mutant];
  return { file, find, replace, at };
}

/** Runs the wanted tests of one test file and writes down which failed; of a breakage only until one has. */
function entryOf({ id, test, reds, mutant }, log) {
  return `
import { appendFileSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, it, vi } from 'vitest';
const say = (what) => appendFileSync(${JSON.stringify(log)}, JSON.stringify(what) + '\\n');
const reds = ${JSON.stringify(reds ?? null)};
const isBroken = ${mutant !== undefined};
const titles = [];
const titleOf = (task) => (task.suite?.name ? titleOf(task.suite) + ' ' : '') + task.name;
say({ began: ${id} });
beforeEach(({ task, skip }) => {
  const title = titleOf(task);
  if ((isBroken && titles.length > 0) || (reds && !reds.some((red) => title.includes(red)))) skip();
});
afterEach(({ task }) => {
  say({});
  if (task.result?.state === 'fail') titles.push(titleOf(task));
});
afterAll(() => say({ ended: ${id}, titles }));
if (isBroken) vi.setConfig({ testTimeout: 2000 });
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
    const { began, ended, titles } = JSON.parse(line);
    last = began ?? last;
    if (ended === undefined) continue;
    done.set(ended, titles);
    last = undefined;
  }
  return { done, last };
}

function report(failed) {
  const titlesOf = (wanted) => [...failed].filter(([job]) => wanted(job)).flatMap(([, titles]) => titles);
  const broken = titlesOf((job) => job.mutant === undefined);
  for (const title of broken) console.log(`FAILS UNBROKEN  ${title}`);
  let unnoticed = 0;
  for (const [i, mutant] of mutants.entries()) {
    const titles = titlesOf((job) => job.mutant === i);
    const verdict = titles.length > 0 ? 'noticed' : mutant.applies ? 'UNNOTICED' : 'DOES NOT APPLY';
    if (titles.length === 0) unnoticed++;
    console.log(
      `${verdict.padEnd(15)} ${mutant.file}: ${mutant.rule} — ${titles[0] ?? `no test ${mutant.red === undefined ? '' : `with ${mutant.red} `}is red`}`,
    );
  }
  console.log(`\n${mutants.length - unnoticed} of ${mutants.length} breakages noticed`);
  return unnoticed + broken.length > 0 ? 1 : 0;
}
