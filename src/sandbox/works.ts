import { type Cluster, timestamp } from './cluster.ts';
import { CRD_STORAGE, CrdController } from './controllers/crd-controller.ts';
import { GarbageCollector } from './controllers/garbage-collector.ts';
import { NamespaceCleaner } from './controllers/namespace-cleaner.ts';
import { PodReaper } from './controllers/pod-reaper.ts';
import { bootstrap } from './seed/bootstrap.ts';
import { Fixtures } from './seed/fixtures.ts';
import { ApiServer, type ApiServerOptions } from './server/api-server.ts';
import { ObjectStore, type ObjectStoreOptions, type StoreSnapshot } from './store/object-store.ts';
import { builtinTypes } from './types/builtin-types.ts';
import { TypeRegistry } from './types/type-registry.ts';
import { Deleter } from './write/deleter.ts';
import { WriteRequests } from './write/requests.ts';
import { Writer } from './write/writer.ts';

export interface WorksOptions extends ApiServerOptions, Pick<Cluster, 'clock' | 'random'> {
  readonly store: ObjectStoreOptions;
  /** What is stored at the start; what a cluster that was just made has, unless given. */
  readonly snapshot?: StoreSnapshot | undefined;
}

/** A server with its storage and its controllers. Another storage takes another of these: nothing of the one before is left in memory. */
export class Works implements Disposable {
  readonly cluster: Cluster;
  readonly writer: Writer;
  readonly deleter: Deleter;
  readonly server: ApiServer;
  readonly fixtures: Fixtures;
  readonly #parts: readonly Disposable[];

  constructor({ clock, random, store: storeOptions, snapshot, ...options }: WorksOptions) {
    const store = new ObjectStore(storeOptions);
    this.cluster = { store, types: new TypeRegistry(builtinTypes()), clock, random };
    this.writer = new Writer(this.cluster);
    this.deleter = new Deleter(this.cluster);
    this.server = new ApiServer(this.cluster, new WriteRequests(this.cluster, this.writer, this.deleter), options);
    const crds = new CrdController(this.cluster, this.writer, this.deleter);
    this.fixtures = new Fixtures(this.cluster, this.writer, this.deleter, crds);
    this.#parts = [
      crds,
      new GarbageCollector(this.cluster, this.writer, this.deleter),
      new NamespaceCleaner(this.cluster, this.writer, this.deleter),
      new PodReaper(this.cluster, this.deleter),
    ];
    if (!snapshot) bootstrap(this.cluster, this.writer, timestamp(clock.now()));
    else {
      store.load(snapshot);
      for (const { key } of [...store.collection(CRD_STORAGE).values()]) crds.establish(key);
    }
  }

  [Symbol.dispose](): void {
    for (const part of this.#parts) part[Symbol.dispose]();
  }
}
