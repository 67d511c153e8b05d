import type { WaitProgress } from './waiter.ts';

/**
 * The progress of a wait in one line: `3/5 met, waiting for web-2`, `0/0 met, waiting for the first object`,
 * `0/4 met, one is enough`.
 */
export function progressText({ met, total, waitingFor, word, isOneEnough }: WaitProgress): string {
  const count = `${met}/${total} ${word}`;
  if (total === 0) return `${count}, waiting for the first object`;
  if (isOneEnough) return met === 0 ? `${count}, one is enough` : count;
  if (waitingFor.length === 0) return count;
  const others = total - met - waitingFor.length;
  return `${count}, waiting for ${waitingFor.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}
