import { describe, expect, it } from 'vitest';
import { Indexer } from '../../support/store-under-test.ts';

interface Pod {
  metadata: { name: string; namespace: string; resourceVersion: string };
  node: string;
}

const pod = (i: number, node = `n${i % 10}`): Pod => ({
  metadata: { name: `pod-${i}`, namespace: 'shop', resourceVersion: String(i) },
  node,
});
const pods = (count: number) => Array.from({ length: count }, (_, i) => pod(i));
const byNode = { node: ({ node }: Pod) => [node] };

function filled(count: number): Indexer<Pod> {
  const indexer = new Indexer<Pod>();
  indexer.replace(pods(count), '1');
  return indexer;
}

describe('an index that is added in steps', () => {
  it('is not there before the last step, and then has every object', () => {
    const indexer = filled(5000);
    const steps = indexer.addingIndexers(byNode);
    expect(steps.next().done).toBe(false);
    expect(indexer.hasIndex('node')).toBe(false);
    expect([...steps]).toHaveLength(Math.floor(5000 / indexer.store.slice) - 1);
    expect(indexer.indexCount('node', 'n3')).toBe(500);
  });

  it('has what was written between its steps: new objects, new values and deletions', () => {
    const indexer = filled(5000);
    const steps = indexer.addingIndexers(byNode);
    steps.next();
    indexer.update(pod(3, 'moved')); // was filed already
    indexer.update(pod(4993, 'moved')); // is filed later
    indexer.delete(pod(13));
    indexer.add(pod(5003));
    for (const _ of steps);
    expect(indexer.indexKeys('node', 'moved')).toEqual(['shop/pod-3', 'shop/pod-4993']);
    expect(indexer.indexCount('node', 'n3')).toBe(500 - 2 - 1 + 1);
    expect(indexer.byIndex('node', 'n3').every((object) => object !== undefined)).toBe(true);
  });

  it('is built from the new objects when all are replaced between its steps', () => {
    const indexer = filled(5000);
    const steps = indexer.addingIndexers(byNode);
    steps.next();
    indexer.replace([pod(1, 'only')], '2');
    for (const _ of steps);
    expect(indexer.indexValues('node')).toEqual(['only']);
  });

  it('is refused if the name is taken, also when it was taken between its steps', () => {
    const indexer = filled(5000);
    const steps = indexer.addingIndexers(byNode);
    steps.next();
    indexer.addIndexers(byNode);
    expect(() => {
      for (const _ of steps);
    }).toThrow('indexer conflict: node');
    expect(() => indexer.addingIndexers(byNode).next()).toThrow('indexer conflict: node');
  });

  it('can be removed', () => {
    const indexer = filled(10);
    indexer.addIndexers(byNode);
    indexer.removeIndexers(['node', 'unknown']);
    expect(indexer.hasIndex('node')).toBe(false);
    indexer.addIndexers(byNode);
    expect(indexer.indexCount('node', 'n1')).toBe(1);
  });
});

describe('a replacement in steps', () => {
  const writes: Record<string, (indexer: Indexer<Pod>) => void> = {
    add: (indexer) => indexer.add(pod(9001)),
    update: (indexer) => indexer.update(pod(3, 'moved')),
    delete: (indexer) => indexer.delete(pod(4)),
    'an index': (indexer) => indexer.addIndexers({ other: ({ node }) => [`other-${node}`] }),
    'an index in steps': (indexer) => {
      for (const _ of indexer.addingIndexers({ stepwise: ({ node }) => [`stepwise-${node}`] }));
    },
    'an index less': (indexer) => indexer.removeIndexers(['node']),
    replace: (indexer) => indexer.replace([...pods(4999), pod(9002)], '2'),
  };
  const names = Object.keys(writes);
  const pairs = names.flatMap((first, i) => names.slice(i + 1).map((second) => [first, second]));

  it.each([...names.map((name) => [name]), ...pairs].map((between) => [between.join(' and '), between] as const))(
    'with %s between its steps is the same as one after that',
    (_title, between) => {
      const next = pods(5000).map((each, i) => (i % 2 === 0 ? pod(i, 'new') : each));
      const [inSteps, after] = [filled(5000), filled(5000)];
      for (const indexer of [inSteps, after]) indexer.addIndexers(byNode);
      const steps = inSteps.replacing(next, '3');
      expect(steps.next().done).toBe(false);
      for (const name of between) for (const indexer of [inSteps, after]) writes[name]?.(indexer);
      for (const _ of steps);
      after.replace(next, '3');
      const stateOf = (indexer: Indexer<Pod>) => [
        indexer.values(),
        ...['node', 'other', 'stepwise'].map(
          (index) =>
            indexer.hasIndex(index) &&
            [
              ...indexer
                .indexValues(index)
                .map((value) => [value, [...indexer.indexKeys(index, value)].sort()] as const),
            ].sort(([a], [b]) => (a < b ? -1 : 1)),
        ),
      ];
      expect(stateOf(inSteps)).toEqual(stateOf(after));
    },
  );
});

it('a replacement in steps refuses an option that it does not have', () => {
  const indexer = new Indexer<{ metadata: { name: string } }>();
  expect(() => [...indexer.replacing([], '1', { nope: true } as never)]).toThrow('nope');
});
