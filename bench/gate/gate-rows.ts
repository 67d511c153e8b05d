import { type Built, type Cluster, clusterRows, startRow, stormRows } from '../cluster-rows.ts';
import type { Command } from '../processes.ts';
import { faultOf, runToEnd } from '../row-run.ts';
import type { ProcessRow } from '../rows.ts';
import type { Compared } from './turns.ts';

/** The servers of the gate: one with many pods, one whose watches bring a storm, one with a few pods. */
export interface Servers {
  readonly many: Cluster;
  readonly storm: Cluster & { readonly events: number };
  readonly few: Cluster;
}

/** Starts in one measurement. */
const STARTS = 6;
/** Of the initial lists, those that users wait for; the library's plain defaults are in `bench --server real`. */
const LISTS = new Set(['once', 'once-json', 'sync', 'filter']);

/** What the gate compares. `home` is the home folder of all programs: what they keep between runs stays. */
export function gateRows(base: Built, now: Built, servers: Servers, home: string): Compared[] {
  const [ofBase, ofNow] = [base, now].map((built) => rowsOf(built, servers)) as [Placed[], Placed[]];
  return ofNow.map((mine, i) => {
    const builds = { base: ofBase[i] as Placed, now: mine };
    const { id, name } = mine.row;
    return { id, name, measure: (build) => cpuOf(builds[build], home) };
  });
}

interface Placed {
  readonly row: ProcessRow;
  readonly pods: number;
  /** How many objects, or events, a program of bench/runners must have seen. */
  readonly wanted: number;
}

function rowsOf(built: Built, { many, storm, few }: Servers): Placed[] {
  const lists = clusterRows(built, many).filter(({ id }) => LISTS.has(id));
  return [
    ...lists.map((row) => ({ row, pods: many.pods, wanted: many.pods })),
    ...stormRows(built, storm, storm.events).map((row) => ({ row, pods: storm.pods, wanted: storm.events })),
    { row: startRow(built, few, STARTS), pods: few.pods, wanted: few.pods },
  ];
}

async function cpuOf({ row, pods, wanted }: Placed, home: string): Promise<number> {
  const command = row.command('', pods) as Command;
  const usage = await runToEnd(row, { ...command, env: { HOME: home, ...command.env } }, pods);
  const fault = faultOf(row, usage, wanted, pods);
  if (fault !== undefined) throw new Error(`${row.name}: ${fault}`);
  if (usage.cpuMs === undefined) throw new Error('this system does not say how much CPU time a program took');
  return usage.cpuMs;
}
