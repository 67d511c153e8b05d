// The second thread of tools/fuzz.mjs: ends the run if one case takes a minute, and says which.
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

const LONGEST_MS = 60_000;
const { progress, names, seed } = workerData;
let [last, since] = ['', Date.now()];
setInterval(() => {
  const [target, number] = [names[Atomics.load(progress, 0)], Atomics.load(progress, 1)];
  const present = `${target} ${number}`;
  if (present !== last) [last, since] = [present, Date.now()];
  if (Date.now() - since < LONGEST_MS) return;
  writeSync(2, `a case takes too long\nreplay: npm run fuzz -- --only ${target} --seed ${seed} --case ${number}\n`);
  process.kill(process.pid, 'SIGKILL');
}, 1000);
