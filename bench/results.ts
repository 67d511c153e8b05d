/** What one row of a stage took. */
export interface Measured {
  readonly name: string;
  /** CPU time of the process, garbage collection included. */
  readonly cpuMs: number;
  readonly wallMs: number;
  /** CPU time of one unit. */
  readonly perUnitNs: number;
  /** To the baseline, per unit. */
  readonly ratio: number;
}

export type Group = 'floor' | 'ours' | 'peer';

/** One program on one collection: medians of its runs. CPU is user and system time; memory the peak resident set. */
export interface RunResult {
  readonly id: string;
  readonly group: Group;
  readonly name: string;
  /** How many objects the server had. */
  readonly objects: number;
  /** How many events were followed, of a row about a watch. */
  readonly events?: number | undefined;
  readonly rounds: number;
  readonly wallMs: number;
  readonly cpuMs: number | undefined;
  readonly peakRssMb: number | undefined;
  readonly firstByteMs: number | undefined;
  /** What the program itself measured, without its start. */
  readonly work?: Work | undefined;
}

export interface Work {
  readonly ms: number;
  readonly cpuMs: number;
  /** Resident memory before the work. */
  readonly baseRssMb: number;
  /** The longest time the event loop was blocked. */
  readonly blockMs?: number | undefined;
}

/** A row that was left out, and why. */
export interface Omission {
  readonly id: string;
  readonly name: string;
  readonly objects: number;
  readonly reason: string;
}

export interface StageResult {
  readonly name: string;
  readonly unit: string;
  readonly count: number;
  readonly rows: readonly Measured[];
}

export interface IdleResult {
  readonly id: string;
  readonly name: string;
  readonly rssMb: number | undefined;
}

/** From the server's write to the line read from stdout, ms. */
export interface LatencyResult {
  readonly id: string;
  readonly name: string;
  readonly perSecond: number;
  readonly events: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface Results {
  /** RFC 3339. */
  readonly date: string;
  readonly machine: string;
  readonly versions: string;
  /** Load of the machine before the first run, over a minute. */
  readonly load: number;
  readonly bytes: number;
  readonly stages: readonly StageResult[];
  readonly runs: readonly RunResult[];
  readonly omitted: readonly Omission[];
  /** Rows that ended with an error or showed less than everything. */
  readonly failed: readonly Omission[];
  readonly idle: readonly IdleResult[];
  readonly latency: readonly LatencyResult[];
  readonly sandbox: readonly string[];
}

/** The run of a row; without a number of objects, the only one or the first. */
export function runOf({ runs }: Pick<Results, 'runs'>, id: string, objects?: number): RunResult | undefined {
  return runs.find((run) => run.id === id && (objects === undefined || run.objects === objects));
}

/** The value of which as many are below as above; undefined of none. */
export function median(values: readonly (number | undefined)[]): number | undefined {
  const sorted = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** The smallest value that so large a share of all is not above; NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
