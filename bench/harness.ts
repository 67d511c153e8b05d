import { type Measured, median } from './results.ts';

/**
 * One measured row. The first of a bench is its baseline; the others are read as ratios to it, since machines differ
 * and are noisy.
 */
export interface Row {
  readonly name: string;
  /** Made again before each run, and not measured. */
  prepare?(): unknown;
  /**
   * Does the work once; returns how many units came out at its end, which must be all, so that nothing can be left out.
   */
  run(prepared: unknown): number | Promise<number>;
  /** Handles fewer units than the others. */
  readonly count?: number | undefined;
}

/** Several ways to do one thing. */
export interface Stage {
  /** What one run of a row handles: objects, events, keys. */
  readonly unit: string;
  readonly count: number;
  readonly rows: readonly Row[];
}

export interface Bench extends Stage {
  readonly name: string;
}

/**
 * Runs the rows in turn, `rounds` times after one warm-up, so that a slow moment hits all of them; medians. Throws when
 * a row handles too few.
 */
export async function measure(bench: Bench, rounds: number): Promise<Measured[]> {
  const samples = new Map<Row, Sample[]>(bench.rows.map((row) => [row, []]));
  for (let round = -1; round < rounds; round++) {
    for (const row of bench.rows) {
      const sample = await sampleOf(row, bench);
      if (round >= 0) samples.get(row)?.push(sample);
    }
  }
  const middle = (row: Row, of: (sample: Sample) => number) => median((samples.get(row) ?? []).map(of)) ?? 0;
  const perUnit = (row: Row) => (middle(row, (s) => s.cpuMs) * 1e6) / (row.count ?? bench.count);
  const [baseline] = bench.rows;
  return bench.rows.map((row) => {
    const perUnitNs = perUnit(row);
    const ratio = baseline ? perUnitNs / perUnit(baseline) : 1;
    return {
      name: row.name,
      cpuMs: middle(row, (s) => s.cpuMs),
      wallMs: middle(row, (s) => s.wallMs),
      perUnitNs,
      ratio,
    };
  });
}

interface Sample {
  readonly cpuMs: number;
  readonly wallMs: number;
}

async function sampleOf(row: Row, bench: Bench): Promise<Sample> {
  const prepared = row.prepare?.();
  globalThis.gc?.();
  const at = performance.now();
  const from = process.cpuUsage();
  const handled = await row.run(prepared);
  const { user, system } = process.cpuUsage(from);
  const wallMs = performance.now() - at;
  const wanted = row.count ?? bench.count;
  if (handled !== wanted) throw new Error(`${bench.name}, ${row.name}: handled ${handled} of ${wanted}`);
  return { cpuMs: (user + system) / 1000, wallMs };
}
