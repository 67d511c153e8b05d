import type { WaitProgress } from './waiter.ts';

/** How far a wait is: `3/5 ready, waiting for web-2`, `0/0 ready, waiting for the first object`. */
export function progressText({ met, total, waitingFor, word }: WaitProgress): string {
  const count = `${met}/${total} ${word}`;
  if (total === 0) return `${count}, waiting for the first object`;
  if (waitingFor.length === 0) return count;
  const others = total - met - waitingFor.length;
  return `${count}, waiting for ${waitingFor.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}
