import { describe, expect, it } from 'vitest';
import { Indexer, useStore } from '../../support/store-under-test.ts';

// The suites of the cache again, with a compact store.

useStore('compact');

it('the suites below run with a compact store', () => {
  expect(new Indexer().store.keepsObjects).toBe(false);
});

const SUITES: readonly [string, () => Promise<unknown>][] = [
  ['store/indexer', () => import('../store/indexer.test.ts')],
  ['store/indexer-steps', () => import('../store/indexer-steps.test.ts')],
  ['store/lister', () => import('../store/lister.test.ts')],
  ['store/value-range', () => import('../store/value-range.test.ts')],
  ['store/apply', () => import('../store/apply-deltas.test.ts')],
  ['store/sliced-replace', () => import('../store/sliced-replace.test.ts')],
  ['shared-informer', () => import('../shared-informer.test.ts')],
  ['source-pipeline', () => import('../source-pipeline.test.ts')],
  ['stored-state', () => import('../stored-state.test.ts')],
  ['user-callbacks', () => import('../user-callbacks.test.ts')],
  ['informer-factory', () => import('../informer-factory.test.ts')],
  ['verifier', () => import('../verifier.test.ts')],
  ['simulation', () => import('../simulation.test.ts')],
];

describe.each(SUITES)('%s', async (_, suite) => {
  await suite();
});
