// Random breakages: edits by standard operators anywhere in the rooms that must not fail. First every test file that
// may notice one runs once, unbroken, with marks: they show which tests reach which edit. Then each edit is tried on
// the tests that reach it, nearest first, until one fails. An edit that no test notices survives.
import path from 'node:path';
import { HUNG, runJobs, TIMED_OUT } from './run-jobs.mjs';
import { choose, explanationOf, explanations, ROOMS, roomOf, testsFor } from './selection.mjs';

/** At most this number of near test files is asked for an edit, of far ones, and of those of the last resort. */
const [NEAREST, FARTHEST, LAST] = [20, 12, 1];
/** A slower test is asked in the last resort only; a test of an edited source may take this long. */
const [SLOW_MS, LONGEST_MS] = [2500, 6000];
const LONGEST_LAST_MS = 40_000;
/** Nothing is shared among jobs, so that what an edit left behind does not fail the next one. */
const ALONE = { isolate: true, maxWorkers: 1, hookTimeout: 10_000 };
/** Two test runners side by side. */
const SIDES = 2;

/** Runs `count` edits, prints a table and the survivors, and gives the exit code: 1 when more than 5 % survive. */
export async function reportOfRandom(options) {
  const entries = explanations();
  const mutants = choose(options).map((mutant) => ({ ...mutant, why: explanationOf(mutant, entries) }));
  const asked = mutants.filter(({ why }) => why === undefined);
  await tryAll(asked, await reachedBy(asked, isNear), NEAREST);
  const left = asked.filter(({ red }) => red === undefined);
  await tryAll(left, await reachedBy(left, isFar), FARTHEST);
  return report(mutants, options);
}

const isNear = (test) => !test.isFar;
const isFar = (test) => test.isFar;

/** By statement: the test files that reach it, each with its tests. What fails unbroken is left out. */
async function reachedBy(mutants, isAsked) {
  const numbers = new Map();
  for (const mutant of mutants) if (!numbers.has(placeOf(mutant))) numbers.set(placeOf(mutant), numbers.size);
  const anchors = {};
  for (const mutant of mutants) {
    anchors[mutant.file] ??= [];
    const mark = [mutant.anchor, numbers.get(placeOf(mutant))];
    if (!anchors[mutant.file].some(([anchor]) => anchor === mutant.anchor)) anchors[mutant.file].push(mark);
  }
  for (const marks of Object.values(anchors)) marks.sort((a, b) => b[0] - a[0]);
  const files = [
    ...new Set(
      mutants.flatMap(({ file }) =>
        testsFor(file)
          .filter(isAsked)
          .map(({ test }) => test),
      ),
    ),
  ].sort();
  const jobs = files.map((test, id) => ({ id, test }));
  const settings = { ...ALONE, isMarking: true, anchors, testTimeout: 60_000, silence: 90_000 };
  const results = await runSideBySide(jobs, settings, 'test files run unbroken');
  const reached = new Map([...numbers.keys()].map((place) => [place, new Map()]));
  for (const { id, test } of jobs) {
    const { titles: failed, tests } = results.get(id);
    for (const title of failed) console.log(`FAILS UNBROKEN  ${test}: ${title}`);
    for (const [place, number] of numbers) {
      const those = testsThatReach(number, tests).filter(({ title }) => !failed.includes(title));
      if (those.length > 0) reached.get(place).set(test, those);
    }
  }
  return reached;
}

/** What is reached outside of a test, while the file loads or in a hook, counts for every test. */
function testsThatReach(number, tests) {
  const named = tests.filter(({ title }) => title !== undefined);
  const isShared = tests.some(({ title, reached }) => title === undefined && reached.includes(number));
  return isShared ? named : named.filter(({ reached }) => reached.includes(number));
}

function placeOf({ file, anchor }) {
  return `${file}:${anchor}`;
}

/** Tries each edit on one test file after the other, until one notices it, which is written into the edit. */
async function tryAll(mutants, reached, most) {
  for (const mutant of mutants) {
    mutant.plan = planOf(mutant, reached.get(placeOf(mutant)), most);
    mutant.isCovered ||= mutant.plan.length > 0;
  }
  for (let round = 0; round < most + LAST; round++) {
    const left = mutants.filter((mutant) => mutant.red === undefined && mutant.plan.length > round);
    if (left.length === 0) break;
    const jobs = left.map((mutant, id) => ({ id, mutant, edit: editOf(mutant), ...mutant.plan[round] }));
    const brokenTimeout = jobs.some(({ isLast }) => isLast) ? LONGEST_LAST_MS : LONGEST_MS;
    const settings = { ...ALONE, brokenTimeout, silence: brokenTimeout + 10_000 };
    const results = await runSideBySide(jobs, settings, `edits, round ${round + 1}`);
    for (const { id, mutant, test } of jobs) {
      const [title] = results.get(id).titles;
      if (title !== undefined) mutant.red = `${test}: ${title}`;
    }
  }
}

function planOf({ file }, reaching, most) {
  const known = testsFor(file).filter(({ test }) => reaching.has(test));
  const usual = known
    .filter(({ isLast }) => !isLast)
    .map(({ test, rank }) => {
      const quick = reaching.get(test).filter(({ ms }) => ms <= SLOW_MS);
      return { test, rank, ms: sum(quick.map(({ ms }) => ms)), only: quick.map(({ title }) => title) };
    });
  const near = usual.filter(({ only }) => only.length > 0).sort((a, b) => a.rank - b.rank || a.ms - b.ms);
  const last = known.filter(({ isLast }) => isLast).slice(0, LAST);
  return [
    ...near.slice(0, most).map(({ test, only }) => ({ test, only })),
    ...last.map(({ test }) => ({ test, only: reaching.get(test).map(({ title }) => title), isLast: true })),
  ];
}

function sum(numbers) {
  return numbers.reduce((a, b) => a + b, 0);
}

function editOf({ file, find, replace, at }) {
  return { file, find, replace, at };
}

async function runSideBySide(jobs, settings, what) {
  const began = Date.now();
  const sides = Array.from({ length: SIDES }, (_, side) => jobs.filter((_, i) => i % SIDES === side));
  const results = await Promise.all(sides.map((side) => runJobs(side, settings)));
  console.error(`${jobs.length} ${what}: ${Math.round((Date.now() - began) / 1000)} s`);
  return new Map(results.flatMap((result) => [...result]));
}

function verdictOf({ why, red, isCovered }) {
  if (why !== undefined) return 'explained';
  if (red !== undefined) return 'noticed';
  return isCovered ? 'survived' : 'not covered';
}

function report(mutants, { count, seed, only, all }) {
  const verdicts = mutants.map((mutant) => ({ ...mutant, verdict: verdictOf(mutant) }));
  for (const { file, line, operator, find, replace, verdict, red } of verdicts) {
    const isShown = verdict === 'survived' || verdict === 'not covered' || all;
    const edit = `${file}:${line}  ${shortened(find)} → ${shortened(replace)}`;
    if (isShown) console.log(`${verdict.padEnd(11)} ${edit}  (${operator})${red === undefined ? '' : `  ${red}`}`);
  }
  console.log(`\nnpm run mutants -- --random ${count} --seed ${seed}${only === '' ? '' : ` --only ${only}`}\n`);
  console.log('| room | edits | noticed | explained | survived | not covered | survived, of all |');
  console.log('|---|---|---|---|---|---|---|');
  for (const room of ROOMS) {
    const of = verdicts.filter(({ file }) => roomOf(file) === room);
    if (of.length > 0) console.log(rowOf(`\`${path.posix.join('src', room)}\``, of));
  }
  console.log(rowOf('all', verdicts));
  const late = verdicts.filter(({ red }) => red?.endsWith(HUNG) || red?.endsWith(TIMED_OUT)).length;
  console.log(`\n${late} of those that were noticed let a test hang.`);
  return shareOf(verdicts) >= 0.05 ? 1 : 0;
}

function rowOf(name, of) {
  const counts = ['noticed', 'explained', 'survived', 'not covered'].map((verdict) => countOf(of, verdict));
  return `| ${name} | ${of.length} | ${counts.join(' | ')} | ${(shareOf(of) * 100).toFixed(1)} % |`;
}

function countOf(verdicts, wanted) {
  return verdicts.filter(({ verdict }) => verdict === wanted).length;
}

/** What no test reaches survives too. */
function shareOf(verdicts) {
  return (countOf(verdicts, 'survived') + countOf(verdicts, 'not covered')) / verdicts.length;
}

function shortened(text) {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 100 ? `${line.slice(0, 97)}…` : line;
}
