/** One measured row. The first of a bench is its baseline; the others are read as ratios to it, since machines differ and are noisy. */
export interface Row {
  readonly name: string;
  /** Does the work once; returns anything that depends on it, so that it cannot be left out. */
  run(): unknown;
}

export interface Bench {
  readonly name: string;
  /** What one run of a row handles: objects, events, keys. */
  readonly unit: string;
  readonly count: number;
  readonly rows: readonly Row[];
}

export interface Measured {
  readonly name: string;
  readonly medianMs: number;
  readonly perUnitNs: number;
  readonly ratio: number;
}

/** Runs the rows in turn, `rounds` times after one warm-up, so that a slow moment hits all of them; medians. */
export async function measure(bench: Bench, rounds: number): Promise<Measured[]> {
  const times = new Map<Row, number[]>(bench.rows.map((row) => [row, []]));
  for (let round = -1; round < rounds; round++) {
    for (const row of bench.rows) {
      globalThis.gc?.();
      const from = process.cpuUsage();
      await row.run();
      const { user, system } = process.cpuUsage(from);
      if (round >= 0) times.get(row)?.push((user + system) / 1000);
    }
  }
  const medians = bench.rows.map((row) => median(times.get(row) ?? []));
  const baseline = medians[0] ?? 1;
  return bench.rows.map(({ name }, i) => {
    const medianMs = medians[i] ?? 0;
    return { name, medianMs, perUnitNs: (medianMs * 1e6) / bench.count, ratio: medianMs / baseline };
  });
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
