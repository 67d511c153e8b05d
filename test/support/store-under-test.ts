import type { StoreKind } from '../../src/informer/compact/compact-store.ts';
import {
  dynamicInformerFactory as factoryOf,
  type InformerFactory,
  type InformerFactoryOptions,
  type ResourceSource,
} from '../../src/informer/informer-factory.ts';
import type { ScopedSource, SharedInformerOptions } from '../../src/informer/informer-options.ts';
import { SharedInformer as SharedInformerOf } from '../../src/informer/shared-informer.ts';
import { Indexer as IndexerOf, type IndexerOptions } from '../../src/informer/store/indexer.ts';
import type { ListerWatcher } from '../../src/informer/watch/lister-watcher.ts';

// The store of the informers and indexers below, so that a suite runs on each kind of store. A suite runs on `objects`
// by itself; test/informer/compact/same-promises.test.ts runs it again.

let store: StoreKind = 'objects';

/** From now on, informers and indexers keep their objects in this kind of store. */
export function useStore(kind: StoreKind): void {
  store = kind;
}

export const storeUnderTest = (): StoreKind => store;

export class Indexer<T> extends IndexerOf<T> {
  constructor(options: IndexerOptions<T> = {}) {
    super({ store, ...options });
  }
}

export class SharedInformer<T> extends SharedInformerOf<T> {
  constructor(sources: ListerWatcher<T> | readonly ScopedSource<T>[], options: SharedInformerOptions<T> = {}) {
    super(sources, { store, ...options });
  }
}

export function dynamicInformerFactory(source: ResourceSource, options: InformerFactoryOptions = {}): InformerFactory {
  return factoryOf(source, { store, ...options });
}
