import { type Results, type RunResult, runOf } from './results.ts';

/** A target and the measured value. */
export interface TargetRow {
  readonly id: string;
  readonly work: string;
  readonly target: string;
  /** Undefined: nothing to compare with was measured. */
  readonly measured: string | undefined;
  readonly isMet: boolean | undefined;
}

interface Target {
  readonly id: string;
  readonly work: (objects: string) => string;
  readonly target: string;
  readonly value: (measured: Sizes) => number | undefined;
  /** Printed next to the value: CPU time, because a busy machine distorts wall time. */
  readonly beside?: (measured: Sizes) => string;
  readonly isMet: (value: number) => boolean;
  readonly show: (value: number) => string;
}

/** Results at the size the targets speak of, or at the largest below it. */
interface Sizes {
  readonly results: Results;
  readonly objects: number;
}

const TARGET_OBJECTS = 50_000;
const GROWTH_FROM = 10_000;

type Figure = (run: RunResult) => number | undefined;
const wall: Figure = (run) => run.wallMs;
const cpu: Figure = (run) => run.cpuMs;
const rss: Figure = (run) => run.peakRssMb;
const firstByte: Figure = (run) => run.firstByteMs;

const TARGETS: readonly Target[] = [
  ratio('sync-cpu-parse', 'sync, CPU', 0.75, 'JSON.parse of the whole text', ['sync', 'parse', cpu]),
  ratio('sync-cpu-client-node', 'sync, CPU', 0.3, 'client-node', ['sync', 'client-node', cpu]),
  ratio('sync-cpu-client-go', 'sync, CPU', 0.2, 'client-go dynamic', ['sync', 'go-dynamic', cpu]),
  ratio('sync-wall', 'sync, wall, server-bound', 1.2, 'download to nowhere', ['served-sync', 'served-download', wall]),
  ratio('sync-rss-client-node', 'sync, peak RSS', 0.25, 'client-node', ['sync', 'client-node', rss]),
  ratio('sync-rss-client-go', 'sync, peak RSS', 0.2, 'client-go dynamic', ['sync', 'go-dynamic', rss]),
  {
    id: 'block',
    work: (objects) => `longest event-loop block while syncing ${objects}`,
    target: '≤ 50 ms',
    value: ({ results, objects }) => runOf(results, 'block', objects)?.work?.blockMs,
    isMet: (ms) => ms <= 50,
    show: (ms) => `${ms.toFixed(0)} ms`,
  },
  {
    id: 'burst-rate',
    work: () => 'watch events parsed, stored, delivered to 3 handlers',
    target: '≥ 20,000/s',
    value: ({ results }) => perSecond(runOf(results, 'burst')),
    beside: ({ results }) => ofCpuTime(runOf(results, 'burst')),
    isMet: (rate) => rate >= 20_000,
    show: (rate) => perSecondText(rate, 1000),
  },
  ratio('burst-cpu', 'the same, CPU', 4, 'the null reader', ['burst', 'null-watch', cpu], 'any'),
  ratio('version', '`--version`, wall', 1.15, 'bare node', ['version', 'node', wall], 'any'),
  ratio('help', '`--help`, wall', 1.3, 'bare node', ['help', 'node', wall], 'any'),
  {
    id: 'idle',
    work: () => 'idle `watch` of 10 pods, RSS',
    target: '≤ 2 × bare node',
    value: ({ results: { idle } }) =>
      over(idle.find(({ id }) => id === 'idle-watch')?.rssMb, idle.find(({ id }) => id === 'idle-node')?.rssMb),
    isMet: (value) => value <= 2,
    show: times,
  },
  growth('growth-time', 'time per object', ({ objects, work }) => over(work?.ms, objects)),
  growth('growth-memory', 'memory per object', ({ objects, work, peakRssMb }) =>
    over(minus(peakRssMb, work?.baseRssMb), objects),
  ),
  ratio(
    'once-wall-10k',
    '`watch pods -A --once`, wall',
    0.35,
    '`kubectl get pods -A --no-headers`',
    ['once', 'kubectl', wall],
    10_000,
  ),
  ratio(
    'once-rss-10k',
    '`watch pods -A --once`, RSS',
    0.25,
    '`kubectl get pods -A --no-headers`',
    ['once', 'kubectl', rss],
    10_000,
  ),
  ratio('once-wall', '`watch pods -A --once`, wall', 0.35, '`kubectl get pods -A --no-headers`', [
    'once',
    'kubectl',
    wall,
  ]),
  ratio('once-rss', '`watch pods -A --once`, RSS', 0.25, '`kubectl get pods -A --no-headers`', [
    'once',
    'kubectl',
    rss,
  ]),
  ratio('once-json-wall', '`watch pods -A --once -o json`, wall', 0.15, '`kubectl get -o json`', [
    'once-json',
    'kubectl-json',
    wall,
  ]),
  ratio('once-json-rss', '`watch pods -A --once -o json`, RSS', 0.1, '`kubectl get -o json`', [
    'once-json',
    'kubectl-json',
    rss,
  ]),
  ratio(
    'first-row',
    'first row of `watch pods`, 10 pods',
    2.5,
    '`kubectl get pods`',
    ['first-row', 'kubectl-first-row', firstByte],
    'any',
  ),
  {
    id: 'latency',
    work: () => 'write → printed line at 500/s, 99th percentile',
    target: '≤ 2 × a bare line reader',
    value: ({ results: { latency } }) =>
      over(
        latency.find(({ id }) => id === 'latency-watch')?.p99Ms,
        latency.find(({ id }) => id === 'latency-reader')?.p99Ms,
      ),
    isMet: (value) => value <= 2,
    show: times,
  },
];

/** Every target with what these results say of it. */
export function targetRows(results: Results): TargetRow[] {
  const sizes = [...new Set(results.runs.filter(({ id }) => id === 'sync').map(({ objects }) => objects))];
  const objects = sizes.filter((size) => size <= TARGET_OBJECTS).sort((a, b) => b - a)[0] ?? TARGET_OBJECTS;
  return TARGETS.map(({ id, work, target, value, isMet, show, beside }) => {
    const found = value({ results, objects });
    const isKnown = found !== undefined && Number.isFinite(found);
    return {
      id,
      work: work(`${objects.toLocaleString('en')} pods`),
      target,
      measured: isKnown ? show(found) + (beside?.({ results, objects }) ?? '') : undefined,
      isMet: isKnown ? isMet(found) : undefined,
    };
  });
}

/** Events a second of a run that followed some, its sync included. */
export function perSecond(run: RunResult | undefined): number | undefined {
  return run?.events === undefined ? undefined : (run.events / (run.work?.ms ?? run.wallMs)) * 1000;
}

/**
 * One program's figure to another's. `at`: the size it is about, `any` when there is one only; default that of all
 * targets.
 */
function ratio(
  id: string,
  work: string,
  most: number,
  to: string,
  [a, b, figure]: [string, string, Figure],
  at?: number | 'any',
): Target {
  const compared = ({ results, objects }: Sizes, of: Figure) => {
    const size = at === 'any' ? undefined : (at ?? objects);
    const [ours, theirs] = [runOf(results, a, size), runOf(results, b, size)];
    return over(ours && of(ours), theirs && of(theirs));
  };
  return {
    id,
    work: (objects) =>
      at === 'any' ? work : `${work}, ${typeof at === 'number' ? `${at.toLocaleString('en')} pods` : objects}`,
    target: `≤ ${most} × ${to}`,
    value: (sizes) => compared(sizes, figure),
    ...((figure === wall || figure === firstByte) && id !== 'sync-wall'
      ? { beside: (sizes: Sizes) => besides(compared(sizes, cpu)) }
      : {}),
    isMet: (value) => value <= most,
    show: times,
  };
}

/** What one object takes among many, to what it takes among few. */
function growth(id: string, work: string, perObject: Figure): Target {
  return {
    id,
    work: () => `growth 10,000 → 200,000 objects, ${work}`,
    target: '≤ 1.15 × at 10,000',
    value: ({ results }) => {
      const large = results.runs
        .filter((run) => run.id === 'sync' && run.objects > GROWTH_FROM)
        .sort((a, b) => b.objects - a.objects)[0];
      const small = runOf(results, 'sync', GROWTH_FROM);
      return large?.objects === 200_000 && small ? over(perObject(large), perObject(small)) : undefined;
    },
    isMet: (value) => value <= 1.15,
    show: times,
  };
}

function over(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a / b;
}

function minus(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a - b;
}

function ofCpuTime(run: RunResult | undefined): string {
  return run?.work && run.events !== undefined ? ` (${perSecondText(run.events, run.work.cpuMs)} of CPU time)` : '';
}

function perSecondText(events: number, ms: number): string {
  return `${Math.round((events / ms) * 1000).toLocaleString('en')}/s`;
}

function besides(ofCpu: number | undefined): string {
  return ofCpu === undefined ? '' : ` (CPU ${times(ofCpu)})`;
}

function times(value: number): string {
  return `${value.toFixed(value < 1 ? 3 : 2)} ×`;
}
