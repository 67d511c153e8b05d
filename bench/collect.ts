import { cpus, loadavg, release, totalmem } from 'node:os';
import { endToEnd } from './end-to-end.ts';
import { DEFAULT_BYTES } from './generator.ts';
import type { Programs } from './programs.ts';
import type { Results, StageResult } from './results.ts';
import { sandboxUnderLoad } from './sandbox.ts';
import { measureStages } from './stages.ts';

/** What a run of all benchmarks is made of. */
export interface CollectOptions {
  readonly programs: Programs;
  readonly sizes: readonly number[];
  readonly bytes?: number | undefined;
  readonly rounds: number;
  readonly events: number;
  readonly stages: { readonly count: number; readonly rounds: number };
  readonly sandboxObjects: number;
  /** Only rows, or stages, whose name contains this. */
  readonly only?: string | undefined;
  readonly onStage?: ((result: StageResult) => void) | undefined;
  readonly progress?: ((text: string) => void) | undefined;
}

/**
 * Measures everything asked for, one thing after the other. Throws when something is broken, never because it is slow.
 */
export async function collect(options: CollectOptions): Promise<Results> {
  const { bytes = DEFAULT_BYTES, stages, only, onStage, sandboxObjects } = options;
  const load = loadavg()[0] ?? 0;
  const measured = await measureStages({ ...stages, bytes, only, onResult: onStage });
  const sandbox = only === undefined || only === 'sandbox' ? await sandboxUnderLoad(sandboxObjects) : [];
  const programs = await endToEnd({ ...options, bytes });
  return {
    date: new Date().toISOString(),
    machine: machineName(),
    versions: `Node ${process.versions.node}`,
    load,
    bytes,
    stages: measured,
    ...programs,
    sandbox,
  };
}

/** The processors, the memory and the system of this machine. */
export function machineName(): string {
  const model = cpus()[0]?.model ?? 'unknown';
  return `${cpus().length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${release()}`;
}
