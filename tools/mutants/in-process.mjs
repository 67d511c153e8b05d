// Tries edits on tests in this process: every test runs once unedited, which shows the edits that it reaches; then each
// edit is switched on for the tests that reach it, the quickest of the nearest file first, until one fails.
import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { collected } from './vitest-shim.mjs';

const NONE = -1;
/** A test that needs more time on the processor is asked in the last stage only. */
const SLOW_MS = 2500;
/** Limits of a test with an edit, against the same test without: steps, ms on the processor, ms of waiting. */
const LIMITS = { steps: [200_000, 20], busy: [3000, 10], idle: [1000, 5] };
const TICK_MS = 50;
/** On the processor. */
const LONGEST_TURN_MS = 20_000;
const timers = { setInterval, clearInterval };

let [active, steps, mostSteps, isRunaway] = [NONE, 0, Number.POSITIVE_INFINITY, false];
let reached = new Set();

/** The switch of an edit, in the text that switches.mjs makes. A loop that an edit made endless ends here. */
globalThis.__edit = (id) => {
  reached.add(id);
  if (++steps > mostSteps) {
    isRunaway = true;
    throw new Error('an edit made the test run on and on');
  }
  return id === active;
};

/** Ends the process when it works on one turn of its event loop for too long: a loop without a switch may have no end. */
function endWhenStuck() {
  const turns = new Int32Array(new SharedArrayBuffer(4));
  timers.setInterval(() => Atomics.add(turns, 0, 1), TICK_MS).unref();
  new Worker(
    `const { workerData: turns } = require('node:worker_threads');
     const cpuMs = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
     let [seen, since] = [-1, 0];
     setInterval(() => {
       const now = Atomics.load(turns, 0);
       if (now !== seen) [seen, since] = [now, cpuMs()];
       else if (cpuMs() - since > ${LONGEST_TURN_MS}) process.kill(process.pid, 'SIGKILL');
     }, 200);`,
    { eval: true, workerData: turns },
  ).unref();
}

/**
 * `plan` is `{ edits, tests, isLast, known }`; `load(test, mark)` imports a test file. `say` writes a line of the log.
 * `known` is what earlier processes found. The process ends when a test that passed unedited fails so after an edit: the
 * next one begins with that edit, which is noticed if it does so again.
 */
export async function tryEdits({ edits, tests, isLast, known }, load, say) {
  endWhenStuck();
  const bases = new Map();
  const loaded = new Set();
  for (const test of tests) {
    reached = new Set();
    if (known.crashed.includes(test)) continue;
    say({ began: test });
    const found = await collected(() => load(test)).catch((error) => say({ unbroken: `${test}: ${error}` }) ?? []);
    for (const id of reached) loaded.add(id);
    bases.set(test, known.bases[test] ? recalled(known.bases[test], found) : await basesOf(test, found, say));
  }
  const isSuspect = ({ id }) => id === known.suspect;
  const left = edits.filter(({ id }) => !known.verdicts.includes(id));
  for (const edit of [...left.filter(isSuspect), ...left.filter((each) => !isSuspect(each))]) {
    say({ began: edit.id });
    const own = edit.tests.filter((test) => bases.has(test));
    if (isSuspect(edit)) for (const test of own) bases.set(test, await passing(edit.id, bases.get(test), test, say));
    const files = own.map((test) => [test, bases.get(test)]);
    const { red, isMissed, isReached } = await inPlace(edit.id, files, isLast);
    const isLoaded = loaded.has(edit.id);
    const late =
      red ??
      (isLoaded || isMissed
        ? await reloaded(edit.id, files, (test) => load(test, `${edit.id}-${tests.indexOf(test)}`), isLast)
        : undefined);
    if (late?.isSpoilt) {
      say({ spoilt: edit.id, red: late.red });
      process.kill(process.pid, 'SIGKILL');
    }
    say({ verdict: edit.id, red: late?.red, isReached: isReached || isLoaded });
  }
}

/** The unedited runs as another process of the same plan had them. */
function recalled(known, found) {
  const present = known.filter(({ at }) => found[at]);
  return present.map((base) => ({ ...base, ...found[base.at], reached: new Set(base.reached) }));
}

/** Without the tests that reach an edit and do not pass without it in this process, either. */
async function passing(id, bases, test, say) {
  const kept = [];
  for (const base of bases) {
    if (!base.reached.has(id) || (await passes(base))) kept.push(base);
    else say({ unsteady: test, at: base.at, unbroken: `${test}: ${base.title}: passes in some processes only` });
  }
  return kept;
}

async function basesOf(test, found, say) {
  const bases = [];
  for (const [at, { title, run }] of found.entries()) {
    say({});
    const base = await attempt(run, NONE);
    if (base.error) say({ unbroken: `${test}: ${title}: ${base.error}` });
    else bases.push({ ...base, at, title, run });
  }
  bases.sort((a, b) => a.busy + a.idle - b.busy - b.idle);
  say({ bases: test, of: bases.map(({ run, title, ...base }) => ({ ...base, reached: [...base.reached] })) });
  return bases;
}

/** One run of a test with an edit switched on, within the limits that its unedited run sets. */
async function attempt(run, edit, base) {
  const most = (what) => (base ? LIMITS[what][0] + LIMITS[what][1] * base[what] : Number.POSITIVE_INFINITY);
  const [loopBefore, cpuBefore] = [performance.eventLoopUtilization(), process.cpuUsage()];
  const times = () => {
    const { user, system } = process.cpuUsage(cpuBefore);
    return { idle: performance.eventLoopUtilization(loopBefore).idle, busy: (user + system) / 1000 };
  };
  [active, steps, mostSteps, isRunaway, reached] = [edit, 0, most('steps'), false, new Set()];
  let ticks;
  const late = new Promise((_, reject) => {
    ticks = timers.setInterval(() => {
      const { idle, busy } = times();
      if (idle > most('idle') || busy > most('busy')) reject(new Error('the test did not end'));
    }, TICK_MS);
  });
  let error;
  try {
    await Promise.race([run(), late]);
  } catch (cause) {
    error = cause ?? new Error('a test failed without an error');
  }
  timers.clearInterval(ticks);
  if (isRunaway) error = new Error('the test ran on and on');
  const result = { error, steps, reached, ...times() };
  [active, mostSteps] = [NONE, Number.POSITIVE_INFINITY];
  return result;
}

/** `isMissed`: a test did not evaluate the switch this time, because a result from before was remembered. */
async function inPlace(id, files, isLast) {
  let [isMissed, isReached] = [false, false];
  for (const [test, bases] of files)
    for (const base of bases.filter((each) => each.reached.has(id))) {
      isReached = true;
      if (!isLast && base.busy > SLOW_MS) continue;
      const { error, reached: now } = await attempt(base.run, id, base);
      if (!now.has(id)) isMissed = true;
      if (error) return { red: await redOf(test, base, error), isMissed, isReached };
    }
  return { isMissed, isReached };
}

/** The test without an edit. */
async function passes(base) {
  const { error } = await attempt(base.run, NONE, base);
  return error === undefined;
}

/** What is evaluated while a file loads needs a load of its own, with the edit switched on. */
async function reloaded(id, files, load, isLast) {
  for (const [test, bases] of files) {
    [active, reached] = [id, new Set()];
    const found = await collected(() => load(test)).catch((error) => error);
    active = NONE;
    if (!Array.isArray(found)) return { red: `${test}: does not load: ${found}` };
    for (const base of bases) {
      const same = found[base.at]; // titles may occur twice
      if (!isLast && base.busy > SLOW_MS) continue;
      const error = same ? (await attempt(same.run, id, base)).error : new Error('the test is not there');
      if (error) return redOf(test, base, error);
    }
  }
  return undefined;
}

/** `isSpoilt`: the same test fails without the edit too now, for what this edit or an earlier one left behind. */
async function redOf(test, base, error) {
  const red = `${test}: ${base.title}: ${String(error.message ?? error).split('\n')[0]}`;
  return { red, isSpoilt: !(await passes(base)) };
}
