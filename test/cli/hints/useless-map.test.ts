import { expect, it } from 'vitest';
import { uselessMap } from '../../../src/cli/hints/useless-map.ts';
import { factsOf, POD, pods, serverOf } from '../../support/hints.ts';
import { storeOf } from '../../support/query.ts';

const DEPLOY = { ...POD, gvr: { group: 'apps', version: 'v1', resource: 'deployments' }, singular: 'deployment' };

function linesOf(keys: readonly string[], { isIndex = false, count = 2 } = {}) {
  const primary = {
    type: DEPLOY,
    names: undefined,
    informer: { lister: storeOf([{ metadata: { namespace: 'shop', name: 'web' } }], []) },
  } as never;
  const map = { text: '.x', isIndex, keysOf: () => keys };
  const facts = { ...factsOf([pods(...['a', 'b'].slice(0, count))]), map, primary };
  return uselessMap({ ...facts, isReconciled: (key) => key === 'shop/web' }, serverOf());
}

it.each<[readonly string[], boolean, string]>([
  [[], false, '--map .x finds nothing in 2 pods'],
  [['shop/wbe'], false, '--map .x: no key that it finds in 2 pods is one of 1 deployment, for example shop/wbe'],
  [[], true, '--map .x: none of 1 deployment has one of 2 pods in this index'],
])('of a map to the keys %j (index: %j) it says %s', async (keys, isIndex, line) => {
  expect(await linesOf(keys, { isIndex })).toEqual([line]);
});

it('is silent of a map that leads to a reconciled object, and without objects', async () => {
  expect(await linesOf(['shop/x', 'shop/web'])).toEqual([]);
  expect(await linesOf([], { count: 0 })).toEqual([]);
});
