import type { ContinuityEvent } from '../../informer/watch/continuity-ledger.ts';
import type { ContinuityCounts } from '../../stream/summary.ts';
import type { WatchTarget } from '../session/informers.ts';

/** The continuity of all sources of a stream in numbers. */
export function continuityOf(targets: readonly WatchTarget[]): ContinuityCounts & { readonly storeErrors: number } {
  const all = targets.flatMap(({ informer }) => informer.continuity);
  const sum = (count: (c: (typeof all)[number]) => number) => all.reduce((total, each) => total + count(each), 0);
  return {
    relists: sum((c) => c.relists),
    gaps: sum((c) => c.gapCount),
    resumed: sum((c) => c.resumes),
    storeErrors: sum((c) => c.storeErrors),
  };
}

/** Whether an event says that a change may not be shown. */
export function isLoss(event: ContinuityEvent): boolean {
  return event.kind === 'gap' || (event.kind === 'fault' && event.fault === 'store' && event.next === 'dropped');
}
