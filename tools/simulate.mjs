// Runs the simulation of test/simulation by hand: node tools/simulate.mjs [--seed N] [--steps M] [--count K] [--trace]
// [--sockets | --controller]
//   --seed N    the first seed (default 1)
//   --steps M   how long each run is (default 60, what CI runs)
//   --count K   how many seeds, one after the other (default 1)
//   --store KIND  how the cache keeps its objects: objects (default) or compact
//   --trace     print everything that happened
//   --sockets   over real sockets and in real time, where only the final state is checked
//   --controller  the work queue and a controller, beside a model of them
import { parseArgs } from 'node:util';
import { simulateController } from '../test/simulation/controller.ts';
import { SimulationError, simulate } from '../test/simulation/simulate.ts';
import { simulateOverSockets } from '../test/simulation/sockets.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    steps: { type: 'string', default: '60' },
    count: { type: 'string', default: '1' },
    store: { type: 'string', default: 'objects' },
    trace: { type: 'boolean', default: false },
    sockets: { type: 'boolean', default: false },
    controller: { type: 'boolean', default: false },
  },
});
const [first, steps, count] = [values.seed, values.steps, values.count].map(Number);
if (![first, steps, count].every((n) => Number.isInteger(n) && n >= 0)) {
  console.error('error: --seed, --steps and --count take whole numbers');
  process.exit(2);
}

const way = values.controller ? ofController : values.sockets ? overSockets : inProcess;
for (let seed = first; seed < first + count; seed++) await way(seed);

async function ofController(seed) {
  try {
    const { trace, runs, retries, parkings } = await simulateController(seed, steps);
    if (values.trace) console.log(trace.join('\n'));
    console.log(`seed ${seed}: ok; ${runs} runs, ${retries} retries, ${parkings} parked keys`);
  } catch (error) {
    console.error(`seed ${seed}: ${error.message}`);
    process.exitCode = 1;
  }
}

async function overSockets(seed) {
  try {
    await simulateOverSockets(seed, steps, { tls: seed % 7 === 0 });
    console.log(`seed ${seed} over sockets: ok`);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

async function inProcess(seed) {
  try {
    const { trace, relists, resumes, notifications } = await simulate(seed, steps, values.store);
    if (values.trace) console.log(trace.join('\n'));
    console.log(`seed ${seed}: ok; ${notifications} notifications, ${resumes} resumed watches, ${relists} relists`);
  } catch (error) {
    if (!(error instanceof SimulationError)) throw error;
    console.log((values.trace ? error.trace : error.trace.slice(-40)).join('\n'));
    console.error(`seed ${seed}: ${error.message}`);
    process.exitCode = 1;
  }
}
