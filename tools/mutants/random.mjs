// Random breakages: edits by standard operators anywhere in the rooms that must not fail, tried in stages: the mirrored
// test file, those beside it or that import the edited file, those farther away. In each stage the test files run once,
// unbroken, with marks, which show the tests that reach an edit. Then each edit is tried on those until one fails. The
// next stage is asked about what is left. An edit that no test notices survives.
import path from 'node:path';
import { HUNG, runJobs, TIMED_OUT } from './run-jobs.mjs';
import { choose, explanationOf, explanations, ROOMS, roomOf, STAGES, testsFor } from './selection.mjs';

/** At most this number of test files is asked for an edit in each stage. */
const MOST = { mirrored: 1, direct: 10, near: 15, far: 12, last: 1 };
/** A test that needs more CPU time is asked in the last stage only. */
const SLOW_MS = 2500;
/** A test of an edited source may take this long. */
const [LONGEST_MS, LONGEST_LAST_MS] = [10_000, 40_000];
/** Nothing is shared among jobs, so that what an edit left behind does not fail the next one. */
const ALONE = { isolate: true, maxWorkers: 1, hookTimeout: 10_000 };

/** Runs `count` edits, prints a table and the survivors, and gives the exit code: 1 when more than 5 % survive. */
export async function reportOfRandom(options) {
  const entries = explanations();
  const mutants = choose(options).map((mutant) => ({ ...mutant, why: explanationOf(mutant, entries) }));
  const asked = mutants.filter(({ why }) => why === undefined);
  for (const stage of STAGES.slice(0, STAGES.indexOf(options.until) + 1)) {
    const left = asked.filter(({ red }) => red === undefined);
    if (left.length === 0) break;
    await tryAll(left, await reachedBy(left, stage, options), stage, options);
  }
  return report(mutants, options);
}

/** By statement: the test files that reach it, each with its tests. What fails unbroken is left out. */
async function reachedBy(mutants, stage, { workers }) {
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
          .filter((test) => test.stage === stage)
          .slice(0, stage === 'last' ? MOST.last : Number.POSITIVE_INFINITY)
          .map(({ test }) => test),
      ),
    ),
  ].sort();
  const jobs = files.map((test, id) => ({ id, test }));
  const settings = { ...ALONE, isMarking: true, anchors, testTimeout: 60_000, silence: 90_000 };
  const results = await runSideBySide(jobs, settings, workers, `${stage} test files run unbroken`);
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

/** Tries each edit on one test file of the stage after the other, until one notices it, which is written into the edit. */
async function tryAll(mutants, reached, stage, { workers }) {
  for (const mutant of mutants) {
    mutant.plan = planOf(mutant, reached.get(placeOf(mutant)), stage);
    mutant.isCovered ||= mutant.plan.length > 0;
  }
  for (let round = 0; round < MOST[stage]; round++) {
    const left = mutants.filter((mutant) => mutant.red === undefined && mutant.plan.length > round);
    if (left.length === 0) break;
    const jobs = left.map((mutant, id) => ({ id, mutant, edit: editOf(mutant), ...mutant.plan[round] }));
    const brokenTimeout = stage === 'last' ? LONGEST_LAST_MS : LONGEST_MS;
    const settings = { ...ALONE, brokenTimeout, silence: brokenTimeout + 10_000 };
    const results = await runSideBySide(jobs, settings, workers, `edits, ${stage} round ${round + 1}`);
    for (const { id, mutant, test } of jobs) {
      const [title] = results.get(id).titles;
      if (title !== undefined) mutant.red = `${test}: ${title}`;
    }
  }
}

/** The test files of a stage in the order in which an edit is tried on them: nearest first, then the quickest. */
function planOf({ file }, reaching, stage) {
  const longest = stage === 'last' ? Number.POSITIVE_INFINITY : SLOW_MS;
  return testsFor(file)
    .filter((test) => test.stage === stage && reaching.has(test.test))
    .map(({ test, distance }) => {
      const quick = reaching.get(test).filter(({ ms }) => ms <= longest);
      return { test, distance, ms: sum(quick.map(({ ms }) => ms)), only: quick.map(({ title }) => title) };
    })
    .filter(({ only }) => only.length > 0)
    .sort((a, b) => a.distance - b.distance || a.ms - b.ms)
    .slice(0, MOST[stage])
    .map(({ test, only }) => ({ test, only }));
}

function sum(numbers) {
  return numbers.reduce((a, b) => a + b, 0);
}

function editOf({ file, find, replace, at }) {
  return { file, find, replace, at };
}

async function runSideBySide(jobs, settings, workers, what) {
  const began = Date.now();
  const sides = Array.from({ length: workers }, (_, side) => jobs.filter((_, i) => i % workers === side));
  const results = await Promise.all(sides.map((side) => runJobs(side, settings)));
  console.error(`${jobs.length} ${what}: ${Math.round((Date.now() - began) / 1000)} s`);
  return new Map(results.flatMap((result) => [...result]));
}

function verdictOf({ why, red, isCovered }) {
  if (why !== undefined) return 'explained';
  if (red !== undefined) return 'noticed';
  return isCovered ? 'survived' : 'not covered';
}

function report(mutants, { count, seed, only, until, all }) {
  const verdicts = mutants.map((mutant) => ({ ...mutant, verdict: verdictOf(mutant) }));
  for (const { file, line, column, operator, find, replace, verdict, red } of verdicts) {
    const isShown = verdict === 'survived' || verdict === 'not covered' || all;
    const edit = `${file}:${line}:${column}  ${shortened(find)} → ${shortened(replace)}`;
    if (isShown) console.log(`${verdict.padEnd(11)} ${edit}  (${operator})${red === undefined ? '' : `  ${red}`}`);
  }
  const limits = [only && ` --only ${only}`, until !== STAGES.at(-1) && ` --until ${until}`].filter(Boolean).join('');
  console.log(`\nnpm run mutants -- --random ${count} --seed ${seed}${limits}\n`);
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
