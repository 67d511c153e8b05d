import { expect, it } from 'vitest';
import { type ListPlanInput, planList } from '../../../src/informer/watch/list-plan.ts';
import type { ListOptions } from '../../../src/model/list-options.ts';

const plan = (input: Partial<ListPlanInput>) =>
  planList({ sync: 'list', since: undefined, paginated: false, consistentUnpaged: false, ...input });

it.each<[string, Partial<ListPlanInput>, ListOptions]>([
  ['the first list: any cached state, in pages', {}, { resourceVersion: '0', limit: 500 }],
  ['a list after a lost position: the most recent state, in pages', { since: '' }, { resourceVersion: '', limit: 500 }],
  ['a relist: at its version, unpaged, so that the watch cache answers', { since: '7' }, { resourceVersion: '7' }],
  [
    'a relist of a server that pages at version 0: in pages',
    { since: '7', paginated: true },
    { resourceVersion: '7', limit: 500 },
  ],
  ['any list with a page size: that size', { since: '7', pageSize: 20 }, { resourceVersion: '7', limit: 20 }],
  ['a page size of 0: the default', { pageSize: 0 }, { resourceVersion: '0', limit: 500 }],
  ['the fallback of a streaming list: as in mode list', { sync: 'stream', since: '7' }, { resourceVersion: '7' }],
  ['mode pages: pages of the most recent state', { sync: 'pages', since: '7' }, { limit: 500 }],
  ['mode pages with a page size: that size', { sync: 'pages', pageSize: 20 }, { limit: 20 }],
  ['mode auto with consistent unpaged lists: no limit and no version', { sync: 'auto', consistentUnpaged: true }, {}],
  ['mode auto without them: pages', { sync: 'auto' }, { limit: 500 }],
  ['mode auto with a page size: that size', { sync: 'auto', consistentUnpaged: true, pageSize: 20 }, { limit: 20 }],
])('%s', (_, input, expected) => {
  expect(plan(input)).toEqual(expected);
});
