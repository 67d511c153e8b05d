import type { Shape } from './generator.ts';
import { measure, type Stage } from './harness.ts';
import type { StageResult } from './results.ts';
import { decodeList, decodeTable, decodeWatch } from './stages/decode.ts';
import { fanOut } from './stages/fan-out.ts';
import { putIntoStore } from './stages/indexes.ts';
import { printEvents } from './stages/print.ts';
import { queueDeltas } from './stages/queue.ts';
import { reconcileKeys } from './stages/reconcile.ts';
import { cycleKeys } from './stages/work-queue.ts';

/** The stages of the path of an event, in their order. See docs/ARCHITECTURE.md. */
const STAGES: Readonly<Record<string, (count: number, shape: Shape) => Stage | Promise<Stage>>> = {
  'decode a LIST': decodeList,
  'decode a table': decodeTable,
  'decode a WATCH': decodeWatch,
  'changes through the queue': queueDeltas,
  'put into the store': putIntoStore,
  'from the stream to the handlers': fanOut,
  'print events': printEvents,
  'keys through the work queue': cycleKeys,
  reconcile: reconcileKeys,
};

export interface StageOptions {
  readonly count: number;
  readonly bytes: number;
  readonly rounds: number;
  /** Only stages whose name contains this. */
  readonly only?: string | undefined;
  /** Called with each stage when it is done. */
  readonly onResult?: ((result: StageResult) => void) | undefined;
}

/** Measures each stage by itself, in this process. Throws when one handles less than it was given. */
export async function measureStages({ count, bytes, rounds, only, onResult }: StageOptions): Promise<StageResult[]> {
  const results: StageResult[] = [];
  for (const [name, make] of Object.entries(STAGES)) {
    if (only !== undefined && !name.includes(only)) continue;
    const stage = await make(count, { bytes });
    const result = { name, unit: stage.unit, count, rows: await measure({ ...stage, name }, rounds) };
    results.push(result);
    onResult?.(result);
  }
  return results;
}
