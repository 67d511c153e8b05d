import type { TextTable } from './text-table.ts';

/** A target, what was measured for it, and what limits it. */
export interface TargetRow {
  readonly work: string;
  readonly target: string;
  readonly measured: string;
  readonly isMet: boolean;
  readonly limit: string;
}

/** A ratio and the most that it may be. */
export function ratioRow(work: string, most: number, beside: string, ratio: number, limit: string): TargetRow {
  return { work, target: `≤ ${most} × ${beside}`, measured: `${ratio.toFixed(2)} ×`, isMet: ratio <= most, limit };
}

/** A figure and the most that it may be, both in the unit. */
export function figureRow(work: string, most: number, unit: string, figure: number, limit: string): TargetRow {
  const digits = figure < 10 ? 2 : 0;
  return {
    work,
    target: `≤ ${most} ${unit}`,
    measured: `${figure.toFixed(digits)} ${unit}`,
    isMet: figure <= most,
    limit,
  };
}

export function targetTable(title: string, rows: readonly TargetRow[]): TextTable {
  const cells = rows.map(({ work, target, measured, isMet, limit }) => [
    work,
    target,
    measured,
    isMet ? 'yes' : '**no**',
    limit,
  ]);
  return { title, head: ['work', 'target', 'measured', 'met', 'what limits it'], rows: cells };
}

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
