import { expect, it } from 'vitest';
import { endingError, nextAction } from '../../../src/informer/watch/fault-report.ts';
import type { WatchState } from '../../../src/informer/watch/watch-machine.ts';

it.each<[string, Partial<WatchState>]>([
  ['relist', { kind: 'streaming', tries: 0 }],
  ['retry', { kind: 'streaming', tries: 1 }],
  ['list', { kind: 'listing' }],
  ['list', { kind: 'merging' }],
  ['probe', { kind: 'probing' }],
  ['resume', { kind: 'listed' }],
  ['resume', { kind: 'verifying' }],
  ['resume', { kind: 'following' }],
])('the next step after a fault is a %s before %j', (action, next) => {
  expect(nextAction(next as WatchState)).toBe(action);
});

it('a watch that ended without an error is named by how it ended', () => {
  expect(endingError('very-short')).toMatchObject({
    code: 'watch',
    message: 'very short watch: watch lasted less than a second and no items received',
  });
  expect(endingError('closed')).toMatchObject({ code: 'watch', message: 'the watch ended: closed' });
});
