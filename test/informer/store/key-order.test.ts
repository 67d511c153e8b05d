import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoreKind } from '../../../src/informer/compact/compact-store.ts';
import { Indexer } from '../../../src/informer/store/indexer.ts';
import { KeyOrder } from '../../../src/informer/store/key-order.ts';
import { createLister } from '../../../src/informer/store/lister.ts';
import { compareText } from '../../../src/kit/text-order.ts';
import { keyOf } from '../../../src/model/key.ts';
import type { UnknownObject } from '../../../src/model/object.ts';

const things = (name: string, n: number): UnknownObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, namespace: 'shop', uid: name, resourceVersion: String(n) },
});

const NAME = fc.constantFrom('a', 'b', 'b-1', 'c', 'd', '\u{1f980}', '\uffee', 'z');
const WRITE = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), name: NAME }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('drop' as const), name: NAME }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('look' as const), name: NAME }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('replace' as const), name: NAME }) },
);

describe.each<StoreKind>(['objects', 'compact'])('all objects of a store of %s', (store) => {
  it('are listed by ascending key after any writes, and a list that was given out does not change', () => {
    fc.assert(
      fc.property(fc.array(WRITE, { maxLength: 40 }), (writes) => {
        const indexer = new Indexer<UnknownObject>({ store });
        const lister = createLister(indexer);
        const given: { readonly list: readonly unknown[]; readonly texts: string[] }[] = [];
        const textsOf = (list: readonly unknown[]) =>
          (list as readonly UnknownObject[]).map((each) => `${keyOf(each)} ${each.metadata.resourceVersion}`);
        for (const [i, { kind, name }] of writes.entries()) {
          if (kind === 'put') indexer.add(things(name, i));
          if (kind === 'drop') indexer.deleteKey(`shop/${name}`);
          if (kind === 'replace') indexer.replace([things('z', i), things(name, i), things('a', i)], String(i));
          if (kind !== 'look') continue;
          const list = lister.viewByKey?.() ?? [];
          const all = [...lister.values()] as UnknownObject[];
          const expected = textsOf(all.toSorted((a, b) => compareText(keyOf(a), keyOf(b))));
          expect(textsOf(list)).toEqual(expected);
          given.push({ list, texts: expected });
        }
        for (const { list, texts } of given) expect(textsOf(list)).toEqual(texts);
      }),
    );
  });
});

it('is the same list until something is written', () => {
  const order = new KeyOrder<number>();
  const items = new Map([
    ['b', 2],
    ['a', 1],
  ]);
  const list = order.entries(items);
  expect([list, order.entries(items) === list]).toEqual([[1, 2], true]);
  items.set('c', 3);
  order.put('c', 3);
  expect([list, order.entries(items)]).toEqual([
    [1, 2],
    [1, 2, 3],
  ]);
});

it('follows no more than a thousand writes, or as many as there are objects, without a reader', () => {
  const order = new KeyOrder<number>();
  const items = new Map([['a', 1]]);
  order.entries(items);
  for (let i = 0; i < 1000; i++) order.put('a', i);
  expect(order.entries(new Map())).toEqual([999]);
  for (let i = 0; i < 1001; i++) order.put('a', i);
  expect(order.entries(items)).toEqual([1]);
});

it('is not disturbed by the deletion of one entry among others', () => {
  const order = new KeyOrder<string>();
  const items = new Map(['a', 'b', 'c', 'd'].map((key) => [key, key]));
  order.entries(items);
  order.drop('b');
  order.drop('x');
  for (const key of ['c', 'b-1']) order.put(key, `${key}!`);
  expect(order.entries(new Map())).toEqual(['a', 'b-1!', 'c!', 'd']);
});
