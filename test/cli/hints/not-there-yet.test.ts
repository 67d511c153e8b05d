import { expect, it } from 'vitest';
import { notThereYet } from '../../../src/cli/hints/not-there-yet.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { factsOf } from '../../support/hints.ts';
import { storeOf } from '../../support/query.ts';

const POD = { gvr: { group: '', version: 'v1', resource: 'pods' } } as ResourceType;

const LINE = 'pods "wbe" is not there yet: it is shown when it comes';
function targetsOf(forbidden: readonly object[] = []) {
  const lister = { ...storeOf([], []), values: () => [{ metadata: { name: 'web' } }] };
  return [{ type: POD, names: new Set(['web', 'wbe']), forbidden, informer: { lister } }] as never;
}

it('names each object that was asked for by name and is not there', async () => {
  expect(await notThereYet(factsOf([], {}, { targets: targetsOf() }))).toEqual([LINE]);
});

it('is silent where names are reported elsewhere, with --ignore-not-found, and beside selectors', async () => {
  for (const plan of [{ ignoreNotFound: true }, { selector: 'app=web' }, { fieldSelector: 'spec.nodeName=n' }])
    expect(await notThereYet(factsOf([], plan, { targets: targetsOf() }))).toEqual([]);
  expect(await notThereYet(factsOf([], {}, { targets: targetsOf(), areNamesReported: true }))).toEqual([]);
});

it('is silent of a name that may not be read', async () => {
  const targets = targetsOf([{ need: { names: ['wbe'] } }]);
  expect(await notThereYet(factsOf([], {}, { targets }))).toEqual([]);
});
