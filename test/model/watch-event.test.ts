import { expect, it } from 'vitest';
import { isInitialEventsEnd } from '../../src/model/watch-event.ts';

it.each<[Record<string, string> | undefined, boolean]>([
  [{ 'k8s.io/initial-events-end': 'true' }, true],
  [{ 'k8s.io/initial-events-end': 'false' }, false],
  [{ 'k8s.io/initial-events-end': '' }, false],
  [{ other: 'true' }, false],
  [undefined, false],
])('a bookmark with the annotations %j ends the initial events: %s', (annotations, expected) => {
  expect(isInitialEventsEnd({ metadata: annotations ? { annotations } : {} })).toBe(expected);
});
