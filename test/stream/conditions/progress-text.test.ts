import { expect, it } from 'vitest';
import { progressText } from '../../../src/stream/conditions/progress-text.ts';
import type { WaitProgress } from '../../../src/stream/conditions/waiter.ts';

it.each<[Partial<WaitProgress>, string]>([
  [{ met: 3, total: 5, waitingFor: ['web-2', 'web-4'] }, '3/5 met, waiting for web-2, web-4'],
  [{ met: 1, total: 5, waitingFor: ['a', 'b', 'c'] }, '1/5 met, waiting for a, b, c and 1 more'],
  [{ met: 0, total: 0 }, '0/0 met, waiting for the first object'],
  [{ met: 0, total: 0, isOneEnough: true }, '0/0 met, waiting for the first object'],
  [{ met: 0, total: 4, isOneEnough: true, waitingFor: ['a'] }, '0/4 met, one is enough'],
  [{ met: 1, total: 4, isOneEnough: true }, '1/4 met'],
  [{ met: 4, total: 4 }, '4/4 met'],
  [{ met: 1, total: 2, word: 'rolled out', waitingFor: ['web'] }, '1/2 rolled out, waiting for web'],
])('%j: %s', (progress, text) => {
  expect(progressText({ met: 0, total: 0, waitingFor: [], word: 'met', isOneEnough: false, ...progress })).toBe(text);
});
