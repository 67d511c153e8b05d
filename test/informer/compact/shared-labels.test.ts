import { expect, it } from 'vitest';
import { SharedLabels } from '../../../src/informer/compact/shared-labels.ts';

it('objects with the same labels have one map of them, which is no map of any of them', () => {
  const labels = new SharedLabels();
  const own = { app: 'web', tier: 'x' };
  const shared = labels.share(own);
  expect(shared).toEqual(own);
  expect(shared).not.toBe(own);
  expect(labels.share({ ...own })).toBe(shared);
  expect(labels.share({ app: 'db' })).not.toBe(shared);
  expect(labels.share(undefined)).toBeUndefined();
});

it('at most 4,096 sets of labels are remembered', () => {
  const labels = new SharedLabels();
  const first = labels.share({ n: '0' });
  for (let i = 1; i < 4096; i++) labels.share({ n: `${i}` });
  expect(labels.share({ n: '0' })).toBe(first);
  labels.share({ n: 'one more' });
  expect(labels.share({ n: '0' })).not.toBe(first);
});
