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
