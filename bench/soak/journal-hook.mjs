// The hook of a soak: writes its start and its end into the file of SOAK_JOURNAL, on the clock of the machine.
import { appendFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

const { SOAK_JOURNAL, SOAK_GROUP } = process.env;
let runs = 0;

export default async function reconcile({ namespace, name, object }) {
  const run = ++runs;
  const mark = object?.metadata.annotations?.mark ?? null;
  const note = (what) => {
    const record = { group: SOAK_GROUP, pid: process.pid, key: `${namespace}/${name}`, run, what, mark };
    const at = Number(process.hrtime.bigint()) / 1e6;
    appendFileSync(SOAK_JOURNAL, `${JSON.stringify({ ...record, at })}\n`);
  };
  note('start');
  await setTimeout(1 + Math.random() * 20);
  note('end');
}
