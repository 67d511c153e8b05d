// Random breakages: edits by standard operators anywhere in the rooms that must not fail, tried in stages: the mirrored
// test file, those beside it or that import the edited file, those farther away. Each stage is asked about what is left,
// and what no test notices survives. All edits are in the sources at once, each behind a switch, and are tried in one
// process: in-process.mjs has the rules.
import path from 'node:path';
import { choose, explanationOf, explanations, ROOMS, roomOf, STAGES, testsFor } from './selection.mjs';
import { inScratch, root, runEntries } from './test-runner.mjs';

/**
 * At most this number of test files is asked for the edits of one source file in each stage: all tests of a room are
 * asked, because each runs once without an edit and then only for the edits that it reaches.
 */
const MOST = { mirrored: 1, direct: 100, near: 200, far: 40, last: 2 };
/** At most this number of test files shares a process. */
const TOGETHER = 50;
/** The limits of tests are in in-process.mjs; a process that says nothing for a quarter of an hour is ended. */
const SETTINGS = { isolate: true, testTimeout: 0, hookTimeout: 0, silence: 900_000, memory: 3000, last: 'isDone' };
/** Stands for the error of a test that ended its process. */
const HUNG = 'the process hung, or ended';

/** Runs `count` edits, prints a table and the survivors, and gives the exit code: 1 when more than 5 % survive. */
export async function reportOfRandom(options) {
  const entries = explanations();
  const mutants = choose(options).map((mutant) => ({ ...mutant, why: explanationOf(mutant, entries) }));
  const asked = mutants.filter(({ why }) => why === undefined);
  for (const stage of STAGES.slice(0, STAGES.indexOf(options.until) + 1)) {
    const began = Date.now();
    const left = asked.filter(({ red }) => red === undefined);
    await tryStage(left, stage);
    if (left.length > 0) console.error(`${left.length} edits, ${stage}: ${Math.round((Date.now() - began) / 1000)} s`);
  }
  return report(mutants, options);
}

async function tryStage(mutants, stage) {
  const asked = (file) =>
    testsFor(file)
      .filter((each) => each.stage === stage || (stage === 'last' && each.stage === 'mirrored')) // the slow ones
      .slice(0, MOST[stage])
      .map(({ test }) => test);
  const files = [...new Set(mutants.flatMap(({ file }) => asked(file)))];
  while (files.length > 0) {
    const tests = files.splice(0, TOGETHER);
    const edits = mutants
      .filter(({ red }) => red === undefined)
      .map((mutant) => ({ mutant, tests: asked(mutant.file).filter((test) => tests.includes(test)) }))
      .filter((edit) => edit.tests.length > 0);
    if (edits.length > 0) await inScratch((scratch) => tryTogether(edits, tests, stage, scratch));
  }
}

/** Tries edits on test files in one process; when it ends too early, in another one, without what ended it. */
async function tryTogether(edits, tests, stage, scratch) {
  const known = { crashed: [], verdicts: [], bases: {}, suspect: undefined };
  const plan = {
    ...SETTINGS,
    tests,
    isLast: stage === 'last',
    edits: edits.map(({ mutant, tests }, id) => ({ ...mutant, tests, id })),
    known,
  };
  for (;;) {
    let [last, spoilt] = [];
    for (const line of await runEntries(scratch, [['edits.test.js', entryOf]], plan)) {
      if (line.unbroken) console.error(`FAILS UNBROKEN  ${line.unbroken}`);
      last = line.isDone ? undefined : (line.began ?? last);
      if (line.bases !== undefined) known.bases[line.bases] = line.of;
      if (line.unsteady !== undefined)
        known.bases[line.unsteady] = known.bases[line.unsteady].filter(({ at }) => at !== line.at);
      if (line.verdict !== undefined) settle(edits[line.verdict].mutant, line, known, line.verdict);
      if (line.spoilt !== undefined && line.spoilt === known.suspect)
        settle(edits[line.spoilt].mutant, { red: line.red, isReached: true }, known, line.spoilt);
      if (line.isDone) return;
      spoilt = line.spoilt;
    }
    if (spoilt !== undefined) known.suspect = spoilt;
    else if (last === undefined)
      throw new Error('no test could be begun: MUTANTS_SHOW=1 shows what the test runner says');
    else if (typeof last === 'string') {
      console.error(`ENDED UNBROKEN  ${last}`);
      known.crashed.push(last);
    } else if (!known.verdicts.includes(last)) settle(edits[last].mutant, { red: HUNG, isReached: true }, known, last);
  }
}

function settle(mutant, { red, isReached }, known, id) {
  known.verdicts.push(id);
  mutant.red = red;
  mutant.isCovered ||= isReached;
}

function entryOf(log) {
  return `
import { appendFileSync, readFileSync } from 'node:fs';
import { it } from 'vitest';
import { tryEdits } from ${JSON.stringify(path.join(root, 'tools/mutants/in-process.mjs'))};
const say = (what) => appendFileSync(${JSON.stringify(log)}, JSON.stringify(what) + '\\n');
it('edits', async () => {
  const plan = JSON.parse(readFileSync(process.env.MUTANTS_PLAN, 'utf8'));
  const load = (test, mark) => import(/* @vite-ignore */ plan.root + '/' + test + (mark ? '?job=' + mark : ''));
  await tryEdits(plan, load, say);
  say({ isDone: true });
});
`;
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
  console.log(
    `\nnpm run mutants -- --random ${count === Number.POSITIVE_INFINITY ? 'all' : count} --seed ${seed}${limits}\n`,
  );
  console.log('| room | edits | noticed | explained | survived | not covered | survived, of all |');
  console.log('|---|---|---|---|---|---|---|');
  for (const room of ROOMS) {
    const of = verdicts.filter(({ file }) => roomOf(file) === room);
    if (of.length > 0) console.log(rowOf(`\`${path.posix.join('src', room)}\``, of));
  }
  console.log(rowOf('all', verdicts));
  const late = verdicts.filter(({ red }) => /did not end$|on and on$|process hung/.test(red ?? '')).length;
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
