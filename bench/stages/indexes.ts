import { Indexer } from '../../src/informer/store/indexer.ts';
import type { Indexers } from '../../src/informer/store/object-index.ts';
import type { Shape } from '../generator.ts';
import type { Row, Stage } from '../harness.ts';
import { changed, type Pod, pods } from './bodies.ts';

const keyOf = ({ metadata }: Pod) => `${metadata.namespace}/${metadata.name}`;

/** What a cache of pods may well have. */
const INDEXES: Indexers<Pod> = {
  namespace: ({ metadata }) => [metadata.namespace],
  node: ({ spec }) => [spec.nodeName],
  turn: ({ metadata }) => (metadata.labels.turn === undefined ? [] : [metadata.labels.turn]),
};

/** Objects into the store: what a change costs once it is decoded. */
export function putIntoStore(count: number, shape: Shape): Stage {
  const objects = pods(count, shape);
  const later = objects.map((pod, i) => changed(pod, i));
  const filled = (indexers: Indexers<Pod>) => () => {
    const indexer = new Indexer<Pod>({ indexers });
    for (const object of objects) indexer.add(object);
    return indexer;
  };
  const row = (name: string, prepare: () => Indexer<Pod>, work: (indexer: Indexer<Pod>) => void): Row => ({
    name,
    prepare,
    run(prepared) {
      work(prepared as Indexer<Pod>);
      return (prepared as Indexer<Pod>).size;
    },
  });
  const { turn: _, ...steady } = INDEXES;
  const update = (indexer: Indexer<Pod>) => {
    for (const object of later) indexer.update(object);
  };
  return {
    unit: 'object',
    count,
    rows: [
      { name: 'baseline: a Map by key', run: () => new Map(objects.map((object) => [keyOf(object), object])).size },
      row(
        'added, no index',
        () => new Indexer<Pod>(),
        (indexer) => {
          for (const object of objects) indexer.add(object);
        },
      ),
      row(
        'added, 3 indexes',
        () => new Indexer<Pod>({ indexers: INDEXES }),
        (indexer) => {
          for (const object of objects) indexer.add(object);
        },
      ),
      row('updated, 2 indexes that stay', filled(steady), update),
      row('updated, 3 indexes of which one changes', filled(INDEXES), update),
      row('all replaced, 3 indexes', filled(INDEXES), (indexer) => indexer.replace(later, '2')),
    ],
  };
}
