import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLister } from '../../../src/informer/store/lister.ts';
import type { ValueRange } from '../../../src/informer/store/value-range.ts';
import { compareText } from '../../../src/kit/text-order.ts';
import { compareSizes, compareValues } from '../../../src/model/value-order.ts';
import { type Pod, pod } from '../../support/objects.ts';
import { Indexer } from '../../support/store-under-test.ts';

const indexer = (nodes: readonly string[] = []) => {
  const store = new Indexer<Pod>({ indexers: { node: (o) => String(o.spec?.nodeName ?? '').split(',') } });
  nodes.forEach((node, i) => void store.add(pod(`a/p${i}`, i + 1, { node })));
  return store;
};

describe('an index in order', () => {
  it('finds a prefix, ascending by code unit', () => {
    const store = indexer(['reg/b:2', 'reg/a:1', 'other', 'reg', 'reg/b:10', 'Reg/x']);
    expect(store.indexValues('node', { prefix: 'reg/' })).toEqual(['reg/a:1', 'reg/b:10', 'reg/b:2']);
    expect(store.indexValues('node', { prefix: 'none' })).toEqual([]);
    expect(store.byIndexRange('node', { prefix: 'reg/' }).map((o) => o.metadata.name)).toEqual(['p1', 'p4', 'p0']);
  });

  it.each<[ValueRange, string[]]>([
    [{ from: '3', to: '10' }, ['3', '9', '10']],
    [{ from: '10' }, ['10', '20', 'many']],
    [{ to: '3' }, ['-1.5', '3']],
    [{ from: '4', to: '8' }, []],
    [{ from: 'a', to: 'z' }, ['many']],
    [{}, ['-1.5', '3', '9', '10', '20', 'many']],
  ])('finds the range %j, numbers by size and before text', (range, values) => {
    expect(indexer(['10', '9', 'many', '3', '20', '-1.5']).indexValues('node', range)).toEqual(values);
  });

  it.each<[ValueRange, string[]]>([
    [{ from: '2Gi', to: '10Gi' }, ['2Gi', '5Gi', '10240Mi', '10Gi']],
    [{ from: '1024Mi', to: '1Gi' }, ['1024Mi', '1Gi']],
    [{ to: '1Gi' }, ['100m', '0.5', '1024Mi', '1Gi']],
    [{ from: '20Gi' }, ['abc']],
    [{ from: '0', to: '1' }, ['100m', '0.5']],
  ])('finds the range %j of quantities, by size', (range, values) => {
    const store = indexer(['5Gi', '1Gi', '10Gi', '1024Mi', '2Gi', '100m', '0.5', 'abc', '10240Mi']);
    expect(store.indexValues('node', range)).toEqual(values);
  });

  it('returns an object found under two values once', () => {
    const store = indexer(['n1,n2', 'n2']);
    expect(store.byIndexRange('node', { prefix: 'n' }).map((o) => o.metadata.name)).toEqual(['p0', 'p1']);
    expect(createLister(store).byIndexRange('node', { from: 'n2' })).toHaveLength(2);
  });

  it('throws for an index that does not exist, as byIndex does', () => {
    expect(() => indexer().byIndexRange('none', { prefix: '' })).toThrow('Index with name none does not exist');
    expect(indexer().indexValues('none', { prefix: '' })).toEqual([]);
  });

  const value = fc.oneof(
    fc.integer({ min: -20, max: 120 }).map(String),
    fc.constantFrom('1k', '1000', '0.1k', '100m', '1Ki', '1024'),
    fc.string({ unit: fc.constantFrom('a', 'b', '1'), maxLength: 3 }),
  );
  const write = fc.oneof(
    fc.record({
      kind: fc.constant('put' as const),
      name: fc.nat(5),
      values: fc.array(value, { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('delete' as const), name: fc.nat(5) }),
    fc.record({ kind: fc.constant('replace' as const), values: fc.array(value, { maxLength: 4 }) }),
    fc.record({ kind: fc.constant('ask' as const), from: value, to: value }),
  );

  it('finds at every moment what a scan of all values would find', () => {
    fc.assert(
      fc.property(fc.array(write, { maxLength: 30 }), (writes) => {
        const store = indexer();
        for (const step of writes) {
          if (step.kind === 'put') store.add(pod(`a/p${step.name}`, 1, { node: step.values.join(',') }));
          else if (step.kind === 'delete') store.deleteKey(`a/p${step.name}`);
          else if (step.kind === 'replace')
            store.replace(
              step.values.map((node, i) => pod(`a/p${i}`, 2, { node })),
              '2',
            );
          else expectScan(store, step.from, step.to);
        }
        expectScan(store, '1', 'b');
      }),
      { numRuns: 300 },
    );
  });

  function expectScan(store: Indexer<Pod>, from: string, to: string): void {
    const all = store.indexValues('node');
    const between = all.filter((v) => compareSizes(from, v) <= 0 && compareSizes(v, to) <= 0);
    expect(store.indexValues('node', { from, to })).toEqual(between.sort(compareValues));
    expect(store.indexValues('node', { prefix: from })).toEqual(
      all.filter((v) => v.startsWith(from)).sort(compareText),
    );
  }
});
