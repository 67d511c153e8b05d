// [TEST_KUBECONFIG=FILE] npm run soak -- [--minutes N] [--seed S] [--rate N] [--kinds KIND,…] [--keep DIR] [--root DIR] [-v]
//
// Runs the built program as many processes: streams, a live table, a serve that is asked, rows of a query, and
// controllers in one, two and four replicas. The server, the network and the processes break all the time. What the
// programs said is then compared with what the server did. Ends with 1 if a rule did not hold. With TEST_KUBECONFIG the
// server is that cluster, which must be one for tests, and only networks and programs break.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type SoakReport, soak } from './soak/soak.ts';
import { STRIKES, type StrikeKind } from './soak/strikes.ts';

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    minutes: { ...text, default: '10' },
    seed: { ...text, default: '1' },
    rate: { ...text, default: '20' },
    kinds: { ...text, default: '' },
    keep: text,
    root: { ...text, default: path.resolve(import.meta.dirname, '..') },
    verbose: { type: 'boolean', short: 'v', default: false },
  },
});
const kinds = values.kinds === '' ? undefined : values.kinds.split(',').map(kindOf);
const report = await soak({
  root: path.resolve(values.root),
  minutes: numberOf('minutes'),
  seed: numberOf('seed'),
  changesPerSecond: numberOf('rate'),
  kinds,
  keep: values.keep,
  kubeconfig: process.env.TEST_KUBECONFIG || undefined,
  ...(values.verbose && { say: (line: string) => console.error(line) }),
});
process.exitCode = print(report) ? 0 : 1;

function numberOf(name: 'minutes' | 'seed' | 'rate'): number {
  const number = Number(values[name]);
  if (!(number > 0)) throw new Error(`--${name} takes a number above 0, not "${values[name]}"`);
  return number;
}

function kindOf(name: string): StrikeKind {
  if (!Object.hasOwn(STRIKES, name)) throw new Error(`--kinds takes ${Object.keys(STRIKES).join(', ')}, not "${name}"`);
  return name as StrikeKind;
}

/** Prints what happened. Returns whether each rule was kept. */
function print({ faults, changes, seconds, verdicts, usage }: SoakReport): boolean {
  const total = Object.values(faults).reduce((sum, n) => sum + n, 0);
  console.log(`${total} faults and ${changes} changes in ${seconds} s, seed ${values.seed}`);
  for (const [kind, count] of Object.entries(faults)) console.log(`  ${count} ${kind}`);
  let isRight = true;
  for (const [name, { problems, figures }] of verdicts) {
    const all = Object.entries(figures).map(([what, count]) => `${count} ${what}`);
    console.log(`${problems.length === 0 ? 'right' : 'WRONG'}  ${name}: ${all.join(', ')}`);
    for (const problem of problems.slice(0, 12)) console.log(`         ${problem}`);
    if (problems.length > 12) console.log(`         and ${problems.length - 12} more`);
    isRight &&= problems.length === 0;
  }
  for (const [name, row] of usage) {
    if (!row) continue;
    const { warm, end, descriptors } = row;
    const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0);
    const growth = `${megabytes(warm)} → ${megabytes(end)} MB (${(end / warm).toFixed(2)} ×)`;
    console.log(`memory ${name}: ${growth}, descriptors ${descriptors.begin} → ${descriptors.end}`);
  }
  return isRight;
}
