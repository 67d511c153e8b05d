// Runs the fuzz targets of test/fuzz by hand: node tools/fuzz.mjs [--cases N] [--seed S] [--only TARGET] [--case N]
//   --cases N      how many cases in total (default 100000)
//   --seed S       the first input is made from it (default: another one each time)
//   --only TARGET  one target alone
//   --case N       the case with this number alone, as the line of a failure says it; with --only and --seed
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { FUZZ_TARGETS, sharesOf } from '../test/fuzz/targets.ts';

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string' },
    case: { type: 'string' },
  },
});
const [cases, seed, first] = [values.cases, values.seed, values.case ?? '0'].map(Number);
if (![cases, seed, first].every((n) => Number.isSafeInteger(n) && n >= 0)) {
  console.error('error: --cases, --seed and --case take whole numbers');
  process.exit(2);
}
const targets = FUZZ_TARGETS.filter(({ name }) => values.only === undefined || name === values.only);
if (targets.length === 0 || (values.case !== undefined && values.only === undefined)) {
  console.error(`error: --only is one of ${FUZZ_TARGETS.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

/** The present target and case, which the watcher reads: a case that hangs lets this thread do nothing. */
const progress = new Int32Array(new SharedArrayBuffer(8));
const names = targets.map(({ name }) => name);
const watcher = new Worker(new URL('./fuzz-watcher.mjs', import.meta.url), { workerData: { progress, names, seed } });
watcher.unref();

const counts = values.case === undefined ? sharesOf(targets, cases) : [1];
const started = performance.now();
let [run, failed] = [0, 0];
console.log(`seed ${seed}\n${row('target', 'cases', 'seconds', 'result')}`);
for (const [i, target] of targets.entries()) {
  const from = performance.now();
  let number = first - 1;
  const onCase = () => {
    Atomics.store(progress, 0, i);
    Atomics.store(progress, 1, ++number);
  };
  const found = await target.run({ seed, first, count: counts[i], onCase });
  run += found.cases;
  console.log(row(target.name, found.cases, secondsSince(from), found.failure ? 'FAILED' : 'ok'));
  if (found.failure) report(target.name, found.failure);
}
console.log(row('all', run, secondsSince(started), failed === 0 ? 'ok' : `${failed} FAILED`));

function report(name, { number, input, error }) {
  failed++;
  process.exitCode = 1;
  console.log(`\n${error instanceof Error ? error.stack : error}\ninput: ${input.slice(0, 4000)}`);
  console.log(`replay: npm run fuzz -- --only ${name} --seed ${seed} --case ${number}\n`);
}

function row(name, count, seconds, result) {
  return `${name.padEnd(18)}${String(count).padStart(9)}${String(seconds).padStart(10)}  ${result}`;
}

function secondsSince(time) {
  return ((performance.now() - time) / 1000).toFixed(1);
}
