import { Indexer } from '../src/informer/indexer.ts';
import type { UnknownObject } from '../src/model/object.ts';
import type { Bench } from './harness.ts';
import { pods } from './objects.ts';

const keyOf = ({ metadata }: UnknownObject) => `${metadata.namespace}/${metadata.name}`;

/** Objects into the store: what a change costs once it is decoded. */
export function fillIndexer(count: number): Bench {
  const objects = pods(count) as UnknownObject[];
  const fill = (indexers: Record<string, (object: UnknownObject) => string[]>) => {
    const indexer = new Indexer<UnknownObject>({ indexers });
    for (const object of objects) indexer.add(object);
    return indexer;
  };
  return {
    name: 'put into the store',
    unit: 'object',
    count,
    rows: [
      { name: 'baseline: a Map by key', run: () => new Map(objects.map((object) => [keyOf(object), object])) },
      { name: 'no index', run: () => fill({}) },
      {
        name: 'two indexes',
        run: () => fill({ namespace: (o) => [o.metadata.namespace ?? ''], node: (o) => [(o.spec as { nodeName: string }).nodeName] }),
      },
    ],
  };
}
