import type { TextTable } from '../text-table.ts';
import type { Turns } from './turns.ts';

/** A run of the gate, as `bench/gate.json` keeps the last recorded one. */
export interface GateRecord extends Turns {
  /** What was compared with the base; the base of the next run. */
  readonly commit: string;
  /** The build was made of files that are not in that commit. */
  readonly changed: boolean;
  readonly base: string;
  /** RFC 3339. */
  readonly date: string;
  /** The load of the machine before the first run. */
  readonly load: number;
  readonly server: 'own' | 'real';
  readonly pods: number;
  /** What else was measured, in sentences; written by hand. */
  readonly notes?: readonly string[];
}

/** CPU times of both builds, their ratio, and how sure it is. */
export function verdictTable({ rows, base, commit, changed, pods, server }: GateRecord): TextTable {
  const from = server === 'real' ? 'a kube-apiserver' : "the bench's own server";
  const now = `${commit.slice(0, 8)}${changed ? ' with changes' : ''}`;
  return {
    title: `CPU time of ${now} beside ${base.slice(0, 8)}; lists of ${pods.toLocaleString('en')} pods from ${from}`,
    head: ['row', 'base ms', 'now ms', 'now / base', 'likely between', 'pairs', ''],
    rows: rows.map((row) => [
      row.name,
      row.base.toFixed(0),
      row.now.toFixed(0),
      row.ratio.toFixed(3),
      `${row.low.toFixed(3)} and ${row.high.toFixed(3)}`,
      String(row.pairs),
      row.isSlower ? 'slower' : '',
    ]),
  };
}
