// Breaks one rule at a time and shows that a test notices: for every entry of test/mutants/mutants.json the test file
// it names runs on sources in which its one edit is made, and a test must fail whose title holds what the entry says.
//   node tools/mutants.mjs [--only TEXT] [--list FILE]
//   --only TEXT   only entries whose file, rule or expected title holds TEXT
//   --list FILE   entries of this file instead; one without `red` is noticed by any test of its file. `tests` may name
// several files. MUTANTS_SHOW=1 in the environment shows what the test runner prints.
// Ends with 1 when a breakage goes unnoticed, no longer applies, or when a test fails without any.
//   node tools/mutants.mjs --random N [--seed S] [--only PATH] [--until STAGE] [--all]
//   --random N    N edits, or `all`, anywhere in the rooms that must not fail, instead: tools/mutants/random.mjs
//   --only PATH   only files whose path holds PATH
//   --until STAGE no tests farther away than these: mirrored, direct, near, far; by default `last`, which is all
//   --all         prints the edits that were noticed too, with the test that noticed each
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { edited } from './mutants/edit.mjs';
import { reportOfRandom } from './mutants/random.mjs';
import { runJobs } from './mutants/run-jobs.mjs';
import { STAGES } from './mutants/selection.mjs';
import { root } from './mutants/test-runner.mjs';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    list: { type: 'string', default: 'test/mutants/mutants.json' },
    random: { type: 'string' },
    seed: { type: 'string', default: '1' },
    until: { type: 'string', default: 'last' },
    all: { type: 'boolean', default: false },
  },
});
process.exitCode = values.random === undefined ? await listed() : await random();

async function random() {
  const [count, seed] = [
    values.random === 'all' ? Number.POSITIVE_INFINITY : Number(values.random),
    Number(values.seed),
  ];
  if (!(count > 0) || !Number.isSafeInteger(seed))
    throw new Error('--random needs a count or `all`, and --seed a whole number');
  if (!STAGES.includes(values.until)) throw new Error(`--until needs one of ${STAGES.join(', ')}`);
  return reportOfRandom({ count, seed, until: values.until, only: values.only, all: values.all });
}

async function listed() {
  const all = JSON.parse(readFileSync(path.resolve(root, values.list), 'utf8'));
  const mutants = all.filter((m) => [m.file, m.rule ?? '', m.red ?? ''].some((text) => text.includes(values.only)));
  for (const mutant of mutants)
    mutant.applies = edited(readFileSync(path.join(root, mutant.file), 'utf8'), mutant) !== undefined;
  const jobs = jobsOf(mutants);
  const results = await runJobs(jobs);
  return report(mutants, new Map(jobs.map((job) => [job, results.get(job.id)?.titles ?? []])));
}

function testsOf({ test, tests = [test] }) {
  return tests;
}

/** One job for each breakage and each of its test files, and one for each test file with nothing broken. */
function jobsOf(mutants) {
  const broken = mutants.flatMap((mutant, i) =>
    mutant.applies
      ? testsOf(mutant).map((test) => ({ mutant: i, edit: editOf(mutant), test, reds: redsOf(mutant) }))
      : [],
  );
  const files = [...new Set(broken.map((job) => job.test))];
  const whole = files.map((test) => ({ test, reds: wholeReds(broken.filter((job) => job.test === test)) }));
  return [...whole, ...broken].map((job, id) => ({ ...job, id }));
}

function editOf({ file, find, replace, at }) {
  return { file, find, replace, at };
}

function redsOf({ red }) {
  return red === undefined ? undefined : [red];
}

/** Unbroken, only those tests must pass that are to notice something; all of them where any may. */
function wholeReds(of) {
  return of.some((job) => job.reds === undefined) ? undefined : [...new Set(of.flatMap((job) => job.reds))];
}

function report(mutants, failed) {
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
