import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { machineName } from '../collect.ts';
import { commitOf } from '../gate/base-build.ts';
import { type Found, isRunnable, measureRows } from '../measure-rows.ts';
import type { Programs } from '../programs.ts';
import { realCluster, realRows } from './real-rows.ts';
import type { RealResults } from './real-section.ts';

interface RealOptions {
  readonly programs: Pick<Programs, 'library' | 'cli'>;
  readonly rounds: number;
  /** The checkout whose build is measured. Default: this one. */
  readonly root?: string | undefined;
  /** Only rows whose id or name contains this. */
  readonly only?: string | undefined;
  readonly progress?: ((text: string) => void) | undefined;
}

/** The initial list of pods from the server of KUBECONFIG, by all programs in turn. */
export async function measureReal(options: RealOptions): Promise<RealResults & Pick<Found, 'failed'>> {
  const { programs, rounds, root, only, progress } = options;
  const load = loadavg()[0] ?? Number.NaN;
  const home = mkdtempSync(path.join(tmpdir(), 'bench-real-'));
  try {
    const cluster = await realCluster(home);
    const rows = realRows(programs, cluster).filter(
      ({ id, name }) => only === undefined || id.includes(only) || name.includes(only),
    );
    const found: Found = { runs: [], omitted: [], failed: [] };
    const runnable = rows.filter((row) => isRunnable(row, '', cluster.pods, found));
    await measureRows(runnable, { url: '', objects: cluster.pods, rounds, home, found, progress });
    return {
      date: new Date().toISOString(),
      machine: machineName(),
      load,
      server: cluster.version,
      pods: cluster.pods,
      commit: commitOf('HEAD', root),
      ...found,
    };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
