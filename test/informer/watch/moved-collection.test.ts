import { expect, it } from 'vitest';
import {
  changedCollection,
  isChangedCollection,
  isMovedCollection,
  movedCollection,
} from '../../../src/informer/watch/moved-collection.ts';
import { InformerError } from '../../../src/kit/error.ts';

it('a collection that moved is another one; one that changed is too, and says so through the error of a list', () => {
  const cause = new Error('no');
  const [moved, changed] = [movedCollection('elsewhere', { cause }), changedCollection('other parts')];
  expect(moved).toMatchObject({ code: 'watch', message: 'elsewhere', cause });
  expect(changed).toMatchObject({ code: 'watch', message: 'other parts' });
  const listed = (error: unknown) => new InformerError('list', 'failed', { cause: error });
  const other = new InformerError('watch', 'failed', { cause: changed });
  const all = [moved, changed, listed(moved), listed(changed), listed(listed(changed)), other, cause, undefined];
  expect(all.map(isMovedCollection)).toEqual([true, true, false, false, false, false, false, false]);
  expect(all.map(isChangedCollection)).toEqual([false, true, false, true, true, false, false, false]);
});
