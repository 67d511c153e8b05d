import { InformerError } from '../../kit/error.ts';
import type { WatchEnding, WatchState } from './watch-machine.ts';

/** The error of a watch that ended without one. */
export function endingError(why: WatchEnding): InformerError {
  const text =
    why === 'very-short'
      ? 'very short watch: watch lasted less than a second and no items received'
      : `the watch ended: ${why}`;
  return new InformerError('watch', text);
}

/** The next step after a fault, as the ledger names it. */
export function nextAction(next: WatchState): 'relist' | 'list' | 'resume' | 'retry' | 'probe' {
  switch (next.kind) {
    case 'streaming':
      return next.tries > 0 ? 'retry' : 'relist';
    case 'listing':
      return 'list';
    case 'probing':
      return 'probe';
    case 'merging':
      return 'list';
    default:
      return 'resume';
  }
}
