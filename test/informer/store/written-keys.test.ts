import { expect, it } from 'vitest';
import { Indexer } from '../../../src/informer/store/indexer.ts';
import { WrittenKeys } from '../../../src/informer/store/written-keys.ts';
import type { UnknownObject } from '../../../src/model/object.ts';

const thing = (name: string): UnknownObject => ({ apiVersion: 'v1', kind: 'Thing', metadata: { name } });

it('has the keys that were added, changed and deleted since the last look', () => {
  const indexer = new Indexer<UnknownObject>();
  indexer.replace([thing('a'), thing('b')], '1');
  const written = indexer.follow(10);
  expect([...(written.take() ?? [])]).toEqual([]);
  indexer.add(thing('c'));
  indexer.update(thing('a'));
  indexer.deleteKey('b');
  expect([...(written.take() ?? [])]).toEqual(['c', 'a', 'b']);
  expect([...(written.take() ?? [])]).toEqual([]);
});

it('is not known after too many keys, after a replacement of all objects, and after its end', () => {
  const indexer = new Indexer<UnknownObject>();
  const many = Array.from({ length: 50 }, (_, i) => thing(`t-${i}`));
  indexer.replace(many, '1');
  const [few, replaced, ended] = [indexer.follow(1), indexer.follow(100), indexer.follow(100)];
  indexer.add(thing('a'));
  expect([few.take()?.size, replaced.take()?.size]).toEqual([1, 1]);
  indexer.add(thing('a'));
  indexer.add(thing('b'));
  expect(few.take()).toBeUndefined();
  ended.end();
  expect(ended.take()).toBeUndefined();
  indexer.replace([thing('x'), thing('y')], '2');
  expect(replaced.take()).toBeUndefined();
  indexer.add(thing('z'));
  expect([few.take(), replaced.take(), ended.take()]).toEqual([undefined, undefined, undefined]);
});

it('leaves what was taken as it is, and says once that it ended', () => {
  const ended: unknown[] = [];
  const written = new WrittenKeys(2, (which) => ended.push(which));
  const none = written.take();
  written.add('a');
  const one = written.take();
  for (const key of ['b', 'c']) written.add(key);
  expect([none, one, ended]).toEqual([new Set(), new Set(['a']), []]);
  for (const key of ['d', 'e']) written.add(key);
  expect([written.take(), ended]).toEqual([undefined, [written]]);
  expect(ended[0]).toBe(written);
});
