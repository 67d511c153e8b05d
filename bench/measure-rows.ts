import type { Command, Usage } from './processes.ts';
import { median, type Omission, type RunResult, type Work } from './results.ts';
import { faultOf, runToEnd, said } from './row-run.ts';
import type { ProcessRow } from './rows.ts';

/** What a bench has found so far. */
export interface Found {
  readonly runs: RunResult[];
  readonly omitted: Omission[];
  readonly failed: Omission[];
}

export interface MeasureRows {
  readonly url: string;
  readonly objects: number;
  /** Changes that are followed, of rows about a watch. */
  readonly events?: number | undefined;
  readonly rounds: number;
  /** The home folder of all programs: what they keep between runs stays. */
  readonly home: string;
  readonly found: Found;
  readonly progress?: ((text: string) => void) | undefined;
}

/** Runs the rows in turn, round after round. One that fails is named, and not run again. */
export async function measureRows(rows: readonly ProcessRow[], options: MeasureRows): Promise<void> {
  const { url, objects, events, rounds, home, found, progress } = options;
  const samples = new Map<ProcessRow, Usage[]>(rows.map((row) => [row, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [row, usages] of samples) {
      if (round > 0 && row.onceFrom !== undefined && objects >= row.onceFrom) continue;
      const usage = await runToEnd(row, withHome(row.command(url, objects) as Command, home), objects);
      const reason = faultOf(row, usage, events ?? objects, objects);
      if (reason === undefined) usages.push(usage);
      else {
        samples.delete(row);
        found.failed.push({ id: row.id, name: row.name, objects, reason });
      }
      progress?.(`${objects} × ${row.name}: ${reason ?? figuresOf(usage)}`);
    }
  }
  for (const [row, usages] of samples) found.runs.push(resultOf(row, usages, { objects, events }));
}

/** Whether a row can be measured; why not is kept. */
export function isRunnable(
  row: ProcessRow,
  url: string,
  objects: number,
  { omitted }: Pick<Found, 'omitted'>,
): boolean {
  const { id, name, most } = row;
  const command = row.command(url, objects);
  const reason =
    most !== undefined && objects > most.objects ? most.why : 'missing' in command ? command.missing : undefined;
  if (reason !== undefined) omitted.push({ id, name, objects, reason });
  return reason === undefined;
}

export function withHome(command: Command, home: string): Command {
  return { ...command, env: { HOME: home, ...command.env } };
}

function figuresOf({ wallMs, cpuMs, peakRssMb }: Usage): string {
  return `${wallMs.toFixed(0)} ms, ${cpuMs?.toFixed(0)} ms CPU, ${peakRssMb?.toFixed(0)} MB`;
}

function resultOf(
  row: ProcessRow,
  usages: readonly Usage[],
  { objects, events }: { objects: number; events?: number | undefined },
): RunResult {
  const works = usages.map(said).filter((work) => work.ms !== undefined);
  const middle = (value: (work: Partial<Work>) => number | undefined) => median(works.map(value));
  const work = {
    ms: middle((w) => w.ms) ?? 0,
    cpuMs: middle((w) => w.cpuMs) ?? 0,
    baseRssMb: middle((w) => w.baseRssMb) ?? 0,
    blockMs: middle((w) => w.blockMs),
  };
  return {
    id: row.id,
    group: row.group,
    name: row.name,
    objects,
    events,
    rounds: usages.length,
    wallMs: median(usages.map((u) => u.wallMs)) ?? Number.NaN,
    cpuMs: median(usages.map((u) => u.cpuMs)),
    peakRssMb: median(usages.map((u) => u.peakRssMb)),
    firstByteMs: median(usages.map((u) => u.firstByteMs)),
    work: works.length > 0 ? work : undefined,
  };
}
