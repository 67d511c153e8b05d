import type { MetricLabels } from '../kit/metrics.ts';

/**
 * The most series of one metric. Further ones share one whose labels are all `other`, so that labels with values of the
 * cluster cannot fill the memory.
 */
const MOST_SERIES = 1000;

/** One series: values that callers set or add to, and functions that are called when it is read. */
export class Series {
  readonly labels: MetricLabels;
  value = 0;
  /** Whether a caller holds it, so that it is shown also without functions. */
  isHeld = false;
  readonly readers = new Set<() => number>();

  constructor(labels: MetricLabels) {
    this.labels = labels;
  }

  /** The sum. Undefined if there is none to show. */
  read(failed: (error: unknown) => void): number | undefined {
    let sum = this.value;
    let isShown = this.isHeld;
    for (const reader of this.readers) {
      try {
        const value = reader();
        if (!Number.isFinite(value)) continue;
        sum += value;
        isShown = true;
      } catch (error) {
        failed(error);
      }
    }
    return isShown ? sum : undefined;
  }
}

/** The series of labels, which is made if it is not there. */
export function seriesOf(
  { series, labelNames }: { readonly series: Map<string, Series>; readonly labelNames: readonly string[] },
  labels: MetricLabels,
): Series {
  const id = idOf(labels, labelNames);
  const known = series.get(id);
  if (known) return known;
  const isOver = series.size >= MOST_SERIES;
  const shown = isOver ? Object.fromEntries(labelNames.map((label) => [label, 'other'])) : { ...labels };
  const shownId = isOver ? idOf(shown, labelNames) : id;
  const created = series.get(shownId) ?? new Series(shown);
  series.set(shownId, created);
  return created;
}

export const idOf = (labels: MetricLabels, names: readonly string[]): string =>
  JSON.stringify(names.map((name) => labels[name]));
