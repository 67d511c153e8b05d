// node --expose-gc bench/query-index.ts [--objects N] [--json]: the memory of an index entry, and the time of lookups
// beside a full scan, in this process.
import { parseArgs } from 'node:util';
import { Indexer } from '../src/informer/store/indexer.ts';
import { createLister, type Lister } from '../src/informer/store/lister.ts';
import { indexByNamespace, NAMESPACE_INDEX } from '../src/informer/store/object-index.ts';
import type { ReadonlyObject, UnknownObject } from '../src/model/object.ts';
import { IndexCatalog } from '../src/query/index/index-catalog.ts';
import { type IndexDefinition, parseIndex } from '../src/query/index/index-definition.ts';
import { type LookupFlag, parseLookup } from '../src/query/index/lookup.ts';
import { runLookups } from '../src/query/index/lookup-plan.ts';
import { indexersOf, storedIndexOf } from '../src/query/index/stored-index.ts';

/** What keeping one index of a cache takes. */
export interface IndexMemory {
  readonly index: string;
  readonly objects: number;
  /** Values of all objects: an object with two values has two entries. */
  readonly entries: number;
  readonly distinct: number;
  readonly bytes: number;
  readonly bytesPerEntry: number;
}

/** How long a question to a cache takes. */
export interface LookupTime {
  readonly question: string;
  readonly found: number;
  readonly microseconds: number;
}

/** Pods as a cluster has them: 100 on a node, 10 of a ReplicaSet, in 20 namespaces, of 50 images. `i` makes each of them another one. */
export function indexedPod(i: number): UnknownObject {
  const set = Math.floor(i / 10);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `web-${i}`,
      namespace: `team-${set % 20}`,
      uid: `0000-${i}`,
      labels: { app: `app-${i % 200}` },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `set-${set}`, uid: `1111-${set}` }],
      creationTimestamp: new Date(Date.UTC(2026, 0, 1) + i * 1000).toISOString(),
    },
    spec: {
      nodeName: `node-${Math.floor(i / 100)}`,
      containers: [{ image: `registry.example.com/app:${i % 50}` }, { image: 'registry.example.com/side:1' }],
    },
    status: { phase: i % 10 === 0 ? 'Pending' : 'Running' },
  };
}

/** Measures each index alone: the heap before and after it is added to a cache. Needs `--expose-gc`. */
export function indexMemory(objects: readonly UnknownObject[], definitions: readonly IndexDefinition[]): IndexMemory[] {
  return definitions.map((definition) => {
    const store = new Indexer<UnknownObject>();
    store.replace(objects, '1');
    const before = usedHeap();
    store.addIndexers(indexersOf([definition], () => false));
    const bytes = usedHeap() - before;
    const key = storedIndexOf(definition)?.key ?? '';
    const values = store.indexValues(key);
    const entries = values.reduce((sum, value) => sum + store.indexCount(key, value), 0);
    const bytesPerEntry = Math.round(bytes / Math.max(1, entries));
    return { index: definition.name, objects: store.size, entries, distinct: values.length, bytes, bytesPerEntry };
  });
}

/** Measures questions to caches: with the indexes kept, and as a full scan. */
export function lookupTimes(
  objects: readonly UnknownObject[],
  catalog: IndexCatalog,
  { forMs = 200 } = {},
): LookupTime[] {
  const definitions = KEPT.map((name) => catalog.get(name));
  const kept = listerOf(objects, definitions);
  const bare = listerOf(objects, []);
  return QUESTIONS.flatMap((question) => {
    const lookups = question.map(([flag, text]) => parseLookup(flag, text));
    const text = question.map(([flag, value]) => `--${flag} ${value}`).join(' ');
    const ask = (store: Lister<UnknownObject>) => runLookups({ store, catalog, lookups }).objects;
    return [
      { question: `${text}, by index`, ...timed(() => ask(kept), forMs) },
      { question: `${text}, full scan`, ...timed(() => ask(bare), forMs) },
    ];
  });
}

/** The indexes of the questions: built-in ones, a path and CEL. */
export async function benchCatalog(): Promise<IndexCatalog> {
  const declared = ['created=.metadata.creationTimestamp', 'first=object.spec.containers[0].image'];
  return new IndexCatalog(await Promise.all(declared.map((text) => parseIndex(text))));
}

const KEPT = ['node', 'phase', 'image', 'label:app', 'created', 'first', 'owner'];

const QUESTIONS: readonly (readonly [LookupFlag, string][])[] = [
  [['eq', 'node=node-7']],
  [['eq', 'owner=replicaset/set-7']],
  [['in', 'node=node-7,node-8']],
  [['prefix', 'image=registry.example.com/app:4']],
  [['range', 'created=2026-01-01T00:10:00Z..2026-01-01T00:12:00Z']],
  [
    ['eq', 'phase=Pending'],
    ['eq', 'label:app=app-10'],
  ],
  [
    ['eq', 'phase=Pending'],
    ['eq', 'first=registry.example.com/app:10'],
  ],
];

function listerOf(objects: readonly UnknownObject[], definitions: readonly IndexDefinition[]): Lister<UnknownObject> {
  const store = new Indexer<UnknownObject>({
    indexers: { [NAMESPACE_INDEX]: indexByNamespace, ...indexersOf(definitions) },
  });
  store.replace(objects, '1');
  return createLister(store);
}

/** The time of one call, of as many as fit in `forMs`. The first calls are not counted. */
function timed(ask: () => readonly ReadonlyObject[], forMs: number): { found: number; microseconds: number } {
  let found = 0;
  for (let i = 0; i < 3; i++) found = ask().length;
  const start = performance.now();
  let calls = 0;
  do {
    ask();
    calls++;
  } while (performance.now() - start < forMs);
  return { found, microseconds: Math.round(((performance.now() - start) * 10_000) / calls) / 10 };
}

function usedHeap(): number {
  if (globalThis.gc === undefined) throw new Error('run it with --expose-gc');
  for (let i = 0; i < 3; i++) globalThis.gc();
  return process.memoryUsage().heapUsed;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { objects: { type: 'string' }, json: { type: 'boolean' } } });
  const objects = Array.from({ length: Number(values.objects ?? '100000') }, (_, i) => indexedPod(i));
  const catalog = await benchCatalog();
  const memory = indexMemory(
    objects,
    KEPT.map((name) => catalog.get(name)),
  );
  const times = lookupTimes(objects, catalog);
  if (values.json) console.log(JSON.stringify({ memory, times }, null, 2));
  else {
    console.table(memory);
    console.table(times);
  }
}
