// npm run bench:replicas -- [--replicas R] [--faults K] [--seed S] [--hook module|program] [--kinds K,…] [--keys N]
// [--rate N] [--lease-duration MS] [--kubeconfig FILE] [--sharding-server] [--root DIR] -- WORDS OF RECONCILE
//
// Starts a server and R replicas of the built program, each behind a network of its own, and strikes them K times, one
// after the other: kills, freezes, cuts, ends, adds and removes. Objects change all the time. Each run writes its start
// and its end on the server; what two replicas did at once, and what none did, is read from that record alone.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type ChaosReport, type FaultKind, KINDS, strikeReplicas } from './replicas/chaos.ts';

const text = { type: 'string' } as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    replicas: { ...text, default: '2' },
    faults: { ...text, default: '20' },
    seed: { ...text, default: '1' },
    hook: { ...text, default: 'module' },
    kinds: { ...text, default: '' },
    keys: { ...text, default: '40' },
    rate: { ...text, default: '20' },
    'lease-duration': { ...text, default: '3000' },
    kubeconfig: text,
    'sharding-server': { type: 'boolean', default: false },
    root: { ...text, default: path.resolve(import.meta.dirname, '..') },
  },
});
const hook = values.hook === 'program' ? 'program' : 'module';
const kinds = values.kinds === '' ? undefined : values.kinds.split(',').map(kindOf);
const leaseDurationMs = Number(values['lease-duration']);
const started = performance.now();
const report = await strikeReplicas({
  cli: path.join(values.root, 'bin', 'run.js'),
  words: [...(positionals.length > 0 ? positionals : ['--leader-elect']), ...durations(leaseDurationMs)],
  replicas: Number(values.replicas),
  faults: Number(values.faults),
  seed: Number(values.seed),
  hook,
  kinds,
  keys: Number(values.keys),
  changesPerSecond: Number(values.rate),
  leaseDurationMs,
  sandbox: values['sharding-server'] ? ['--feature-gates', 'ShardedListAndWatch=true'] : [],
  kubeconfig: values.kubeconfig,
  say: (line) => console.error(line),
});
print(report);
process.exitCode = report.doubled.length + report.lost.length > 0 || report.failure !== undefined ? 1 : 0;

/** The durations of a short lease, in the proportions of the defaults. */
function durations(ms: number): string[] {
  const [lease, deadline, period] = [ms, (ms * 2) / 3, ms / 6].map((each) => `${Math.round(each)}ms`);
  return [
    `--leader-elect-lease-duration=${lease}`,
    `--leader-elect-renew-deadline=${deadline}`,
    `--leader-elect-retry-period=${period}`,
  ];
}

function kindOf(name: string): FaultKind {
  const kind = KINDS.find((each) => each === name);
  if (!kind) throw new Error(`--kinds takes ${KINDS.join(', ')}, not "${name}"`);
  return kind;
}

function print({
  faults,
  changes,
  runs,
  completed,
  doubled,
  lost,
  takeovers,
  waits,
  ends,
  failure,
}: ChaosReport): void {
  const total = Object.values(faults).reduce((sum, n) => sum + n, 0);
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`${total} faults in ${seconds} s, seed ${values.seed}: ${list(faults)}`);
  if (failure !== undefined) console.log(`ended early: ${failure}`);
  console.log(`${changes} changes, ${runs} runs, of which ${completed} to the end`);
  console.log(`keys that two replicas ran at once: ${doubled.length}`);
  for (const { key, text: what } of doubled.slice(0, 20)) console.log(`  ${key}: ${what}`);
  console.log(`keys lost: ${lost.length}`);
  for (const what of lost.slice(0, 20)) console.log(`  ${what}`);
  console.log('ms until all keys of a struck replica ran elsewhere (number, middle, longest):');
  for (const [kind, ms] of Object.entries(takeovers)) console.log(`  ${kind}: ${ms.length}, ${summary(ms)}`);
  console.log(`  limit: ${leaseDurationMs + 2_000} (lease duration and 2 s)`);
  console.log(`ms from a change to the end of a run that saw it (middle, longest): ${summary(waits)}`);
  console.log(`ends of processes that nothing asked for: ${ends.length}`);
  const reasons = Map.groupBy(ends, (end) => end.replace(/^\S+ /, '').replace(/: \S+ was renewed.*| by \S+$/, ''));
  for (const [reason, all] of reasons) console.log(`  ${all.length} ${reason}`);
}

function list(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, n]) => `${n} ${name}`)
    .join(', ');
}

function summary(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0);
  return `${at(0.5)}, ${at(1)}`;
}
