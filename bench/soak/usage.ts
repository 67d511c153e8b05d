import type { Program } from './program.ts';

/** What a program used at first, after its warm-up, and at the end. */
export interface UsageRow {
  /** The least resident memory of the second quarter of the time, bytes. */
  readonly warm: number;
  /** The least of the last quarter. */
  readonly end: number;
  readonly descriptors: { readonly begin: number; readonly end: number };
}

/** Undefined where nothing could be measured. */
export function usageOf({ usage, ended }: Pick<Program, 'usage' | 'ended'>): UsageRow | undefined {
  if (ended.size > 1 || usage.length < 8) return undefined; // another process from then on
  const quarter = Math.floor(usage.length / 4);
  const least = (rows: Program['usage']) => Math.min(...rows.map(({ rss }) => rss));
  return {
    warm: least(usage.slice(quarter, 2 * quarter)),
    end: least(usage.slice(-quarter)),
    descriptors: { begin: usage[0]?.descriptors ?? 0, end: usage.at(-1)?.descriptors ?? 0 },
  };
}

/** Growth that is none yet: within the first minutes V8 and the allocator still find their size. */
const STEADY_MINUTES = 8;
const MOST_GROWTH = { steady: 1.1, young: 1.5 };
/** Descriptors of a moment: connections of a request, files of a hook. */
const MOST_DESCRIPTORS = 8;

/** What grew and should not have. */
export function usageProblems(rows: ReadonlyMap<string, UsageRow | undefined>, minutes: number): string[] {
  const problems: string[] = [];
  const most = minutes < STEADY_MINUTES ? MOST_GROWTH.young : MOST_GROWTH.steady;
  for (const [name, row] of rows) {
    if (!row) continue;
    const growth = row.end / row.warm;
    if (growth > most) problems.push(`${name}: memory grew ${growth.toFixed(2)} ×`);
    const more = row.descriptors.end - row.descriptors.begin;
    if (more > MOST_DESCRIPTORS) problems.push(`${name}: ${more} more descriptors than at first`);
  }
  return problems;
}
